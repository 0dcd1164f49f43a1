"""Stages: pages that work, tasks, and what people typed or chose as rows of files; what is odd is told."""

import json
import tomllib
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring, tostring

import pytest

from blend.builders.annotation.counting import StageLocale, stage_of
from blend.builders.annotation.judging import read_sheet
from blend.builders.annotation.project import ORDER, StageName
from blend.builders.annotation.questions import collection_plan
from blend.builders.annotation.stage import Material, stage_definitions
from blend.builders.annotation.ui_strings import PageTexts, ui_strings_of
from blend.builders.templates import review_sheet
from blend.eval.judging.labels import read_reply_verdicts
from blend.loaders.recipes import sample_path
from blend.loaders.responses import read_responses
from blend.loaders.responses.returned_sheets import read_native_questions, read_translations
from blend.loaders.responses.verdicts import decisions_in, read_verdicts
from blend.schemas.locales import registry
from blend.schemas.sheets import PAIR_SHEET
from helpers.label_studio.exported import (
    KOREAN,
    PEOPLE,
    PROJECT,
    A,
    B,
    annotation,
    done,
    plan,
    read,
    task,
    told,
    write_lines,
)
from helpers.label_studio.studio_fixtures import chosen, typed


@pytest.mark.parametrize("stage", ORDER)
def test_every_key_has_one_meaning_and_the_instruction_is_folded(stage):
    texts = PageTexts("**folded** & <b>", ui_strings_of("ko"))
    root = fromstring(stage_of(stage).config(PROJECT, KOREAN, texts))
    keys = [node.get("hotkey") for node in root.iter() if node.get("hotkey")]
    assert len(keys) == len(set(keys))
    if stage in ("answer", "collect"):
        # What is typed beside a line that is full chooses nothing.
        assert [key.partition("+")[0] for key in keys] == ["shift"] * 4
    (shown,) = root.findall("Collapse/Panel/HyperText")
    folded = '<HyperText name="instruction" inline="true"><p><strong>folded</strong> &amp; &lt;b&gt;</p>'
    assert tostring(shown, encoding="unicode").startswith(folded)
    assert root.find("Collapse").get("open") == "false"


def test_titles_fit_on_the_server():
    longest = "x-" + "y" * 22, max(ORDER, key=len), max((*registry().tags, "abc-Latn-XY"), key=len)
    assert len(StageLocale(stage_of("answer"), KOREAN, "/".join(longest)).title) <= 50


def test_questions_of_natives_go_on_to_templates(tmp_path: Path):
    project = PROJECT.model_copy(update={"topics": ("Work life",), "questions_per_topic": 2})
    tasks = stage_of("collect").tasks(project, KOREAN, Material())
    assert [task.blend_id for task in tasks] == [f"collect/ko-KR/work-life/0{n}" for n in (1, 2)]
    # The country stands in both languages.
    assert (tasks[0].data["topic"], tasks[0].data["place"]) == ("Work life", "대한민국 (South Korea)")
    local, time = typed("한국에서 몇 시에 퇴근하나요?", control="local"), chosen("time", control="form")
    results = [local, typed("When do people leave work in  Korea?", control="in_english"), time]
    day = typed("When? (MM/DD)", control="in_english")
    given = (
        [annotation(1, 1, *results), annotation(2, 2, *results)],
        [annotation(3, 1, *results[:2]), annotation(4, 2, local, day, time)],
    )
    exported = [
        {"id": n, "data": task.data, "annotations": made}
        for n, (task, made) in enumerate(zip(tasks, given, strict=True), start=1)
    ]
    reading = read(*exported, stage="collect", project=project)
    text = "When do people leave work in Korea? (e.g., HH:MM)"
    names = ["work-life-ko-KR-01", "work-life-ko-KR-01-2"]
    assert reading.rows["natives"] == [
        {"id": name, "topic": "Work life", "locale": "ko-KR", "text": text} for name in names
    ]
    contradiction = f"{B}: 'When? (MM/DD)' asks for MM/DD, but time was chosen; left out"
    assert told(reading) == [
        ("incomplete-question", "task 2, annotation 3", f"{A}: a question without form; left out"),
        ("incomplete-question", "task 2, annotation 4", contradiction),
    ]
    # Whatever becomes of the first one, the second keeps its name.
    given[0][0]["updated_at"] = "2027-01-01T00:00:00Z"
    assert read(*exported, stage="collect", project=project).rows == reading.rows
    given[0][0]["result"].pop()
    (second,) = read(*exported, stage="collect", project=project).rows["natives"]
    assert second["id"] == names[1]
    write_lines(tmp_path / "natives.jsonl", reading.rows["natives"])
    write_lines(tmp_path / "translations.jsonl", reading.rows["translations"])
    sheet = review_sheet(read_native_questions(tmp_path / "natives.jsonl"))
    assert sheet["template"].to_list() == ["When do people leave work in {country}? (e.g., HH:MM)"] * 2
    assert read_translations(tmp_path / "translations.jsonl")["template_id"].to_list() == names


# Sheets, of which people judge each row.


def choice(option: str) -> dict[str, object]:
    return chosen(option, control="choice")


def sheet(stage: StageName, path: Path, text: str) -> Material:
    """A sheet as it is written and read."""
    path.write_text(text, encoding="utf-8")
    return Material(sheets={stage: read_sheet(stage_definitions()[stage], path)})


def test_pairs_become_decisions_where_people_agree(tmp_path: Path):
    columns = "answer_a,answer_b,verdict,why,questions,suspected,template_id,question,check"
    row = f"soccer,football,,,2,spelling,spo-01,What?,{PAIR_SHEET.mark('soccer', 'football')}"
    pairs = sheet("equivalence", tmp_path / "pairs.csv", f"{columns}\n{row}\n")
    first = done("equivalence", pairs, choice("same_as"), typed(" two  names", control="why"))
    assert (first["data"]["headline"], first["data"]["english"]) == ("soccer  |  football", "What?")
    given = {"option": "soccer", "with": "football", "verdict": "same_as", "reader": A}
    [row] = read(first, stage="equivalence").rows["verdicts"]
    assert row == {**given, "date": "2026-11-20", "why": "two names"}
    (tmp_path / "v.jsonl").write_text(json.dumps(row))
    (decision,) = decisions_in(read_verdicts(tmp_path / "v.jsonl"))
    assert (decision.same, decision.who) == (True, A)
    first["annotations"].append(annotation(2, 2, choice("differs_from")))
    reading = read(first, stage="equivalence")
    assert reading.rows["verdicts"] == []
    opposite = "on which others say the opposite; left out"
    assert told(reading) == [
        ("contradicting-verdicts", f"task 1, annotation {number}", f"{who}: {verdict!r}, {opposite}")
        for number, who, verdict in ((1, A, "same_as"), (2, B, "differs_from"))
    ]


REPLIES = "id,locale,question,reply\ns2,ko-KR,언제?,밤\ns1,ko-KR,언제?,10/12\ns3,fa-IR,کی؟,شب\n"


def test_replies_are_judged_without_the_model(tmp_path: Path):
    replied = sheet("replies", tmp_path / "sheet.csv", REPLIES)
    tasks = stage_of("replies").tasks(PROJECT, KOREAN, replied)
    assert [task.blend_id for task in tasks] == ["replies/ko-KR/s1", "replies/ko-KR/s2"]
    assert (tasks[0].data["headline"], tasks[0].data["text"]) == ("언제?", "10/12")
    reading = read(done("replies", replied, choice("partly")), stage="replies")
    write_lines(tmp_path / "labels.jsonl", reading.rows["labels"])
    assert read_reply_verdicts([tmp_path / "labels.jsonl"], {"s1": "10/12"}).rows() == [("s1", A, "partly")]
    unknown = read(done("replies", replied, choice("idk")), stage="replies")
    assert (unknown.rows["labels"], told(unknown)) == ([], [])


@pytest.mark.parametrize(
    ("verdicts", "needed"),
    [
        ("idk", 1),
        ("correct idk", 0),
        ("correct wrong", 1),
        ("correct wrong partly", 1),
    ],
)
def test_a_third_person_judges_where_two_differ(tmp_path: Path, verdicts: str, needed: int):
    given = [annotation(n, n, choice(one)) for n, one in enumerate(verdicts.split(), start=1)]
    task = {**done("replies", sheet("replies", tmp_path / "s.csv", REPLIES)), "annotations": given}
    assert plan("replies", task, 2) == {"replies/ko-KR/s1": needed}


def test_of_several_answers_to_a_statement_the_first_counts(tmp_path: Path):
    text = "id,locale,question,options\nq1,ko-KR,Is kimchi eaten?,yes|no\n"
    task = done("statements", sheet("statements", tmp_path / "sheet.csv", text), choice("no"))
    assert task["data"]["shown"] == [{"value": "yes", "hotkey": "1"}, {"value": "no", "hotkey": "2"}]
    task["annotations"].append(annotation(2, 2, choice("yes")))
    reading = read(task, stage="statements")
    assert reading.rows["statements"] == [{"item_id": "q1", "response": "no", "annotator": A}]
    detail = f"{B}: another person's earlier answer counts; left out"
    assert told(reading) == [("annotated-twice", "task 1, annotation 2", detail)]


# Answers.


TOLD = tomllib.loads(Path(__file__).with_name("odd_annotations.toml").read_text("utf-8"))


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
    given = {row["annotator"]: row.get("answers", row.get("non_answer")) for row in reading.rows["responses"]}
    assert given == {
        names[1]: ["a", "b", "c"],
        names[3]: ["밥 <script>alert(1)</script>"],
        names[7]: ["국"],
        names[8]: "idk",
        names[11]: ["ask kim@example.org"],
    }
    expected = [
        (kind, f"task 70, annotation {number}", detail.replace("PERSON", names[number]))
        for number, kind, detail in TOLD["responses"]
    ]
    assert told(reading) == sorted(expected)
    outcomes = dict(reading.work.select("annotation", "outcome").iter_rows())
    refused = dict.fromkeys((2, 4, 5, 6, 10), "refused")
    assert outcomes == {**dict.fromkeys(range(1, 12), "counted"), **refused, 9: "skipped"}


CHANGED = annotation(1, 1, typed("차"), updated_at="2026-11-21T09:00:00Z")


@pytest.mark.parametrize(
    ("given", "answers", "name"),
    [
        (task(CHANGED, annotation(2, 1, typed("밥"))), [["차"]], "twice"),
        (
            task(annotation(1, 1, typed("نان")), annotation(2, 2, typed("چای")), locale="fa-IR"),
            [["نان"]],
            "not named",
        ),
        (task(annotation(2, 2, typed("차")), locale="ja-JP"), [], "another's task"),
        ({"id": 70, "data": {"text": "?"}, "annotations": [annotation(2, 1)]}, [], "another's task"),
    ],
)
def test_annotations_that_make_no_response_are_told(given: dict[str, Any], answers: list[list[str]], name: str):
    reading = read(given, locale="fa-IR" if "fa-IR" in str(given["data"]) else "ko-KR")
    assert [row["answers"] for row in reading.rows["responses"]] == answers
    kind, detail = TOLD[name]
    assert told(reading) == [(kind, "task 70, annotation 2", detail.format(A=A, B=B))]


@pytest.mark.slow
def test_only_what_the_project_asks_is_planned():
    with sample_path() as folder:
        tables = read_responses(folder)
    material = Material(tables.questions, tables.responses, tables.reviews)

    def planned(**settings: tuple[str, ...]) -> set[str]:
        found = collection_plan(PROJECT.model_copy(update=settings), material)
        assert set(found["locale"]) == {"ko-KR", "fa-IR"}
        return set(found["template_id"])

    assert len(planned()) > len(planned(topics=("Food",))) > 1
    assert planned(templates=("food-01",)) == {"food-01"}
