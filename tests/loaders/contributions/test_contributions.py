"""Contributions: what is read from a folder per contributor, and how people and rows are kept apart."""

import json
import shutil
from datetime import date
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from blend.loaders.contributions import read_collection
from blend.loaders.contributions.contributors import collection_layout
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.responses import read_responses
from blend.schemas.errors import InputError, RowError, RowErrors
from blend.schemas.frames import PROFILES
from helpers.messages import message_of

VALID = Path(__file__).parents[1] / "valid" / "contributions"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(VALID, tmp_path / "contributions"))


def test_contributors_come_in_order_of_their_folders():
    contributors = read_collection(VALID).contributors
    assert [*contributors] == ["abel-am", "jun-ko", "mina-ko"]
    abel, jun, mina = contributors.values()
    assert (abel.credit, abel.pseudonym, abel.url) == ("pseudonym", "abel", "https://example.org/abel")
    assert (jun.credit, jun.name, jun.agreed) == ("none", None, date(2026, 11, 21))
    assert (mina.credit, mina.name, mina.orcid) == ("name", "Mina Kim", "0000-0002-1825-0097")
    assert (abel.license, mina.license) == ("cc0-1.0", "cc-by-4.0")


def test_annotators_with_one_pseudonym_stay_apart():
    responses = read_collection(VALID).tables.responses
    food = responses.filter(template_id="food-01", locale="ko-KR")
    assert food.select("annotator", "answers").rows() == [
        ("jun-ko/a01", ["빵"]),
        ("mina-ko/a01", ["밥", "국"]),
        ("mina-ko/a02", ["쌀밥"]),
        ("mina-ko/a03", []),
    ]
    assert responses["source"][0] == "abel-am/responses/am-ET.jsonl:1"


def test_a_folder_that_is_formed_like_a_pseudonym_names_nobody(folder: Path):
    (folder / "jun-ko").rename(folder / "k01")
    assert "k01/a01" in read_collection(folder).tables.responses["annotator"]
    path = next((folder / "k01" / "responses").iterdir())
    path.write_text(path.read_text(encoding="utf-8").replace("a01", "a01/a02"), encoding="utf-8")
    with pytest.raises((RowError, RowErrors), match="'k01/a01/a02' names several people"):
        read_collection(folder)


def test_a_question_that_two_bring_counts_once():
    tables = read_collection(VALID).tables
    assert tables.questions.select("template_id", "locale", "topic", "source").rows() == [
        ("food-01", "am-ET", "Food", "abel-am/questions.csv:2"),
        ("food-01", "ko-KR", "Food", "jun-ko/questions.csv:2"),
        ("jun-01", "ko-KR", "Food", "jun-ko/questions.csv:3"),
        ("work-01", "ko-KR", "Work life", "mina-ko/questions.csv:3"),
    ]
    assert tables.findings.rows() == [
        (
            "repeated-row",
            "mina-ko/questions.csv:2",
            "ko-KR",
            "food-01",
            "question 'food-01' in ko-KR says the same as in jun-ko/questions.csv:2; left out here",
        )
    ]
    assert tables.prompts["source"].to_list() == ["prompts.csv:2"]


def test_profiles_hold_what_was_told_and_nothing_else():
    collection = read_collection(VALID)
    assert collection.profiles.schema == PROFILES
    assert collection.profiles.rows() == [
        ("mina-ko/a01", "ko", 31, "25-34", "mina-ko/annotators.csv:2"),
        ("mina-ko/a02", "ko", None, "65+", "mina-ko/annotators.csv:3"),
    ]


def test_one_contributor_is_what_the_plain_reader_reads(folder: Path):
    for name in ("jun-ko", "abel-am"):
        shutil.rmtree(folder / name)
    collection = read_collection(folder)
    for name in ("questions", "responses", "reviews"):
        shutil.move(folder / "mina-ko" / f"{name}{'.csv' if name == 'questions' else ''}", folder)
    shutil.rmtree(folder / "mina-ko")
    plain = read_responses(folder)
    for merged, alone in zip(collection.tables, plain, strict=True):
        own = {"source", "annotator", "reviewer"}
        assert_frame_equal(merged.drop(own, strict=False), alone.drop(own, strict=False))


def test_every_file_that_is_read_is_named(folder: Path):
    (folder / "README.md").write_text("How to contribute.")
    (folder / ".DS_Store").write_text("")
    (folder / "mina-ko" / "LICENSE").write_text("CC BY 4.0")
    names = [path.relative_to(folder).as_posix() for path in collection_layout(folder, Diagnostics()).all()]
    valid = sorted(path.relative_to(VALID).as_posix() for path in VALID.rglob("*") if path.is_file())
    assert names == valid
    assert len(read_collection(folder).contributors) == 3


def test_a_collection_without_contributors(folder: Path):
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
    assert message_of(InputError, lambda: read_collection(folder)) == (
        f"{folder}: no contributor's folder in it; `blend contribute init` writes one for a contributor"
    )


def test_a_review_of_the_same_question_counts_once_or_is_told(folder: Path):
    reviews = folder / "jun-ko" / "reviews" / "ko-KR.jsonl"
    line = (folder / "mina-ko" / "reviews" / "ko-KR.jsonl").read_text().splitlines()[0]
    own = reviews.read_text()
    reviews.write_text(f"{own}{line}\n")
    tables = read_collection(folder).tables
    assert tables.reviews.filter(template_id="work-01")["reviewer"].to_list() == ["jun-ko/r01"]
    assert ("repeated-row", "mina-ko/reviews/ko-KR.jsonl:1") in tables.findings.select("kind", "source").rows()
    other = json.loads(line)
    other["groups"][0]["en_answers"] = ["6 pm"]
    reviews.write_text(f"{own}{json.dumps(other)}\n")
    with pytest.raises(RowErrors) as caught:
        read_collection(folder)
    assert [str(error) for error in caught.value.errors] == [
        f"{here}, column groups: review of 'work-01' in ko-KR says something else than in {there}; delete it "
        "in one of the two, then let `blend reviews propose` take up the question"
        for here, there in (
            ("mina-ko/reviews/ko-KR.jsonl:1", "jun-ko/reviews/ko-KR.jsonl:2"),
            ("jun-ko/reviews/ko-KR.jsonl:2", "mina-ko/reviews/ko-KR.jsonl:1"),
        )
    ]
