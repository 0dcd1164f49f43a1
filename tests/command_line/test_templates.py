"""From natives' questions to a release on the command line, as ``docs/templates.md`` tells it."""

import codecs
from pathlib import Path

import polars as pl
import pytest

from blend.loaders.releases.tables import read_config
from blend.schemas.errors import BlendError
from helpers.in_process import run

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


@pytest.mark.integration
def test_a_template_with_either_slot_becomes_rows_of_a_release(tmp_path: Path):
    collected = tmp_path / "collected"
    (collected / "responses").mkdir(parents=True)
    (tmp_path / "natives.csv").write_text(NATIVES, encoding="utf-8")
    (tmp_path / "translations.csv").write_text(TRANSLATIONS, encoding="utf-8")
    (tmp_path / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    for locale, rows in RESPONSES.items():
        (collected / "responses" / f"{locale}.csv").write_text(rows, encoding="utf-8")

    run("templates", "propose", tmp_path / "natives.csv", "--out", tmp_path / "sheet.csv")
    proposed = pl.read_csv(tmp_path / "sheet.csv", infer_schema=False)
    proposed.with_columns(decision=pl.lit("keep")).write_csv(tmp_path / "reviewed.csv")
    run("templates", "accept", tmp_path / "reviewed.csv", "--out", collected / "templates.csv")
    reviewed, translated = tmp_path / "reviewed.csv", tmp_path / "translations.csv"
    run("templates", "localise", reviewed, translated, "--out", collected / "questions.csv")
    run("build", tmp_path / "recipe.toml", "--out", tmp_path / "release")

    templates = pl.read_csv(collected / "templates.csv")["text"].to_list()
    assert templates == [
        "Which {nationality} dish is eaten on birthdays?",
        "What is the most popular water sport in {country}?",
    ]
    questions = read_config(tmp_path / "release", "short-answer-questions")
    asked = {(row["locale"], row["template_id"]): row["en_question"] for row in questions.to_dicts()}
    assert asked == {
        ("ko-KR", "KR-01"): "Which South Korean dish is eaten on birthdays?",
        ("ko-KR", "KR-02"): "What is the most popular water sport in South Korea?",
        ("en-US", "KR-01"): "Which American dish is eaten on birthdays?",
        ("en-US", "KR-02"): "What is the most popular water sport in the US?",
    }


@pytest.mark.slow
def test_templates_of_a_locale_of_ones_own(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    own = root / "loaders" / "starter" / "locales.toml"
    Path("natives.csv").write_text(
        "id,topic,text,locale\nn1,Food,What is the most popular fruit in New Zealand?,en-NZ\n", encoding="utf-8"
    )
    with pytest.raises(BlendError, match="needs an entry in a locale file"):
        run("templates", "propose", "natives.csv")
    run("templates", "propose", "natives.csv", "--locale-file", own)
    sheet = pl.read_csv("sheet.csv").with_columns(decision=pl.lit("keep"))
    assert sheet["template"].to_list() == ["What is the most popular fruit in {country}?"]
    sheet.write_csv("sheet.csv")
    with pytest.raises(BlendError, match=r"column source_locale: unknown locale 'en-NZ'.*--locale-file"):
        run("templates", "accept", "sheet.csv")
    run("templates", "accept", "sheet.csv", "--locale-file", own)
    assert pl.read_csv("templates.csv")["source_locale"].to_list() == ["en-NZ"]
    Path("translations.csv").write_text(
        "template_id,locale,question\nn1,en-NZ,Which fruit is the most popular in New Zealand?\n",
        encoding="utf-8",
    )
    printed = run("templates", "localise", "sheet.csv", "translations.csv", "--locale-file", own)
    assert "1 question in 1 locale." in printed
    assert pl.read_csv("questions.csv")["en_question"].to_list() == [
        "What is the most popular fruit in New Zealand?"
    ]


@pytest.mark.slow
def test_templates_from_questions_to_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("natives.csv").write_text(
        "id,topic,text,locale\nn1,Food,What is the most popular fruit in South Korea?,KR\n", encoding="utf-8"
    )
    assert "1 question, 0 with something to look at" in run("templates", "propose", "natives.csv")
    assert Path("sheet.csv").read_bytes().startswith(codecs.BOM_UTF8)  # without it Excel reads another encoding
    with pytest.raises(BlendError) as caught:
        run("templates", "propose", "natives.csv")
    assert str(caught.value) == (
        "sheet.csv: exists, and may hold somebody's work; choose another --out or move it away"
    )
    sheet = pl.read_csv("sheet.csv").with_columns(decision=pl.lit("keep"))
    sheet.write_csv("sheet.csv")
    assert "1 template; 0 questions dropped" in run("templates", "accept", "sheet.csv")
    assert pl.read_csv("templates.csv")["text"].to_list() == ["What is the most popular fruit in {country}?"]
    Path("translations.csv").write_text(
        "template_id,locale,question\nn1,su-JB,Naon buah nu pangpopulerna di Jawa Barat?\n", encoding="utf-8"
    )
    assert "1 question in 2 locales" in run(
        "templates", "localise", "sheet.csv", "translations.csv", "--locale", "su-JB", "--locale", "KR"
    )
    assert pl.read_csv("questions.csv").rows() == [
        (
            "n1",
            "su-JB",
            "Naon buah nu pangpopulerna di Jawa Barat?",
            "What is the most popular fruit in West Java?",
        )
    ]
