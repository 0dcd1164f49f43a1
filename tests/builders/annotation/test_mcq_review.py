"""The stage mcq-review: what readers tick becomes verdicts on options."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from blend.builders.annotation.counting import stage_of
from blend.builders.annotation.stage import Material, Reading
from blend.loaders.responses.verdicts import read_verdicts
from blend.schemas.frames import ANNOTATION_ROWS
from helpers.label_studio.exported import (
    KOREAN,
    PLACE,
    PROJECT,
    A,
    annotation,
    done,
    lines_of,
    read,
    told,
    write_lines,
)
from helpers.label_studio.studio_fixtures import ticked, typed

OPTIONS = Material(
    options=pl.DataFrame(
        {
            "template_id": "food-01",
            "locale": "ko-KR",
            "question": "What?",
            "option": ["rice", "bread", "boiled rice", "stones"],
            "role": ["key", "distractor", "distractor", "distractor"],
        }
    ),
    ui_strings={"unsure": "Not sure", "silly": "Silly"},
)


def answered(template_id: str, question: str, *groups: tuple[list[str], list[str]]) -> dict[str, Any]:
    """A row of `frames.ANNOTATION_ROWS` in Korean."""
    held = [{"answers": local, "en_answers": english, "count": 1} for local, english in groups]
    row = {**dict.fromkeys(ANNOTATION_ROWS.names()), "template_id": template_id, "locale": "ko-KR"}
    return {**row, "question": question, "annotations": held}


def test_question_and_options_stand_in_the_local_language_as_far_as_people_there_have_said_it():
    rows = [
        answered("food-01", "무엇?", (["밥", "쌀밥", "공기밥"], ["Rice"]), (["bread"], ["bread"])),
        answered("food-02", "또?", (["돌", "돌멩이"], ["stones"]), (["벼"], ["rice"])),
    ]
    material = replace(OPTIONS, answered=pl.DataFrame(rows, ANNOTATION_ROWS))
    (task,) = stage_of("mcq-review").tasks(PROJECT, KOREAN, material)
    assert (task.data["question"], task.data["en_question"]) == ("무엇?", "What?")
    assert [box["value"] for box in task.data["wrong"]] == ["rice (밥, 쌀밥)"]
    assert [box["value"] for box in task.data["also_right"]] == ["bread", "boiled rice", "stones (돌, 돌멩이)"]
    (task,) = stage_of("mcq-review").tasks(PROJECT, KOREAN, OPTIONS)
    assert (task.data["question"], task.data["wrong"][0]["value"]) == ("What?", "rice")


def test_every_option_has_two_keys_as_far_as_there_are_letters():
    many = [("food-01", "ko-KR", "What?", f"option {number:02}", "distractor") for number in range(30)]
    options = pl.concat([OPTIONS.options, pl.DataFrame(many, OPTIONS.options.schema, orient="row")])
    (task,) = stage_of("mcq-review").tasks(PROJECT, KOREAN, replace(OPTIONS, options=options))
    assert task.data["wrong"] == [{"value": "rice", "alias": "rice", "hotkey": "1"}]
    assert task.data["unsure"] == [{"value": "Not sure", "alias": "rice", "hotkey": "shift+1"}]
    assert task.data["silly"][1] == {"value": "Silly", "alias": "boiled rice", "hotkey": "shift+b"}
    keys = [box.get("hotkey") for box in task.data["also_right"]]
    assert (len(keys), keys[25:]) == (33, ["z", *[None] * 7])


def test_a_task_is_another_one_once_its_question_or_its_options_change():
    def ids(options: pl.DataFrame) -> list[str]:
        made = stage_of("mcq-review").tasks(PROJECT, KOREAN, replace(OPTIONS, options=options))
        return [task.blend_id for task in made]

    first = ids(OPTIONS.options)
    assert first[0].startswith("mcq-review/ko-KR/food-01/")
    assert ids(OPTIONS.options.reverse()) == first
    assert ids(OPTIONS.options.head(3)) != first
    assert ids(OPTIONS.options.with_columns(question=pl.lit("Which?"))) != first
    assert ids(OPTIONS.options.clear()) == []


def verdicts(reading: Reading) -> list[tuple[str, str, str]]:
    """Option, verdict and reader of every row."""
    return [(row["option"], row["verdict"], row["reader"]) for row in reading.rows["verdicts"]]


def test_options_are_accepted_but_for_those_that_are_ticked(tmp_path: Path):
    results = [ticked("also_right", "bread"), ticked("silly", "stones"), typed("obvious", control="why")]
    reading = read(done("mcq-review", OPTIONS, *results), stage="mcq-review")
    assert verdicts(reading) == [
        ("boiled rice", "ok", A), ("bread", "also_correct", A), ("rice", "ok", A), ("stones", "silly", A),
    ]  # fmt: skip
    assert reading.rows["verdicts"][1] == {
        "template_id": "food-01", "locale": "ko-KR", "question": "What?", "option": "bread",
        "verdict": "also_correct", "reader": A, "kind": "native", "date": "2026-11-20", "why": "obvious",
    }  # fmt: skip
    assert reading.rows["verdicts"][0]["why"] == ""
    assert told(reading) == []
    write_lines(tmp_path / "verdicts.jsonl", reading.rows["verdicts"])
    read_back = read_verdicts(tmp_path / "verdicts.jsonl")
    assert read_back["kind"].to_list() == ["native"] * 4


def test_an_unsure_reader_gives_no_verdict_and_two_boxes_are_none():
    results = [ticked("unsure", "rice"), ticked("also_right", "bread"), ticked("silly", "bread", "soap")]
    reading = read(done("mcq-review", OPTIONS, *results), stage="mcq-review")
    assert verdicts(reading) == [("boiled rice", "ok", A), ("stones", "ok", A)]
    assert told(reading) == [
        ("decided-twice", PLACE, f"{A}: both boxes of 'bread' are ticked; no verdict is taken"),
        ("unknown-choice", PLACE, f"{A}: silly holds 'soap', which was not offered; left out"),
    ]


def test_one_more_reads_what_readers_disagree_about():
    def needed(*annotations: dict[str, Any], readers: int = 2) -> int | None:
        task = {**done("mcq-review", OPTIONS), "annotations": list(annotations)}
        planned = stage_of("mcq-review").reading_plan
        assert planned is not None
        plan = planned(lines_of("mcq-review", task), read(task, stage="mcq-review"), readers)
        return plan[task["data"]["blend_id"]] if plan else None

    fine, silly = annotation(1, 1), annotation(2, 2, ticked("silly", "stones"))
    assert needed() is None
    assert needed(fine) == 1
    assert needed(fine, annotation(2, 2)) == 0
    assert needed(fine, silly) == 1
    # Both refuse it, if for different reasons.
    assert needed(annotation(1, 1, ticked("also_right", "stones")), silly) == 0
    assert needed(fine, silly, annotation(3, 3)) == 0
    assert needed(fine, silly, annotation(3, 3, ticked("also_right", "stones"))) == 0
    assert needed(fine, readers=1) == 0
    assert needed(annotation(1, 1, was_cancelled=True)) is None
