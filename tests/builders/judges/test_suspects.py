"""Suspects: why two answers may mean the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.builders.judges.suspects import Suspects
from blend.loaders.responses.verdicts import Decision


def decision(a, b, *, same=True):
    return Decision(a, b, same, "mina", "verdicts.tsv:2")


GROUP = [decision("fruit", fruit) for fruit in ("apple", "banana", "mango", "melon", "pear")]
SUSPECTS = Suspects([decision("metro", "subway"), decision("tea", "coffee", same=False), *GROUP])

CAUSES = [
    ("by subway", "metro line", "subway and metro are the same"),
    ("ball", "basketball", "ball is part of basketball"),
    ("nezami", "nizami", "spelling"),
    ("gatka", "gadka", "spelling"),
    # A word that stands for a group says nothing about other answers with it.
    ("apple pie", "fruit salad", ""),
    ("coffee shop", "tea house", ""),
    ("pan", "saucepan", ""),
    ("chess", "rowing", ""),
    ("", "rowing", ""),
]


@pytest.mark.parametrize(("a", "b", "cause"), CAUSES)
def test_causes(a, b, cause):
    assert SUSPECTS.cause(a, b) == cause


@given(st.text(max_size=12), st.text(max_size=12))
def test_any_text_will_do(a, b):
    assert isinstance(SUSPECTS.cause(a, b), str)
