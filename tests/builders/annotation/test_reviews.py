"""Reviews: groups that people drag, and options that they tick, become rows of files; what is odd is told."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.builders.annotation.counting import stage_of
from blend.builders.annotation.project import Project, ProjectFile
from blend.builders.annotation.review import task_id
from blend.builders.annotation.stage import Material, Reading
from blend.builders.annotation.starting import check_project
from blend.loaders.recipes import sample_path
from blend.loaders.responses import read_responses
from blend.loaders.responses.verdicts import read_verdicts
from blend.schemas.frames import ANNOTATION_ROWS
from blend.schemas.texts import clean
from helpers.label_studio.annotation_projects import QUESTIONS, write_project, write_questions
from helpers.label_studio.exported import (
    KOREAN,
    PROJECT,
    A,
    B,
    annotation,
    done,
    plan,
    read,
    told,
    write_lines,
)
from helpers.label_studio.studio_fixtures import ranked, ticked, typed
from helpers.messages import wrong


def small(number: int, *items: str, given: list[dict[str, Any]]) -> dict[str, Any]:
    """A task of the stage review with these answers, whose ids are their texts."""
    answers = [{"id": text, "title": text, "body": "× 1"} for text in items]
    about = {"template_id": "food-01", "locale": "ko-KR", "answers": answers}
    return {
        "id": number,
        "data": {"blend_id": task_id("food-01", "ko-KR", items), **about},
        "annotations": given,
    }


@pytest.mark.slow
def test_a_proposal_that_nobody_touches_is_what_the_rules_say():
    with sample_path() as folder:
        sample = read_responses(folder)
    entries = [{"locale": tag} for tag in sorted(set(sample.questions["locale"]))]
    settings = {"name": "trial", "locales": entries, "review_groups": 40, "wanted": 1}
    project = Project.model_validate(settings)
    material = Material(sample.questions, sample.responses, sample.reviews)
    made = stage_of("review").tasks(project, KOREAN, material)
    tasks = [
        {"id": n, "data": task.data, "annotations": [annotation(n, 1, *(task.proposal or []))]}
        for n, task in enumerate(made)
    ]
    reviews = {row["template_id"]: row for row in read(*tasks, stage="review", project=project).rows["reviews"]}
    assert list(reviews) == [task.data["template_id"] for task in made]
    for theirs in sample.reviews.filter(locale="ko-KR").iter_rows(named=True):
        invalid = reviews[theirs["template_id"]].get("invalid", [])
        assert set(invalid) == set(map(clean, theirs["invalid"] or []))


def test_whatever_is_odd_about_a_review_is_told():
    results = ranked(_=["차"], g1=["밥", "쌀밥"], g2=["국", "빵"], g99=["김치"], invalid=["모름"])
    english = [typed("rice", " boiled  rice", control="english_1")]
    english += [typed("Rice", control="english_2"), typed("tea", control="english_3")]
    given = annotation(1, 1, results, *english, typed("no food", control="reason"))
    reading = read(small(7, "밥", "쌀밥", "국", "차", "김치", "모름", given=[given]), stage="review")
    groups = [
        {"answers": ["밥", "쌀밥"], "en_answers": ["rice", "boiled rice"]},
        {"answers": ["국"], "en_answers": ["Rice"]},
    ]
    why = {"template_id": "food-01", "reviewer": A, "invalid": ["모름"], "reasons": ["no food"]}
    assert reading.rows["reviews"] == [{**why, "groups": groups}]
    assert told(reading) == [
        (kind, "task 7, annotation 1", f"{A}: {detail}")
        for kind, detail in (
            ("english-without-group", "'tea' beside the empty group 3; left out"),
            ("same-english", "'Rice' beside the groups 1 and 2; kept as two answers"),
            ("unsorted-answer", "'차', '김치' in no column; left to the rules of grouping"),
        )
    ]


def test_a_review_that_decides_nothing_is_left_out():
    reading = read(small(7, "밥", given=[annotation(1, 1, ranked(_=["밥"]))]), stage="review")
    assert reading.rows["reviews"] == []
    detail = f"{A}: no answer was moved into a group; left out"
    assert told(reading) == [("empty-annotation", "task 7, annotation 1", detail)]
    assert reading.work["outcome"].to_list() == ["refused"]


@pytest.mark.parametrize(
    ("pages", "given", "counting", "is_told"),
    [
        # Each page with a person, a minute, and the answers that it shows; the second counts.
        ([(1, 1, "밥"), (2, 2, "밥")], None, B, True),
        ([(1, 3, "밥"), (1, 2, "밥 국")], None, A, True),
        ([(2, 3, "밥"), (1, 2, "밥 국")], None, A, True),
        ([(2, 1, "밥"), (1, 2, "밥 국")], None, A, False),
        # Answers that nobody gives any more make no page count.
        ([(1, 1, "밥 차"), (2, 2, "밥")], {"밥"}, B, True),
        ([(1, 3, "밥 차"), (2, 2, "밥 국")], {"밥", "국"}, B, True),
    ],
)
def test_of_several_reviews_that_of_most_answers_counts_then_the_last(pages, given, counting, is_told):
    tasks = [
        small(number, *items.split(), given=[annotation(minute, person, ranked(g1=items.split()))])
        for number, (person, minute, items) in enumerate(pages, start=1)
    ]
    reading = read(*tasks, stage="review", given=given and {"food-01": given})
    (row,) = reading.rows["reviews"]
    assert (row["reviewer"], row["groups"]) == (counting, [{"answers": pages[1][2].split()}])
    (who, minute, _), _ = pages
    detail = f"{(A, B)[who - 1]}: what {counting} decided in task 2, annotation 2 counts; left out"
    left_out = [("reviewed-twice", f"task 1, annotation {minute}", detail)]
    assert told(reading) == (left_out if is_told else [])
    assert reading.work["outcome"].to_list() == ["counted", "counted"]  # both were work, and are paid


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


def pages(options: pl.DataFrame | None = None, answered: list[dict[str, Any]] | None = None):
    """The tasks for options, and for what people have answered."""
    shown = OPTIONS.options if options is None else options
    material = replace(OPTIONS, options=shown, answered=pl.DataFrame(answered or [], ANNOTATION_ROWS))
    return stage_of("mcq-review").tasks(PROJECT, KOREAN, material)


def test_a_question_stands_in_the_local_language_and_its_options_in_english():
    row = {"template_id": "food-01", "locale": "ko-KR", "question": "무엇?"}
    (task,) = pages(answered=[dict.fromkeys(ANNOTATION_ROWS.names()) | row])
    assert (task.data["question"], task.data["en_question"]) == ("무엇?", "What?")
    (task,) = pages()
    assert (task.data["question"], task.data["wrong"][0]["value"]) == ("What?", "rice")


def test_every_option_has_two_keys_as_far_as_there_are_letters():
    many = [("food-01", "ko-KR", "What?", f"option {number:02}", "distractor") for number in range(30)]
    (task,) = pages(pl.concat([OPTIONS.options, pl.DataFrame(many, OPTIONS.options.schema, orient="row")]))
    assert task.data["wrong"] == [{"value": "rice", "alias": "rice", "hotkey": "1"}]
    assert task.data["unsure"] == [{"value": "Not sure", "alias": "rice", "hotkey": "shift+1"}]
    assert task.data["silly"][1] == {"value": "Silly", "alias": "boiled rice", "hotkey": "shift+b"}
    keys = [box.get("hotkey") for box in task.data["also_right"]]
    assert (len(keys), keys[25:]) == (33, ["z", *[None] * 7])


def test_a_task_is_another_one_once_its_question_or_its_options_change():
    options, ((first,), reversed_) = OPTIONS.options, (pages(), pages(OPTIONS.options.reverse()))
    assert first.blend_id.startswith("mcq-review/ko-KR/food-01/")
    assert [task.blend_id for task in reversed_] == [first.blend_id]
    for changed in (options.head(3), options.with_columns(question=pl.lit("Which?"))):
        assert pages(changed)[0].blend_id != first.blend_id
    assert pages(options.clear()) == []


def verdicts(reading: Reading) -> list[tuple[str, str, str]]:
    """Option, verdict and reader of every row."""
    return [(row["option"], row["verdict"], row["reader"]) for row in reading.rows["verdicts"]]


def test_options_are_accepted_but_for_those_that_are_ticked(tmp_path: Path):
    results = [ticked("also_right", "bread"), ticked("silly", "stones"), typed("obvious", control="why")]
    reading = read(done("mcq-review", OPTIONS, *results), stage="mcq-review")
    assert verdicts(reading) == [
        ("boiled rice", "ok", A), ("bread", "also_correct", A), ("rice", "ok", A), ("stones", "silly", A),
    ]  # fmt: skip
    accepted, refused = reading.rows["verdicts"][:2]
    assert refused == {
        "template_id": "food-01", "locale": "ko-KR", "question": "What?", "option": "bread",
        "verdict": "also_correct", "reader": A, "kind": "native", "date": "2026-11-20", "why": "obvious",
    }  # fmt: skip
    assert (accepted["why"], told(reading)) == ("", [])
    write_lines(tmp_path / "verdicts.jsonl", reading.rows["verdicts"])
    assert read_verdicts(tmp_path / "verdicts.jsonl")["kind"].to_list() == ["native"] * 4


def test_an_unsure_reader_gives_no_verdict_and_two_boxes_are_none():
    results = [ticked("unsure", "rice"), ticked("also_right", "bread"), ticked("silly", "bread", "soap")]
    reading = read(done("mcq-review", OPTIONS, *results), stage="mcq-review")
    assert verdicts(reading) == [("boiled rice", "ok", A), ("stones", "ok", A)]
    assert [(kind, detail) for kind, _, detail in told(reading)] == [
        ("decided-twice", f"{A}: both boxes of 'bread' are ticked; no verdict is taken"),
    ]


FINE, SILLY, ALSO_RIGHT = [], [ticked("silly", "stones")], [ticked("also_right", "stones")]
SKIPPED = None


@pytest.mark.parametrize(
    ("given", "readers", "needed"),
    [
        ([], 2, None),
        ([SKIPPED], 2, None),
        ([FINE], 2, 1),
        ([FINE, FINE], 2, 0),
        ([FINE, SILLY], 2, 1),
        # Both refuse it, if for different reasons.
        ([ALSO_RIGHT, SILLY], 2, 0),
        ([FINE, SILLY, FINE], 2, 0),
        ([FINE, SILLY, ALSO_RIGHT], 2, 0),
        ([FINE], 1, 0),
    ],
)
def test_one_more_reads_what_readers_disagree_about(given, readers: int, needed: int | None):
    task = done("mcq-review", OPTIONS)
    task["annotations"] = [
        annotation(n, n, *(results or ()), was_cancelled=results is SKIPPED)
        for n, results in enumerate(given, start=1)
    ]
    assert plan("mcq-review", task, readers).get(task["data"]["blend_id"]) == needed


# Reviews that people wrote as files: what of them counts beside pulled ones, and what is told of the rest.


RESPONSES = [
    {"template_id": "food-01", "annotator": "a1", "answers": ["밥", "국"]},
    {"template_id": "food-01", "annotator": "a2", "answers": ["빵"]},
    {"template_id": "work-01", "annotator": "a1", "answers": ["18:00"]},
]


@pytest.fixture
def answered(tmp_path: Path) -> ProjectFile:
    """Three answers to a question in Korean, and a time."""
    stages = '["answer", "review"]'
    file = write_project(tmp_path, "trial", "http://localhost:1", ["ko-KR"], stages=stages, wanted="2")
    write_lines(file.collected / "responses/ko-KR.jsonl", RESPONSES)
    return file


def decided_on(*answers: str, who: str = "r02") -> dict[str, Any]:
    """A review that puts every answer into a group of its own."""
    groups = [{"answers": [answer], "en_answers": ["x"]} for answer in answers]
    template_id = "work-01" if answers == ("18:00",) else "food-01"
    return {"template_id": template_id, "reviewer": who, "groups": groups}


def by_people(file: ProjectFile, *reviews: dict[str, Any]) -> Path:
    """Reviews in a file of people's own."""
    path = file.collected / "reviews/ko-KR.own.jsonl"
    write_lines(path, reviews)
    return path


def test_of_two_reviews_the_one_of_more_answers_counts(answered: ProjectFile):
    for theirs, ours, who in ((["밥", "국", "빵"], ["밥"], "p-1"), (["밥"], ["빵"], "r02")):
        write_lines(answered.collected / "reviews/ko-KR.jsonl", [decided_on(*theirs, who="p-1")])
        own = by_people(answered, decided_on("18:00"), decided_on(*ours))
        tables = read_responses(answered.collected)
        assert tables.reviews.select("template_id", "reviewer").rows() == [("food-01", who), ("work-01", "r02")]
        (detail,) = tables.findings.filter(kind="reviewed-in-a-file")["detail"]
        assert any(detail in told for told in check_project(answered.path).diagnostics)
    own.rename(own.with_name("ko-KR.r02.jsonl"))
    assert wrong(lambda: read_responses(answered.collected)) == (
        "reviews/ko-KR.r02.jsonl:2: review of 'food-01' in ko-KR is also in reviews/ko-KR.jsonl:1; "
        "delete one of the two; beside what `blend annotate sync` writes, name the other file ko-KR.own.jsonl, "
        "and pull again"
    )


def test_a_review_of_a_dropped_question_is_kept_and_not_read(answered: ProjectFile):
    by_people(answered, decided_on("18:00"), decided_on("밥", "국", "빵"))
    write_lines(answered.collected / "responses/ko-KR.jsonl", RESPONSES[:2])
    write_questions(answered.collected, {"food-01": QUESTIONS["food-01"]})
    where = "reviews/ko-KR.own.jsonl:1"
    detail = "review of 'work-01', which is not asked in ko-KR any more; not read, and kept until it is"
    for reviewing in (False, True):
        tables = read_responses(answered.collected, reviewing=reviewing)
        assert tables.reviews["template_id"].to_list() == ["food-01"]
        assert tables.findings.filter(kind="not-asked").select("source", "detail").rows() == [(where, detail)]
    assert f"{where}: {detail}" in check_project(answered.path).diagnostics


def test_reviews_of_answers_that_are_gone_stop_a_build_alone(answered: ProjectFile):
    by_people(answered, decided_on("밥", "떡", "빵"))
    checked = check_project(answered.path)
    assert (
        "reviews/ko-KR.own.jsonl:1: decides on '떡', which nobody answers any more; passed over; have the "
        "question reviewed again, by `blend reviews propose` and `blend reviews accept --update`"
    ) in checked.diagnostics
    (kept,) = checked.material.reviews["groups"].to_list()
    assert [group["answers"] for group in kept] == [["밥"], ["빵"]]
    by_people(answered, decided_on("떡"))
    (alone, *_) = check_project(answered.path).diagnostics
    assert alone.endswith("any more; passed over; delete that review")
    assert "nobody answered '떡'" in wrong(lambda: read_responses(answered.collected))
    # Nobody of the locale has any answer left.
    (answered.collected / "responses/ko-KR.jsonl").unlink()
    assert check_project(answered.path).material.reviews.is_empty()


@pytest.mark.slow
def test_no_page_for_what_a_file_decides_in_full(answered: ProjectFile):
    def pages() -> list[str]:
        material = check_project(answered.path).material
        made = stage_of("review").tasks(answered.project, answered.locale("ko-KR"), material)
        return [task.data["template_id"] for task in made]

    for answers, made in ((("밥", "국"), ["food-01"]), (("밥", "국", "빵"), [])):
        own = by_people(answered, decided_on(*answers))
        assert pages() == made
    # A page whose review was pulled stays, so that it can be corrected there.
    own.rename(answered.collected / "reviews/ko-KR.jsonl")
    assert pages() == ["food-01"]
