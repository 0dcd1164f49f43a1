"""Characters that nobody sees in raw responses: found wherever they stand, unless the script needs them."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

from blend.builders.release import build_release
from blend.builders.validate import CHECKS, validate_release
from blend.loaders.responses import read_responses
from blend.schemas.recipe import Recipe

VALID = Path(__file__).parents[1] / "valid" / "responses"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return shutil.copytree(VALID, tmp_path / "collected")


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8", newline="")


def hidden(folder: Path) -> list[tuple[str | None, ...]]:
    findings = read_responses(folder).findings.filter(pl.col("kind") == "hidden-characters")
    return findings.select("source", "locale", "template_id", "detail").rows()


@pytest.mark.parametrize(
    ("name", "old", "new", "found"),
    [
        (
            "templates.csv",
            "What do people in",
            "What\x07 do people in",
            ("templates.csv:2", None, "food-01", "column text holds control characters: U+0007; kept"),
        ),
        (
            "questions.csv",
            "eat for",
            "eat\u200d for",
            (
                "questions.csv:2",
                "ko-KR",
                "food-01",
                "column en_question holds characters that nobody sees: U+200D ZERO WIDTH JOINER; kept",
            ),
        ),
        (
            "questions.csv",
            "아침으로",
            "아침\u200b으로",
            (
                "questions.csv:2",
                "ko-KR",
                "food-01",
                "column question holds characters that nobody sees: U+200B ZERO WIDTH SPACE; kept",
            ),
        ),
        (
            "templates.csv",
            "Food",
            "Foo\u202ed",
            (
                "templates.csv:2",
                None,
                "food-01",
                "column topic holds characters that reorder the text: U+202E RIGHT-TO-LEFT OVERRIDE; kept",
            ),
        ),
        (
            "responses/ko-KR.csv",
            "국",
            "\x1b국\ufeff",
            (
                "responses/ko-KR.csv:2",
                "ko-KR",
                "food-01",
                "column answer_2 holds characters that nobody sees: U+FEFF ZERO WIDTH NO-BREAK SPACE; kept",
            ),
        ),
        (
            "responses/ko-KR.csv",
            "먹어요",
            "먹어요\ue000",
            (
                "responses/ko-KR.csv:4",
                "ko-KR",
                "food-01",
                "column reason holds characters without a common meaning: U+E000; kept",
            ),
        ),
        (
            "reviews/ko-KR.jsonl",
            '"rice"',
            '"ri\\u200dce"',
            (
                "reviews/ko-KR.jsonl:1",
                "ko-KR",
                "food-01",
                "column groups.en_answers holds characters that nobody sees: U+200D ZERO WIDTH JOINER; kept",
            ),
        ),
    ],
    ids=["template", "English", "question", "topic", "answer", "reason", "review"],
)
def test_what_nobody_sees_is_found(folder: Path, name: str, old: str, new: str, found: tuple[str, ...]):
    if name.startswith("responses") and "국" in old:
        replace(folder / "reviews" / "ko-KR.jsonl", '"국"', json.dumps(new))
    replace(folder / name, old, new)
    assert found in hidden(folder)


def test_what_a_script_needs_and_line_feeds_are_no_findings(folder: Path):
    # The valid answers hold a line feed. Persian joins and parts letters by characters without width.
    assert hidden(folder) == []
    questions = "food-01,fa-IR,صبحانه می\u200cخورند؟,What do people in Iran eat for breakfast?\n"
    with (folder / "questions.csv").open("a", encoding="utf-8") as file:
        file.write(questions)
    (folder / "responses" / "fa-IR.csv").write_text(
        "template_id,annotator,answer_1\nfood-01,c1,نان\u200cها\n", encoding="utf-8"
    )
    assert hidden(folder) == []


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
