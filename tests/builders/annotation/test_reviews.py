"""Reviews: groups that people drag, and options that they tick, become rows of files; what is odd is told."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.builders.annotation.counting import stage_of
from blend.builders.annotation.project import Project
from blend.builders.annotation.review import task_id
from blend.builders.annotation.stage import Material, Reading
from blend.loaders.responses import ResponseTables, read_responses
from blend.loaders.responses.verdicts import read_verdicts
from blend.loaders.sample import sample_path
from blend.schemas.frames import ANNOTATION_ROWS
from blend.schemas.locales import registry
from blend.schemas.texts import clean
from helpers.label_studio.exported import (
    KOREAN,
    PEOPLE,
    PLACE,
    PROJECT,
    A,
    B,
    annotation,
    done,
    lines_of,
    read,
    told,
    write_lines,
)
from helpers.label_studio.studio_fixtures import ticked, typed

REVIEW = stage_of("review")


@pytest.fixture(scope="session")
def sample() -> ResponseTables:
    with sample_path() as folder:
        return read_responses(folder)


@pytest.fixture(scope="session")
def project(sample: ResponseTables) -> Project:
    tags = sorted(set(sample.questions["locale"]))
    entries = [{"locale": tag} for tag in tags]
    return Project.model_validate({"name": "trial", "locales": entries, "review_groups": 40, "wanted": 1})


@pytest.mark.slow
def test_the_id_of_a_review_changes_with_the_answers_alone(sample: ResponseTables, project: Project):
    korean = registry().get("ko-KR")
    material = Material(sample.questions, sample.responses, sample.reviews.clear())
    before = REVIEW.tasks(project, korean, material)
    reviewed = REVIEW.tasks(project, korean, Material(sample.questions, sample.responses, sample.reviews))
    assert [task.blend_id for task in before] == [task.blend_id for task in reviewed]
    one = sample.responses.filter(locale="ko-KR", template_id="food-01").head(1)
    late = one.with_columns(annotator=pl.lit("late"), answers=pl.lit(["처음 보는 답"], pl.List(pl.String)))
    more = pl.concat([sample.responses, late])
    after = REVIEW.tasks(project, korean, Material(sample.questions, more, sample.reviews.clear()))
    changed = {task.blend_id for task in after} ^ {task.blend_id for task in before}
    assert {name.split("/")[2] for name in changed} == {"food-01"}
    assert len(changed) == 2


def test_a_proposal_that_nobody_touches_is_what_the_rules_say(sample: ResponseTables, project: Project):
    material = Material(sample.questions, sample.responses, sample.reviews)
    made = REVIEW.tasks(project, registry().get("ko-KR"), material)
    tasks = [
        {"id": n, "data": task.data, "annotations": [annotation(n, 1, *(task.proposal or []))]}
        for n, task in enumerate(made)
    ]
    reading = read(*tasks, stage="review", project=project)
    theirs = sample.reviews.filter(locale="ko-KR")
    assert [row["template_id"] for row in reading.rows["reviews"]] == [
        task.data["template_id"] for task in made
    ]
    by_id = {row["template_id"]: row for row in reading.rows["reviews"]}
    for review in theirs.iter_rows(named=True):
        assert set(by_id[review["template_id"]].get("invalid", [])) == set(map(clean, review["invalid"] or []))


def small(*items: str) -> dict[str, Any]:
    """A task of the stage review with these answers, whose ids are their texts."""
    data = {
        "blend_id": task_id("food-01", "ko-KR", items),
        "template_id": "food-01",
        "locale": "ko-KR",
        "answers": [{"id": text, "title": text, "body": "× 1"} for text in items],
    }
    return {"id": 7, "data": data}


def ranked(**columns: list[str]) -> dict[str, Any]:
    return {"from_name": "groups", "to_name": "answers", "type": "ranker", "value": {"ranker": columns}}


def test_whatever_is_odd_about_a_review_is_told():
    results = ranked(_=["차"], g1=["밥", "쌀밥"], g2=["국", "빵"], g99=["김치"], invalid=["모름"])
    english = [typed("rice", " boiled  rice", control="english_1"), typed("tea", control="english_3")]
    why = typed("no food", control="reason")
    task = small("밥", "쌀밥", "국", "차", "김치", "모름")
    reading = read({**task, "annotations": [annotation(1, 1, results, *english, why)]}, stage="review")
    groups = [{"answers": ["밥", "쌀밥"], "en_answers": ["rice", "boiled rice"]}, {"answers": ["국"]}]
    why = {"template_id": "food-01", "reviewer": A, "invalid": ["모름"], "reasons": ["no food"]}
    assert reading.rows["reviews"] == [{**why, "groups": groups}]
    place = "task 7, annotation 1"
    assert told(reading) == [
        ("english-without-group", place, f"{A}: 'tea' beside the empty group 3; left out"),
        ("unknown-choice", place, f"{A}: groups holds '김치', which was not shown; left out"),
        ("unknown-choice", place, f"{A}: groups holds '빵', which was not shown; left out"),
        ("unsorted-answer", place, f"{A}: '차', '김치' in no column; left to the rules of grouping"),
    ]


@pytest.mark.parametrize(
    ("columns", "kind", "detail"),
    [
        ({"g1": ["밥"], "g2": ["밥"]}, "decided-twice", "'밥' in two columns; the review is left out"),
        ({"_": ["밥"]}, "empty-annotation", "no answer was moved into a group; left out"),
    ],
)
def test_a_review_that_decides_twice_or_not_at_all_is_left_out(columns, kind: str, detail: str):
    reading = read({**small("밥"), "annotations": [annotation(1, 1, ranked(**columns))]}, stage="review")
    assert reading.rows["reviews"] == []
    assert told(reading) == [(kind, "task 7, annotation 1", f"{A}: {detail}")]
    assert reading.work["outcome"].to_list() == ["refused"]


def test_of_two_reviewers_the_later_counts_and_the_other_is_told():
    made = [annotation(1, 1, ranked(g1=["밥"])), annotation(2, 2, ranked(invalid=["밥"]))]
    reading = read({**small("밥"), "annotations": made}, stage="review")
    assert reading.rows["reviews"] == [
        {"template_id": "food-01", "reviewer": B, "invalid": ["밥"], "groups": []}
    ]
    detail = f"{A}: {B} reviewed the question later, in task 7, annotation 2, which counts; left out"
    assert told(reading) == [("reviewed-twice", "task 7, annotation 1", detail)]


def pages(*reviews: tuple[int, int, list[str]], given: set[str] | None = None) -> Reading:
    """Reviews of pages, each page with a person, a minute, and the answers that it shows, all in one group."""
    tasks = [
        {**small(*items), "id": number, "annotations": [annotation(minute, person, ranked(g1=items))]}
        for number, (person, minute, items) in enumerate(reviews, start=1)
    ]
    context = REVIEW.context(PROJECT, registry().get("ko-KR"), PEOPLE)
    return REVIEW.read(lines_of("review", *tasks), replace(context, given=given))


@pytest.mark.parametrize("editor", [1, 2])
def test_an_edit_of_an_earlier_page_does_not_replace_the_review_of_more_answers_and_is_told(editor: int):
    reading = pages((editor, 3, ["밥"]), (1, 2, ["밥", "국"]))
    assert [row["groups"] for row in reading.rows["reviews"]] == [[{"answers": ["밥", "국"]}]]
    detail = (
        f"sent after the review by {A} in task 2, annotation 2, which counts, since it decides on 1 further "
        "answer; left out"
    )
    name = {1: A, 2: B}[editor]
    assert told(reading) == [("reviewed-twice", "task 1, annotation 3", f"{name}: {detail}")]
    assert told(pages((editor, 1, ["밥"]), (1, 2, ["밥", "국"]))) == []


def test_answers_that_nobody_gives_any_more_make_no_page_count():
    reading = pages((1, 1, ["밥", "차"]), (2, 2, ["밥"]), given={"밥"})
    assert [row["reviewer"] for row in reading.rows["reviews"]] == [B]
    detail = f"{A}: {B} reviewed the question later, in task 2, annotation 2, which counts; left out"
    assert told(reading) == [("reviewed-twice", "task 1, annotation 1", detail)]
    corrected = pages((1, 3, ["밥", "차"]), (2, 2, ["밥", "국"]), given={"밥", "국"})
    assert [row["reviewer"] for row in corrected.rows["reviews"]] == [B]


# Options.


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


def answered_row(template_id: str, question: str, *groups: tuple[list[str], list[str]]) -> dict[str, Any]:
    """A row of `frames.ANNOTATION_ROWS` in Korean."""
    held = [{"answers": local, "en_answers": english, "count": 1} for local, english in groups]
    row = {**dict.fromkeys(ANNOTATION_ROWS.names()), "template_id": template_id, "locale": "ko-KR"}
    return {**row, "question": question, "annotations": held}


def test_question_and_options_stand_in_the_local_language_as_far_as_people_there_have_said_it():
    rows = [
        answered_row("food-01", "무엇?", (["밥", "쌀밥", "공기밥"], ["Rice"]), (["bread"], ["bread"])),
        answered_row("food-02", "또?", (["돌", "돌멩이"], ["stones"]), (["벼"], ["rice"])),
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
