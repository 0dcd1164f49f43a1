"""Equivalence: which answers the lexical rules hold for the same, and how opinions are put together."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.builders.judges.equivalence import LexicalJudge, Pair, Verdict, decide, overlaps
from blend.schemas.texts import words

SAME = [
    ("football", "American Football"),
    ("Football", "FOOTBALL"),
    ("ice-cream", "ice cream"),
    ("Jack-o'-Lantern", "lantern"),
    ("café", "Cafe"),
    ("naïve art", "art"),
    ("tea/coffee", "coffee"),
    ("rice & beans", "beans"),
    ("5/10", "10"),
    ("ｓｕｓｈｉ", "sushi"),
    ("straße", "STRASSE"),
    ("ΣΊΣΥΦΟΣ", "σίσυφος"),
    ("한국 음식", "음식"),
    ("भात और दाल", "दाल"),
    ("می‌خواهم", "میخواهم"),
    ("?", "rice"),
    ("", "rice"),
]

DIFFERENT = [
    ("pan", "saucepan"),
    ("1", "10"),
    ("3.5", "10"),
    ("football", "foot ball"),
    ("soccer", "football"),
    ("rice", "price"),
    ("ice cream", "icecream"),
    # Marks of these scripts spell the word; without them, pieces such as a lone क would be shared.
    ("कि", "का"),
    ("ভাত", "ভূত"),
    ("ኢትዮጵያ", "ኢራን"),
    ("كُتُب", "كِتاب"),
    ("й", "и"),
    ("김치", "김밥"),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_answers_that_share_a_word_overlap(a: str, b: str):
    assert overlaps(a, b)
    assert overlaps(b, a)


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_answers_without_a_common_word_do_not(a: str, b: str):
    assert not overlaps(a, b)
    assert not overlaps(b, a)


@pytest.mark.parametrize(
    "word",
    [
        *("हिन्दी", "বাংলা", "অসমীয়া", "தமிழ்", "සිංහල", "ไทย", "မြန်မာ"),
        *("العربيّة", "فارسی", "עִבְרִית", "አማርኛ", "한국어", "日本語", "中文", "ქართული"),
    ],
)
def test_a_word_of_any_script_stays_in_one_piece(word: str):
    assert len(words(word)) == 1


@given(st.text(), st.text())
def test_overlap_has_no_direction(a: str, b: str):
    assert overlaps(a, b) == overlaps(b, a)


@given(st.text(), st.text(), st.sampled_from([" ", "-", "/", ", ", " & ", "\n", "…"]))
def test_an_answer_overlaps_with_whatever_contains_it(a: str, b: str, between: str):
    assert overlaps(a, a + between + b)
    assert overlaps(b, a + between + b)


def test_the_lexical_judge_says_same_or_nothing():
    judge = LexicalJudge()
    assert judge.verdicts([("football", "American football"), ("soccer", "football")]) == [
        Verdict(True, "lexical"),
        None,
    ]
    assert judge.verdicts([]) == []


class Says:
    """Has the given opinions and no others, and remembers what it was asked."""

    def __init__(self, name: str, opinions: dict[Pair, bool]) -> None:
        self.name = name
        self.opinions = opinions
        self.asked: list[Pair] = []

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict | None]:
        self.asked += pairs
        return [Verdict(self.opinions[pair], self.name) if pair in self.opinions else None for pair in pairs]


def test_the_first_opinion_counts_and_nobody_is_asked_after_it():
    a, b, c, d = pairs = [("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")]
    first = Says("first", {a: True, c: False})
    second = Says("second", {a: False, b: True, c: True})
    assert decide([first, second], pairs) == [
        Verdict(True, "first"),
        Verdict(True, "second"),
        Verdict(False, "first"),
        Verdict(False, "lexical"),
    ]
    assert first.asked == pairs
    assert second.asked == [b, d]
