"""Models of a caller's own: what they may answer, and what is said where they do not."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import blend
from helpers.asking import ask
from helpers.models.own_models import Chooser, Ranker, Reader, Saying, refused


@pytest.mark.integration  # the dishes
def test_an_object_ranks_candidates(food_release: Path, tmp_path: Path):
    run = ask(food_release, "probing", model=Ranker(), out=tmp_path / "run", config="food-aligned", limit=2)
    scores = blend.score_run(run)
    figures = {row["metric"]: row["value"] for row in scores.frame.filter(scope="overall").rows(named=True)}
    assert 0 < figures["mAP"] < 100
    assert "unknown-tokens" not in figures  # how an object divides a text is not known
    ranked = scores.decisions()
    assert (ranked["n_ranked"] > 0).all()
    # The shortest name first, and of equal ones by code point.
    assert all(list(top) == sorted(top, key=lambda text: (len(text), text)) for top in ranked["top"])


LIST = "return a list with one answer per prompt, in their order"
TEXT = (
    "in place of a text; return a text in valid Unicode per prompt, an empty one where the model says nothing"
)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (lambda prompts: "yes", f"generate gave an object of type str to 4 prompts; {LIST}"),
        (lambda prompts: None, f"generate gave an object of type NoneType to 4 prompts; {LIST}"),
        (
            lambda prompts: dict.fromkeys(prompts, "a"),
            f"generate gave an object of type dict to 4 prompts; {LIST}",
        ),
        (lambda prompts: ["a"] * 3, f"generate gave 3 answers to 4 prompts; {LIST}"),
        (lambda prompts: ["a"], f"generate gave 1 answer to 4 prompts; {LIST}"),
        (lambda prompts: ["a", None, "b", "c"], f"generate gave None {TEXT}"),
        (lambda prompts: ["\ud800"] * 4, f"generate gave '\\ud800' {TEXT}"),
    ],
)
def test_texts_that_are_none(
    asked: Callable[..., blend.Run],
    found: Callable[[list[str]], Any],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr("blend.eval.models.chosen.PROMPTS_AT_A_TIME", 4)
    assert refused(lambda: asked(Saying(found))) == f"`model`: {message}"


def test_answers_may_come_one_by_one(asked: Callable[..., blend.Run]):
    assert asked(Saying(lambda prompts: ("A" for _ in prompts))).outcome.n_missing == 0


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        ([-1.0, -2.0], "[-1.0, -2.0]"),
        (["a", "b", "c", "d"], "['a', 'b', 'c', 'd']"),
        (-1.0, "-1.0"),
        ([-1.0, None, -2.0, -3.0], "[-1.0, None, -2.0, -3.0]"),
        ([-1.0, -2.0, float("-inf"), -3.0], "[-1.0, -2.0, -inf, -3.0]"),
        ([0.4, 0.3, 0.2, 0.1], "[0.4, 0.3, 0.2, 0.1]"),  # probabilities
    ],
)
def test_numbers_that_are_none(asked: Callable[..., blend.Run], row: Any, shown: str):
    class Odd:
        def option_logprobs(self, prompts: Sequence[str], options: Sequence[Sequence[str]]) -> Any:
            return [row for _ in prompts]

    assert refused(lambda: asked(Odd())) == (
        f"`model`: option_logprobs gave {shown} for a prompt with 4 options; give a finite logarithm of its "
        "probability, 0 at most, for each"
    )


def test_what_is_settled_for_an_object_is_said(mini_release: Path, tmp_path: Path):
    how = {"decoding": blend.Decoding(temperature=0.7), "limit": 1}
    with pytest.warns(blend.BlendWarning) as caught:
        run = blend.run_task(mini_release, "multiple-choice", Reader(), tmp_path / "run", **how)
    assert run.description.options["style"] == "json"
    assert [str(one.message) for one in caught] == [
        "`model` writes, and has no method option_logprobs; asked with `style=json`",
        (
            "`model` hears of prompts alone, and sees to its decoding itself; the run says that it writes with "
            "max_tokens 128, temperature 0.7 and seed 0"
        ),
    ]


def test_the_same_text_several_times_is_refused_or_told(asked: Callable[..., blend.Run]):
    heard: list[str] = []
    how = {"samples": 3, "on_warning": heard.append}
    assert refused(lambda: asked(Reader(), temperature=0, **how)) == (
        "3 samples at temperature 0 are one text 3 times; give a `temperature` above 0, or `samples=1`"
    )
    asked(Reader(), out="unsaid", **how)
    assert heard == [
        (
            "nobody says that `model` draws what it writes, without which 3 samples are one text 3 times; give "
            "its `temperature` if it does"
        )
    ]


@pytest.mark.parametrize(
    ("name", "belongs"),
    [
        ("temperature", "Decoding, and no option of a task; give decoding=Decoding(temperature=…)"),
        ("budget", "Asking, and no option of a task; give asking=Asking(budget=…)"),
        ("dtype", "Local, and no option of a task; give the model as Local(dtype=…)"),
    ],
)
def test_a_field_that_is_given_as_an_option_says_where_it_belongs(mini_release: Path, name: str, belongs: str):
    call = lambda: blend.run_task(mini_release, "multiple-choice", Reader(), "run", **{name: 1})  # noqa: E731
    assert refused(call) == f"`{name}` is a field of {belongs}"


def test_an_object_that_cannot_be_asked(asked: Callable[..., blend.Run]):
    assert refused(lambda: asked(object())) == (
        "`model`: an object of type object has no method option_logprobs, which this task asks with; add it, "
        "or name a model"
    )
    assert refused(lambda: asked(Chooser(), "short-answer")) == (
        "`model`: an object of type Chooser has no method generate, which this task asks with; add it, or "
        "name a model"
    )
    assert refused(lambda: asked(Reader)) == "`model`: Reader is a class; hand over an object of it, Reader(…)"
