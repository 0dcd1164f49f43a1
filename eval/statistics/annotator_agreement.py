"""Agreement: how far people agree on yes or no, beyond what chance gives, with intervals over clusters."""

import numpy as np
from numpy.typing import ArrayLike

from blend.eval.statistics.clusters import FloatArray, cluster_sums, divide
from blend.eval.statistics.estimates import Estimate, estimates
from blend.eval.statistics.resampling import DRAWS, LEVEL, cluster_weights, percentile_interval


def alpha(
    yes: ArrayLike,
    n: ArrayLike,
    clusters: ArrayLike,
    *,
    seed: int = 0,
    draws: int = DRAWS,
    level: float = LEVEL,
) -> Estimate:
    """Krippendorff's alpha of answers that are yes or no: 1 for full agreement, 0 for what chance gives.

    Args:
        yes: How many said yes, per unit, shape ``(n_units,)``.
        n: How many answered, two or more each.
        clusters: The cluster of every unit.
        seed: The same seed gives the same interval.
        draws: Bootstrap draws of clusters.
        level: Share of intervals that shall hold the true value.

    Returns:
        Alpha, its interval and the number of units; the value is null where all answers are the same, of which
        chance would make as much.

    References:
        Krippendorff (2011), Computing Krippendorff's Alpha-Reliability,
        https://repository.upenn.edu/asc_papers/43 (section C: binary data, several observers, data missing).
    """
    n_yes, asked = np.asarray(yes, dtype=np.float64), np.asarray(n, dtype=np.float64)
    codes = np.unique(np.asarray(clusters), return_inverse=True)[1]
    n_clusters = int(codes.max()) + 1
    sums = np.stack(
        [
            np.bincount(codes, weights=column, minlength=n_clusters)
            for column in (2 * n_yes * (asked - n_yes) / (asked - 1), n_yes, asked)
        ]
    )
    value = float(_alphas(sums.sum(axis=1, keepdims=True).T)[0])
    if np.isnan(value):
        return Estimate(None, None, None, float(len(n_yes)))
    drawn = [_alphas(weights @ sums.T) for weights in cluster_weights(n_clusters, seed=seed, draws=draws)]
    interval = percentile_interval(np.concatenate(drawn), n_clusters=n_clusters, level=level)
    low, high = (None, None) if interval is None else interval
    return Estimate(value, low, high, float(len(n_yes)))


def pairwise_agreement(yes: ArrayLike, n: ArrayLike, clusters: ArrayLike, *, seed: int = 0) -> Estimate:
    """The share of pairs of answers to one unit that are the same; see `alpha` for the arguments."""
    n_yes, asked = np.asarray(yes, dtype=np.float64), np.asarray(n, dtype=np.float64)
    pairs = asked * (asked - 1) / 2
    same = pairs - n_yes * (asked - n_yes)
    return estimates(cluster_sums(same, clusters, counts=pairs), seed=seed)[0]


def _alphas(sums: FloatArray) -> FloatArray:
    """Alpha of each row of disagreement observed, number of yes, and number of answers."""
    observed, n_yes, asked = sums.T
    expected = 2 * n_yes * (asked - n_yes) / np.maximum(asked - 1, 1)
    return 1 - divide(observed, expected)


def cohen_kappa(one: ArrayLike, other: ArrayLike, weights: ArrayLike) -> float | None:
    """Cohen's kappa of two who say yes (1) or no (0) of the same units: 0 for what chance gives.

    Args:
        one: What one says, shape ``(n_units,)``.
        other: What the other says, from 0 to 1, same shape; a share where several do not agree.
        weights: How many units each stands for: one by the probability with which it was drawn.

    Returns:
        Null without units, and where both say the same one thing of all of them, as chance would.

    References:
        Cohen (1960), A Coefficient of Agreement for Nominal Scales.
    """
    first, second, weight = (np.asarray(numbers, dtype=np.float64) for numbers in (one, other, weights))
    if not weight.sum():
        return None
    p, q = (float(np.average(numbers, weights=weight)) for numbers in (first, second))
    differing, by_chance = float(np.average(np.abs(first - second), weights=weight)), p + q - 2 * p * q
    return 1 - differing / by_chance if by_chance else None
