"""The stage answer: what people typed becomes raw responses, exactly, and everything odd is named."""

from pathlib import Path

import pytest

from blend.builders.annotation.counting import stage_of
from blend.builders.annotation.questions import collection_plan
from blend.builders.annotation.stage import Material
from blend.loaders.responses import read_responses
from blend.loaders.sample import sample_path
from helpers.label_studio.exported import (
    PEOPLE,
    PROJECT,
    A,
    B,
    C,
    annotation,
    read,
    sample_questions,
    task,
    told,
    write_lines,
)
from helpers.label_studio.studio_fixtures import chosen, typed

STRANGE = "a result of 'notes' of type 'textarea', which no control of this stage makes; it is left out"
ANSWER = stage_of("answer")


@pytest.fixture(scope="session")
def sample() -> Material:
    with sample_path() as folder:
        tables = read_responses(folder)
    return Material(tables.questions, tables.responses, tables.reviews)


def test_responses_come_out_as_they_were_typed(tmp_path: Path, sample):
    other = chosen("other"), typed("안 먹어요", control="reason")
    made = (
        annotation(1, 1, typed(" 밥", "쌀밥 ", "국")),
        annotation(2, 2, chosen("idk")),
        annotation(3, {"id": 3, "email": "C@example.org"}, *other),
    )
    reading = read(task(*made))
    given = [
        {"annotator": A, "answers": [" 밥", "쌀밥 ", "국"]},
        {"annotator": B, "non_answer": "idk"},
        {"annotator": C, "non_answer": "other", "reason": "안 먹어요"},
    ]
    assert reading.rows["responses"] == [
        {"template_id": "food-01", **row} for row in sorted(given, key=lambda row: str(row["annotator"]))
    ]
    assert reading.findings.is_empty()
    assert dict(reading.work.select("annotation", "seconds").iter_rows()) == {1: 11.0, 2: 12.0, 3: 13.0}
    assert set(reading.work["day"]) == {"2026-11-20"}
    sample_questions(tmp_path)
    write_lines(tmp_path / "responses/ko-KR.jsonl", reading.rows["responses"])
    assert len(read_responses(tmp_path).responses) == 3


def test_whatever_is_odd_about_a_response_is_told_and_nothing_else_is_lost():
    huge = "가" * 1_000_000
    reading = read(
        task(
            annotation(1, 1, typed("a", "b", "c", "d", "<b>e\x1b</b>")),
            annotation(2, 2, typed("차"), chosen("idk")),
            annotation(3, 3, typed(" ", "", huge, "\ud83d", "밥 <script>alert(1)</script>")),
            annotation(4, 4),
            annotation(5, 5, chosen("other")),
            annotation(6, 6, chosen("perhaps")),
            annotation(7, 7, typed("차", control="notes"), typed("국")),
            annotation(8, 8, chosen("idk"), typed("no idea", control="reason")),
            annotation(9, 9, was_cancelled=True),
            annotation(10, None, typed("차")),
            annotation(11, 11, typed("ask kim@example.org")),
        )
    )
    names = {number: str(PEOPLE.of(number)) for number in range(1, 12)}
    given = {row["annotator"]: {**row} for row in reading.rows["responses"]}
    assert {name: row.get("answers", row.get("non_answer")) for name, row in given.items()} == {
        names[1]: ["a", "b", "c"],
        names[3]: ["밥 <script>alert(1)</script>"],
        names[7]: ["국"],
        names[8]: "idk",
        names[11]: ["ask kim@example.org"],
    }
    expected = [
        (1, "too-many-answers", "5 answers; left out, behind the first three: 'd', '<b>e\\x1b</b>'"),
        (2, "answer-and-non-answer", "'차', and the non-answer 'idk'; left out"),
        (3, "blank-text", "answers holds the blank ' '; it is left out"),
        (3, "blank-text", "answers holds the blank ''; it is left out"),
        (3, "overlong-text", f"answers holds a text of 1,000,000 characters, '{'가' * 80}…'; left out"),
        (3, "damaged-text", "answers holds half a character, '\\ud83d'; left out"),
        (4, "empty-annotation", "neither an answer nor a non-answer; left out"),
        (5, "other-without-reason", "the non-answer 'other' without a reason; left out"),
        (6, "unknown-choice", "non_answer holds 'perhaps', which was not offered; left out"),
        (6, "empty-annotation", "neither an answer nor a non-answer; left out"),
        (7, "unknown-control", STRANGE),
        (8, "reason-without-other", "a reason beside 'idk', 'no idea'; the reason is left out"),
        (11, "personal-data", "answers holds an e-mail address (not shown); look, and remove it there"),
    ]
    told_of = [(kind, f"task 70, annotation {n}", f"{names[n]}: {detail}") for n, kind, detail in expected]
    skipped = f"{names[9]} skipped the task; nothing is taken from it"
    told_of.append(("skipped-task", "task 70, annotation 9", skipped))
    told_of.append(("unknown-annotator", "task 70, annotation 10", "nobody is named as its author; left out"))
    assert told(reading) == sorted(told_of)
    outcomes = dict(reading.work.select("annotation", "outcome").iter_rows())
    refused = dict.fromkeys((2, 4, 5, 6, 10), "refused")
    assert outcomes == {**dict.fromkeys(range(1, 12), "counted"), **refused, 9: "skipped"}


def test_of_two_annotations_by_one_person_the_later_counts():
    changed = annotation(1, 1, typed("차"), updated_at="2026-11-21T09:00:00Z")
    reading = read(task(changed, annotation(2, 1, typed("밥"))))
    assert reading.rows["responses"] == [{"template_id": "food-01", "annotator": A, "answers": ["차"]}]
    detail = f"{A}: the same person gave task 70, annotation 1 later, which counts; left out"
    assert told(reading) == [("annotated-twice", "task 70, annotation 2", detail)]


def test_people_whom_the_project_does_not_name_are_left_out():
    strange = annotation(2, 2, typed("چای"))
    reading = read(task(annotation(1, 1, typed("نان")), strange, locale="fa-IR"), locale="fa-IR")
    assert [row["annotator"] for row in reading.rows["responses"]] == [A]
    detail = f"{B} is not among those whom the project file names for this stage; left out"
    assert told(reading) == [("unknown-annotator", "task 70, annotation 2", detail)]


def test_tasks_that_blend_did_not_make_are_left_out():
    foreign = {"id": 5, "data": {"text": "?"}, "annotations": [annotation(1, 1, typed("차"))]}
    of_another_locale = {**task(annotation(2, 2, typed("차")), locale="ja-JP"), "id": 7}
    reading = read(foreign, of_another_locale)
    assert reading.rows["responses"] == []
    what = "the task was not made by blend for this project; left out"
    assert told(reading) == [("foreign-task", f"task {n}, annotation {m}", what) for n, m in ((5, 1), (7, 2))]


def test_only_what_the_project_asks_is_planned(sample: Material):
    def planned(**settings: tuple[str, ...]) -> set[str]:
        plan = collection_plan(PROJECT.model_copy(update=settings), sample)
        assert set(plan["locale"]) == {"ko-KR", "fa-IR"}
        return set(plan["template_id"])

    assert len(planned()) > len(planned(topics=("Food",))) > 1
    assert planned(templates=("food-01",)) == {"food-01"}
