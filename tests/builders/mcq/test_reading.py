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
    ("counts", "by_question", "sentence"),
    [
        (
            (1, 2, 4, 2),
            0,
            (
                "Of the 9 options of the multiple-choice questions natives of the region have read 1, other "
                "people 2, a language model alone 4, nobody 2. Where no person has, a distractor may well be "
                "correct, too."
            ),
        ),
        ((9, 0, 0, 0), 0, "Natives of the regions have read every option of the multiple-choice questions."),
        # A record is told from an inference.
        ((0, 2, 7, 0), 6, " Of 6 that is known by question alone: "),
    ],
)
def test_the_card_says_who_has_read(counts: tuple[int, int, int, int], by_question: int, sentence: str):
    *people_and_model, nobody = counts
    row = ("ko-KR", 3, 1, 9, *people_and_model, by_question, nobody)
    told = read_options(pl.DataFrame([row], READING, orient="row"))
    assert told is not None
    assert sentence in told[0]
    assert told[1].cells()[0][:6] == ["ko-KR", "9", *(f"{100 * n / 9:.0f}" for n in counts)]
    assert read_options(pl.DataFrame(schema=READING)) is None
