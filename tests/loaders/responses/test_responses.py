"""Raw responses: what is read, from each kind of file."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from blend.loaders.responses import read_responses, response_files
from blend.schemas.frames import FINDINGS, QUESTIONS, RESPONSES, REVIEWS

VALID = Path(__file__).parents[1] / "valid" / "responses"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return shutil.copytree(VALID, tmp_path / "collected")


def test_questions_take_topic_format_and_origin_from_their_template():
    questions = read_responses(VALID).questions
    assert questions.schema == QUESTIONS
    assert questions.select(
        "template_id", "locale", "language", "topic", "answer_format", "source_locale", "source_label", "source"
    ).rows() == [
        ("food-01", "am-ET", "am", "Food", "text", "ko-KR", "Korean (South Korea)", "questions.csv:3"),
        ("food-01", "ko-KR", "ko", "Food", "text", "ko-KR", "Korean (South Korea)", "questions.csv:2"),
        ("work-01", "ko-KR", "ko", "Work life", "HH:MM", "am-ET", "Amharic (Ethiopia)", "questions.csv:4"),
        ("work-02", "ko-KR", "ko", "Work life", "integer", None, "", "questions.csv:5"),
    ]


def test_answers_are_exactly_as_typed():
    responses = read_responses(VALID).responses
    assert responses.schema == RESPONSES
    assert responses.rows() == [
        ("food-01", "am-ET", "b01", ["ዳቦ", "ሻይ"], None, None, "responses/am-ET.jsonl:1"),
        ("food-01", "am-ET", "b02", [], "not-applicable", None, "responses/am-ET.jsonl:2"),
        ("food-01", "ko-KR", "a01", ["밥", "국"], None, None, "responses/ko-KR.csv:2"),
        ("food-01", "ko-KR", "a02", ["토스트\n커피"], None, None, "responses/ko-KR.csv:3"),
        ("food-01", "ko-KR", "a03", [], "other", "아침을 안 먹어요", "responses/ko-KR.csv:4"),
        ("food-01", "ko-KR", "a04", ["밥 "], None, None, "responses/ko-KR.csv:5"),
        ("work-01", "ko-KR", "a01", ["18:00"], None, None, "responses/ko-KR.csv:6"),
        ("work-01", "ko-KR", "a02", ["6 pm"], None, None, "responses/ko-KR.csv:7"),
        ("work-02", "ko-KR", "a01", ["15", "열다섯"], None, None, "responses/ko-KR.csv:8"),
        ("work-02", "ko-KR", "a02", [], "idk", None, "responses/ko-KR.csv:9"),
    ]


def test_blanks_around_names_do_not_count_and_in_answers_stay(folder: Path):
    for path, column in (("templates.csv", 0), ("questions.csv", 1), ("responses/ko-KR.csv", 1)):
        lines = (folder / path).read_text(encoding="utf-8").splitlines(keepends=True)
        cells = lines[-1].split(",")
        cells[0], cells[column] = f" {cells[0]}", f"{cells[column]}  "
        lines[-1] = ",".join(cells).replace(",idk,", ", idk ,")
        (folder / path).write_text("".join(lines), encoding="utf-8")
    for read, expected in zip(read_responses(folder), read_responses(VALID), strict=True):
        assert_frame_equal(read, expected)


def test_reviews_hold_decisions_and_translations():
    reviews = read_responses(VALID).reviews
    assert reviews.schema == REVIEWS
    rice = {"answers": ["밥", "밥 "], "en_answers": ["rice"]}
    soup = {"answers": ["국"], "en_answers": ["soup"]}
    fifteen = {"answers": ["15", "열다섯"], "en_answers": ["15"]}
    assert reviews.rows() == [
        ("food-01", "ko-KR", "r01", ["토스트\n커피"], [], [rice, soup], "reviews/ko-KR.jsonl:1"),
        ("work-02", "ko-KR", "r01", [], [], [fifteen], "reviews/ko-KR.jsonl:2"),
    ]


def test_an_answer_out_of_format_stands_when_a_reviewer_has_decided_about_it(folder):
    reviews = folder / "reviews" / "ko-KR.jsonl"
    (folder / "responses" / "ko-KR.csv").write_text(
        "template_id,annotator,answer_1,answer_2\nwork-01,a01,noon,lunchtime\n", encoding="utf-8"
    )
    groups = [{"answers": ["noon"], "en_answers": ["12:00"]}]
    decided = {"template_id": "work-01", "reviewer": "r01", "invalid": ["lunchtime"], "groups": groups}
    reviews.write_text(json.dumps(decided), encoding="utf-8")
    responses = read_responses(folder).responses
    assert responses.filter(locale="ko-KR")["answers"].to_list() == [["noon", "lunchtime"]]


def test_an_answer_that_the_review_passes_over_is_reported(folder):
    path = folder / "reviews" / "ko-KR.jsonl"
    soup = ', {"answers": ["국"], "en_answers": ["soup"]}'
    path.write_text(path.read_text(encoding="utf-8").replace(soup, ""), encoding="utf-8")
    findings = read_responses(folder).findings
    assert findings.schema == FINDINGS
    detail = "the review in reviews/ko-KR.jsonl:1 says nothing about '국'"
    assert findings.rows() == [("undecided-answer", "responses/ko-KR.csv:2", "ko-KR", "food-01", detail)]


def test_every_kind_of_file_gives_the_same_rows(folder):
    expected = read_responses(folder)
    pl.read_csv(folder / "templates.csv", infer_schema=False).write_parquet(folder / "templates.parquet")
    pl.read_csv(folder / "questions.csv", infer_schema=False).write_ndjson(folder / "questions.jsonl")
    for path in (*folder.glob("*.csv"), *folder.glob("re*/*")):
        path.unlink()
    for name in ("responses", "reviews"):
        rows = getattr(expected, name).drop("source").partition_by("locale", as_dict=True, include_key=False)
        for (tag,), of_locale in rows.items():
            of_locale.write_parquet(folder / name / f"{tag}.parquet")
    for one, other in zip(read_responses(folder)[:3], expected[:3], strict=True):
        assert_frame_equal(one.drop("source"), other.drop("source"))


def test_files_are_named_and_hidden_ones_passed_over(folder):
    (folder / "responses" / ".DS_Store").write_bytes(b"\x00")
    assert [path.relative_to(folder).as_posix() for path in response_files(folder)] == [
        "questions.csv",
        "responses/am-ET.jsonl",
        "responses/ko-KR.csv",
        "reviews/ko-KR.jsonl",
        "templates.csv",
    ]
    assert len(read_responses(folder).responses) == 10
