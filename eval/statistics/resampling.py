"""Resampling: seeded bootstrap draws of clusters, and the interval that they give."""

import math
from collections.abc import Iterator
from statistics import NormalDist

import numpy as np

from blend.eval.statistics.clusters import Clusters, FloatArray, divide

DRAWS = 2_000
"""Bootstrap draws behind an interval."""

LEVEL = 0.95
"""Share of intervals that shall hold the true value."""

FEW = 10
"""Clusters below which draws say too little for an interval; see `estimates`."""

_BLOCK = 2_000_000
"""Numbers held at a time: memory depends neither on the number of draws nor on that of clusters."""


def cluster_weights(n_clusters: int, *, seed: int, draws: int = DRAWS) -> Iterator[FloatArray]:
    """Count how often every cluster is drawn, ``n_clusters`` times with replacement, again and again.

    Args:
        n_clusters: Number of clusters, at least 1.
        seed: The same seed gives the same draws.
        draws: Number of draws in all.

    Yields:
        Blocks of draws, shape ``(n_draws_of_block, n_clusters)``; every row adds up to ``n_clusters``.
    """
    rng = np.random.default_rng(seed)
    height = max(1, _BLOCK // n_clusters)
    for start in range(0, draws, height):
        n_rows = min(height, draws - start)
        drawn = rng.integers(n_clusters, size=(n_rows, n_clusters))
        # Every row gets cluster numbers of its own, so that one bincount counts all rows at once.
        drawn += np.arange(n_rows)[:, np.newaxis] * n_clusters
        counts = np.bincount(drawn.ravel(), minlength=n_rows * n_clusters)
        yield counts.reshape(n_rows, n_clusters).astype(np.float64)


def ratio_draws(clusters: Clusters, *, seed: int, draws: int = DRAWS) -> FloatArray:
    """The figure of every group in every draw; all groups meet the same clusters in a draw.

    Returns:
        Shape ``(draws, n_groups)``; NaN where a draw holds no cluster of the group.
    """
    # ``(n_draws, n_clusters) @ (n_clusters, n_groups)``: numerators and denominators are drawn together.
    blocks = cluster_weights(len(clusters.keys), seed=seed, draws=draws)
    return np.concatenate([divide(w @ clusters.totals.T, w @ clusters.counts.T) for w in blocks])


def percentile_interval(
    figures: FloatArray, *, n_clusters: int, level: float = LEVEL
) -> tuple[float, float] | None:
    """The interval between two percentiles of the draws, widened for few clusters.

    The plain percentiles (2.5 and 97.5 %) treat the clusters at hand as if they were all there are, and give
    intervals that are too narrow for few of them. The tails are moved out to where Student's t with
    ``n_clusters - 1`` degrees of freedom would put them; from 100 clusters on this is hardly visible.

    Args:
        figures: The figure in every draw, shape ``(draws,)``; draws without a figure (NaN) are left out.
        n_clusters: Number of clusters that were drawn from.
        level: Share of such intervals that shall hold the true value.

    Returns:
        Lower and upper end, or None with fewer than `FEW` clusters.

    References:
        Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13 (percentile interval);
        Hesterberg (2015), What Teachers Should Know About the Bootstrap, section 4.3 (expanded percentiles).
    """
    known = figures[~np.isnan(figures)]
    if n_clusters < FEW or not len(known):
        return None
    tail = _widened_tail((1 - level) / 2, n_clusters)
    low, high = np.quantile(known, [tail, 1 - tail])
    return float(low), float(high)


def _widened_tail(tail: float, n_clusters: int) -> float:
    freedom = n_clusters - 1
    # The factor makes up for the bootstrap's variance, which divides by n in place of n - 1 (Hesterberg, 4.3).
    return NormalDist().cdf(-student_quantile(1 - tail, freedom) * math.sqrt(n_clusters / freedom))


def student_quantile(probability: float, freedom: int) -> float:
    """Quantile of Student's t, by its expansion about the normal quantile.

    Exact for one and two degrees of freedom; the expansion is off by less than 1 % from three on.

    References:
        Abramowitz and Stegun (1964), Handbook of Mathematical Functions, 26.7.5.
    """
    if freedom == 1:
        return math.tan(math.pi * (probability - 0.5))
    if freedom == 2:
        return (2 * probability - 1) * math.sqrt(2 / (4 * probability * (1 - probability)))
    z = NormalDist().inv_cdf(probability)
    # Term k is the coefficient of ``freedom**-k``, the first one the normal quantile itself.
    terms: tuple[float, ...] = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return math.fsum(term / freedom**power for power, term in enumerate(terms))
