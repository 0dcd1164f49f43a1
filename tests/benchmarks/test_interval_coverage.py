"""Intervals over two to nine clusters hold the true value as often as they say."""

import pytest

from helpers.scripts import script

SIMULATIONS = 300


@pytest.mark.nightly
@pytest.mark.parametrize("n_clusters", [2, 3, 5, 9])
def test_intervals_over_few_clusters_hold(n_clusters: int):
    benchmark = script("benchmarks/interval_coverage.py")
    for setting in benchmark.SETTINGS:
        holds, width = benchmark.coverage(setting, n_clusters, simulations=SIMULATIONS)
        # The standard error of a share of 95 % in 300 simulations is 1.3 %.
        assert holds >= 0.91, setting
        assert width > 0, setting
