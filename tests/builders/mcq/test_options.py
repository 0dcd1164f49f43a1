"""What an answer can mean, when two answers may stand side by side, and how an option is shown."""

import pytest

from blend.builders.mcq.options import shown, values
from blend.schemas.formats import AnswerFormat

TEXT, INTEGER, TIME, DATE = AnswerFormat


@pytest.mark.parametrize(
    ("a", "b", "overlap"),
    [
        ("football", "American Football", True),
        ("walk", "walking", True),
        ("book", "books", True),
        ("ice cream", "ice-cream", True),
        ("ice-cream", "icecream", True),
        ("jalapeño", "jalapeno", True),
        ("pan", "saucepan", False),
        ("1", "10", False),
        ("tea", "steak", False),
    ],
)
def test_texts_overlap_by_words_and_base_forms_and_not_inside_a_word(a: str, b: str, overlap: bool):
    assert bool(values(a, TEXT) & values(b, TEXT)) == overlap


@pytest.mark.parametrize(
    ("text", "answer_format", "expected"),
    [
        ("07", INTEGER, {"7"}),
        ("7.0", INTEGER, {"7"}),
        ("5 to 7", INTEGER, {"5", "6", "7"}),
        ("5~7", INTEGER, {"5", "6", "7"}),
        ("0.5", INTEGER, {"0.5"}),
        ("350,000", INTEGER, {"350000"}),
        ("in April", INTEGER, {"4"}),
        ("many", INTEGER, set()),
        ("9:30", TIME, {"09:30"}),
        ("3:00 PM", TIME, {"15:00"}),
        ("before 3:00", TIME, {"03:00", "15:00"}),
        ("24:00", TIME, {"00:00"}),
        ("24:30", TIME, {"00:30", "12:30"}),
        ("1" * 5000 + " to 7", INTEGER, {"7"}),
        ("at noon", TIME, {"12:00"}),
        ("1/5", DATE, {"01/05"}),
        ("early July", DATE, {f"07/{day:02}" for day in range(1, 32)}),
        ("04/31", DATE, {f"04/{day:02}" for day in range(1, 32)}),
        ("spring", DATE, set()),
        ("1 or 1000000", INTEGER, {"1", "1000000"}),
    ],
)
def test_numbers_times_and_dates_by_value(text, answer_format, expected):
    assert values(text, answer_format) == expected


def test_an_option_is_shown_clean_and_in_lower_case():
    assert shown("  Fish\u00a0 & Chips\n") == "fish & chips"
