"""Corrected means: what is exact, what cannot be, and how often intervals hold."""

import numpy as np
import pytest

from blend.eval.statistics.prediction_powered import corrected_means
from helpers.scripts import script


def test_each_cell_counts_as_its_items():
    # 6 items of 10 are predicted correct, of which the labels say 1 of 2; 4 wrong, of which they say 1 of 4:
    # 0.6 * 1/2 + 0.4 * 1/4.
    cells, clusters = [1] * 6 + [0] * 4, list(range(10))
    means = corrected_means(cells, clusters, [0, 1, 6, 7, 8, 9], [1, 0, 0, 0, 1, 0], [1 / 3] * 2 + [1.0] * 4)
    assert means.values == pytest.approx([0.4])


def test_unequal_probabilities_are_made_up_for():
    # Drawn three times as often, a label counts for a third as many: (1 * 1 + 3 * 0) / 4.
    means = corrected_means([0] * 8, list(range(8)), [0, 1], [1, 0], [0.75, 0.25])
    assert means.values == pytest.approx([0.25])


@pytest.mark.parametrize("judge", [0, 1])
def test_a_judge_that_always_says_the_same_is_as_good_as_none(judge: int):
    rng = np.random.default_rng(1)
    labels, clusters = rng.integers(0, 2, 50), np.arange(400) % 200
    found = corrected_means(np.full(400, judge), clusters, range(50), labels, [1 / 8] * 50).combined([1])
    assert found.value == pytest.approx(labels.mean())
    # Half of what 50 labels of yes or no give: about 1.96 * sqrt(1/4 / 50) = 0.139.
    assert found.high - found.low == pytest.approx(2 * 0.139, rel=0.1)


def test_labels_vary_as_a_sample_does():
    # 20 labels, 10 of them correct, about 1/2: 20 * 1/4 * 20/19 = 5.263, and 2 * 1/4 of the two that are added,
    # by 22 squared, gives a standard error of 0.1091; Student's t with 19 degrees of freedom is 2.093.
    labels = [0, 1] * 10
    found = corrected_means(np.zeros(4000), np.arange(4000), range(20), labels, [0.005] * 20).combined([1])
    assert found.high == pytest.approx(0.5 + 2.093 * 0.1091, abs=2e-4)
    assert found.low == pytest.approx(0.5 - 2.093 * 0.1091, abs=2e-4)


def test_no_disagreement_is_not_certainty():
    # 50 labels in two cells, all as predicted; the exact 95 % bound for 0 errors of 50 is 0.071.
    cells = np.repeat([0, 1], 200)
    labelled = [*range(25), *range(200, 225)]
    found = corrected_means(cells, np.arange(400), labelled, cells[labelled], [1 / 8] * 50).combined([1])
    assert found.value == 0.5
    assert found.high - 0.5 > 0.05
    assert 0.5 - found.low > 0.05


def test_labels_of_one_template_give_no_interval_and_none_no_figure():
    one = corrected_means([1, 1, 0], ["a", "a", "b"], [0, 1], [1, 1], [1, 1]).combined([1])
    assert (one.value, one.low, one.high) == (1.0, None, None)
    none = corrected_means([1, 1, 0], ["a", "a", "b"], [], [], []).combined([1])
    assert (none.value, none.low, none.n) == (None, None, 3)


def test_a_cell_without_labels_makes_the_interval_wide():
    clusters, labelled, labels = np.arange(400), list(range(0, 200, 2)), [1, 0] * 50
    same = corrected_means(np.zeros(400), clusters, labelled, labels, [0.25] * 100).combined([1])
    apart = corrected_means(np.repeat([0, 1], 200), clusters, labelled, labels, [0.25] * 100).combined([1])
    assert same.value == apart.value == 0.5
    assert apart.low < same.low - 0.2


def test_equal_means_differ_by_chance_and_unequal_ones_do_not():
    group = np.repeat(["a", "b"], 500)
    clusters = np.tile(np.arange(250), 4)
    for shares, differ in (((0.5, 0.5), False), ((0.3, 0.7), True)):
        truth = np.concatenate([np.arange(500) % 10 < 10 * share for share in shares])
        means = corrected_means(truth, clusters, range(1000), truth, [1] * 1000, group)
        first, second = (means.combined(by) for by in np.eye(2))
        assert (first.value, second.value) == pytest.approx(shares)
        assert (first.high < second.low) is differ


@pytest.mark.nightly
def test_intervals_hold_in_simulated_worlds():
    benchmark = script("benchmarks/corrected_scores.py")
    for judge in ("worse in two languages", "always says correct"):
        found = benchmark.coverage(judge, 100, worlds=100)
        # The standard error of a share of 95 % is 2.2 % of 100 means, 1.1 % of 400 languages.
        assert found["mean over languages"][0] >= 0.88
        assert found["a language"][0] >= 0.92
        assert found["a language"][1] < found["labels alone"][1]
    assert found["judge alone"][0] == 0


def test_the_mean_of_many_groups_is_surer_than_each_of_them():
    """Ten groups of four cells each share forty clusters: as many cells as clusters."""
    rng = np.random.default_rng(1)
    group, cluster = (column.ravel() for column in np.indices((10, 40)))
    cells = rng.integers(4, size=len(group))
    labels = (rng.random(len(group)) < 0.2 + 0.2 * cells).astype(float)
    means = corrected_means(cells, cluster, np.arange(len(group)), labels, np.ones(len(group)), group)
    each = [means.combined(by) for by in np.eye(10)]
    whole = means.combined(np.full(10, 0.1))
    assert whole.high - whole.low < 0.5 * min(one.high - one.low for one in each)
