"""Confidence in multiple choice: asked for, read, and scored."""

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import blend
from blend.eval.tasks.multiple_choice.chosen_options import stated_confidence, strict_choice, without_confidence
from helpers.models.own_models import Saying, refused


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ('{"answer_choice":"B", "confidence":90}', 0.9),
        ('{"confidence": "75 %", "answer_choice": "B"}', 0.75),
        ('{"answer_choice":"B", "confidence": 0.85}', 0.85),
        ('{"answer_choice":"B", "confidence": 1}', 0.01),
        ('{"answer_choice":"B", "confidence": 100.0}', 1.0),
        ('{"answer_choice":"B", "confidence": 250}', None),
        ('{"answer_choice":"B", "confidence": "high"}', None),
        ('{"answer_choice":"B"}', None),
    ],
)
def test_a_confidence_is_read_and_leaves_the_letter(text: str, share: float | None):
    answers = pl.DataFrame({"text": [text]})
    assert answers.select(stated_confidence(pl.col("text"))).item() == share
    strictly = answers.select(strict_choice(without_confidence(pl.col("text")))).item()
    assert strictly == (None if "high" in text else 1)


@pytest.fixture
def asked(mini_release: Any, tmp_path: Any) -> Callable[..., blend.Run]:
    def ask(model: Any, **options: Any) -> blend.Run:
        out = tmp_path / f"run{len(list(tmp_path.iterdir()))}"
        return blend.run_task(mini_release, "multiple-choice", model, out, limit=12, **options)

    return ask


@pytest.mark.slow
def test_confidence_that_is_said(asked: Callable[..., blend.Run]):
    stated = Saying(
        lambda prompts: [
            f'{{"answer_choice": "A", "confidence": {60 + i % 40}}}' for i, _ in enumerate(prompts)
        ]
    )
    run = asked(stated, style="json", confidence=True)
    assert run.items()["prompt"].str.contains('"confidence":""', literal=True).all()
    scored = blend.score_run(run)
    assert "|conf:stated|" in scored.signature
    assert scored.overall("parsed-strictly").value == 100
    every = scored.overall("accuracy")
    decided = scored.decisions()
    assert decided["confidence"].is_between(0.6, 1).all()
    assert scored.overall("ece").value == pytest.approx(
        100 * decided["confidence"].mean() - every.value, abs=1e-9
    )
    given = scored.of("accuracy-at-coverage", "coverage")
    assert list(given) == ["50", "80", "90", "100"]
    assert (given["100"].value, given["100"].n) == (pytest.approx(every.value), every.n)
    assert given["50"].n == round(every.n / 2)
    assert set(scored.of("auroc", "region")) == set(scored.of("accuracy", "region"))
    assert set(scored.of("accuracy-at-coverage", "region-coverage")) >= {"KR/50", "KR/100"}


def test_probabilities_are_confidence_enough(asked: Callable[..., blend.Run]):
    assert refused(lambda: asked(Saying(len), style="letters", confidence=True)) == (
        "`confidence=True` makes sense only in the style 'json', and here `style=letters`, whose probabilities "
        "are confidence enough; leave it out"
    )
