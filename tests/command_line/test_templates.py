"""From natives' questions to a release on the command line, as ``docs/templates.md`` tells it."""

import codecs
from pathlib import Path

import polars as pl
import pytest

from blend.loaders.releases.tables import read_config
from helpers.in_process import run
from helpers.messages import wrong

NATIVES = """\
id,topic,locale,text
KR-01,Food,ko-KR,Which Korean dish is eaten on birthdays?
KR-02,Sport,ko-KR,What is the most popular water sport in Korea?
"""

TRANSLATIONS = """\
template_id,locale,question
KR-01,ko-KR,생일에 먹는 한국 음식은 무엇입니까?
KR-01,en-US,Which American dish is eaten on birthdays?
KR-02,ko-KR,한국에서 가장 인기 있는 수상 스포츠는 무엇입니까?
KR-02,en-US,What is the most popular water sport in the US?
"""

RESPONSES = {
    "ko-KR": "template_id,annotator,answer_1\nKR-01,a1,미역국\nKR-01,a2,미역국\nKR-02,a1,수영\n",
    "en-US": "template_id,annotator,answer_1\nKR-01,b1,cake\nKR-02,b1,swimming\nKR-02,b2,surfing\n",
}

RECIPE = """\
name = "journey"
version = "0.1.0"
license = "cc-by-4.0"

[[sources]]
kind = "responses"
location = "collected"
license = "cc-by-4.0"
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.integration
@pytest.mark.usefixtures("here")
def test_a_template_with_either_slot_becomes_rows_of_a_release():
    Path("collected", "responses").mkdir(parents=True)
    for name, text in (("natives.csv", NATIVES), ("translations.csv", TRANSLATIONS), ("recipe.toml", RECIPE)):
        Path(name).write_text(text, encoding="utf-8")
    for locale, rows in RESPONSES.items():
        Path("collected", "responses", f"{locale}.csv").write_text(rows, encoding="utf-8")

    assert "2 questions, 1 with something to look at" in run("templates", "propose", "natives.csv")
    assert Path("sheet.csv").read_bytes().startswith(codecs.BOM_UTF8)  # without it Excel reads another encoding
    assert wrong(lambda: run("templates", "propose", "natives.csv")) == (
        "sheet.csv: exists, and may hold somebody's work; choose another --out or move it away"
    )
    sheet = pl.read_csv("sheet.csv", infer_schema=False)
    sheet.with_columns(decision=pl.lit("keep")).write_csv("sheet.csv")
    accepted = run("templates", "accept", "sheet.csv", "--out", "collected/templates.csv")
    assert "2 templates; 0 questions dropped" in accepted
    localise = ("templates", "localise", "sheet.csv", "translations.csv", "--out", "collected/questions.csv")
    assert "4 questions in 2 locales" in run(*localise, "--locale", "en-US", "--locale", "KR")
    run("build", "recipe.toml", "--out", "release")

    assert pl.read_csv("collected/templates.csv")["text"].to_list() == [
        "Which {nationality} dish is eaten on birthdays?",
        "What is the most popular water sport in {country}?",
    ]
    questions = read_config("release", "short-answer-questions")
    asked = {(row["locale"], row["template_id"]): row["en_question"] for row in questions.to_dicts()}
    assert asked == {
        ("ko-KR", "KR-01"): "Which South Korean dish is eaten on birthdays?",
        ("ko-KR", "KR-02"): "What is the most popular water sport in South Korea?",
        ("en-US", "KR-01"): "Which American dish is eaten on birthdays?",
        ("en-US", "KR-02"): "What is the most popular water sport in the US?",
    }
