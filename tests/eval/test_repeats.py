"""Questions asked several times: what is asked, how answers are drawn, what is scored."""

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import blend
from helpers.messages import wrong
from helpers.models.own_models import Reader, Saying

OFTEN: dict[str, Any] = {"samples": 3, "on_warning": lambda _: None}
"""Nobody says of an object that it draws, which is remarked."""


def constant(prompts: list[str]) -> list[str]:
    return ['{"answer_choice": "A"}' if "JSON" in prompt else "rice" for prompt in prompts]


@pytest.mark.landing
@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "figure"), [("multiple-choice", "accuracy-macro"), ("short-answer", "sem-b-macro")]
)
def test_repeats_that_are_all_alike_change_no_figure(asked: Callable[..., blend.Run], task: str, figure: str):
    once = blend.score_run(asked(Saying(constant), task, out="once", limit=12))
    often = blend.score_run(asked(Saying(constant), task, out="often", limit=12, **OFTEN))
    columns = ["metric", "scope", "key", "value", "low", "high"]
    assert once.frame.select(columns).equals(often.frame.head(once.frame.height).select(columns))
    assert often.overall(figure).n == 3 * once.overall(figure).n
    assert set(often.frame["metric"]) - set(once.frame["metric"]) == {
        f"{name}-{part}"
        for name in (
            {figure, figure.removesuffix("-macro")} | ({"sem-w", "sem-w-macro"} if "sem" in figure else set())
        )
        for part in ("between-runs", "stderr-items", "stderr-repeats")
    }
    spread = often.overall(f"{figure}-between-runs")
    # What never varies does not say how far further runs would.
    assert (spread.value, spread.low, spread.high) == (pytest.approx(often.overall(figure).value), None, None)
    assert often.overall(f"{figure}-stderr-repeats").value is None
    assert often.signature.replace("|s:3|", "|") == once.signature


@pytest.fixture
def varying() -> Any:
    """Writes A, B and C in turn."""
    turn = count()
    return Saying(lambda prompts: [f'{{"answer_choice": "{"ABC"[next(turn) % 3]}"}}' for _ in prompts])


@pytest.mark.landing
@pytest.mark.slow
def test_every_repeat_is_an_item_behind_its_question(asked: Callable[..., blend.Run], varying: Any):
    run = asked(varying, rotations=2, **OFTEN)
    items = run.items()
    assert items["item_id"][:4].to_list() == [
        (first := items["item_id"][0]),
        f"{first}#1",
        f"{first}#2",
        f"{first}~1",
    ]
    assert items["sample"][:4].to_list() == [0, 1, 2, 0]
    assert run.gold()["item_id"].equals(items["item_id"])
    scored = blend.score_run(run)
    decided = pl.read_parquet(run.directory / "decisions.parquet")
    assert decided["sample"].equals(items["sample"])
    # One of the three letters of a question at most is correct, and each is in both rotations of a repeat.
    assert scored.overall("correct-in-all-positions").n == items.height / 2
    assert scored.overall("accuracy-stderr-repeats").value > 0
    assert scored.overall("accuracy-between-runs").value == pytest.approx(scored.overall("accuracy").value)


@pytest.mark.landing
@pytest.mark.slow
def test_runs_with_repeats_are_compared_by_template(asked: Callable[..., blend.Run], varying: Any):
    first, second = (
        blend.score_run(asked(model, out=out, limit=12, **OFTEN))
        for model, out in ((varying, "a"), (Reader(), "b"))
    )
    (pair,) = blend.compare_runs([first, second]).pairs
    assert pair.n_items == first.run.description.n_items
    with pytest.raises(blend.InputError, match=r"\n  s: 3 there, absent here\n"):
        blend.compare_runs([first, blend.score_run(asked(Reader(), out="once", limit=12))])


@pytest.mark.landing
@pytest.mark.integration  # a model computes
def test_the_first_of_several_draws_is_the_only_one_of_one(asked: Callable[..., blend.Run], shared: Path):
    tiny = shared / "models" / "tiny-gpt2"
    assert wrong(lambda: asked(tiny, style="json", samples=2)) == (
        "2 samples at temperature 0 are one text 2 times; give a `temperature` above 0, or `samples=1`"
    )
    options = {"style": "json", "temperature": 1.0, "max_tokens": 4, "limit": 1, "on_warning": lambda _: None}
    once, often = asked(tiny, out="once", **options), asked(tiny, out="often", samples=2, **options)
    texts = often.items("item_id", "sample").join(often.answers(), on="item_id", maintain_order="left")
    assert texts.filter(sample=0)["text"].sort().equals(once.answers()["text"].sort())
    assert not texts.filter(sample=1)["text"].equals(once.answers()["text"])
