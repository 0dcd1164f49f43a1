"""Multiple-choice items: what is shown, and that the correct option stays the correct one."""

from pathlib import Path

import polars as pl
import pytest

from blend.builders.release import build_release
from blend.eval.release_items import read_items
from blend.eval.tasks import TASKS
from blend.eval.tasks.multiple_choice import ChoiceOptions
from blend.eval.tasks.multiple_choice.choices import choice_items
from blend.loaders.recipes import sample_recipe
from blend.loaders.releases import read_manifest
from blend.schemas.rows import LETTERS
from helpers.messages import wrong


def question(n: int = 0) -> dict[str, object]:
    options = [f"option {n}{letter} {{A}}" for letter in "wxyz"]
    return {
        "mcq_id": f"food-01_KR_{n}",
        "template_id": "food-01",
        "prompt": f"published prompt {n}",
        "question": "What {B} do people eat?",
        "options": options,
        "option_regions": ["KR", "US", "CN", "DZ"],
        "answer": n % 4,
        "locale": "ko-KR",
        "topic": "Food",
        "answer_spread": ["universal", "shared", "specific", None][n % 4],
        "source_order": None,
        "region": "KR",
    }


def asked_of(rows: list[dict[str, object]], **options: object):
    return choice_items({"multiple-choice-questions": pl.DataFrame(rows)}, ChoiceOptions(**options))


def test_letters_show_the_options_and_score_the_letters():
    asked = asked_of([question()])
    assert asked.kind == "logprobs"
    assert asked.items.row(0, named=True) == {
        "item_id": "food-01_KR_0",
        "locale": "ko-KR",
        "region": "KR",
        "template_id": "food-01",
        "topic": "Food",
        "prompt_id": "letters",
        "language": "en",
        # What stands in an option or a question is never read as a slot.
        "prompt": "What {B} do people eat?\nA. option 0w {A}\nB. option 0x {A}\nC. option 0y {A}\n"
        "D. option 0z {A}\nAnswer:",
        "options": ["A", "B", "C", "D"],
    }


def test_texts_score_the_options_after_the_question_alone():
    row = asked_of([question()], style="texts").items.row(0, named=True)
    assert row["prompt"] == "Question: What {B} do people eat?\nAnswer:"
    assert row["options"] == question()["options"]


def test_json_asks_with_the_published_prompt():
    asked = asked_of([question()], style="json")
    assert asked.kind == "text"
    assert asked.items.row(0, named=True)["prompt"] == "published prompt 0"
    assert asked.items["options"].to_list() == [None]


@pytest.mark.parametrize("style", ["letters", "json"])
def test_four_rotations_show_the_right_option_once_in_each_position(style: str):
    rows = [question(n) for n in range(4)]
    asked = asked_of(rows, style=style, rotations=4)
    for row in rows:
        gold = asked.gold.filter(pl.col("question_id") == row["mcq_id"])
        assert set(gold["answer_spread"]) == {row["answer_spread"]}
        assert sorted(gold["answer"].to_list()) == [0, 1, 2, 3]
        for turned in gold.iter_rows(named=True):
            pairs = dict(zip(turned["option_texts"], turned["option_regions"], strict=True))
            assert pairs == dict(zip(row["options"], row["option_regions"], strict=True))
            assert turned["option_texts"][turned["answer"]] == row["options"][row["answer"]]
            prompt = asked.items.filter(pl.col("item_id") == turned["item_id"])["prompt"].item()
            if turned["rotation"] or style == "letters":
                letter = LETTERS[turned["answer"]]
                assert f"\n{letter}. {row['options'][row['answer']]}\n" in prompt
    assert asked.items["item_id"].to_list()[:4] == [f"food-01_KR_0{end}" for end in ("", "~1", "~2", "~3")]


def test_an_option_that_cannot_be_says_what_to_do(mini_release: Path):
    assert wrong(lambda: read_items(mini_release, TASKS["multiple-choice"], style="texts", rotations=4)) == (
        "the style 'texts' does not show the options, so their order cannot matter; "
        "leave `rotations` out, or choose another `style`"
    )


@pytest.mark.slow
def test_a_release_without_the_configuration_says_what_it_has(tmp_path: Path):
    out = tmp_path / "release"
    build_release(sample_recipe().model_copy(update={"locales": ("ko-KR",)}), out)
    held = ", ".join(sorted({table.config for table in read_manifest(out).tables}))
    assert wrong(lambda: read_items(out, TASKS["multiple-choice"])) == (
        "blend-sample 0.1.0: the release has no configuration multiple-choice-questions, which the task "
        f"multiple-choice reads; it has {held}: no question has an answer of its region beside three of other "
        "regions that enough people gave, and reports/findings.jsonl of the release says why of each "
        "(docs/mcq.md); or choose another `task`, or another release"
    )
