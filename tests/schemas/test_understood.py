"""Answers in other common notations of their format."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blend.schemas.formats import AnswerFormat, canonical, understood


@pytest.mark.parametrize(
    ("answer", "asked", "read"),
    [
        ("5 pm", AnswerFormat.TIME, "17:00"),
        ("5:30 P.M.", AnswerFormat.TIME, "17:30"),
        ("12.30 a.m.", AnswerFormat.TIME, "00:30"),
        ("12 pm", AnswerFormat.TIME, "12:00"),
        ("٦pm", AnswerFormat.TIME, "18:00"),
        ("１８：００", AnswerFormat.TIME, "18:00"),
        ("18:00.", AnswerFormat.TIME, "18:00"),
        ("13 pm", AnswerFormat.TIME, None),
        ("0 am", AnswerFormat.TIME, None),
        ("noon", AnswerFormat.TIME, None),
        ("around 5 pm", AnswerFormat.TIME, None),
        ("1,000", AnswerFormat.INTEGER, "1000"),
        ("-12,345,678", AnswerFormat.INTEGER, "-12345678"),
        ("7.", AnswerFormat.INTEGER, "7"),
        ("７。", AnswerFormat.INTEGER, "7"),
        ("1,00", AnswerFormat.INTEGER, None),
        ("1.000.000", AnswerFormat.INTEGER, None),
        ("seven", AnswerFormat.INTEGER, None),
        ("5-7", AnswerFormat.INTEGER, None),
        ("12/25.", AnswerFormat.DATE, "12/25"),
        ("25/12", AnswerFormat.DATE, None),
        (" Bread. ", AnswerFormat.TEXT, "Bread."),
    ],
)
def test_what_is_read(answer, asked, read):
    assert understood(answer, asked) == read


@settings(deadline=None)
@given(st.text(), st.sampled_from(AnswerFormat))
def test_what_is_canonical_is_understood_as_itself(text, asked):
    spelled = canonical(text, asked)
    if spelled is not None:
        assert understood(text, asked) == understood(spelled, asked) == spelled
