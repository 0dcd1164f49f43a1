"""Intervals over two to nine clusters hold the true value as often as they say."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

SIMULATIONS = 300


@pytest.fixture(scope="module")
def script(root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("coverage", root / "benchmarks" / "interval_coverage.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.nightly
@pytest.mark.parametrize("n_clusters", [2, 3, 5, 9])
def test_intervals_over_few_clusters_hold(script: ModuleType, n_clusters: int):
    for setting in script.SETTINGS:
        holds, width = script.coverage(setting, n_clusters, simulations=SIMULATIONS)
        # The standard error of a share of 95 % in 300 simulations is 1.3 %.
        assert holds >= 0.91, setting
        assert width > 0, setting
