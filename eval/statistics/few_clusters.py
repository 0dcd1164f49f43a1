"""Few clusters: intervals from two to nine of them, where drawing them again says too little.

With two clusters a bootstrap knows three different figures. Percentiles of its draws, widened as Student's t
asks for, hold the true value in some 50 % of cases there, 70 % with three and 90 % with five. These intervals
hold at any number (`docs/scores.md` says how often).
"""

import math

from blend.eval.statistics.clusters import FloatArray
from blend.eval.statistics.resampling import student_quantile

# Halving 40 times leaves an error below 1e-12.
_HALVINGS = 40
# Pairs of terms of the continued fraction, evaluated from the last one inwards.
_TERMS = 25


def share_interval(totals: FloatArray, counts: FloatArray, *, level: float) -> tuple[float, float]:
    """The interval of a share, Clopper and Pearson's, as if each cluster were one question.

    Nothing between 0 and 1 varies more than what is either 0 or 1, so what holds for that holds for any share.
    It is wide: few clusters say little.

    Args:
        totals: Numerator of every cluster, between 0 and its denominator.
        counts: Denominators, above 0. Unequal ones count as fewer clusters: the square of their sum over the
            sum of their squares (Kish 1965).
        level: Share of intervals that shall hold the true value, at least.

    References:
        Clopper and Pearson (1934), The Use of Confidence or Fiducial Limits Illustrated in the Case of the
        Binomial.
    """
    # Kish's effective number, mostly not whole; the beta distribution takes it as it is.
    n = float(counts.sum() ** 2 / (counts**2).sum())
    hits = n * float(totals.sum() / counts.sum())
    tail = (1 - level) / 2
    low = _beta_quantile(tail, hits, n - hits + 1) if hits > 0 else 0.0
    high = _beta_quantile(1 - tail, hits + 1, n - hits) if hits < n else 1.0
    return low, high


def student_interval(totals: FloatArray, counts: FloatArray, *, level: float) -> tuple[float, float] | None:
    """The interval of a ratio without bounds, such as a difference: Student's t over the jackknife.

    Args:
        totals: Numerator of every cluster.
        counts: Denominators, above 0.
        level: Share of intervals that shall hold the true value.

    Returns:
        None where leaving out a cluster changes nothing: clusters that are all alike do not say how far they
        vary.

    References:
        MacKinnon, Nielsen and Webb (2023), Cluster-robust Inference: a Guide to Empirical Practice, Journal of
        Econometrics 232 (the jackknife, CV3, with t of as many degrees of freedom as clusters less one).
    """
    n = len(totals)
    ratio = float(totals.sum() / counts.sum())
    # Jackknife: the ratio with each cluster left out in turn, shape ``(n_clusters,)``.
    without = (totals.sum() - totals) / (counts.sum() - counts)
    error = math.sqrt((n - 1) / n * float(((without - ratio) ** 2).sum()))
    # Not 0 exactly: leaving out equal clusters gives ratios that differ by rounding.
    if error <= 1e-12 * max(1.0, abs(ratio)):
        return None
    reach = student_quantile(1 - (1 - level) / 2, n - 1) * error
    return ratio - reach, ratio + reach


def _beta_quantile(probability: float, a: float, b: float) -> float:
    """Quantile of the beta distribution, by halving; the base install has no library that knows it."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if beta_share(middle, a, b) < probability else (low, middle)
    return (low + high) / 2


def beta_share(x: float, a: float, b: float) -> float:
    """Share of a beta distribution below ``x``, by its continued fraction.

    References:
        Abramowitz and Stegun (1964), Handbook of Mathematical Functions, 26.5.8.
    """
    if not 0 < x < 1:
        return float(x >= 1)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    # The fraction converges fast below the mean; above it, the distribution is seen from its other end.
    below = x <= (a + 1) / (a + b + 2)
    return front / (a * _fraction(x, a, b)) if below else 1 - front / (b * _fraction(1 - x, b, a))


def _fraction(x: float, a: float, b: float) -> float:
    fraction = 1.0
    for m in range(_TERMS, 0, -1):
        # Coefficients d(2m) and d(2m - 1) of 26.5.8.
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m - 1) * (a + b + m - 1) * x / ((a + 2 * m - 2) * (a + 2 * m - 1))
        fraction = 1 + odd / (1 + even / fraction)
    return fraction
