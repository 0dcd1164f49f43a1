"""Which distractors stand together."""

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from blend.builders.mcq.variants import Orders, Pick, pick_variants

PINNED = ["GR", "ET", "CN", "IR", "AZ", "ID", "DZ", "AS"]
REGIONS = ("DZ", "AS", "AZ", "CN", "ET", "GR", "ID", "IR")


def picks_of(regions, conflicts=(), *, limit=5, n_golds=1, seed=0, last=frozenset()):
    """Picks for one target; option i is offered by the i-th of all regions."""
    available = {code: REGIONS.index(code) for code in regions}
    masks = [0] * len(REGIONS)
    for a, b in conflicts:
        masks[a] |= 1 << b
        masks[b] |= 1 << a
    orders = Orders(seed, "Al-en-01", ["ko-KR"], sorted(regions))
    return pick_variants(available, masks, orders, target=0, n_golds=n_golds, limit=limit, last=last)


CONFLICTS = st.sets(st.sampled_from(list(combinations(range(len(REGIONS)), 2))), max_size=20)
SUBSETS = st.sets(st.sampled_from(REGIONS))
SEEDS = st.integers(0, 1000)


def used(picks):
    return {i for pick in picks for i in pick.triple}


@given(SUBSETS, CONFLICTS, SEEDS, st.integers(1, 8), st.integers(1, 3))
def test_picks_are_distinct_and_compatible(regions, conflicts, seed, limit, n_golds):
    picks = picks_of(regions, conflicts, limit=limit, n_golds=n_golds, seed=seed)
    assert len(picks) <= limit
    assert len({(pick.gold, frozenset(pick.triple)) for pick in picks}) == len(picks)
    for pick in picks:
        assert all(tuple(sorted(couple)) not in conflicts for couple in combinations(pick.triple, 2))


@given(SUBSETS, CONFLICTS, SEEDS, st.integers(1, 3))
def test_nothing_possible_is_left_out(regions, conflicts, seed, n_golds):
    numbers = sorted(REGIONS.index(code) for code in regions)
    possible = {
        frozenset(triple)
        for triple in combinations(numbers, 3)
        if not any(couple in conflicts for couple in combinations(triple, 2))
    }
    everything = {(gold, triple) for gold in range(n_golds) for triple in possible}
    found = picks_of(regions, conflicts, limit="all", n_golds=n_golds, seed=seed)
    assert {(pick.gold, frozenset(pick.triple)) for pick in found} == everything
    assert len(found) == len(everything)
    few = picks_of(regions, conflicts, limit=5, n_golds=n_golds, seed=seed)
    assert len(few) == min(5, len(everything))


@settings(max_examples=300)
@given(
    SUBSETS, CONFLICTS, SEEDS, st.sampled_from([1, 3, 5, "all"]), st.integers(1, 2), st.sampled_from(REGIONS)
)
def test_a_region_that_is_not_chosen_changes_nothing(regions, conflicts, seed, limit, n_golds, joining):
    before = picks_of(regions - {joining}, conflicts, limit=limit, n_golds=n_golds, seed=seed)
    after = picks_of(regions | {joining}, conflicts, limit=limit, n_golds=n_golds, seed=seed)
    without = [pick for pick in after if REGIONS.index(joining) not in pick.triple]
    if limit == "all" or without == after:
        assert without == before


def test_variants_cover_all_regions_before_they_repeat_one():
    picks = picks_of(REGIONS[:6], limit=2)
    assert used(picks) == set(range(6))
    # Eight regions, three questions of three options: nobody stands in more than two.
    counts = [sum(i in pick.triple for pick in picks_of(REGIONS, limit=3)) for i in range(8)]
    assert sorted(counts) == [1] * 7 + [2]


def test_right_answers_take_turns():
    assert [pick.gold for pick in picks_of(REGIONS, limit=5, n_golds=2)] == [0, 1, 0, 1, 0]


def test_a_right_answer_without_triple_left_gives_its_turn_away():
    # Three options make one triple: each of the two right answers has it once.
    assert [pick.gold for pick in picks_of(REGIONS[:3], limit=5, n_golds=2)] == [0, 1]


def test_fillers_stand_only_where_others_do_not_suffice():
    picks = picks_of(REGIONS[:5], limit=3, last=frozenset({2, 3, 4}))
    assert [set(pick.triple) & {0, 1} for pick in picks] == [{0, 1}] * 3


def test_too_few_options():
    assert picks_of(REGIONS[:2]) == []
    assert picks_of(REGIONS[:4], [(0, 1), (2, 3), (0, 2)]) == []


def test_orders_differ_by_seed_template_target_and_variant_but_not_by_what_else_is_there():
    orders = Orders(0, "Al-en-01", ["ko-KR", "en-US"], REGIONS)
    found = [orders.of(0, 0), orders.of(0, 1), orders.of(1, 0)]
    found.append(Orders(1, "Al-en-01", ["ko-KR"], REGIONS).of(0, 0))
    found.append(Orders(0, "Al-en-02", ["ko-KR"], REGIONS).of(0, 0))
    assert len({tuple(order) for order in found}) == len(found)
    fewer = Orders(0, "Al-en-01", ["ko-KR"], REGIONS[::-2])
    assert fewer.of(0, 1) == [code for code in orders.of(0, 1) if code in REGIONS[::-2]]


def test_the_order_is_pinned():
    # A release is rebuilt with the same order for ever; a change here changes every published dataset.
    assert Orders(0, "Al-en-01", ["ko-KR"], REGIONS).of(0, 0) == PINNED
    assert picks_of(REGIONS, limit=1) == [Pick(0, tuple(REGIONS.index(code) for code in PINNED[:3]))]
