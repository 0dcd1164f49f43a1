"""Numbers, times and days in words are the values that they say, in the languages of the 16 regions."""

import csv
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.eval.tasks.short_answer.short_answer_decisions import decide_short_answers

ASKED = {"integer": "How many? (in Arabic numerals)", "HH:MM": "When? (HH:MM)", "MM/DD": "When? (MM/DD)"}


def rows() -> list[dict[str, str]]:
    """The rows of ``value_replies.tsv``, which was written for this test."""
    with Path(__file__).with_name("value_replies.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def matched_by(locale: str, asked: str, gold: str, reply: str) -> str:
    language = locale.partition("-")[0]
    group: dict[str, Any] = {"answers": [gold], "en_answers": [], "count": 1}
    key = {"template_id": "t", "locale": locale}
    annotation = {"language": language, "en_question": ASKED[asked], "annotations": [group]}
    idks = {"idk": 0, "no-answer": 0, "not-applicable": 0}
    response = {"item_id": "i", "prompt_id": "p", "prompt": ASKED[asked], "response": reply}
    decided = decide_short_answers(
        pl.DataFrame([key | response]), pl.DataFrame([key | annotation | {"idks": idks}])
    )
    return str(decided["why"].item())


@pytest.mark.slow
def test_values_in_words_are_read():
    said = rows()
    assert len({row["locale"].partition("-")[0] for row in said}) == 13
    unread = [
        row for row in said if matched_by(row["locale"], row["format"], row["gold"], row["reply"]) != "value"
    ]
    assert unread == []


@pytest.mark.parametrize(
    ("locale", "asked", "gold", "reply"),
    [
        # An article, a word of two kinds, a part of another word, and a number beside figures.
        ("es-ES", "integer", "1", "Depende de una familia a otra."),
        ("en-US", "integer", "1", "One of the things that people do there is wait."),
        ("fa-IR", "integer", "9", "نه، چنین چیزی نیست"),
        ("as-AS", "integer", "9", "সন্তান"),
        ("zh-CN", "integer", "1", "一般来说没有固定的时间"),
        ("en-US", "integer", "2", "Of the two systems, most begin at 6."),
        ("en-US", "HH:MM", "07:00", "seven"),
        ("en-US", "HH:MM", "07:00", "7:00 in the evening"),
        ("en-US", "HH:MM", "12:00", "in the afternoon"),
        ("es-ES", "HH:MM", "07:00", "a las 7 de la tarde"),
        ("en-US", "MM/DD", "05/04", "04/05"),
        ("en-GB", "MM/DD", "01/01", "03/21"),
    ],
)
def test_what_says_another_value_or_none(locale: str, asked: str, gold: str, reply: str):
    assert matched_by(locale, asked, gold, reply) != "value"
