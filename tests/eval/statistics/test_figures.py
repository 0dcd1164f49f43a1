"""Figures computed by hand, of repeated answers as well, and what holds for every set of items."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.eval.statistics import (
    Clusters,
    cluster_sums,
    cluster_weights,
    percentile_interval,
    ratio_draws,
    student_quantile,
)
from blend.eval.statistics.estimates import Estimate, estimates, gap_estimate, macro_estimate, mean_of_runs


@st.composite
def items(draw):
    n = draw(st.integers(1, 40))
    column = lambda values: draw(st.lists(values, min_size=n, max_size=n))  # noqa: E731
    return (
        column(st.integers(0, 1)),
        column(st.sampled_from(["t1", "t2", "t3", "t4", "t5"])),
        column(st.sampled_from(["AA", "BB", "CC"])),
    )


def test_sums_per_group_and_cluster():
    clusters = cluster_sums([1, 0, 1, 1], ["t2", "t1", "t2", "t1"], ["KR", "KR", "GB", "KR"])
    assert (clusters.groups, clusters.n_clusters) == (("GB", "KR"), 2)
    assert clusters.totals.tolist() == [[0, 1], [1, 1]]
    assert clusters.counts.tolist() == [[0, 1], [2, 1]]
    assert clusters.ratios.tolist() == [1.0, 2 / 3]
    assert clusters.pooled.ratios.tolist() == [3 / 4]
    assert clusters.present.groups == ("GB", "KR")
    without = cluster_sums([1, 0], ["t2", "t1"], ["KR", "GB"], counts=[1, 0])
    assert (without.present.groups, without.present.ratios.tolist()) == (("KR",), [1.0])


def test_a_ratio_of_sums():
    # Two of three wrong choices fell on a culture that was on offer 0.5 + 0.5 + 1 times.
    clusters = cluster_sums([1, 1, 0], ["a", "b", "c"], counts=[0.5, 0.5, 1.0])
    assert clusters.ratios.tolist() == [1.0]


def test_macro_counts_every_group_the_same():
    # KR: 1 of 1, GB: 1 of 4; of all items 2 of 5.
    clusters = cluster_sums([1, 1, 0, 0, 0], ["a", "a", "b", "c", "d"], ["KR", "GB", "GB", "GB", "GB"])
    assert macro_estimate(clusters).value == (1 + 1 / 4) / 2
    assert estimates(clusters.pooled)[0].value == 2 / 5


def test_one_cluster_says_nothing_about_others():
    assert estimates(cluster_sums([1, 0], ["a", "a"])) == (Estimate(0.5, None, None, 2.0),)


def test_nothing_counted():
    clusters = Clusters(("KR",), np.zeros((1, 1)), np.zeros((1, 1)))
    assert estimates(clusters) == (Estimate(None, None, None, 0.0),)
    assert macro_estimate(clusters) == Estimate(None, None, None, 0.0)
    assert gap_estimate(clusters) is None


def test_all_right_is_not_certainly_right():
    # Ten templates, all right: below 0.025 ** (1 / 10) = 0.6915 that has a chance of less than 2.5 %.
    (right,) = estimates(cluster_sums(np.ones(10), np.arange(10)))
    (wrong,) = estimates(cluster_sums(np.zeros(10), np.arange(10)))
    assert (right.low, right.high) == (pytest.approx(0.6915, abs=5e-5), 1.0)
    assert (wrong.low, wrong.high) == (0.0, pytest.approx(0.3085, abs=5e-5))
    # The mean over regions that were asked these templates is no more certain.
    regions = np.repeat(["KR", "GB"], 10)
    assert macro_estimate(cluster_sums(np.ones(20), np.tile(np.arange(10), 2), regions)) == Estimate(
        1.0, right.low, 1.0, 20.0, clusters=10
    )
    equal = cluster_sums(np.zeros(20), np.tile(np.arange(10), 2), regions)
    assert macro_estimate(equal) == Estimate(0.0, 0.0, wrong.high, 20.0, clusters=10)
    # Differences of models are no shares: two that always agree do not differ.
    assert macro_estimate(equal, proportion=False) == Estimate(0.0, 0.0, 0.0, 20.0, clusters=10)


def test_an_interval_says_what_it_is_over():
    templates = np.concatenate([np.arange(9), np.arange(12), np.zeros(5)])
    regions = np.repeat(["KR", "GB", "US"], [9, 12, 5])
    found = estimates(cluster_sums(np.arange(26) % 2, templates, regions))
    # In the order of their names: GB, KR, US, which has one template and so no interval.
    assert [(one.clusters, one.is_over_few) for one in found] == [(12, False), (9, True), (None, False)]
    assert found[1].scaled(100) == Estimate(100 * 4 / 9, 100 * found[1].low, 100 * found[1].high, 9.0, 9)


def test_items_of_one_template_are_not_independent():
    # 40 items, but only 10 things that a model knows or not: the interval is that of 10 items, not of 40.
    right = np.arange(10) % 2
    (few,) = estimates(cluster_sums(right, np.arange(10)))
    (many,) = estimates(cluster_sums(np.repeat(right, 4), np.repeat(np.arange(10), 4)))
    (independent,) = estimates(cluster_sums(np.repeat(right, 4), np.arange(40)))
    assert (many.low, many.high) == (few.low, few.high)
    assert independent.high - independent.low < (many.high - many.low) * 0.6


def test_the_gap_names_both_ends():
    clusters = cluster_sums([1, 1, 0, 0, 1, 0], list("ababab"), ["KR", "KR", "GB", "GB", "DZ", "DZ"])
    gap = gap_estimate(clusters)
    assert (gap.best, gap.worst, gap.estimate.value) == ("KR", "GB", 1.0)


@pytest.mark.slow
@given(items(), st.integers(0, 2**32))
def test_figures_stay_within_their_bounds(given_items, seed):
    clusters = cluster_sums(*given_items)
    gap = gap_estimate(clusters, seed=seed, draws=50)
    found = [*estimates(clusters, seed=seed, draws=50), macro_estimate(clusters, seed=seed, draws=50)]
    for estimate in found + ([gap.estimate] if gap else []):
        assert 0 <= estimate.value <= 1
        if estimate.low is not None:
            assert 0 <= estimate.low <= estimate.high <= 1 + 1e-12
    assert sum(e.n for e in estimates(clusters, draws=2)) == len(given_items[0])


@given(st.integers(1, 300), st.integers(1, 40), st.integers(0, 99))
def test_every_draw_has_as_many_clusters_as_there_are(n_clusters, draws, seed):
    blocks = list(cluster_weights(n_clusters, seed=seed, draws=draws))
    assert np.concatenate(blocks).sum(axis=1).tolist() == [n_clusters] * draws


def test_the_same_seed_gives_the_same_draws_and_another_seed_others():
    clusters = cluster_sums(np.arange(30) % 3 == 0, np.arange(30))
    assert np.array_equal(ratio_draws(clusters, seed=1), ratio_draws(clusters, seed=1))
    assert not np.array_equal(ratio_draws(clusters, seed=1), ratio_draws(clusters, seed=2))


def test_no_draw_has_the_figure():
    assert percentile_interval(np.full(5, np.nan), n_clusters=9) is None


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    # Tables of Student's t, two-sided 95 %.
    [(1, 12.706), (2, 4.303), (4, 2.776), (9, 2.262), (29, 2.045), (120, 1.980)],
)
def test_quantiles_of_student(freedom, quantile):
    assert student_quantile(0.975, freedom) == pytest.approx(quantile, abs=1e-3)


def test_runs_by_hand():
    # Two questions, asked twice: (1, 0) and (1, 1). The mean is 3/4; the first varies by 1/2, so the mean by
    # 2 * 1/2 / 4**2 = 1/16. Student's t with two degrees of freedom is 4.303; a share is 1 at most.
    found = mean_of_runs([1, 0, 1, 1], ["a", "a", "b", "b"])
    assert (found.value, found.low, found.high) == (3 / 4, 0.0, 1.0)
    found = mean_of_runs([1, 0, 1, 1] * 9, [f"{number}" for number in range(18) for _ in range(2)])
    assert found.high - found.value == pytest.approx(student_quantile(0.975, 18) * np.sqrt(1 / 16 / 9))


def test_the_mean_over_groups_weighs_groups_alike():
    # One group of one question that is always right, one of two that never are.
    found = mean_of_runs([1, 1, 0, 0, 0, 0], [1, 1, 2, 2, 3, 3], ["a"] * 2 + ["b"] * 4)
    # All answers to a question are alike.
    assert (found.value, found.low, found.high) == (1 / 2, None, None)


@pytest.mark.parametrize("values", [[1.0], [1.0] * 3, [0.1] * 3])
def test_what_does_not_vary_is_unknown_and_not_certain(values: list[float]):
    found = mean_of_runs(values, ["a"] * len(values))
    assert (found.low, found.high) == (None, None)
