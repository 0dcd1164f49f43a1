"""What spreadsheets make of texts, and the way back."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blend.schemas.language.answer_formats import AnswerFormat, canonical
from blend.schemas.sheets.answer_sheets import Mark, guarded, joined, parted, unguarded
from blend.schemas.sheets.spreadsheet_cells import (
    in_format,
    is_broken,
    left_of_formula,
    may_be_rewritten,
    may_have_been,
    surely_rewritten,
)


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("18:00", "18:00:00"),
        ("18:00", "0.75"),
        ("18:00", "0,75"),
        ("18:00", "6:00:00 PM"),
        ("6 pm", "6:00 PM"),
        ("6 p.m.", "18:00"),
        ("7:05", "07:05:00"),
        ("07:05", "7:05"),
        ("18.30", "18:30"),
        ("5/10", "2026-05-10"),
        ("5/10", "10-May"),
        ("5/10", "May-10"),
        ("05/10", "5/10/2026"),
        ("05/10", "10.05.2026"),
        ("10.5.", "10/05/26"),
        ("10-5", "46152"),
        ("007", "7"),
        ("7.0", "7"),
        ("+7", "7"),
        ("1,000", "1000"),
        ("1.000", "1"),
        ("50%", "0.5"),
        ("3,5", "3.5"),
        ("True", "TRUE"),
        ("false", "FALSE"),
    ],
)
def test_what_was_typed_is_among_what_may_have_been(typed: str, shown: str):
    assert typed in set(may_have_been(shown))


@pytest.mark.parametrize(
    ("cell", "answer_format", "text"),
    [
        ("18:00:00", AnswerFormat.TIME, "18:00"),
        ("0.75", AnswerFormat.TIME, "18:00"),
        ("0,270833333333333", AnswerFormat.TIME, "06:30"),
        ("6:30:00 PM", AnswerFormat.TIME, "18:30"),
        ("18:00", AnswerFormat.TIME, "18:00"),
        ("evening", AnswerFormat.TIME, "evening"),
        ("7", AnswerFormat.TIME, None),
        ("0.7512345", AnswerFormat.TIME, None),
        ("2026-12-25", AnswerFormat.DATE, "12/25"),
        ("25-Dec", AnswerFormat.DATE, "12/25"),
        ("25/12/2026", AnswerFormat.DATE, "12/25"),
        ("46381", AnswerFormat.DATE, "12/25"),
        ("5/10", AnswerFormat.DATE, "5/10"),
        ("5/10/2026", AnswerFormat.DATE, None),
        ("12", AnswerFormat.DATE, None),
        ("3.0", AnswerFormat.INTEGER, "3.0"),
        ("3.5", AnswerFormat.INTEGER, None),
        ("10-May", AnswerFormat.INTEGER, None),
        ("many", AnswerFormat.INTEGER, "many"),
        ("0.75", AnswerFormat.TEXT, "0.75"),
    ],
)
def test_what_a_person_meant_in_a_format(cell: str, answer_format: AnswerFormat, text: str | None):
    assert in_format(cell, answer_format) == text


@given(st.integers(0, 23), st.integers(0, 59))
def test_every_minute_of_the_day_comes_back(hour: int, minute: int):
    typed = f"{hour:02}:{minute:02}"
    part = (hour * 60 + minute) / (24 * 60)
    for shown in (f"{typed}:00", f"{hour}:{minute:02}", f"{part:.15g}", f"{part:.9f}"):
        assert in_format(shown, AnswerFormat.TIME) in (typed, shown)
        assert canonical(str(in_format(shown, AnswerFormat.TIME)), AnswerFormat.TIME) == typed
        assert typed in set(may_have_been(shown))


@pytest.mark.parametrize("cell", ["9" * 5000, "0." + "1" * 5000, "9" * 400, "1" * 5000 + "/1", "9999-99-99"])
def test_numbers_beyond_all_bounds_are_texts(cell: str):
    assert next(may_have_been(cell)) == cell
    assert len(set(may_have_been(cell))) < 100
    assert all(
        in_format(cell, form) in (cell, None) for form in AnswerFormat if form is not AnswerFormat.INTEGER
    )


@pytest.mark.slow
@given(st.text(st.characters(categories=["N", "P", "Zs", "Lu"])), st.sampled_from(AnswerFormat))
def test_whatever_a_cell_holds_is_read_or_not(cell: str, form: AnswerFormat):
    assert set(may_have_been(cell)) >= {cell}
    in_format(cell, form)


@given(st.text())
def test_any_text_may_have_been_itself(text: str):
    assert next(may_have_been(text)) == text
    assert in_format(text, AnswerFormat.TEXT) == text


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("18:00", True),
        ("3", True),
        ("٣", True),
        ("5/10", True),
        ("5 Mai", True),
        ("MAR1", True),
        ("1e5", True),
        ("6월 5일", True),
        ("=1+1", True),
        ("-5", True),
        ("@x", True),
        ("true", True),
        ("9" * 60, True),
        ("edu-01", False),
        ("Al-en-01", False),
        ("rice", False),
        ("7 dwarfs", False),
        ("밥", False),
    ],
)
def test_which_texts_spreadsheets_rewrite(text: str, rewritten: bool):
    assert may_be_rewritten(text) is rewritten
    assert guarded(text) == (f"'{text}" if rewritten else text)


@given(st.text())
def test_a_guarded_text_comes_back(text: str):
    assert unguarded(guarded(text)) == text


VISIBLE = st.text(st.characters(exclude_categories=("Z", "C")), min_size=1)


@pytest.mark.slow
@given(st.lists(VISIBLE, unique=True))
@example(["a|b", "c｜d", "\\"])
def test_english_answers_in_one_cell_come_back(texts: list[str]):
    assert parted(joined(texts)) == texts


def test_the_wide_bar_of_east_asia_parts_as_well():
    assert parted("tea｜ chai | masala") == ["tea", "chai", "masala"]


@pytest.mark.parametrize("cell", ["=A1", "#NAME?", "#REF!", "#DIV/0!", "#N/A", "Err:508", "#VALUE!"])
def test_what_is_left_of_a_formula(cell: str):
    assert is_broken(cell)


def test_a_hash_or_a_minus_is_a_text():
    assert not any(map(is_broken, ("#1", "-5", "#hashtag", "A=B")))


@pytest.mark.parametrize(
    "text",
    [
        "16:00:00",
        "4:00:00 PM",
        "29-Jul",
        "29-juil.",
        "Jul-29",
        "29-Jul-26",
        "2026-07-29 00:00:00",
        "0.666666667",
    ],
)
def test_a_form_that_only_a_spreadsheet_gives(text: str):
    assert surely_rewritten(text)


@pytest.mark.parametrize(
    "text",
    ["16:00", "4 pm", "29 July", "29/7", "2026-07-29", "0.5", "0.1234", "5-6", "may", "mar-dec", "noon", ""],
)
def test_a_form_that_people_give_as_well(text: str):
    assert not surely_rewritten(text)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("#NAVN?", "the error #NAVN?"),
        ("#¿NOMBRE?", "the error #¿NOMBRE?"),
        ("#ССЫЛКА!", "the error #ССЫЛКА!"),
        (" #DIV/0! ", "the error #DIV/0!"),
        ("#NV", "the error #NV"),
        ("=A2", "the formula =A2"),
        ("=$B$12", "the formula =$B$12"),
        ("=-A2*2", "the formula =-A2*2"),
        ("='day 1'!A2", "the formula ='day 1'!A2"),
        ("=SUM(A1:A3)", "the formula =SUM(A1:A3)"),
        ("=1/2", "the formula =1/2"),
        ("=-kimchi", "the formula =-kimchi"),
    ],
)
def test_a_formula_left_as_a_text(text: str, what: str):
    assert left_of_formula(text) == what


@pytest.mark.parametrize(
    "text",
    [
        "#1",
        "#hashtag",
        "#name?",
        "#WOW!",
        "#NAME",
        "=)",
        "=(",
        "=D",
        "=3",
        "=-P",
        "= rice",
        "=rice",
        "=wow!",
        "A=B",
        "",
    ],
)
def test_what_people_write_is_left_of_no_formula(text: str):
    assert left_of_formula(text) is None


@pytest.mark.parametrize(
    "text", ["", "2 of 5", "2/5 9f3c2b1d", "2 of 5 9f3c2b1", "2 of 5 9F3C2B1D", "x 2 of 5 9f3c2b1d"]
)
def test_what_is_no_mark(text: str):
    assert Mark.parse(text) is None


def test_a_mark_is_read_as_it_is_written():
    assert str(Mark(2, 5, "9f3c2b1d")) == "2 of 5 9f3c2b1d"
    assert Mark.parse(" 2 of 5 9f3c2b1d ") == Mark(2, 5, "9f3c2b1d")
