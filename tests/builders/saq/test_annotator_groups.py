"""Groups of annotators: nobody's profile can be told from what is published about them."""

from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from blend.builders.saq import aggregate
from blend.builders.saq.agreement import NOT_SAID, OTHER, SMALLEST, published_groups
from blend.schemas.frames import ANNOTATOR_GROUPS, PROFILES
from helpers.questions.saq_inputs import NO_REVIEW, OPTIONS, questions_of, responses_of

SIZES = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 12), max_size=8)


def sums(sizes: dict[str, int]) -> Counter[str]:
    totals = Counter[str]()
    for own, name in published_groups(sizes).items():
        totals[name] += sizes[own]
    return totals


@given(SIZES)
def test_groups_are_large_enough_and_everybody_is_in_one(sizes: dict[str, int]):
    published = sums(sizes)
    assert all(n >= SMALLEST for n in published.values())
    assert len(published) != 1
    assert not published or sum(published.values()) == sum(sizes.values())


@given(SIZES)
def test_no_small_group_can_be_computed(sizes: dict[str, int]):
    # What is known: every published group, and their total. Whatever is added or taken away of them, a group
    # has five members or more, and the members of a smaller one never stand alone.
    published = sums(sizes)
    for n in range(1, len(published) + 1):
        for chosen in combinations(published.values(), n):
            assert sum(chosen) >= SMALLEST
    owns = sorted(name for name, size in sizes.items() if size)
    groups = published_groups(sizes)
    known = np.array([[groups.get(own) == name for own in owns] for name in published] or [[False] * len(owns)])
    rank = np.linalg.matrix_rank(known) if owns else 0
    for position, own in enumerate(owns):
        alone = np.eye(len(owns))[position]
        is_told = np.linalg.matrix_rank(np.vstack([known, alone])) == rank
        assert not is_told or sizes[own] >= SMALLEST


def test_the_smallest_of_the_large_groups_hides_what_is_left():
    assert published_groups({"ko": 9, "en": 5, "zh": 1}) == {"zh": OTHER, "en": OTHER, "ko": "ko"}
    assert published_groups({"ko": 9, "en": 3, "zh": 2}) == {"zh": OTHER, "en": OTHER, "ko": "ko"}
    assert published_groups({"ko": 5, "en": 5, "zh": 5, "am": 1})["en"] == OTHER
    assert published_groups({"ko": 9, "en": 4}) == {}
    assert published_groups({"ko": 20}) == {}
    assert published_groups({}) == {}


@pytest.mark.slow
def test_agreement_is_that_within_the_group():
    # Six natives agree on both questions; five others give an answer each to either of them.
    natives = {f"n{number}": ["rice"] for number in range(6)}
    others = {f"o{number}": [f"dish {number}"] for number in range(5)}
    natives_too = {f"n{number}": ["tea"] for number in range(6)}
    others_too = {f"o{number}": [f"drink {number}"] for number in range(5)}
    responses = pl.concat(
        [
            responses_of({**natives, **others}, template_id="p"),
            responses_of({**natives_too, **others_too}, template_id="q"),
        ]
    )
    source = "annotators.csv:2"
    told = [(name, "en-GB", 30, "25-34", source) for name in natives]
    told += [(name, None, 3, None, source) for name in others]
    profiles = pl.DataFrame(told, PROFILES, orient="row")
    questions = questions_of("p", "q")
    made = aggregate(questions, responses, NO_REVIEW, options=OPTIONS, profiles=profiles).groups
    assert made.schema == ANNOTATOR_GROUPS
    assert made.select("locale", "profile", "group", "alpha", "annotators").rows() == [
        ("en-GB", "native_language", "en", 1.0, 6),
        # (10 of 10 pairs differ as much as chance has it: 1 - 1 / 1.)
        ("en-GB", "native_language", NOT_SAID, 0.0, 5),
        ("en-GB", "years_in_region", "20 or more", 1.0, 6),
        ("en-GB", "years_in_region", "under 5", 0.0, 5),
        ("en-GB", "age_band", "25-34", 1.0, 6),
        ("en-GB", "age_band", NOT_SAID, 0.0, 5),
    ]
    shuffled = aggregate(questions, responses[::-1], NO_REVIEW, options=OPTIONS, profiles=profiles[::-1]).groups
    assert_frame_equal(shuffled, made)
