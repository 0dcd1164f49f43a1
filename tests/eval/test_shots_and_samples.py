"""Questions asked behind solved examples, which scoring does not read, and questions asked several times."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import blend
from blend.eval.items import part_examples
from blend.eval.release_items import read_items
from blend.eval.tasks import TASKS
from blend.eval.tasks.multiple_choice import ChoiceOptions
from helpers.asking import ask
from helpers.messages import wrong
from helpers.models.own_models import Saying


def items_of(release: Path, task: str, **options: Any) -> pl.DataFrame:
    return read_items(release, TASKS[task], **options).asked.items


@pytest.mark.parametrize(
    ("style", "example"),
    [
        ("letters", r"(?s)^[^\n]+\nA\. [^\n]+\nB\. [^\n]+\nC\. [^\n]+\nD\. [^\n]+\nAnswer: [A-D]$"),
        ("texts", r"^Question: [^\n]+\nAnswer: [^\n]+$"),
        ("json", r'(?s)^[^\n]+JSON[^\n]+\n\nA\. .+\nD\. [^\n]+\n\nAnswer: \{"answer_choice":"[A-D]"\}$'),
    ],
)
def test_examples_are_put_as_the_question_is(mini_release: Path, style: str, example: str):
    plain = items_of(mini_release, "multiple-choice", style=style)
    one = items_of(mini_release, "multiple-choice", style=style, shots=1)
    two = items_of(mini_release, "multiple-choice", style=style, shots=2)
    kept = plain.join(one, on="item_id", how="semi", maintain_order="left")
    assert one.height < plain.height
    assert (one["examples"] + kept["prompt"]).equals(one["prompt"].rename("examples"))
    first = one.unique("locale", maintain_order=True)
    # The same questions about a region stand behind the same examples, whose correct answers are read off.
    assert first.height == one.select("locale", "examples").n_unique()
    assert first["examples"].str.strip_suffix("\n\n").str.contains(example).all()
    # Two examples are that one and another.
    by_locale = dict(two.select("locale", "examples").unique().iter_rows())
    assert all(
        by_locale[locale].startswith(text) for locale, text in first.select("locale", "examples").iter_rows()
    )


@pytest.mark.parametrize("task", ["multiple-choice", "short-answer"])
def test_the_template_of_an_example_is_never_asked(mini_release: Path, task: str):
    found = {
        options: items_of(mini_release, task, shots=options[0], shots_seed=options[1])
        for options in ((1, 0), (2, 0), (2, 1))
    }
    every = items_of(mini_release, task).select("locale", "template_id").unique()
    for (shots, _), items in found.items():
        held_out = every.join(items, on=["locale", "template_id"], how="anti")
        assert held_out.group_by("locale").len()["len"].to_list() == [shots] * every["locale"].n_unique()
    assert set(found[2, 0]["item_id"]) < set(found[1, 0]["item_id"])
    assert set(found[2, 0]["item_id"]) != set(found[2, 1]["item_id"])
    # A limit counts templates that are asked, and another locale changes nothing.
    few = items_of(mini_release, task, shots=2, limit=1, locales=["KR"])
    assert few["template_id"].n_unique() == 1
    assert set(few["examples"]) <= set(found[2, 0]["examples"])


def test_examples_of_short_answers_are_natives_first_answers(mini_release: Path):
    asked = read_items(mini_release, TASKS["short-answer"], locales=["KR"], shots=1, prompts=["plain"])
    local, english = (
        asked.asked.items.filter(language=tag)["examples"].unique().item() for tag in ("ko", "en")
    )
    everything = read_items(mini_release, TASKS["short-answer"], locales=["KR"], prompts=["plain"]).asked
    held_out = everything.gold.join(asked.asked.gold, on="template_id", how="anti").row(0, named=True)
    top = held_out["annotations"][0]
    for text, question, answer in (
        (local, held_out["question"], top["answers"][0]),
        (english, held_out["en_question"], top["en_answers"][0]),
    ):
        assert question in text
        assert text.endswith(f" {answer}\n\n")


def test_what_repeats_an_example_does_not_repeat_the_question(
    asked: Callable[..., blend.Run], mini_release: Path, tmp_path: Path
):
    # The same replies, scored without the examples: of words of an example, none are words of the question.
    echo = Saying(lambda prompts: [" ".join(prompt.split("\n\n")[0].split()[-4:]) for prompt in prompts])
    options = {"languages": ["english"], "locales": ["US"], "limit": None}
    run = asked(echo, "short-answer", out="shots", shots=1, **options)
    run.answers().select("item_id", response="text").write_csv(tmp_path / "answers.csv")
    kept = {"answers": tmp_path / "answers.csv", "out": tmp_path / "plain", "on_warning": [].append}
    recorded = ask(mini_release, "short-answer", **kept, **options)
    first, second = blend.score_run(run), blend.score_run(recorded, allow_missing=True)
    columns = ("item_id", "correct", "why", "n_answers")
    found = first.decisions().select(columns)
    assert found.equals(second.decisions().select(columns).join(found, on="item_id", how="semi"))
    assert "|shots:1-seed0|" in first.signature


def test_a_question_is_shown_without_the_examples(asked: Callable[..., blend.Run]):
    run = asked(Saying(lambda prompts: ["A"] * len(prompts)), style="json", out="shown", shots=1)
    scored = blend.score_run(run)
    known = scored.task.known_questions(scored)
    questions = run.items("item_id", "prompt", "examples").rows()
    assert all(
        known[item].title.partition("?")[0] in prompt[len(before) :] for item, prompt, before in questions
    )


def test_too_few_templates():
    rows = pl.DataFrame(
        {"locale": ["ko-KR"] * 3, "template_id": ["a", "b", "b"], "can_be_example": [True, True, False]}
    )
    asked, held = part_examples(rows, ChoiceOptions(shots=1))
    assert (asked["template_id"].n_unique(), held["template_id"].n_unique()) == (1, 1)
    assert wrong(lambda: part_examples(rows, ChoiceOptions(shots=2))) == (
        "ko-KR: `shots=2` needs 2 question templates to show and one to ask, and 2 can be shown; "
        "choose fewer `shots`, or other `locales`"
    )


# Questions asked several times: what is asked, how answers are drawn, what is scored.

OFTEN: dict[str, Any] = {"samples": 3, "on_warning": lambda _: None}
"""Nobody says of an object that it draws, which is remarked."""


def constant(prompts: list[str]) -> list[str]:
    return ['{"answer_choice": "A"}' if "JSON" in prompt else "rice" for prompt in prompts]


@pytest.mark.landing
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
        f"{name}-between-runs"
        for name in (
            {figure, figure.removesuffix("-macro")} | ({"sem-w", "sem-w-macro"} if "sem" in figure else set())
        )
    }
    spread = often.overall(f"{figure}-between-runs")
    # What never varies does not say how far further runs would.
    assert (spread.value, spread.low, spread.high) == (pytest.approx(often.overall(figure).value), None, None)
    assert often.signature.replace("|s:3|", "|") == once.signature
