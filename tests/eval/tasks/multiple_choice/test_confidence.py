"""Confidence in multiple choice: asked for, read, and scored."""

from collections.abc import Callable

import polars as pl
import pytest

import blend
from blend.eval.tasks.multiple_choice.choices import (
    BY_LETTER,
    read_replies,
    stated_confidence,
    without_confidence,
)
from helpers.messages import wrong
from helpers.models.own_models import Saying


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
    answers = pl.DataFrame({"text": [text], "option_texts": [["tea"] * 4]})
    assert answers.select(stated_confidence(pl.col("text"))).item() == share
    left = answers.with_columns(without_confidence(pl.col("text")))
    assert read_replies(left, BY_LETTER)["strict"].item() == (None if "high" in text else 1)


def test_probabilities_are_confidence_enough(asked: Callable[..., blend.Run]):
    assert wrong(lambda: asked(Saying(len), style="letters", confidence=True)) == (
        "`confidence=True` makes sense only in the style 'json', and here `style=letters`, whose probabilities "
        "are confidence enough; leave it out"
    )


def test_where_no_answer_has_a_confidence_it_is_said(asked: Callable[..., blend.Run]):
    def said(text: str) -> blend.Run:
        model = Saying(lambda prompts: [text] * len(prompts))
        return asked(model, out=f"run{len(text)}", style="json", confidence=True)

    run = said('{"answer_choice":"B"}')
    with pytest.warns(blend.BlendWarning, match="no answer that names an option says how sure the model is"):
        scored = blend.score_run(run)
    assert scored.decisions()["confidence"].null_count() == run.description.n_items
    sure = said('{"answer_choice":"B", "confidence":90}')
    assert blend.score_run(sure).decisions()["confidence"].null_count() == 0
