"""Ranks: the places that the differences allow, instead of an order that the next draw would turn over."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blend.eval.statistics.clusters import FloatArray
from blend.eval.statistics.resampling import LEVEL


@dataclass(frozen=True, slots=True)
class Rank:
    """A place among several, 1 the best."""

    place: int
    """By the figure alone; equal figures share the better place."""
    best: int
    """The best place that is possible."""
    worst: int
    """The worst place that is possible."""


def rank_intervals(figures: FloatArray, draws: FloatArray, *, level: float = LEVEL) -> tuple[Rank, ...]:
    """The places that each of several could truly have, all of them at once with the given certainty.

    All pairs are compared at one threshold: the quantile of the largest studentised difference of any pair in
    the draws. Whoever is certainly behind k others has at best place k + 1. Percentiles of the place in the
    draws would be shorter, and wrong where several are about equal.

    Args:
        figures: One figure each, higher is better, shape ``(n,)``.
        draws: The figures in joint bootstrap draws, shape ``(n_draws, n)``; draws with NaN are left out.
        level: Certainty that all intervals hold.

    References:
        Mogstad, Romano, Shaikh and Wilhelm (2024), Inference for Ranks with Applications to Mobility across
        Neighbourhoods and Academic Achievement across Countries, Review of Economic Studies 91.
    """
    # Joint draws: a draw in which one figure is unknown says nothing of its differences from the others.
    known = draws[~np.isnan(draws).any(axis=1)]
    behind: NDArray[np.bool_] = np.zeros((len(figures), len(figures)), dtype=bool)
    if len(known):
        errors, threshold = _pairs(known - figures, level)
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


def _pairs(deviations: FloatArray, level: float) -> tuple[FloatArray, float]:
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
    return errors, float(np.quantile(largest, level))
