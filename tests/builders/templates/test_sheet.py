"""Natives' questions become a sheet, in groups; a reviewer's decisions on it become templates."""

import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.builders.templates import _near_duplicates, accept_sheet, content, review_sheet
from blend.schemas.errors import RowError
from blend.schemas.frames import NATIVE_QUESTIONS, TEMPLATES
from blend.schemas.sheets import PROPOSED_TEMPLATES as SHEET
from helpers.messages import message_of

TOLD = tomllib.loads(Path(__file__).with_name("told.toml").read_text(encoding="utf-8"))
ROW: dict[str, Any] = {
    "template_id": "Q-1",
    "topic": "Food",
    "source_locale": "ko-KR",
    "question": "What is eaten in Korea?",
    "template": "What is eaten in {country}?",
    "reasons": "",
    "decision": "keep",
}


def sheet_of(*changes: dict[str, Any]) -> pl.DataFrame:
    rows = [
        {"template_id": f"Q-{number}", "source": f"sheet.csv:{number + 1}", **change}
        for number, change in enumerate(changes, start=1)
    ]
    return pl.DataFrame([{**ROW, **row} for row in rows], schema=SHEET)


def test_decisions():
    sheet = sheet_of(
        {"template": " When is lunch in {country}?  (HH:MM) ", "decision": "Keep "},
        {"decision": "drop", "reasons": "name: 'Boxing Day'"},
        {"decision": "DROP", "source_locale": None},
    )
    templates = accept_sheet(sheet)
    assert templates.schema == TEMPLATES
    assert templates.rows() == [
        ("Q-1", "Food", "ko-KR", "When is lunch in {country}? (HH:MM)", "HH:MM", "sheet.csv:2")
    ]


@pytest.mark.parametrize("case", TOLD["unfinished"], ids=lambda case: case["message"])
def test_unfinished_reviews(case: dict[str, Any]):
    assert message_of(RowError, lambda: accept_sheet(sheet_of(*case["changes"]))) == case["message"]


# The sheet that is proposed.

QUESTIONS = [
    ("Q-1", "Food", "ko-KR", "What is the most popular fruit in Korea?"),
    ("Q-2", "Food", "en-GB", "What do people in the UK eat on Boxing Day?"),
    ("Q-3", "Food", "en-US", "Which fruit is the most popular in the US?"),
    ("Q-4", "Sport", None, "Which sport is played on beaches?"),
]


def questions_of(rows) -> pl.DataFrame:
    rows = [(*row, f"natives.csv:{number}") for number, row in enumerate(rows, start=2)]
    return pl.DataFrame(rows, schema=NATIVE_QUESTIONS, orient="row")


def test_sheet():
    sheet = review_sheet(questions_of(QUESTIONS))
    assert sheet.schema == SHEET
    assert sheet.select("template_id", "template", "reasons", "group").rows() == [
        ("Q-1", "What is the most popular fruit in {country}?", "", "Q-1"),
        ("Q-3", "Which fruit is the most popular in {country}?", "", "Q-1"),
        ("Q-2", "What do people in {country} eat on Boxing Day?", "name: 'Boxing Day'", None),
        (
            "Q-4",
            "Which sport is played on beaches?",
            "no country: nothing names the author's country; put {country} where it belongs",
            None,
        ),
    ]
    assert sheet["decision"].to_list() == [""] * 4
    assert sheet["question"].to_list() == [QUESTIONS[i][3] for i in (0, 2, 1, 3)]


def test_several_reasons_stand_side_by_side():
    rows = [("Q-1", "Food", "ko-KR", "Do Koreans like Japanese tea at Chuseok?")]
    assert review_sheet(questions_of(rows))["reasons"].item() == (
        "people: 'Koreans' became 'people from {country}' | another country: 'Japanese' | name: 'Chuseok'"
    )


# Questions that ask almost the same.

TEXTS = [
    "What is the most popular fruit in {country}?",
    "What sport do women in {country} like to watch?",
    "Which fruit is popular in {country}?",
    "What sports do women like to watch the most in {country}?",
    "What time is lunch in {country}? (Provide in HH:MM format (e.g., 18:00, 09:00).)",
]


def test_content_leaves_the_frame_out():
    assert content(TEXTS[0]) == content(TEXTS[2]) == "fruit"
    assert content(TEXTS[4]) == "lunch time"
    assert content("What is it like in {country}?") == "in is it like what"


def test_groups():
    # "sport watch women" and "sports watch women" have 17 and 18 characters, 17 of them in common: 0.97.
    assert _near_duplicates(TEXTS) == [0, 1, 0, 1, None]


def test_groups_join_through_others():
    # 18 of 20 characters in common, of the first and the last 16: 0.9 and 0.8.
    assert _near_duplicates(["abcdefghijklmnopqrst", "abcdefghijklmnopqrxy", "abcdefghijklmnwvqrxy"]) == [
        0,
        0,
        0,
    ]
