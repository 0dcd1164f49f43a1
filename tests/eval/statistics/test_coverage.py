"""Simulations: how often intervals hold the truth, and how often tests find what is not there.

In 1,000 simulated evaluations the share of intervals that hold has a standard error of 0.7 %.
"""

import numpy as np
import pytest

from blend.eval.statistics import Clusters
from blend.eval.statistics.estimates import (
    estimates,
    gap_estimate,
    holm,
    macro_estimate,
    macro_test,
    paired_tests,
)

pytestmark = [pytest.mark.integration, pytest.mark.nightly]

BLEND_LIKE = (0.79, 0.75, 0.72, 0.71, 0.70, 0.66, 0.64, 0.63, 0.62, 0.60, 0.57, 0.55, 0.52, 0.50, 0.45, 0.41)
"""Accuracies of 16 regions, spread as those that large models reach in BLEnD (Myung et al. 2024, figure 4)."""


def clusters_of(right, counts):
    """Groups (or simulations) by templates."""
    return Clusters(tuple(range(len(right))), right.astype(float), counts)


def simulated(rng, accuracy, shape):
    """Templates that a model knows or not: Beta-distributed shares, one to six items each."""
    share = rng.beta(2 * accuracy, 2 * (1 - accuracy), size=shape)
    n_items = rng.integers(1, 7, size=shape)
    return clusters_of(rng.binomial(n_items, share), n_items.astype(float))


def held(found, truth):
    return np.mean([estimate.low <= truth <= estimate.high for estimate in found])


@pytest.mark.parametrize(
    ("accuracy", "n_templates"),
    [(0.5, 10), (0.5, 30), (0.5, 500), (0.7, 20), (0.7, 100), (0.7, 500), (0.9, 50), (0.9, 100), (0.9, 500)],
)
def test_intervals_of_accuracies_hold(accuracy, n_templates):
    rng = np.random.default_rng(n_templates)
    n_simulations = 2_000 if n_templates < 500 else 1_000
    found = estimates(simulated(rng, accuracy, (n_simulations, n_templates)))
    assert 0.93 <= held(found, accuracy) <= 0.97


def regions(rng, accuracies, n_templates):
    """Regions that share templates: what is hard in one is hard in the others."""
    known = np.log(np.array(accuracies) / (1 - np.array(accuracies)))[:, np.newaxis]
    hard = rng.normal(size=n_templates) + rng.normal(size=(len(accuracies), n_templates))
    return 1 / (1 + np.exp(-(1.4 * known + hard)))


def region_clusters(rng, accuracies, n_templates):
    right = rng.binomial(1, regions(rng, accuracies, n_templates))
    return clusters_of(right, np.ones_like(right, dtype=float))


def true_means(accuracies):
    return regions(np.random.default_rng(0), accuracies, 200_000).mean(axis=1)


def test_intervals_of_the_mean_over_regions_hold():
    rng = np.random.default_rng(1)
    truth = true_means(BLEND_LIKE).mean()
    found = [macro_estimate(region_clusters(rng, BLEND_LIKE, 100), draws=1_000) for _ in range(600)]
    assert 0.93 <= held(found, truth) <= 0.97


@pytest.mark.parametrize(
    ("accuracies", "n_templates"),
    [(BLEND_LIKE, 100), (BLEND_LIKE, 300), ((0.8, 0.6, 0.4), 200), (tuple(np.linspace(0.5, 0.65, 16)), 300)],
)
def test_intervals_of_the_parity_gap_hold(accuracies, n_templates):
    rng = np.random.default_rng(n_templates)
    truth = np.ptp(true_means(accuracies))
    gaps = [
        gap_estimate(region_clusters(rng, accuracies, n_templates), draws=1_000).estimate for _ in range(400)
    ]
    assert 0.93 <= held(gaps, truth) <= 0.99


@pytest.mark.parametrize("n_templates", [10, 50, 500])
def test_the_paired_test_keeps_its_level(n_templates):
    # Two models with different answers and equal accuracy, whose templates they know or not as a whole.
    rng = np.random.default_rng(n_templates)
    shape = (2_000, n_templates)
    first, second = rng.beta(0.7, 0.3, size=(2, *shape))
    n_items = rng.integers(1, 7, size=shape)
    differences = rng.binomial(n_items, second) - rng.binomial(n_items, first)
    p_values = [c.p_value for c in paired_tests(clusters_of(differences, n_items.astype(float)))]
    # Ten templates give few sums that differ, so that the test finds less than it may.
    least = 0.01 if n_templates == 10 else 0.03
    assert least <= np.mean(np.array(p_values) <= 0.05) <= 0.065
    assert np.mean(np.array(p_values) <= 0.01) <= 0.017


def test_holm_keeps_the_chance_of_any_false_finding():
    rng = np.random.default_rng(5)
    false = macro_false = 0
    for _ in range(400):
        chances = regions(rng, BLEND_LIKE, 60)
        answers = rng.binomial(1, np.stack([chances, chances]))
        differences = clusters_of(answers[1] - answers[0], np.ones_like(chances))
        tests = paired_tests(differences, permutations=1_000)
        false += bool((holm([c.p_value for c in tests]) <= 0.05).any())
        macro_false += macro_test(differences, permutations=1_000).p_value <= 0.05
    assert false / 400 <= 0.07
    assert 0.03 <= macro_false / 400 <= 0.07
