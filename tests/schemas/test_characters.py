"""Scripts of texts."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.schemas.texts import scripts_of


@pytest.mark.parametrize(
    ("text", "scripts"),
    [
        ("tea", {"LATIN"}),
        ("thé", {"LATIN"}),
        ("7:30", set()),
        ("떡볶이 (tteok)", {"HANGUL", "LATIN"}),
        ("饺子", {"CJK"}),
        ("", set()),
    ],
)
def test_the_scripts_of_a_text(text: str, scripts: set[str]):
    assert scripts_of(text) == scripts


@given(st.text(st.characters(max_codepoint=255)))
def test_plain_letters_are_no_exception(text: str):
    assert scripts_of(text) == {unicodedata.name(c).split()[0] for c in text if c.isalpha()}
