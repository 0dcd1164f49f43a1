"""Natives' questions become a sheet, and nothing is decided on it."""

import polars as pl

from blend.builders.templates import review_sheet
from blend.schemas.frames import NATIVE_QUESTIONS
from blend.schemas.sheets import PROPOSED_TEMPLATES as SHEET

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
    assert sheet.select("template_id", "template", "reasons", "group", "nearest", "similarity").rows() == [
        ("Q-1", "What is the most popular fruit in {country}?", "", "Q-1", "Q-3", 1.0),
        ("Q-3", "Which fruit is the most popular in {country}?", "", "Q-1", "Q-1", 1.0),
        ("Q-2", "What do people in {country} eat on Boxing Day?", "name: 'Boxing Day'", *(None, None, None)),
        (
            "Q-4",
            "Which sport is played on beaches?",
            "no country: nothing names the author's country; put {country} where it belongs",
            *(None, None, None),
        ),
    ]
    assert sheet["decision"].to_list() == [""] * 4
    assert sheet["question"].to_list() == [QUESTIONS[i][3] for i in (0, 2, 1, 3)]


def test_several_reasons_stand_side_by_side():
    rows = [("Q-1", "Food", "ko-KR", "Do Koreans like Japanese tea at Chuseok?")]
    assert review_sheet(questions_of(rows))["reasons"].item() == (
        "people: 'Koreans' became 'people from {country}' | another country: 'Japanese' | name: 'Chuseok'"
    )
