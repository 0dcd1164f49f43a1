"""Paired comparison: two models on the same items, and places. Nothing is called better without it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from blend.eval.statistics import BLOCK, LEVEL, Clusters, FloatArray
from blend.eval.statistics.estimates import Estimate, estimates, macro_estimate

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


@dataclass(frozen=True, slots=True)
class Rank:
    """A place among several, 1 the best."""

    place: int
    """By the figure alone; equal figures share the better place."""
    best: int
    """The best place that is possible."""
    worst: int
    """The worst place that is possible."""

    @property
    def possible(self) -> str:
        """All places that are possible, ``2`` or ``1–3``."""
        return f"{self.best}" if self.best == self.worst else f"{self.best}–{self.worst}"


def rank_intervals(figures: FloatArray, draws: FloatArray) -> tuple[Rank, ...]:
    """The places that each of several could truly have, all of them at once with the given certainty.

    All pairs are compared at one threshold: the quantile of the largest studentised difference of any pair in
    the draws. Whoever is certainly behind k others has at best place k + 1. Percentiles of the place in the
    draws would be shorter, and wrong where several are about equal.

    Args:
        figures: One figure each, higher is better, shape ``(n,)``.
        draws: The figures in joint bootstrap draws, shape ``(n_draws, n)``; draws with NaN are left out.

    References:
        Mogstad, Romano, Shaikh and Wilhelm (2024), Inference for Ranks with Applications to Mobility across
        Neighbourhoods and Academic Achievement across Countries, Review of Economic Studies 91.
    """
    # Joint draws: a draw in which one figure is unknown says nothing of its differences from the others.
    known = draws[~np.isnan(draws).any(axis=1)]
    behind: NDArray[np.bool_] = np.zeros((len(figures), len(figures)), dtype=bool)
    if len(known):
        errors, threshold = _pairs(known - figures)
        # ``behind[i, j]``: i is certainly behind j. So a row counts who is above, a column who is below.
        behind = figures[np.newaxis, :] - figures[:, np.newaxis] > np.maximum(threshold * errors, 1e-12)
    return tuple(
        Rank(
            place=1 + int((figures > figure + 1e-12).sum()),
            best=1 + int(behind[row].sum()),
            worst=len(figures) - int(behind[:, row].sum()),
        )
        for row, figure in enumerate(figures)
    )


def _pairs(deviations: FloatArray) -> tuple[FloatArray, float]:
    """Standard errors of all differences, shape ``(n, n)``, and the threshold for the largest of them."""
    n = deviations.shape[1]
    errors = np.zeros((n, n))
    largest = np.zeros(len(deviations))
    # One figure against all others at a time: the draws of all pairs at once would not fit for 195 countries.
    for row in range(n):
        apart = deviations - deviations[:, [row]]
        errors[row] = apart.std(axis=0)
        varying = errors[row] > 1e-12
        if varying.any():
            largest = np.maximum(largest, (np.abs(apart[:, varying]) / errors[row, varying]).max(axis=1))
    return errors, float(np.quantile(largest, LEVEL))
