"""What spreadsheets make of texts."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blend.schemas.sheets import (
    _may_be_rewritten,
    guarded,
    joined,
    left_of_formula,
    parted,
    surely_rewritten,
    unguarded,
)


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
    assert _may_be_rewritten(text) is rewritten
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
    ["#1", "#hashtag", "#name?", "#NAME", "=)", "=(", "=D", "=3", "=-P", "= rice", "=rice", "=wow!", "A=B", ""],
)
def test_what_people_write_is_left_of_no_formula(text: str):
    assert left_of_formula(text) is None
