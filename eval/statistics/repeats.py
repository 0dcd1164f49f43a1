"""Repeats: how much of a score's uncertainty comes from drawing answers, and how much from the questions."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from blend.eval.statistics.clusters import LEVEL, cluster_sums, divide, student_quantile
from blend.eval.statistics.estimates import Estimate


@dataclass(frozen=True, slots=True)
class RepeatedScore:
    """A mean over repeated answers, and what its variance is made of."""

    between_runs: Estimate
    """The mean, and the interval that further runs over the same questions would move in; without one where
    `repeats_error` is null."""
    items_error: float | None
    """Standard error from the questions being some of many; null with one cluster, or where clusters vary by no
    more than the repeats do."""
    repeats_error: float | None
    """Standard error from the answers being drawn; null where all answers to a question are alike."""


def repeated_score(
    values: ArrayLike,
    questions: ArrayLike,
    clusters: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    level: float = LEVEL,
) -> RepeatedScore:
    """The mean of answers to questions that were asked several times, between 0 and 1.

    The variance of the mean is that of the clusters' sums, which holds both kinds; what the answers to one
    question vary by, divided by their number, is the part of the repeats, and the rest that of the questions.

    Args:
        values: One number per answer, shape ``(n_answers,)``.
        questions: What was asked several times, same shape. One that was answered once is taken to vary as the
            others do.
        clusters: The cluster of every answer; all answers to a question are of one.
        groups: With these, the mean over groups of their means, every group counting the same.
        level: Share of intervals that shall hold the mean over all runs.

    References:
        Miller (2024), Adding Error Bars to Evals, sections 2.2 and 3.1, https://arxiv.org/abs/2411.00640: the
        variance of a score is that of questions' means plus that of answers around them; Davison and Hinkley
        (1997), Bootstrap Methods and their Application, section 3.8: of data in two stages, drawing whole
        clusters repeats the variance of both stages; drawing within them again would count the second twice.
    """
    numbers = np.asarray(values, dtype=np.float64)
    question = np.unique(np.asarray(questions), return_inverse=True)[1]
    cluster = np.unique(np.asarray(clusters), return_inverse=True)[1]
    group = np.zeros_like(question) if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
    size, freedom = np.bincount(question), np.bincount(question) - 1
    around = numbers - (np.bincount(question, weights=numbers) / size)[question]
    squares = np.bincount(question, weights=around**2).astype(np.float64)
    typical = squares.sum() / max(int(freedom.sum()), 1)
    noise = np.where(freedom > 0, divide(squares, freedom.astype(np.float64)), typical)[question]
    # Every answer's weight in the mean, so that the mean over groups is a weighted sum as well.
    n_of_group = np.bincount(group)
    weight = 1 / (n_of_group[group] * len(n_of_group))
    repeats = float((weight**2 * noise).sum())
    deviation = weight * (numbers - (np.bincount(group, weights=numbers) / n_of_group)[group])
    of_clusters = cluster_sums(deviation, cluster).totals
    n_clusters = of_clusters.size
    mean = float((weight * numbers).sum())
    total = float((of_clusters**2).sum()) * n_clusters / (n_clusters - 1) if n_clusters > 1 else 0.0
    items_error, repeats_error = _root(total - repeats), _root(repeats)
    low, high = None, None
    if repeats_error is not None:
        reach = student_quantile(1 - (1 - level) / 2, int(freedom.sum())) * repeats_error
        low, high = max(mean - reach, 0.0), min(mean + reach, 1.0)
    return RepeatedScore(Estimate(mean, low, high, float(len(numbers))), items_error, repeats_error)


def _root(variance: float) -> float | None:
    """A standard error; null without a variance: one item is like itself, which makes no figure certain."""
    return math.sqrt(variance) if variance > _ROUNDING else None


_ROUNDING = 1e-18
