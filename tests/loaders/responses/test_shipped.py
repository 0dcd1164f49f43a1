"""The decisions that come with the package: what the file holds, and that it is used."""

import pytest

from blend.loaders.responses.verdicts import shipped_decisions, shipped_verdicts
from blend.schemas.texts import pair_key
from helpers.questions.mcq_inputs import overlaps

DECIDED = {pair_key(one.answer_a, one.answer_b): one.same for one in shipped_decisions()}

SAME = [
    ("football", "soccer"), ("metro", "subway"), ("math", "lissafi"), ("cod", "fish"), ("capital", "london"),
    ("coke", "soda"), ("apple", "fruit"), ("teacher", "teaching"), ("biscuit", "cookie"), ("chips", "crisps"),
    ("kimchi", "gimchi"), ("nowruz", "novruz"), ("taxi", "uber"), ("america", "usa"), ("doctor", "medicine"),
]  # fmt: skip
APART = [("soccer", "basketball"), ("apple", "banana"), ("tea", "coffee"), ("american football", "soccer")]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_what_a_native_could_defend_is_the_same(a, b):
    assert DECIDED[pair_key(a, b)] is True


@pytest.mark.parametrize(("a", "b"), APART)
def test_what_is_merely_alike_is_not(a, b):
    assert DECIDED.get(pair_key(a, b)) is not True


def test_every_row_says_who_decided_and_that_no_native_checked_it():
    assert {one.who for one in shipped_decisions()} == {"model"}
    assert shipped_verdicts()["date"].min() >= "2026-11-21"


def test_no_row_repeats_another_or_what_the_rules_find():
    assert len(DECIDED) == len(shipped_decisions())
    assert not [one for one in shipped_decisions() if overlaps(one.answer_a, one.answer_b)]
