"""Where the correct answer stands."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.builders.mcq.positions import (
    LeftOver,
    arranged,
    balanced,
    positions_in_region,
    preferred_positions,
    shared_out,
    split_off,
)

DIGESTS = st.integers(0, 2**64 - 1)


@given(DIGESTS)
def test_preferred_positions_are_all(digest):
    assert sorted(preferred_positions(digest)) == [0, 1, 2, 3]


@given(st.lists(DIGESTS, max_size=4, unique=True))
def test_a_group_shares_out_different_positions(digests):
    positions = shared_out(digests)
    assert len(set(positions)) == len(digests)
    if digests:
        # The smallest digest chooses first.
        first = digests.index(min(digests))
        assert positions[first] == preferred_positions(digests[first])[0]


@given(st.lists(DIGESTS, min_size=4, max_size=4, unique=True), st.permutations(range(4)))
def test_the_order_inside_a_group_is_irrelevant(digests, order):
    positions = dict(zip(digests, shared_out(digests), strict=True))
    shuffled = [digests[i] for i in order]
    assert dict(zip(shuffled, shared_out(shuffled), strict=True)) == positions


def test_full_groups_of_four():
    assert [split_off(n) for n in range(9)] == [0, 0, 0, 0, 4, 4, 4, 4, 8]


@given(DIGESTS, st.permutations([("a", "ko-KR"), ("b", "am-ET"), ("c", "en-US")]))
def test_the_arrangement_of_wrong_options_depends_on_the_digest_alone(digest, wrong):
    assert arranged(wrong, digest) == arranged(sorted(wrong), digest)
    assert sorted(arranged(wrong, digest)) == sorted(wrong)


def left_over_of(places):
    return {
        place: [LeftOver(d, p) for d, p in zip(digests, shared_out(digests), strict=True)]
        for place, digests in places.items()
    }


PLACES = st.dictionaries(st.integers(), st.lists(DIGESTS, max_size=3, unique=True), max_size=40)


@pytest.mark.slow
@given(PLACES)
def test_every_position_equally_often_or_once_more(places):
    positions = balanced(left_over_of(places))
    assert {place: len(found) for place, found in positions.items()} == {p: len(d) for p, d in places.items()}
    counts = Counter(position for found in positions.values() for position in found)
    every = [counts[position] for position in range(4)]
    assert max(every) - min(every) <= 1


@given(PLACES)
def test_no_more_move_than_quotas_ask_for(places):
    left = left_over_of(places)
    wanted = Counter(one.position for ones in left.values() for one in ones)
    positions = balanced(left)
    moved = sum(one.position != new for p in left for one, new in zip(left[p], positions[p], strict=True))
    n, remainder = divmod(sum(wanted.values()), 4)
    quotas = [n + 1] * remainder + [n] * (4 - remainder)
    demand = sorted((wanted[position] for position in range(4)), reverse=True)
    assert moved == sum(max(0, d - q) for d, q in zip(demand, quotas, strict=True))


@pytest.mark.slow
@given(st.dictionaries(st.integers(), st.lists(DIGESTS, max_size=11, unique=True), max_size=8))
def test_full_groups_share_out_and_the_rest_is_balanced(digests):
    positions = positions_in_region(digests)
    assert {key: len(found) for key, found in positions.items()} == {k: len(d) for k, d in digests.items()}
    for key, found in positions.items():
        for i in range(0, split_off(len(found)), 4):
            assert found[i : i + 4] == shared_out(digests[key][i : i + 4])
    counts = Counter(position for found in positions.values() for position in found)
    every = [counts[position] for position in range(4)]
    assert max(every) - min(every) <= 1


def test_the_largest_digests_move():
    # All three want position 0: digests 0 to 5 have 0 first among their wishes.
    left = {"a": [LeftOver(2, 0)], "b": [LeftOver(0, 0)], "c": [LeftOver(1, 0)]}
    positions = balanced(left)
    assert positions["b"] == (0,)
    assert sorted(position for found in positions.values() for position in found) == [0, 1, 2]
