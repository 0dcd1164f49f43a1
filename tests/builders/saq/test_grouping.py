"""Grouping: which answers the rules put together, and that they do it the same way whatever the order."""

import json
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from blend.builders.saq.grouping import grouping_key, several_answers
from blend.schemas.formats import AnswerFormat, asked_unit, format_of
from blend.schemas.locales import registry
from blend.schemas.texts import clean, words
from helpers.examples import examples

TEXT, INTEGER, TIME, DATE = AnswerFormat.TEXT, AnswerFormat.INTEGER, AnswerFormat.TIME, AnswerFormat.DATE


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "Go to bed", "go to  bed."),
        ("en", "hot-dog", "hotdog"),
        ("en", "McDonald's", "mcdonalds"),
        ("en", "U.S.A.", "usa"),
        ("en", "(rice)", "rice"),
        ("en", "(-5)", "−5"),
        ("as", "পাবজি-5", "পাবজি 5"),
        ("en", "covid 19", "Covid-19"),
        ("el", "Δ.Ε.Η.", "ΔΕΗ"),
        ("id", "sepak bola", "sepakbola"),
        ("ko", "김치 찌개", "김치찌개"),
        ("zh", "打 篮球", "打篮球。"),
        ("ha", "juma’a", "juma'a"),
        ("as", "প\u200bগ", "পগ"),
        ("en", "rock & roll", "rock and roll"),
        ("es", "pan & vino", "pan y vino"),
        ("en", "the tea", "Tea."),
        ("en", "1,000", "1000"),
        ("en", "£1,250,000", "£1250000"),
        ("ar", "١٬٠٠٠", "1000"),
        ("fa", "خانهٔ", "خانه"),
        ("zh", "餃子", "饺子"),
        ("en", "½ cup", "1/2 cup"),
        ("ko", "밥🍚", "밥"),
        ("en", "❤️ tea 🫖☕", "tea"),
        ("en", "👨‍👩‍👧 family", "family"),
    ],
)
def test_variants(language: str, one: str, other: str):
    assert grouping_key(one, language) == grouping_key(other, language)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("🍚", "🍜"),
        ("30°", "30"),
        ("1.5", "15"),
        ("1-5", "15"),
        ("1 5", "15"),
        ("1/5", "1-5"),
        ("-5", "5"),
        ("5%", "5"),
        ("£5", "5"),
        (">500", "500"),
        ("A+", "A"),
        ("C#", "C"),
        ("apple", "apples"),
        ("a levels", "levels"),
        ("the", "&"),
        ("tea & coffee", "tea coffee"),
        ("1.000", "1000"),
        ("1,00", "100"),
        ("½", "12"),
        ("five", "5"),
        ("!", "?"),
        ("😀", "😢"),
    ],
)
def test_no_variants(one: str, other: str):
    assert grouping_key(one, "en") != grouping_key(other, "en")


@pytest.mark.parametrize(
    ("asked", "one", "other"),
    [
        (INTEGER, "07", "7"),
        (INTEGER, "٧", "7"),
        (INTEGER, "7.0", "７"),
        (INTEGER, "5,000,000", "5000000"),
        (INTEGER, "(07.)", "7"),
        (INTEGER, "5", "five"),
        (TIME, "24:00", "0:00"),
        (TIME, "7:00", "07:00"),
        (TIME, "5 pm", "17:00"),
        (TIME, "12:30 A.M.", "0:30"),
        (DATE, "5/8", "05/08"),
    ],
)
def test_values(asked: AnswerFormat, one: str, other: str):
    assert grouping_key(one, "en", asked) == grouping_key(other, "en", asked)


@pytest.mark.parametrize(
    ("asked", "one", "other"),
    [
        (INTEGER, "5.000", "5"),
        (INTEGER, "5.000", "5000"),
        (INTEGER, "5", "about five"),
        (DATE, "½", "1/2"),
        (TIME, "5:00", "17:00"),
        (TIME, "5", "5:00"),
        (TIME, "13 pm", "13:00"),
        (DATE, "13/01", "01/13"),
        (TEXT, "7:00", "07:00"),
    ],
)
def test_no_values(asked: AnswerFormat, one: str, other: str):
    assert grouping_key(one, "en", asked) != grouping_key(other, "en", asked)


ANSWERS = st.text(st.sampled_from("aAéñ1０5²½ .,-–/:'’!?%&+#()😀\u200b\u0301كيকৰሀሐ한"), max_size=6)
LANGUAGES = st.sampled_from(
    ["am", "ar", "as", "az", "el", "en", "es", "fa", "ha", "id", "ko", "su", "tl", "xx", "zh"]
)


@settings(deadline=None)
@given(ANSWERS, LANGUAGES, st.sampled_from(AnswerFormat))
@example("1:&1", "en", AnswerFormat.TEXT)
def test_a_key_is_its_own_key(answer: str, language: str, asked: AnswerFormat):
    once = grouping_key(answer, language, asked)
    assert grouping_key(once, language, asked) == once


@settings(deadline=None, max_examples=examples(300))
@given(ANSWERS, ANSWERS)
def test_rules_never_join_what_differs_in_letters_or_digits(one: str, other: str):
    # `words` folds case, accents of three scripts, blanks and punctuation: the loosest comparison there is of
    # letters. A language without spelling rules never joins more than it does.
    if grouping_key(one, "xx") == grouping_key(other, "xx"):
        assert "".join(words(one)) == "".join(words(other))


@settings(deadline=None)
@given(ANSWERS.filter(str.strip), st.sampled_from(["{}.", " {} ", "({})", "“{}”", "{}!"]))
def test_outer_punctuation_is_not_the_answer(answer: str, frame: str):
    if any(char.isalnum() for char in answer):
        assert grouping_key(frame.format(answer), "en") == grouping_key(answer, "en")


@pytest.mark.parametrize(
    ("typed", "parts"),
    [
        ("tea, coffee, milk", ["tea", "coffee", "milk"]),
        ("شاي، قهوة، حليب", ["شاي", "قهوة", "حليب"]),
        ("چای؛ قهوه", ["چای", "قهوه"]),
        ("茶、咖啡", ["茶", "咖啡"]),
        ("tea / coffee", ["tea", "coffee"]),
        ("facebook/messenger", ["facebook", "messenger"]),
        ("tea,", ["tea"]),
        ("tea", ["tea"]),
        ("24/7", ["24/7"]),
        ("w/o sugar", ["w/o sugar"]),
        ("1,000", ["1,000"]),
        ("5/8", ["5/8"]),
        ("when it rains hard, they all stay at home", ["when it rains hard, they all stay at home"]),
    ],
)
def test_answers_that_look_like_several(typed: str, parts: list[str]):
    assert several_answers(typed) == parts


def _pairs(annotations: Path) -> Iterator[tuple[bool, bool]]:
    """For each two published variants of a question: whether reviewers and whether the rules join them."""
    languages = {locale.upstream: locale.language for locale in registry()}
    for file in sorted(annotations.glob("*_data.json")):
        language = languages[file.name.removesuffix("_data.json")]
        for entry in json.loads(file.read_bytes()).values():
            asked, unit = format_of(entry["en_question"]), asked_unit(entry["en_question"])
            variants = [
                (i, grouping_key(answer, language, asked, unit), answer)
                for i, group in enumerate(entry["annotations"])
                for answer in dict.fromkeys(map(clean, group["answers"]))
            ]
            for (i, key, answer), (j, other_key, other) in combinations(variants, 2):
                if answer != other:
                    yield i == j, key == other_key


@pytest.mark.nightly
@pytest.mark.integration
def test_reviewers_of_published_data_agree_with_the_rules(blend_data: Path):
    joined = [together for together, same_key in _pairs(blend_data / "annotations") if same_key]
    # At most 1.5 % of what the rules join do reviewers keep apart: 13 of 975 are 1.3 %.
    assert joined.count(False) <= 0.015 * len(joined)
    # The 13 pairs of two groups differ in case (7), accent (3), a blank, full stops or an Arabic kaf:
    # oversights in the published data rather than different answers.
    assert (joined.count(True), joined.count(False)) == (962, 13)
