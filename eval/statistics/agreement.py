"""Agreement: of people beyond chance, and of confidence with what is correct."""

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from blend.eval.statistics import (
    FloatArray,
    cluster_sums,
    cluster_weights,
    divide,
    percentile_interval,
)
from blend.eval.statistics.estimates import Estimate, estimates


def alpha(yes: ArrayLike, n: ArrayLike, clusters: ArrayLike, *, seed: int = 0) -> Estimate:
    """Krippendorff's alpha of answers that are yes or no: 1 for full agreement, 0 for what chance gives.

    Args:
        yes: How many said yes, per unit, shape ``(n_units,)``.
        n: How many answered, two or more each.
        clusters: The cluster of every unit.
        seed: The same seed gives the same interval.

    Returns:
        Alpha, its interval and the number of units; the value is null where all answers are the same, of which
        chance would make as much.

    References:
        Krippendorff (2011), Computing Krippendorff's Alpha-Reliability,
        https://repository.upenn.edu/asc_papers/43 (section C: binary data, several observers, data missing).
    """
    n_yes, asked = np.asarray(yes, dtype=np.float64), np.asarray(n, dtype=np.float64)
    disagreeing = 2 * n_yes * (asked - n_yes) / (asked - 1)
    # Disagreement, number of yes and number of answers, by cluster.
    sums = np.vstack([cluster_sums(one, clusters).totals for one in (disagreeing, n_yes, asked)])
    n_clusters = sums.shape[1]
    value = float(_alphas(sums.sum(axis=1, keepdims=True).T)[0])
    if np.isnan(value):
        return Estimate(None, None, None, float(len(n_yes)))
    drawn = [_alphas(weights @ sums.T) for weights in cluster_weights(n_clusters, seed=seed)]
    interval = percentile_interval(np.concatenate(drawn), n_clusters=n_clusters)
    return Estimate.of(value, interval, len(n_yes))


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


_BINS = 15
"""Bins of equal width between 0 and 1 in which confidence is compared with accuracy, as in Guo et al."""


def expected_calibration_error(confidence: ArrayLike, correct: ArrayLike, *, bins: int = _BINS) -> float | None:
    """The mean distance of accuracy from confidence, over bins of equal width, each weighing as its answers.

    Args:
        confidence: Shares between 0 and 1, shape ``(n,)``; a bin holds its upper end, the first one 0 as well.
        correct: 1 or 0, same shape.
        bins: How many bins.

    Returns:
        A share; null without answers.

    References:
        Guo, Pleiss, Sun and Weinberger (2017), On Calibration of Modern Neural Networks, section 2, equation 3.
    """
    sure, hits = (np.asarray(numbers, dtype=np.float64) for numbers in (confidence, correct))
    if not sure.size:
        return None
    bin_of = np.clip(np.ceil(sure * bins) - 1, 0, bins - 1).astype(np.intp)
    gaps = np.abs(np.bincount(bin_of, weights=hits - sure, minlength=bins))
    return float(gaps.sum() / sure.size)


def auroc(confidence: ArrayLike, correct: ArrayLike) -> float | None:
    """The chance that a correct answer is more confident than a wrong one, a tie counting as half.

    Returns:
        A share, 1/2 where confidence says nothing; null where all answers are correct, or all wrong.

    References:
        Hanley and McNeil (1982), The Meaning and Use of the Area under a Receiver Operating Characteristic
        (ROC) Curve: the area is Mann and Whitney's statistic.
    """
    is_correct = np.asarray(correct, dtype=bool)
    n_correct, n_wrong = int(is_correct.sum()), int((~is_correct).sum())
    if not (n_correct and n_wrong):
        return None
    ranks = pl.Series(np.asarray(confidence, dtype=np.float64)).rank().to_numpy()
    return float((ranks[is_correct].sum() - n_correct * (n_correct + 1) / 2) / (n_correct * n_wrong))
