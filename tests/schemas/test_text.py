"""Text comparison: what counts as the same words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.schemas.texts import clean, fold, scripts_of, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("American Football", ("american", "football")),
        ("Jack-o'-Lantern", ("jack", "o", "lantern")),
        ("Café  au lait", ("cafe", "au", "lait")),
        ("5/10", ("5", "10")),
        ("ＴＶ", ("tv",)),
        ("한국 음식", ("한국", "음식")),
        ("চাহ আৰু বিস্কুট", ("চাহ", "আৰু", "বিস্কুট")),
        ("قَهْوَة", ("قَهْوَة",)),
        ("…", ()),
    ],
)
def test_words(text: str, expected: tuple[str, ...]):
    assert words(text) == expected


def test_accents_go_only_where_the_word_stays_the_same():
    assert fold("Ελλάδα") == "ελλαδα"
    assert fold("й") == "й"
    assert fold("año", accents=False) == "año"
    # A vowel sign of an Indic script is not an accent: without it the word is another one.
    assert fold("কি") != fold("ক")


@given(st.text())
def test_folding_twice_changes_nothing(text: str):
    assert fold(fold(text)) == fold(text)


@given(st.text())
def test_cleaning_twice_changes_nothing(text: str):
    assert clean(clean(text)) == clean(text)


@given(st.text(st.characters(max_codepoint=127)))
def test_plain_letters_are_folded_as_all_others_are(text: str):
    # An é goes the long way round, and stands apart from the text before it.
    assert fold(f"{text} é") == f"{fold(text)} e".strip()
    assert words(f"{text} é") == (*words(text), "e")


@pytest.mark.parametrize(
    ("text", "scripts"),
    [("thé", {"LATIN"}), ("7:30", set()), ("떡볶이 (tteok)", {"HANGUL", "LATIN"}), ("饺子", {"CJK"})],
)
def test_the_scripts_of_a_text(text: str, scripts: set[str]):
    assert scripts_of(text) == scripts


@pytest.mark.parametrize(
    "word",
    [
        *("हिन्दी", "বাংলা", "অসমীয়া", "தமிழ்", "සිංහල", "ไทย", "မြန်မာ"),
        *("العربيّة", "فارسی", "עִבְרִית", "አማርኛ", "한국어", "日本語", "中文", "ქართული"),
    ],
)
def test_a_word_of_any_script_stays_in_one_piece(word: str):
    assert len(words(word)) == 1
