"""BLEnD's files: every irregularity, one by one on a small copy of the layout, and as many as are published."""

import csv
import io
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.loaders.recipes.sources import load_source
from blend.loaders.upstream.blend import BlendTables, read_blend
from blend.schemas.recipe import Source

VALID = Path(__file__).parents[1] / "valid" / "blend"
NOTHING = {"idk": 0, "no-answer": 0, "not-applicable": 0}
PLACE = "annotations/Iran_data.json:Al-en-01"


def group(answers: list[str], en_answers: list[str], count: int) -> dict[str, Any]:
    return {"answers": answers, "en_answers": en_answers, "count": count}


def one_question(
    folder: Path,
    *,
    groups: list[dict[str, Any]] | None = None,
    idks: Mapping[str, int] = NOTHING,
    question: str = "?",
    en_question: str = "What?",
    source: str = "English (US)",
    topic: str = "Food",
) -> Path:
    """A folder with one question of Iran."""
    entry = {
        "question": question,
        "en_question": en_question,
        "annotations": [group(["a"], ["a"], 5)] if groups is None else groups,
        "idks": idks,
    }
    table = io.StringIO(newline="")
    rows = [("", "ID", "Topic", "Source", "Question", "Translation")]
    csv.writer(table).writerows([*rows, (0, "Al-en-01", topic, source, question, en_question)])
    for name, text in {
        "annotations/Iran_data.json": json.dumps({"Al-en-01": entry}, ensure_ascii=False),
        "questions/Iran_questions.csv": table.getvalue(),
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return folder


def findings(folder: Path, *, clean: bool = True) -> list[tuple[str, str, str]]:
    """Kind, place and detail; every finding here names locale and question."""
    rows = read_blend(folder, clean=clean).findings
    assert set(rows.select("locale", "template_id").rows()) <= {("fa-IR", "Al-en-01")}
    return rows.select("kind", "source", "detail").rows()


@pytest.mark.parametrize(
    ("text", "tidied", "kind", "found", "done"),
    [
        (" tea\t", "tea", "outer-white-space", "' tea\\t' has outer white space", "removed"),
        ("tea\x1ctime", "tea time", "control-character", "'tea\\x1ctime' holds U+001C", "now a blank"),
        ("tea\ntime", "tea time", "control-character", "'tea\\ntime' holds U+000A", "now a blank"),
        ("cafe\u0301", "café", "not-nfc", "'cafe\u0301' is not in Unicode NFC", "composed"),
    ],
)
def test_texts_are_tidied_or_only_reported(tmp_path, text, tidied, kind, found, done):
    folder = one_question(tmp_path, groups=[group([text], ["tea"], 5)])
    what = f"annotations[0].answers {found}"
    for clean, answer, end in ((True, tidied, done), (False, text, "kept")):
        assert read_blend(folder, clean=clean).annotations["annotations"].to_list() == [
            [group([answer], ["tea"], 5)]
        ]
        assert findings(folder, clean=clean) == [(kind, PLACE, f"{what}; {end}")]


def test_questions_are_tidied_as_well(tmp_path):
    folder = one_question(tmp_path, question="چی\x1cشد؟ ")
    assert read_blend(folder).questions["question"].to_list() == ["چی شد؟"]
    assert read_blend(folder, clean=False).questions["question"].to_list() == ["چی\x1cشد؟ "]
    place = "questions/Iran_questions.csv:2"
    assert findings(folder) == [
        ("control-character", place, "Question 'چی\\x1cشد؟ ' holds U+001C; now a blank"),
        ("outer-white-space", place, "Question 'چی\\x1cشد؟ ' has outer white space; removed"),
    ]


def test_invisible_characters_stay_and_are_reported_unless_ordinary(tmp_path):
    # U+200C is ordinary Persian spelling, a zero-width space is not.
    groups = [group(["بچه\u200cها"], ["kids"], 3), group(["چای\u200b"], ["tea"], 2)]
    folder = one_question(tmp_path, groups=groups)
    assert read_blend(folder).annotations["annotations"].to_list() == [groups]
    detail = "annotations[1].answers 'چای\\u200b' holds the invisible U+200B; kept"
    assert findings(folder) == [("invisible-character", PLACE, detail)]


def test_a_group_may_lose_its_blank_answers_but_not_its_votes(tmp_path):
    folder = one_question(tmp_path, groups=[group(["tea", " "], [""], 3), group([""], ["rice"], 2)])
    assert read_blend(folder).annotations["annotations"].to_list() == [
        [group(["tea"], [], 3), group([], ["rice"], 2)]
    ]
    assert findings(folder) == [
        ("blank-answer", PLACE, "annotations[0].answers holds the blank ' '; removed"),
        ("blank-answer", PLACE, "annotations[0].en_answers holds the blank ''; removed"),
        ("blank-answer", PLACE, "annotations[1].answers holds the blank ''; removed"),
    ]


def test_free_text_reasons_are_counted_by_spelling(tmp_path):
    # Most votes first, then by text; the order of the keys does not matter, and spelling is kept.
    idks = {
        "not sure": 1,
        "idk": 1,
        "Not sure": 1,
        "no shops ": 1,
        "not-applicable": 0,
        "no-answer": 2,
        "no shops": 1,
    }
    folder = one_question(tmp_path, idks=idks)
    others = [
        {"reason": "no shops", "count": 2},
        {"reason": "Not sure", "count": 1},
        {"reason": "not sure", "count": 1},
    ]
    assert read_blend(folder).annotations["idks"].to_list() == [
        {"idk": 1, "no-answer": 2, "not-applicable": 0, "others": others}
    ]
    assert [finding for finding in findings(folder) if finding[0] != "outer-white-space"] == [
        ("free-text-reason", PLACE, "'Not sure' (1) is a key of idks; moved to others"),
        ("free-text-reason", PLACE, "'no shops ' (1) is a key of idks; moved to others"),
        ("free-text-reason", PLACE, "'no shops' (1) is a key of idks; moved to others"),
        ("free-text-reason", PLACE, "'not sure' (1) is a key of idks; moved to others"),
        ("non-answers-above-annotators", PLACE, "7 non-answers of 5 annotators; kept"),
    ]


def test_odd_votes_are_kept_and_reported(tmp_path):
    groups = [group(["a"], ["a"], 6), group(["b"], [], 1), group(["c"], ["a"], 1), group(["d"], ["none"], 1)]
    folder = one_question(tmp_path, groups=groups)
    assert read_blend(folder).annotations["annotations"].to_list() == [groups]
    assert findings(folder) == [
        ("no-variant", PLACE, "annotations[1].en_answers is empty; the group and its votes stay"),
        ("placeholder-answer", PLACE, "annotations[3].en_answers holds 'none', which may be no answer; kept"),
        ("repeated-first-variant", PLACE, "'a' is the first English variant of 2 groups; kept apart"),
        ("votes-above-annotators", PLACE, "annotations[0] has 6 votes of 5 annotators; kept"),
    ]


def test_source_labels_lead_to_locales(tmp_path):
    place = "questions/Iran_questions.csv:2"
    for source, tag, found in (
        ("Korean (South Korea)", "ko-KR", []),
        ("Hausa (Northern Nigeria)", "ha-NG", []),
        ("Korean (Korea)", "ko-KR", [("unusual-source-label", "is read as ko-KR")]),
        ("Elvish (Rivendell)", None, [("unknown-source-label", "names no known locale")]),
    ):
        folder = one_question(tmp_path, source=source)
        questions = read_blend(folder).questions
        assert questions.select("source_label", "source_locale").rows() == [(source, tag)]
        assert findings(folder) == [
            (kind, place, f"Source {source!r} {what}; label kept") for kind, what in found
        ]


def test_most_regions_decide_a_templates_answer_format(tmp_path):
    folder = one_question(shutil.copytree(VALID, tmp_path / "blend"), en_question="Until when? (e.g., HH:MM)")
    tables = read_blend(folder)
    assert tables.questions.filter(template_id="Al-en-01")["answer_format"].to_list() == ["text"] * 3
    detail = "'Until when? (e.g., HH:MM)' asks for HH:MM, most regions for text, which counts"
    found = tables.findings.filter(kind="other-answer-format").select("source", "locale", "detail")
    assert found.rows() == [("questions/Iran_questions.csv:2", "fa-IR", detail)]


def test_a_topic_that_one_region_spells_otherwise_is_told(tmp_path):
    folder = one_question(shutil.copytree(VALID, tmp_path / "blend"), topic="Fod")
    found = read_blend(folder).findings.filter(kind="other-topic")
    detail = "Topic 'Fod' is 'Food' elsewhere; kept, as another topic"
    assert found.drop("kind").rows() == [("questions/Iran_questions.csv:2", "fa-IR", "Al-en-01", detail)]


def test_prompts_as_published_with_their_oddities(tmp_path):
    folder = one_question(tmp_path)
    (folder / "prompts").mkdir()
    text = (
        "id,English,Translation,Edited\r\ninst-4,{q}?,{q}؟,yes\r\npers-3,{q}!,!,\r\ninst-4,{q}?,{q},\r\n"
        'pers-3,"{q}\n",{q}e\u0301,\r\np,x,x,\r\n'
    )
    (folder / "prompts" / "Iran_prompts.csv").write_text(text, encoding="utf-8", newline="")
    tables = read_blend(folder)
    place = "prompts/Iran_prompts.csv"
    assert tables.prompts.rows() == [
        ("inst-4", "{q}؟", "{q}?", "fa-IR", "fa", f"{place}:2"),
        ("pers-3", "{q}\u00e9", "{q}\n", "fa-IR", "fa", f"{place}:5"),
    ]
    repeated = f"prompt 'inst-4' is also in {place}:2, which counts; left out"
    assert tables.findings.select("kind", "source", "locale", "detail").rows() == [
        ("not-nfc", f"{place}:5", "fa-IR", "Translation of 'pers-3' is not in Unicode NFC; composed"),
        ("prompt-without-slot", f"{place}:3", "fa-IR", "Translation of 'pers-3' has no {q}; left out"),
        ("prompt-without-slot", f"{place}:6", "fa-IR", "Translation and English of 'p' has no {q}; left out"),
        ("repeated-prompt", f"{place}:4", "fa-IR", repeated),
    ]


def test_prompts_of_a_region_without_questions_are_left_out_and_told(tmp_path):
    folder = one_question(tmp_path)
    (folder / "prompts").mkdir()
    for region in ("Iran", "Greece", "Irann"):
        path = folder / "prompts" / f"{region}_prompts.csv"
        path.write_text("id,English,Translation\np,{q},{q}\n", encoding="utf-8")
    tables = load_source(Source(kind="blend", location=str(folder)))
    assert tables.prompts["locale"].to_list() == ["fa-IR"]
    found = tables.findings.filter(kind="prompt-without-questions").drop("kind").rows()
    detail = "prompts of a region without questions; left out"
    assert found == [(f"prompts/{name}_prompts.csv", None, None, detail) for name in ("Greece", "Irann")]
    assert "prompts/Iran_prompts.csv" in {file.path for file in tables.info.files}


# The published data of 16 regions: every irregularity that its description counts is found, no vote lost.


@pytest.mark.integration
def test_findings_are_as_many_as_the_data_has_irregularities(clean_tables: BlendTables):
    # The data's description counts most of them; the others were counted by hand in the files.
    assert dict(clean_tables.findings.group_by("kind").len().sort("kind").iter_rows()) == {
        "blank-answer": 7,
        "blank-question": 1,
        "control-character": 4,
        "free-text-reason": 161,
        "invisible-character": 91,
        "no-answers": 277,
        "no-variant": 28,
        "non-answers-above-annotators": 109,
        "not-nfc": 242,
        "other-answer-format": 1,
        "outer-white-space": 164,
        "placeholder-answer": 34,
        "prompt-without-slot": 2,
        "repeated-first-variant": 118,
        "repeated-prompt": 2,
        "repeated-variant": 33,
        "unusual-source-label": 160,
        "votes-above-annotators": 1,
    }


@pytest.mark.integration
def test_findings_name_file_question_and_region(clean_tables: BlendTables):
    of_questions = clean_tables.findings.filter(~pl.col("source").str.starts_with("prompts/"))
    assert of_questions.null_count().row(0) == (0, 0, 0, 0, 0)
    found = clean_tables.findings.filter(kind="votes-above-annotators").drop("kind").rows()
    detail = "annotations[0] has 6 votes of 5 annotators; kept"
    assert found == [("annotations/US_data.json:Na-ko-40", "en-US", "Na-ko-40", detail)]
    controls = clean_tables.findings.filter(kind="control-character")
    assert controls.select("source", "template_id").rows() == [
        ("annotations/Spain_data.json:Ta-pe-30", "Ta-pe-30"),
        ("questions/North_Korea_questions.csv:188", "Na-ko-40"),
        ("questions/North_Korea_questions.csv:373", "New-pe-06"),
        ("questions/South_Korea_questions.csv:188", "Na-ko-40"),
    ]
