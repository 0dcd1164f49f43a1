"""Faults of characters and scripts, each with its whole message."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.builders.validate.checks.texts import letters_of
from blend.schemas.locales import registry

FIX = "correct the source and rebuild the release"
PLACE = "data/annotations/KR-00000.parquet:edu-01"
LOOK = "look whether the text stands in the right column and row"
SPELLING = "look whether the spelling needs them, else remove them"


def answer(text: str, column: str = "answers"):
    """Put an answer in the place of a question's first."""

    def change(rows):
        rows[0]["annotations"][0][column][0] = text

    return change


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("인\u202e사", "holds characters that reorder the text: U+202E RIGHT-TO-LEFT OVERRIDE"),
        (
            "인\u2066사\u2069",
            (
                "holds characters that reorder the text: U+2066 LEFT-TO-RIGHT ISOLATE, U+2069 POP "
                "DIRECTIONAL ISOLATE"
            ),
        ),
        ("인\x00사", "holds control characters: U+0000"),
        ("인\n사", "holds control characters: U+000A"),
        ("인\u2028사", "holds control characters: U+2028 LINE SEPARATOR"),
        ("인사\U000e0041", "holds hidden tag characters: U+E0041 TAG LATIN CAPITAL LETTER A"),
        ("인\ufffd사", "holds the sign for damaged text: U+FFFD REPLACEMENT CHARACTER"),
        (" 인사", "begins or ends with white space"),
        ("인사\u3000", "begins or ends with white space"),
        (unicodedata.normalize("NFD", "인사"), "is not in Unicode NFC"),
    ],
    ids=ascii,
)
def test_forbidden_characters(release, text: str, said: str):
    release.change("annotations", "KR", answer(text))
    assert release.problems("characters") == [f"error: {PLACE}: column annotations.answers {said}; {FIX}"]


@pytest.mark.slow
def test_characters_are_looked_for_in_every_column(release):
    def change(rows):
        rows[0]["topic"] += "\x07"
        rows[0]["idks"]["others"] = [{"reason": "몰\u202e라", "count": 1}]

    release.change("annotations", "KR", change)
    assert release.problems("characters") == [
        (
            f"error: {PLACE}: column idks.others.reason holds characters that reorder the text: "
            f"U+202E RIGHT-TO-LEFT OVERRIDE; {FIX}"
        ),
        f"error: {PLACE}: column topic holds control characters: U+0007; {FIX}",
    ]


@pytest.mark.nightly
@pytest.mark.slow
def test_a_prompt_has_lines_and_no_other_column(release):
    def change(rows):
        rows[0]["question"] += "\n"
        rows[0]["prompt"] += "\r"

    row_id = release.rows("multiple-choice-questions", "test")[0]["MCQID"]
    release.change("multiple-choice-questions", "test", change)
    place = f"data/multiple-choice-questions/test-00000.parquet:{row_id}"
    assert release.problems("characters") == [
        f"error: {place}: column prompt holds control characters: U+000D; {FIX}",
        f"error: {place}: column prompt begins or ends with white space; {FIX}",
        f"error: {place}: column question holds control characters: U+000A; {FIX}",
        f"error: {place}: column question begins or ends with white space; {FIX}",
    ]


@pytest.mark.slow
def test_what_is_blank(release):
    def change(rows):
        rows[0]["question"] = ""
        rows[0]["annotations"][0]["answers"][0] = "\u3000"

    release.change("annotations", "KR", change)
    fix = "fill it in or leave the row out"
    assert release.problems("characters") == [
        f"error: {PLACE}: column annotations.answers is blank; {fix}",
        f"warning: {PLACE}: column question is blank; {fix}",
    ]


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize(
    ("split", "column", "text", "said"),
    [
        ("IR", "answers", "پنج\u200cشنبه", None),
        ("IR", "answers", "پنج\u200fشنبه", None),
        ("IR", "en_answers", "thurs\u200cday", "U+200C ZERO WIDTH NON-JOINER"),
        ("KR", "answers", "인\u200c사", "U+200C ZERO WIDTH NON-JOINER"),
        ("IR", "answers", "پنج\u200bشنبه", "U+200B ZERO WIDTH SPACE"),
        ("US", "answers", "good\u00admorning\ufeff!", "U+00AD SOFT HYPHEN, U+FEFF ZERO WIDTH NO-BREAK SPACE"),
    ],
)
def test_invisible_characters_belong_to_some_scripts(
    release, split: str, column: str, text: str, said: str | None
):
    release.change("annotations", split, answer(text, column))
    place = f"data/annotations/{split}-00000.parquet:{release.rows('annotations', split)[0]['ID']}"
    what = f"column annotations.{column} holds characters that nobody sees: {said}; {SPELLING}"
    assert release.problems("characters") == ([] if said is None else [f"warning: {place}: {what}"])


@pytest.mark.slow
def test_private_characters(release):
    release.change("annotations", "KR", answer("인\ue000사"))
    assert release.problems("characters") == [
        (
            f"warning: {PLACE}: column annotations.answers holds characters without "
            "a common meaning: U+E000; replace them by the characters that are meant"
        )
    ]


@pytest.mark.slow
def test_letters_of_another_script(release):
    release.change("annotations", "KR", answer("인사 привет"))
    assert release.problems("scripts") == [
        (
            f"warning: {PLACE}: column annotations.answers has letters outside Kore "
            "and Latn: п (CYRILLIC SMALL LETTER PE), р (CYRILLIC SMALL LETTER ER), "
            f"и (CYRILLIC SMALL LETTER I) …; {LOOK}"
        )
    ]


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize("text", ["TV 보기", "韓國 음식", "café", "5시 30분", "O'quv ʻ"])
def test_loan_words_han_and_digits_are_welcome(release, text: str):
    release.change("annotations", "KR", answer(text))
    assert release.problems("scripts") == []


@pytest.mark.slow
def test_english_answers_in_another_script(release):
    release.change("annotations", "KR", answer("인사", "en_answers"))
    assert release.problems("scripts") == [
        (
            f"warning: {PLACE}: column annotations.en_answers has letters outside "
            f"Latn: 인 (HANGUL SYLLABLE IN), 사 (HANGUL SYLLABLE SA); {LOOK}"
        )
    ]


@pytest.mark.slow
def test_a_split_in_the_wrong_language(release):
    def change(rows):
        for row in rows:
            row["Question"] = row["Translation"]

    release.change("short-answer-questions", "KR", change)
    assert release.problems("scripts") == [
        f"warning: short-answer-questions/KR: column Question: 0% of the letters are Kore; {LOOK}"
    ]
    problems = release.problems("translations")
    assert len(problems) == 10  # of 40, as many as are shown
    assert problems[0] == (
        "warning: data/short-answer-questions/KR-00000.parquet:edu-01: "
        "Question is the English one, not in 'ko'; "
        "translate it"
    )


@pytest.mark.parametrize("locale", registry(), ids=lambda locale: locale.tag)
def test_every_registered_script_is_known(locale):
    assert letters_of(locale.script) is not None


def test_a_script_that_unicode_does_not_know():
    assert letters_of("Zsym") is None
    assert letters_of("Qaaa") is None


@given(st.text(st.characters(categories=["Cc", "Zl", "Zp"]), min_size=1), st.sampled_from("가Aا"))
def test_no_control_character_passes(controls: str, letter: str):
    from blend.builders.validate.checks.texts import problems_of

    (problem, *_) = problems_of(f"{letter}{controls}{letter}", "answers", "here", "")
    assert problem.what.startswith("column answers holds control characters: U+")
