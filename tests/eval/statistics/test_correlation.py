"""Correlations against scipy's, and what holds for all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.eval.statistics.agreement import _weighted_ranks, correlation

X = [1, 2, 2, 4, 5, 7, 7, 8]
Y = [2, 1, 4, 3, 7, 8, 6, 6]


@pytest.mark.slow
def test_against_scipy():
    stats = pytest.importorskip("scipy.stats")
    assert correlation(X, Y).value == pytest.approx(stats.pearsonr(X, Y).statistic, abs=1e-12)
    assert correlation(X, Y, kind="rank").value == pytest.approx(stats.spearmanr(X, Y).statistic, abs=1e-12)


def test_ranks_are_taken_anew_in_every_draw():
    # A draw with the item 30 three times is the list 10, 20, 30, 30, 30: ranks 1, 2 and (3 + 4 + 5) / 3.
    ranks = _weighted_ranks(np.array([20.0, 30.0, 10.0]), np.array([[1.0, 3.0, 1.0]]))
    assert ranks.tolist() == [[2.0, 4.0, 1.0]]


def test_no_variation_has_no_correlation():
    assert correlation([1, 1, 1], [1, 2, 3]).value is None
    assert correlation([0.1] * 50, np.arange(50)).value is None
    assert correlation([], []).value is None


def test_the_interval_is_over_clusters():
    rng = np.random.default_rng(0)
    x = rng.normal(size=30)
    y = x + rng.normal(size=30)
    own = correlation(x, y)
    repeated = correlation(np.repeat(x, 5), np.repeat(y, 5), np.repeat(np.arange(30), 5))
    assert repeated.value == pytest.approx(own.value)
    assert (repeated.low, repeated.high) == pytest.approx((own.low, own.high))
    assert own.low < own.value < own.high


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=30))
def test_bounds_and_symmetry(pairs):
    x, y = zip(*pairs, strict=True)
    for kind in ("linear", "rank"):
        one, other = correlation(x, y, kind=kind, draws=20), correlation(y, x, kind=kind, draws=20)
        assert (one.value is None) == (other.value is None)
        if one.value is not None:
            assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))
            # Fewer pairs than ten have no interval.
            assert (one.low is None) == (len(pairs) < 10)
            assert one.low is None or -1 <= one.low <= one.high <= 1
