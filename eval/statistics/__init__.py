"""Statistics: how sure a score is, and whether two scores differ. Arrays in, figures out.

Questions of one template are not independent: the same dish, feast or sport decides whether a model is correct
in all of them. So whatever is resampled or exchanged here is a *cluster* (a template, a dish, a topic), never
an item. Nothing here knows where the numbers come from.

This module adds items up per group and cluster, the form in which everything else takes them, and draws
clusters with a seed.

* `estimates`: means and other ratios, their mean over groups, the gap between groups, with intervals,
  also where there are too few clusters to draw from; means of answers that were drawn several times; and two
  models on the same items: which is better, and is it chance;
* `agreement`: how far people agree, beyond what chance gives, and whether confidence is right;
* `prediction_powered`: figures of all answers from the decisions of a rule and people's labels of some.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
"""An array of numbers."""


@dataclass(frozen=True, eq=False)
class Clusters:
    """A ratio per group (a mean is one: the sum of values over their number), kept as sums per cluster."""

    groups: tuple[Any, ...]
    """What the rows stand for, for example region codes; in order."""
    totals: FloatArray
    """Numerators, shape ``(n_groups, n_clusters)``: for a mean, the sum of the values; clusters in order."""
    counts: FloatArray
    """Denominators, same shape: for a mean, the number of items; 0 where a group lacks a cluster."""

    @cached_property
    def ratios(self) -> FloatArray:
        """The figure of every group, shape ``(n_groups,)``; NaN where all denominators are 0."""
        return divide(self.totals.sum(axis=1), self.counts.sum(axis=1))

    @property
    def pooled(self) -> "Clusters":
        """All groups as one: every item counts the same, whichever group it belongs to."""
        totals, counts = (sums.sum(axis=0, keepdims=True) for sums in (self.totals, self.counts))
        return Clusters(("overall",), totals, counts)

    @property
    def present(self) -> "Clusters":
        """The groups that have a figure."""
        rows = np.flatnonzero(~np.isnan(self.ratios))
        return Clusters(tuple(self.groups[row] for row in rows), self.totals[rows], self.counts[rows])

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return len(self.counts.T)


def cluster_sums(
    values: ArrayLike,
    clusters: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    counts: ArrayLike | None = None,
) -> Clusters:
    """Items added up per group and cluster.

    Args:
        values: One number per item, shape ``(n_items,)``: right (1) or wrong (0), or a numerator.
        clusters: The cluster of every item, same shape: template ids, or codes for them.
        groups: The group of every item, same shape; without it all items are of the group ``overall``.
        counts: The denominator of every item, same shape; without it every item counts 1, so that the ratio is
            the mean of the values.

    Returns:
        Groups and clusters in ascending order; the order of the items does not matter.
    """
    numerators = np.asarray(values, dtype=np.float64)
    denominators = np.ones_like(numerators) if counts is None else np.asarray(counts, dtype=np.float64)
    keys, columns = np.unique(np.asarray(clusters), return_inverse=True)
    named = np.full(np.shape(columns), "overall") if groups is None else np.asarray(groups)
    labels, rows = np.unique(named, return_inverse=True)
    shape = (len(labels), len(keys))
    totals, sizes = (cell_sums(rows, columns, numbers, shape) for numbers in (numerators, denominators))
    return Clusters(tuple(labels.tolist()), totals, sizes)


def cell_sums(
    rows: NDArray[np.intp], columns: NDArray[np.intp], numbers: FloatArray, shape: tuple[int, int]
) -> FloatArray:
    """Numbers added up by row and column of a matrix of this shape."""
    # By the row-major number of each number's cell, so that one bincount adds all of them up.
    sums = np.bincount(rows * shape[1] + columns, weights=numbers, minlength=shape[0] * shape[1])
    return sums.astype(np.float64).reshape(shape)


def divide(totals: FloatArray, counts: FloatArray) -> FloatArray:
    """Ratios, NaN where the denominator is 0."""
    ratios: FloatArray = np.divide(totals, counts, out=np.full(np.shape(totals), np.nan), where=counts != 0)
    return ratios


DRAWS = 2_000
"""Bootstrap draws behind an interval."""

LEVEL = 0.95
"""Share of intervals that shall hold the true value."""

FEW = 10
"""Clusters below which draws say too little for an interval; see `estimates`."""

BLOCK = 2_000_000
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
    height = max(1, BLOCK // n_clusters)
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
    blocks = cluster_weights(clusters.n_clusters, seed=seed, draws=draws)
    return np.concatenate([divide(w @ clusters.totals.T, w @ clusters.counts.T) for w in blocks])


def percentile_interval(figures: FloatArray, *, n_clusters: int) -> tuple[float, float] | None:
    """The interval between two percentiles of the draws, widened for few clusters.

    The plain percentiles (2.5 and 97.5 %) treat the clusters at hand as if they were all there are, and give
    intervals that are too narrow for few of them. The tails are moved out to where Student's t with
    ``n_clusters - 1`` degrees of freedom would put them; from 100 clusters on this is hardly visible.

    Args:
        figures: The figure in every draw, shape ``(draws,)``; draws without a figure (NaN) are left out.
        n_clusters: Number of clusters that were drawn from.

    Returns:
        Lower and upper end, or None with fewer than `FEW` clusters.

    References:
        Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13 (percentile interval);
        Hesterberg (2015), What Teachers Should Know About the Bootstrap, section 4.3 (expanded percentiles).
    """
    known = figures[~np.isnan(figures)]
    if n_clusters < FEW or not len(known):
        return None
    freedom = n_clusters - 1
    # The factor makes up for the bootstrap's variance, which divides by n in place of n - 1 (Hesterberg, 4.3).
    reach = student_quantile(1 - (1 - LEVEL) / 2, freedom) * math.sqrt(n_clusters / freedom)
    tail = NormalDist().cdf(-reach)
    low, high = np.quantile(known, [tail, 1 - tail])
    return float(low), float(high)


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
