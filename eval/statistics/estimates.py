"""Figures: means and other ratios per group, their mean over groups, the gap between groups, and differences.

Two models are compared on the same items, and neither is called better without a test.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from blend.eval.statistics import (
    BLOCK,
    DRAWS,
    FEW,
    LEVEL,
    Clusters,
    FloatArray,
    divide,
    percentile_interval,
    ratio_draws,
    student_quantile,
)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure and how sure it is."""

    value: float | None
    """The figure; null where nothing was counted."""
    low: float | None
    """Lower end of the interval; null where the clusters are too few for one."""
    high: float | None
    """Upper end."""
    n: float
    """Sum of the denominators: for a mean, the number of items."""
    clusters: int | None = None
    """Number of clusters that the interval is over; null where there is none, or it is not over clusters."""

    @property
    def is_over_few(self) -> bool:
        """Whether the interval is over so few clusters that it is wide whatever the values are."""
        return self.clusters is not None and self.clusters < FEW

    @classmethod
    def of(
        cls, value: float, interval: tuple[float, float] | None, n: float, *, clusters: int | None = None
    ) -> "Estimate":
        """A figure with its interval and what that is over; without an interval it is over nothing."""
        low, high, over = (None, None, None) if interval is None else (*interval, clusters)
        return cls(value, low, high, float(n), over)

    def scaled(self, by: float) -> "Estimate":
        """The figure in another unit, for example in percent."""
        value, low, high = (None if x is None else by * x for x in (self.value, self.low, self.high))
        return replace(self, value=value, low=low, high=high)

    def within(self, least: float, most: float) -> "Estimate":
        """The figure with its interval cut where no true value can lie; it holds the true one as often."""
        low, high = (None if end is None else min(max(end, least), most) for end in (self.low, self.high))
        return replace(self, low=low, high=high)


@dataclass(frozen=True, slots=True)
class _Gap:
    """Lead of the best group over the worst."""

    best: Any
    """The group with the highest figure; of equal ones the first."""
    worst: Any
    """The group with the lowest figure; of equal ones the last."""
    estimate: Estimate
    """Highest minus lowest figure, and its interval."""


def estimates(
    clusters: Clusters, *, seed: int = 0, proportion: bool = True, draws: int = DRAWS
) -> tuple[Estimate, ...]:
    """Every group's figure with an interval over its own clusters.

    A group's interval depends on nothing but the group: further groups leave it as it is.

    Args:
        clusters: Sums per group and cluster.
        seed: The same seed gives the same interval.
        proportion: Whether the figure is a share between 0 and 1. A share of exactly 0 or 1 has the same value
            in every draw, which would make its interval a point; it gets the exact bound for that many
            clusters instead, all of which agreed (Clopper and Pearson 1934).
        draws: Bootstrap draws.

    Returns:
        One estimate per group, in the order of ``clusters.groups``.
    """
    found: dict[int, Estimate] = {}
    sizes = np.count_nonzero(clusters.counts, axis=1)
    for n_clusters in np.unique(sizes).tolist():
        # The draws depend on the number of clusters alone, so groups of one size share them.
        rows = np.flatnonzero(sizes == n_clusters).tolist()
        packed = _packed(clusters, rows)
        figures = ratio_draws(packed, seed=seed, draws=draws) if n_clusters >= FEW else None
        for column, row in enumerate(rows):
            ratio, totals, counts = float(packed.ratios[column]), packed.totals[column], packed.counts[column]
            drawn = None if figures is None else figures[:, column]
            interval = _interval(ratio, totals, counts, drawn, proportion=proportion)
            one = Estimate.of(ratio, interval, counts.sum(), clusters=n_clusters)
            found[row] = replace(one, value=None) if np.isnan(ratio) else one
    return tuple(found[row] for row in range(len(clusters.groups)))


def macro_estimate(
    clusters: Clusters, *, seed: int = 0, proportion: bool = True, draws: int = DRAWS
) -> Estimate:
    """The mean of the groups' figures: every group counts the same, however many items it has.

    A template is drawn for all groups at once, since groups that answer the same templates vary together.
    Groups without any item are left out; draws in which another group has none are left out as well. A share of
    exactly 0 or 1 gets the same bound as in `estimates`, for the templates of all groups.
    """
    present = clusters.present
    if not present.groups:
        return Estimate(None, None, None, 0.0)
    mean, n_clusters = float(present.ratios.mean()), present.n_clusters
    # A cluster's part of the mean over groups, and what it could be at most.
    sizes = present.counts.sum(axis=1, keepdims=True)
    parts, most = ((sums / sizes).mean(axis=0) for sums in (present.totals, present.counts))
    drawn = ratio_draws(present, seed=seed, draws=draws).mean(axis=1) if n_clusters >= FEW else None
    interval = _interval(mean, parts, most, drawn, proportion=proportion)
    return Estimate.of(mean, interval, present.counts.sum(), clusters=n_clusters)


def gap_estimate(clusters: Clusters, *, seed: int = 0, draws: int = DRAWS) -> _Gap | None:
    """The highest minus the lowest figure of the groups, which chance alone makes larger than 0.

    The group that comes out best is partly the luckiest one, so the percentiles of best minus worst hold the
    true gap far too rarely, and never when there is none. Hence: the upper end is the percentile of the
    difference between the two groups that came out best and worst; the lower end is the same with the bias
    taken off that the draws show (their mean best minus worst, less the gap found); and it is 0 as long as
    equal groups would come out this far apart in more than ``1 - LEVEL`` of the cases. `docs/scores.md` says
    how often it holds.

    Returns:
        Null with fewer than two groups that have items; without an interval below `statistics.FEW` clusters.
    """
    present = clusters.present
    if len(present.groups) < 2:
        return None
    groups, ratios, n = present.groups, present.ratios, float(present.counts.sum())
    figures, n_clusters = ratio_draws(present, seed=seed, draws=draws), present.n_clusters
    # argmin over the reversed array finds the last of equally low figures; see `_Gap.worst`.
    best, worst = int(ratios.argmax()), len(ratios) - 1 - int(ratios[::-1].argmin())
    gap = float(ratios[best] - ratios[worst])
    figures = figures[~np.isnan(figures).any(axis=1)]
    interval = percentile_interval(figures[:, best] - figures[:, worst], n_clusters=n_clusters)
    if interval is None:
        return _Gap(groups[best], groups[worst], Estimate(gap, None, None, n))
    # Best minus worst of a draw, whichever groups these are: in the mean it exceeds the gap found by about
    # as much as the gap found exceeds the true one.
    bias = float(np.ptp(figures, axis=1).mean()) - gap
    # Draws centred on their own figures are what groups that are all equal would give.
    by_chance = float(np.quantile(np.ptp(figures - ratios, axis=1), LEVEL))
    low = interval[0] - max(bias, 0.0) if gap > by_chance else 0.0
    # A gap is never below 0, and the figure itself must lie in its interval.
    found = Estimate(gap, max(low, 0.0), max(interval[1], gap), n, n_clusters)
    return _Gap(groups[best], groups[worst], found)


def _packed(clusters: Clusters, rows: list[int]) -> Clusters:
    """Groups with as many clusters each, without the gaps between them."""
    held = np.array([np.flatnonzero(clusters.counts[row]) for row in rows])
    return Clusters(
        tuple(clusters.groups[row] for row in rows),
        np.take_along_axis(clusters.totals[rows], held, axis=1),
        np.take_along_axis(clusters.counts[rows], held, axis=1),
    )


def _interval(
    ratio: float, totals: FloatArray, counts: FloatArray, drawn: FloatArray | None, *, proportion: bool
) -> tuple[float, float] | None:
    """The interval of a ratio over clusters with these numerators and denominators.

    Args:
        ratio: The figure.
        totals: Numerator of every cluster.
        counts: Denominators.
        drawn: The figure in every draw; null below `FEW` clusters.
        proportion: As for `estimates`.
    """
    if len(totals) < 2:
        return None
    if proportion and ratio in (0.0, 1.0):
        return _agreeing(ratio, len(totals))
    if drawn is not None:
        return percentile_interval(drawn, n_clusters=len(totals))
    return _share_interval(totals, counts) if proportion else _student_interval(totals, counts)


def _agreeing(ratio: float, n_clusters: int) -> tuple[float, float]:
    # Clopper and Pearson where all n agree: the share p of which n agreeing clusters have probability p**n =
    # tail.
    bound = ((1 - LEVEL) / 2) ** (1 / n_clusters)
    return (bound, 1.0) if ratio else (0.0, 1 - bound)


# Halving 40 times leaves an error below 1e-12.
_HALVINGS = 40
# Pairs of terms of the continued fraction, evaluated from the last one inwards.
_TERMS = 25


def _share_interval(totals: FloatArray, counts: FloatArray) -> tuple[float, float]:
    """The interval of a share, Clopper and Pearson's, as if each cluster were one question.

    Nothing between 0 and 1 varies more than what is either 0 or 1, so what holds for that holds for any share.
    It is wide: few clusters say little.

    Args:
        totals: Numerator of every cluster, between 0 and its denominator.
        counts: Denominators, above 0. Unequal ones count as fewer clusters: the square of their sum over the
            sum of their squares (Kish 1965).

    References:
        Clopper and Pearson (1934), The Use of Confidence or Fiducial Limits Illustrated in the Case of the
        Binomial.
    """
    # Kish's effective number, mostly not whole; the beta distribution takes it as it is.
    n = float(counts.sum() ** 2 / (counts**2).sum())
    hits = n * float(totals.sum() / counts.sum())
    tail = (1 - LEVEL) / 2
    low = _beta_quantile(tail, hits, n - hits + 1) if hits > 0 else 0.0
    high = _beta_quantile(1 - tail, hits + 1, n - hits) if hits < n else 1.0
    return low, high


def _student_interval(totals: FloatArray, counts: FloatArray) -> tuple[float, float] | None:
    """The interval of a ratio without bounds, such as a difference: Student's t over the jackknife.

    Args:
        totals: Numerator of every cluster.
        counts: Denominators, above 0.

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
    reach = student_quantile(1 - (1 - LEVEL) / 2, n - 1) * error
    return ratio - reach, ratio + reach


def _beta_quantile(probability: float, a: float, b: float) -> float:
    """Quantile of the beta distribution, by halving; the base install has no library that knows it."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _beta_share(middle, a, b) < probability else (low, middle)
    return (low + high) / 2


def _beta_share(x: float, a: float, b: float) -> float:
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


def mean_of_runs(values: ArrayLike, questions: ArrayLike, groups: ArrayLike | None = None) -> Estimate:
    """The mean of answers to questions that were asked several times, between 0 and 1.

    Its interval is that in which further runs over the same questions would have their means: what the answers
    to one question vary by, divided by their number, is the variance that comes from drawing them.

    Args:
        values: One number per answer, shape ``(n_answers,)``.
        questions: What was asked several times, same shape. One that was answered once is taken to vary as the
            others do.
        groups: With these, the mean over groups of their means, every group counting the same.

    Returns:
        Without an interval where all answers to a question are alike: that makes no figure certain.

    References:
        Miller (2024), Adding Error Bars to Evals, sections 2.2 and 3.1, https://arxiv.org/abs/2411.00640.
    """
    numbers = np.asarray(values, dtype=np.float64)
    question = np.unique(np.asarray(questions), return_inverse=True)[1]
    group = np.zeros_like(question) if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
    size, freedom = np.bincount(question), np.bincount(question) - 1
    around = numbers - (np.bincount(question, weights=numbers) / size)[question]
    squares = np.bincount(question, weights=around**2).astype(np.float64)
    typical = squares.sum() / max(int(freedom.sum()), 1)
    noise = np.where(freedom > 0, divide(squares, freedom.astype(np.float64)), typical)[question]
    # Every answer's weight in the mean, so that the mean over groups is a weighted sum as well.
    n_of_group = np.bincount(group)
    weight = 1 / (n_of_group[group] * len(n_of_group))
    mean, variance = float((weight * numbers).sum()), float((weight**2 * noise).sum())
    if variance <= _ROUNDING:
        return Estimate(mean, None, None, float(len(numbers)))
    reach = student_quantile(1 - (1 - LEVEL) / 2, int(freedom.sum())) * math.sqrt(variance)
    return Estimate(mean, max(mean - reach, 0.0), min(mean + reach, 1.0), float(len(numbers)))


_ROUNDING = 1e-18
"""Variance that is none."""


# Two models on the same items.

_PERMUTATIONS = 10_000
"""Exchanges behind a p-value; the smallest possible one is 1 / (PERMUTATIONS + 1)."""


@dataclass(frozen=True, slots=True)
class PairedTest:
    """A difference between two models, its interval, and how easily chance makes one as large."""

    estimate: Estimate
    """The difference, of what `paired_tests` was given."""
    p_value: float
    """Share of exchanges that give a difference at least as large, either way."""


def paired_tests(
    differences: Clusters, *, seed: int = 0, permutations: int = _PERMUTATIONS
) -> tuple[PairedTest, ...]:
    """Whether two models differ, per group.

    The interval is the bootstrap over clusters of the difference. The test exchanges the two models' answers,
    always those of a whole cluster: if the models are equally good, that changes nothing that can be
    expected, so the difference found is one of many equally likely ones.

    Args:
        differences: Per item the second model's value minus the first one's, added up by
            `blend.eval.statistics.cluster_sums`.
        seed: The same seed gives the same figures.
        permutations: Random exchanges of clusters.

    Returns:
        One comparison per group, in the order of ``differences.groups``; p-values as they are, for `holm`.

    References:
        Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 13 and 15; Phipson and Smyth
        (2010), Permutation P-values Should Never Be Zero.
    """
    found = estimates(differences, seed=seed, proportion=False)
    p_values = _sign_test(differences.totals, seed, permutations)
    return tuple(map(PairedTest, found, p_values.tolist()))


def macro_test(differences: Clusters, *, seed: int = 0, permutations: int = _PERMUTATIONS) -> PairedTest:
    """Whether two models differ in the mean over groups, every group counting the same.

    Args:
        differences: As for `paired_tests`; groups without items are left out.
        seed: The same seed gives the same figures.
        permutations: Random exchanges of clusters, each in all groups at once.
    """
    present = differences.present
    # What each cluster adds to the mean over groups, shape ``(1, n_clusters)``: a sign turns it in all of them.
    shares = (present.totals / present.counts.sum(axis=1, keepdims=True)).mean(axis=0, keepdims=True)
    return PairedTest(
        macro_estimate(differences, seed=seed, proportion=False),
        float(_sign_test(shares, seed, permutations)[0]),
    )


def holm(p_values: ArrayLike) -> FloatArray:
    """P-values corrected for being several: all below 0.05 hold together, with a chance of 5 % for any error.

    Args:
        p_values: Shape ``(n,)``, in any order.

    Returns:
        Corrected p-values in the same order; equal ones stay equal.

    References:
        Holm (1979), A Simple Sequentially Rejective Multiple Test Procedure.
    """
    given = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(given, kind="stable")
    # The smallest of n p-values is multiplied by n, the next by n - 1; none may fall below the one before it.
    factors = np.arange(len(given), 0, -1)
    corrected = np.minimum(np.maximum.accumulate(given[order] * factors), 1.0)
    # Of equal p-values the one that sorts first gets the largest factor, and the maximum hands it on.
    result = np.empty_like(given)
    result[order] = corrected
    return result


def _sign_test(totals: FloatArray, seed: int, permutations: int) -> FloatArray:
    """Two-sided p-value per row: how often random signs of the columns give a sum at least as far from 0."""
    rng = np.random.default_rng(seed)
    # Clusters in which the models do not differ stay 0 whatever their sign; without them fewer signs are drawn.
    active = totals[:, np.flatnonzero(np.any(totals != 0, axis=0))]
    # Sums of the same numbers in another order differ in the last digits, and ties must count as such.
    reached = np.abs(active.sum(axis=1)) - 1e-9 * np.abs(active).sum(axis=1)
    # From 1: what was found counts as one of the exchanges, so no p-value is 0 (Phipson and Smyth).
    as_far = np.ones(len(totals), dtype=np.int64)
    # Rows of signs held at a time; both they and their sums, one per group, stay within `BLOCK` numbers.
    height = max(1, BLOCK // max(1, *active.shape))
    for start in range(0, permutations, height):
        n_rows = min(height, permutations - start)
        # Exchanging the models of a cluster turns the sign of its difference; 0 and 1 become -1 and 1.
        signs = 2.0 * rng.integers(2, size=(n_rows, active.shape[1]), dtype=np.int8) - 1.0
        as_far += (np.abs(signs @ active.T) >= reached).sum(axis=0)
    p_values: FloatArray = as_far / (permutations + 1)
    return p_values
