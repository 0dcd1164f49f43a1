"""Who has read the options of questions: what the build report and the card say of it."""

import polars as pl
import pytest

from blend.builders.cards.card import read_options
from blend.builders.mcq.result import READING, unread_findings, unread_summary


def test_the_build_report_says_where_nobody_has_read():
    rows = [("en-GB", 1, 1, 4, 0, 1, 1, 0, 2), ("en-US", 1, 1, 4, 0, 0, 0, 0, 4)]
    reading = pl.DataFrame(rows, READING, orient="row")
    assert dict(unread_findings(reading))["en-GB"] == (
        "1 of 1 multiple-choice questions show options that nobody has read: 2 of 4"
    )
    assert unread_summary(reading) == (
        "2 of 2 multiple-choice questions show options that nobody has read (en-GB 1 of 1, en-US 1 of 1)"
    )


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ((0, 0, 0, 9), "Nobody has read the options of the multiple-choice questions before they were shown: "),
        ((1, 7, 0, 1), "People have read 8 of the 9 options of the multiple-choice questions; among the rest "),
        ((1, 2, 4, 2), "People have read 3 of the 9 options of the multiple-choice questions, and a language "),
        (
            (0, 0, 9, 0),
            "A language model has read every option of the multiple-choice questions, and no person ",
        ),
        ((9, 0, 0, 0), "Natives of the regions have read every option of the multiple-choice questions."),
        (
            (4, 5, 0, 0),
            "People have read every option of the multiple-choice questions, natives of the region 4 ",
        ),
    ],
)
def test_the_card_says_who_has_read(counts: tuple[int, int, int, int], sentence: str):
    *people_and_model, nobody = counts
    row = ("ko-KR", 3, 1, 9, *people_and_model, 0, nobody)
    words = read_options(pl.DataFrame([row], READING, orient="row"))
    assert words is not None
    assert words.text.startswith(sentence)
    assert words.table.cells()[0][:6] == ["ko-KR", "9", *(f"{100 * n / 9:.0f}" for n in counts)]
    assert read_options(pl.DataFrame(schema=READING)) is None


def test_the_card_tells_a_record_from_an_inference():
    words = read_options(pl.DataFrame([("ko-KR", 3, 0, 9, 0, 2, 7, 6, 0)], READING, orient="row"))
    assert words is not None
    assert " Of 6 that is known by question alone: " in words.text
    assert words.table.cells() == [["ko-KR", "9", "0", "22", "78", "0"]]
