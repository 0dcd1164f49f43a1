"""Responses that are odd together, and columns that were moved alone: what no single cell shows."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.builders.release import build_release
from blend.builders.validate import CHECKS, validate_release
from blend.loaders.files.diagnostics import Diagnostics, Placed
from blend.loaders.recipes import sample_path
from blend.loaders.responses import read_responses
from blend.loaders.responses.odd_answers import moved_columns
from blend.loaders.responses.response_rows import (
    ResponseRows,
    read_response_rows,
    response_layout,
)
from blend.schemas.locales import registry
from blend.schemas.personal_data import as_read, pseudonym, several_pseudonyms
from blend.schemas.recipe import Recipe

VALID = Path(__file__).parents[1] / "valid" / "responses"
RESPONSES, QUESTIONS = "responses/ko-KR.csv", "questions.csv"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(VALID, tmp_path / "collected"))


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8", newline="")


def rows_of(folder: Path, *rows: str) -> list[tuple[str, ...]]:
    """The findings about copied answers, of 10 questions on three topics and rows of responses."""
    ids = [f"q-{number}" for number in range(10)]
    templates = [f"{one},{'ABC'[number % 3]},,What is {one} of {{country}}?" for number, one in enumerate(ids)]
    questions = [f"{one},ko-KR,무엇 {one} 대한민국?,What is {one} of South Korea?" for one in ids]
    tables = {
        "templates.csv": ["template_id,topic,source_locale,text", *templates],
        QUESTIONS: ["template_id,locale,question,en_question", *questions],
        RESPONSES: ["template_id,annotator,answer_1,answer_2", *rows],
    }
    shutil.rmtree(folder / "reviews")
    (folder / "responses" / "am-ET.jsonl").unlink()
    for name, lines in tables.items():
        (folder / name).write_text("\n".join([*lines, ""]), encoding="utf-8")
    found = read_responses(folder).findings
    kinds = ["copied-responses", "filled-down", "counting-annotators"]
    return found.filter(pl.col("kind").is_in(kinds)).drop("template_id").rows()


def test_a_locale_that_is_asked_and_has_no_responses(folder: Path):
    with (folder / QUESTIONS).open("a", encoding="utf-8") as file:
        what = "What is it in the UK?"
        file.writelines(f"{one},en-GB,{what},{what}\n" for one in ("food-01", "work-01"))
    found = read_responses(folder).findings.filter(kind="no-responses").select("locale", "detail").rows()
    told = "2 questions of en-GB, from where there is no response; kept, is responses/en-GB.csv missing?"
    assert found == [("en-GB", told)]
    # While answers come in, many a locale has none yet.
    assert "no-responses" not in read_responses(folder, collecting=True).findings["kind"]


def test_answers_of_two_people(folder: Path):
    one, other = ([f"q-{number},{who},answer {number}," for number in range(8)] for who in ("a1", "b1"))
    assert rows_of(folder, *one, *other[:-1], "q-7,b1,another,") == []


@pytest.mark.parametrize(
    ("answers", "is_told"), [(["Tea"] * 5, True), (["tea"] * 4, False), (["3"] * 9, False)]
)
def test_one_answer_to_unlike_questions(folder: Path, answers: list[str], is_told: bool):
    rows = [f"q-{number},a1,milk {number},{answer}" for number, answer in enumerate(answers)]
    detail = "annotator 'a1' answers 5 questions on 3 topics with 'tea'; kept, was the column filled down?"
    assert rows_of(folder, *rows) == ([("filled-down", f"{RESPONSES}:2", "ko-KR", detail)] if is_told else [])


@pytest.mark.parametrize(("names", "is_told"), [("m{:02}", True), ("p{}7", False)])
def test_annotators_that_count_up(folder: Path, names: str, is_told: bool):
    rows = [f"q-{number},{names.format(number + 1)},answer {number}," for number in range(10)]
    detail = (
        "10 annotators from 'm01' to 'm10' have one response each; kept as so many people, was the column "
        "filled down?"
    )
    told = [("counting-annotators", f"{RESPONSES}:2", "ko-KR", detail)]
    assert rows_of(folder, *rows) == (told if is_told else [])


def test_different_people_are_not_one():
    who = ["a1", "a10", "a100", "b1", "a-b1", "p-0a1b", "1", "10", "rater 7", "rater 17", "team-3/b"]
    assert len({as_read(one) for one in who}) == len(who)


@pytest.mark.parametrize(
    "who", ["rater 7", "team-3/b", "reader from Seoul, a native", "Rater, a native", "A/B"]
)
def test_one_person_is_not_several(who: str):
    assert several_pseudonyms(who) == []


@pytest.mark.parametrize(
    "who", ["a01", "p-1a2b3c4d5e6f", "rater 7", "Rater 7", "reader from Seoul, a native", "민아"]
)
def test_what_tells_nobody_who_it_is_stays(who: str):
    assert pseudonym(who) == who


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize("text", ["밥\x00", "\x1b[31m밥", "밥\u200b", "\u202e밥"])
def test_a_release_of_such_answers_tells_of_them_and_validation_too(folder: Path, tmp_path: Path, text: str):
    replace(folder / "responses" / "ko-KR.csv", "토스트", text)
    replace(folder / "reviews" / "ko-KR.jsonl", "토스트", json.dumps(text)[1:-1])
    recipe = {"name": "x", "version": "1.0.0", "license": "cc-by-4.0"}
    source = {"kind": "responses", "location": str(folder)}
    build_release(Recipe.model_validate({**recipe, "sources": [source]}), tmp_path / "release")
    lines = (tmp_path / "release" / "reports" / "findings.jsonl").read_text(encoding="utf-8").splitlines()
    assert "hidden-characters" in {json.loads(line)["kind"] for line in lines}
    report = validate_release(tmp_path / "release", checks={"files": CHECKS["files"]})
    assert report.passes()


# Columns that were sorted or moved alone: no single cell shows it, and every text is one as before.


@pytest.fixture(scope="module")
def sample() -> ResponseRows:
    diagnostics = Diagnostics()
    with sample_path() as folder:
        return read_response_rows(response_layout(folder, diagnostics), folder, registry(), diagnostics)


def moved_in(rows: ResponseRows) -> list[tuple[str, str]]:
    return [(source, detail) for _, source, _, _, detail in moved_columns(rows, registry())]


def moved(values: list[Any], by: int = 1) -> list[Any]:
    return [*values[-by:], *values[:-by]]


def edited(
    rows: ResponseRows, table: str, locale: str, edit: Callable[[list[Placed[Any]]], list[Placed[Any]]]
) -> ResponseRows:
    """The rows, those of a locale in a table as edited."""
    there = getattr(rows, table)
    own = [one for one in there.rows if one.row.locale == locale]
    others = [one for one in there.rows if one.row.locale != locale]
    return rows._replace(**{table: there._replace(rows=[*others, *edit(own)])})


def test_what_nobody_moved(sample: ResponseRows):
    assert moved_in(sample) == []


@pytest.mark.parametrize("locale", ["am-ET", "es-MX", "fa-IR", "ja-JP", "ko-KR", "zh-CN"])
@pytest.mark.parametrize(("by", "off"), [(1, "above"), (-1, "below")])
def test_questions_beside_the_english_of_another(sample: ResponseRows, locale: str, by: int, off: str):
    def edit(own: list[Placed[Any]]) -> list[Placed[Any]]:
        questions = moved([one.row.question for one in own], by)
        return [
            one._replace(row=one.row.model_copy(update={"question": question}))
            for one, question in zip(own, questions, strict=True)
        ]

    detail = (
        f"column question: the questions of {locale} fit the English of the row {off} theirs better than their "
        "own; kept, was one of the columns moved?"
    )
    assert [text for _, text in moved_in(edited(sample, "questions", locale, edit))] == [detail]
