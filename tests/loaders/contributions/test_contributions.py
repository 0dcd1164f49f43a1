"""Contributions: what is read from a folder per contributor, and every problem at its row and line."""

import json
import shutil
from datetime import date
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

import blend
from blend.loaders.contributions import check_contributions, read_collection
from blend.loaders.contributions.contributors import collection_layout
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.responses import read_responses
from blend.schemas.errors import InputError, RowError, RowErrors
from blend.schemas.frames import PROFILES
from helpers.messages import message_of, wrong

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
    detail = "question 'food-01' in ko-KR says the same as in jun-ko/questions.csv:2; left out here"
    assert tables.findings.rows() == [("repeated-row", "mina-ko/questions.csv:2", "ko-KR", "food-01", detail)]
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


# Checking: every problem at its row and line, for one folder and for all.

TEN_WAYS = VALID.parents[1] / "broken" / "contributions" / "broken_in_ten_ways"


@pytest.fixture
def ten_ways(folder: Path) -> Path:
    shutil.copytree(TEN_WAYS / "mina-ko", folder / "mina-ko", dirs_exist_ok=True)
    shutil.rmtree(folder / "mina-ko" / "reviews")
    return folder


def test_what_is_right_passes(folder: Path):
    check = check_contributions(folder)
    assert (check.passes, check.contributors) == (True, ("abel-am", "jun-ko", "mina-ko"))
    assert [str(problem) for problem in check.problems] == [
        (
            "questions.csv:2: question 'food-01' in ko-KR says the same as in jun-ko/questions.csv:2"
            "; left out here; delete one of the two, or leave both."
        )
    ]
    assert blend.check_contributions(str(folder)) == check


def test_only_one_folder_and_what_it_contradicts(ten_ways: Path):
    (ten_ways / "abel-am" / "contributor.toml").unlink()
    (ten_ways / "jun-ko" / "contributor.toml").write_text('credit = "none"\n')
    everything = check_contributions(ten_ways.parent)
    assert {problem.contributor for problem in everything.errors} == {"abel-am", "jun-ko", "mina-ko"}
    jun = check_contributions(ten_ways / "jun-ko")
    assert jun.contributors == ("jun-ko",)
    # Abel's and Mina's own errors are not Jun's; that Mina words the question otherwise is, in his file.
    assert {problem.contributor for problem in jun.errors} == {"jun-ko"}
    assert [problem.what for problem in jun.errors if problem.file == "jun-ko/questions.csv"] == [
        "question 'food-01' in ko-KR says something else than in mina-ko/questions.csv:2"
    ]


def test_what_all_share_is_told_to_everybody(folder: Path):
    (folder / "templates.csv").write_text("template_id,topic,text\n")
    check = check_contributions(folder / "abel-am")
    assert [(problem.contributor, problem.where, problem.what) for problem in check.errors] == [
        ("", "templates.csv:1", "column 'source_locale' is missing")
    ]


def test_the_folder_itself_and_files_of_other_kinds(folder: Path):
    for path in (folder / "jun-ko").rglob("*"):
        if path.is_file() and path.suffix != ".toml":
            path.unlink()
    (folder / "mina-ko" / "contributor.toml").write_text('credit = "none"\nname = Mina\n')
    (folder / "abel-am" / "responses" / "am-ET.jsonl").write_text(
        '\n{"template_id": "food-01", "annotator": "b01"}\n'
    )
    check = check_contributions(folder)
    assert [(problem.where, problem.row) for problem in check.errors] == [
        ("responses/am-ET.jsonl:2", 2),
        ("the folder", None),
        ("contributor.toml", None),
    ]


def test_annotators_are_named_as_the_contributor_names_them(folder: Path):
    with (folder / "mina-ko" / "responses" / "ko-KR.csv").open("a") as file:
        file.write("food-01,a01,빵,,,,\n")
    (problem,) = check_contributions(folder).errors
    assert problem.what == ("response of 'a01' to 'food-01' in ko-KR is also in mina-ko/responses/ko-KR.csv:2")


def test_a_line_break_in_a_name_hides_nothing(folder: Path):
    (folder / "mina-ko" / "no\nte.txt").write_text("")
    (folder / "mina-ko" / "responses" / "es-MX\nb.csv").write_text(
        "template_id,annotator,answer_1\nfood-01,a,b\n"
    )
    shutil.copytree(folder / "abel-am", folder / "ev\nil")
    (folder / "jun-ko" / "contributor.toml").unlink()
    assert {
        (problem.contributor, problem.file, problem.row) for problem in check_contributions(folder).errors
    } >= {
        ("mina-ko", "mina-ko/no\nte.txt", None),
        ("mina-ko", "mina-ko/responses/es-MX\nb.csv", None),
        ("ev\nil", "ev\nil", None),
        ("jun-ko", "jun-ko/contributor.toml", None),
    }


def test_a_link_is_never_followed(folder: Path, tmp_path: Path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "ko-KR.csv").write_text("key\n1234\n")
    (folder / "prompts.csv").unlink()
    (folder / "prompts.csv").symlink_to(tmp_path / "secret" / "ko-KR.csv")
    (folder / "rosa-es").symlink_to(tmp_path / "secret")
    what = "a link, which is not followed; put the file or folder itself there"
    assert wrong(lambda: check_contributions(folder)) == f"2 problems:\nprompts.csv: {what}\nrosa-es: {what}"
