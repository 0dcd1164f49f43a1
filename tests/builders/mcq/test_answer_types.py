"""Of what type an answer is, by the templates to which people gave its words."""

from collections.abc import Mapping

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blend.builders.mcq.unread.answer_types import AnswerTypes

TEMPLATES = {"T-1": "food", "T-2": "food", "T-3": "sport"}
WORDS = {"soup": {"T-1": 3, "T-2": 1}, "race": {"T-3": 4}, "go": {"T-1": 1, "T-3": 1}}


def shares(text: str, without: str = "") -> dict[str, float]:
    types = AnswerTypes(TEMPLATES, WORDS)
    return dict(zip(types.names, types.shares(tuple(text.split()), without), strict=True))


def test_shares_by_hand():
    # Five of the ten answers are food; two of that mixture come on top of the four with "soup".
    assert shares("soup") == {"food": (4 + 1) / 6, "sport": 1 / 6}
    # The mean over words: "go" is 1 : 1.
    assert shares("soup go") == {"food": (5 / 6 + 1 / 2) / 2, "sport": (1 / 6 + 1 / 2) / 2}


def test_what_was_said_to_the_template_itself_does_not_count():
    # One of two answers is left: 1 and half of the two that come on top, of 3.
    assert shares("soup", without="T-1") == {"food": (1 + 1) / 3, "sport": 1 / 3}


def test_a_word_that_nobody_gave_is_as_usual():
    assert shares("casino") == shares("") == {"food": 0.5, "sport": 0.5}


templates = st.sampled_from(sorted(TEMPLATES))
counts = st.dictionaries(templates, st.integers(1, 16), min_size=1)


@given(st.dictionaries(st.text("abc", min_size=1), counts, min_size=1, max_size=3), templates)
def test_shares_add_up_whatever_is_left_out(words: Mapping[str, Mapping[str, int]], without: str):
    types = AnswerTypes(TEMPLATES, words)
    for form in (*((word,) for word in words), tuple(words)):
        found = types.shares(form, without)
        assert np.isclose(found.sum(), 1)
        assert (found >= 0).all()
        assert np.array_equal(found, types.shares(form[::-1], without))
