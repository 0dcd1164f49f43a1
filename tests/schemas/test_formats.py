"""Answer formats: which shape a question asks for, and one spelling for every value."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.schemas.formats import AnswerFormat, canonical, format_of, format_of_template


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the most popular fruit in the UK?", AnswerFormat.TEXT),
        ("What time is dinner? Please write it in HH:MM format.", AnswerFormat.TIME),
        ("When is the school trip? Answer in MM/DD.", AnswerFormat.DATE),
        ("How old are first graders? Give it in Arabic numerals (e.g., 1).", AnswerFormat.INTEGER),
        ("What is the most common Arabic dish?", AnswerFormat.TEXT),
    ],
)
def test_the_hint_in_the_text_decides(question: str, expected: AnswerFormat):
    assert format_of(question) is expected


@pytest.mark.parametrize(
    ("answer", "shape", "expected"),
    [
        ("7:05", AnswerFormat.TIME, "07:05"),
        ("٠٧:٣٠", AnswerFormat.TIME, "07:30"),
        ("24:00", AnswerFormat.TIME, None),
        ("12:60", AnswerFormat.TIME, None),
        ("noon", AnswerFormat.TIME, None),
        ("5/8", AnswerFormat.DATE, "05/08"),
        ("02/29", AnswerFormat.DATE, "02/29"),
        ("02/30", AnswerFormat.DATE, None),
        ("13/01", AnswerFormat.DATE, None),
        ("0/1", AnswerFormat.DATE, None),
        ("07", AnswerFormat.INTEGER, "7"),
        ("7.0", AnswerFormat.INTEGER, "7"),
        ("7.00", AnswerFormat.INTEGER, "7"),
        ("7.000", AnswerFormat.INTEGER, None),
        ("7.5", AnswerFormat.INTEGER, None),
        ("-3", AnswerFormat.INTEGER, "-3"),
        ("nan", AnswerFormat.INTEGER, None),
        ("seven", AnswerFormat.INTEGER, None),
        (" rice ", AnswerFormat.TEXT, "rice"),
        (" ", AnswerFormat.TEXT, None),
    ],
)
def test_one_spelling(answer: str, shape: AnswerFormat, expected: str | None):
    assert canonical(answer, shape) == expected


@given(st.text(), st.sampled_from(AnswerFormat))
def test_the_canonical_spelling_is_its_own(answer: str, shape: AnswerFormat):
    once = canonical(answer, shape)
    assert once is None or canonical(once, shape) == once


def test_the_format_of_a_template_is_that_of_most_questions():
    formats = [AnswerFormat.TEXT, AnswerFormat.TIME, AnswerFormat.TIME]
    assert format_of_template(formats) is AnswerFormat.TIME


def test_on_a_tie_the_narrower_format_counts():
    # The narrowest is the last of the enumeration, whichever comes first here.
    narrowing = list(AnswerFormat)
    for wide, narrow in itertools.pairwise(narrowing):
        assert format_of_template([wide, narrow]) is format_of_template([narrow, wide]) is narrow


def test_digits_without_end_are_a_number():
    # Python itself reads none of more than 4,300 digits.
    assert canonical("00" + "1" * 5000 + ".0", AnswerFormat.INTEGER) == "1" * 5000
    assert canonical("-" + "0" * 5000, AnswerFormat.INTEGER) == "0"
