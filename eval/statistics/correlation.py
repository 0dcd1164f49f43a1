"""Correlation: how far two figures of the same things go together, with an interval over clusters."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from blend.eval.statistics.clusters import FloatArray, divide
from blend.eval.statistics.estimates import Estimate
from blend.eval.statistics.resampling import DRAWS, LEVEL, cluster_weights, percentile_interval

_BLOCK = 2_000_000


def correlation(
    first: ArrayLike,
    second: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    kind: Literal["linear", "rank"] = "linear",
    seed: int = 0,
    draws: int = DRAWS,
    level: float = LEVEL,
) -> Estimate:
    """Pearson's (``linear``) or Spearman's (``rank``) correlation of two figures.

    Equal values share the mean of their ranks, and ranks are taken anew in every draw.

    Args:
        first: One number per item, shape ``(n_items,)``.
        second: The other figure of the same items.
        clusters: The cluster of every item; without it every item is its own.
        kind: Which correlation.
        seed: The same seed gives the same interval.
        draws: Bootstrap draws of clusters.
        level: Share of intervals that shall hold the true value.

    Returns:
        The correlation, its interval and the number of items; the value is null where one of the two figures is
        the same for all items.

    Raises:
        ValueError: If the lengths differ, or a number is not finite.
    """
    x, y = (np.asarray(numbers, dtype=np.float64) for numbers in (first, second))
    # Weights are drawn per cluster; `codes` spreads them to the items, shape ``(n_draws, n_items)``.
    codes = np.arange(len(x)) if clusters is None else np.unique(np.asarray(clusters), return_inverse=True)[1]
    if not len(x) == len(y) == len(codes):
        raise ValueError("both figures and clusters must be of one length")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("the figures must be finite numbers")
    if not len(x):
        return Estimate(None, None, None, 0.0)
    value = float(_correlations(x, y, np.ones((1, len(x))), kind)[0])
    if np.isnan(value):
        return Estimate(None, None, None, float(len(x)))
    n_clusters = int(codes.max()) + 1
    figures = np.concatenate(
        [
            _correlations(x, y, part[:, codes], kind)
            for block in cluster_weights(n_clusters, seed=seed, draws=draws)
            # Ceiling division: a block is sized for clusters, and items can be many more.
            for part in np.array_split(block, max(1, -(-block.shape[0] * len(x) // _BLOCK)))
        ]
    )
    interval = percentile_interval(figures, n_clusters=n_clusters, level=level)
    low, high, over = (None, None, None) if interval is None else (*interval, n_clusters)
    return Estimate(value, low, high, float(len(x)), over)


def _correlations(x: FloatArray, y: FloatArray, weights: FloatArray, kind: str) -> FloatArray:
    """The correlation under each row of weights, shape ``(n_draws,)``; NaN where one figure does not vary."""
    xs, ys = (_weighted_ranks(numbers, weights) if kind == "rank" else numbers for numbers in (x, y))
    size = weights.sum(axis=1, keepdims=True)
    dx, dy = (n - (weights * n).sum(axis=1, keepdims=True) / size for n in (xs, ys))
    xx, yy, xy = ((weights * a * b).sum(axis=1) for a, b in ((dx, dx), (dy, dy), (dx, dy)))
    # Rounding leaves a constant figure with a variance of about 1e-32 of its square.
    flat = (xx <= 1e-24 * (weights * xs**2).sum(axis=1)) | (yy <= 1e-24 * (weights * ys**2).sum(axis=1))
    return np.clip(divide(xy, np.where(flat, 0.0, np.sqrt(xx * yy))), -1.0, 1.0)


def _weighted_ranks(numbers: FloatArray, weights: FloatArray) -> FloatArray:
    """Mean ranks when every item is listed as often as its weight says, shape ``(n_draws, n_items)``."""
    # Equal numbers share a code, and `held` says how many items of each a draw has, shape (n_draws, n_codes).
    # Held k times, a number takes the k ranks up to the cumulated sum; their mean lies (k - 1) / 2 below it.
    _, codes = np.unique(numbers, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    held = np.add.reduceat(weights[:, order], starts, axis=1)
    ranks: FloatArray = (held.cumsum(axis=1) - (held - 1) / 2)[:, codes]
    return ranks
