"""Measuring: how often a solver is right, and how sure that is."""

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from blend.builders.audit.question_arrays import FloatArray, IntArray, QuestionArrays

MEASURED = pl.Schema(
    {
        "questions": pl.Int64(),
        "templates": pl.Int64(),
        "accuracy": pl.Float64(),
        "low": pl.Float64(),
        "high": pl.Float64(),
        "chance": pl.Float64(),
        "overall": pl.Float64(),
        "by_pair": pl.Float64(),
    }
)
"""How a solver fares: ``questions`` and ``templates`` in which it has an opinion (counts), ``accuracy`` there,
with a 95 % interval over templates (``low``, ``high``; null with fewer than two templates), what guessing
reaches there (``chance``), the share of all questions that it gets right if it guesses where it has no opinion
(``overall``), and the same where every pair of template and group counts once, however many variants it has
(``by_pair``). All are fractions, null where there is no question."""

_Z = 1.959963984540054
"""Quantile of the normal distribution for 95 %."""


class Outcome(NamedTuple):
    """Choices of a solver, question by question."""

    opinion: NDArray[np.bool_]
    """Whether it has one: whether its scores tell options of the question apart."""
    credit: FloatArray
    """Share of the options it likes best that is right: 1 or 0 without a tie, and 0 without an opinion."""


def outcome_of(asked: QuestionArrays, scores: FloatArray) -> Outcome:
    """Choose by a solver's scores, shape ``(n_options,)``, and compare with the correct options.

    A tie counts as a guess among the best.
    """
    best = np.maximum.reduceat(scores, asked.starts)
    # NaN is larger than nothing, so a rule that does not apply has no opinion.
    opinion = best > np.minimum.reduceat(scores, asked.starts)
    liked = scores == best[asked.owner]
    n_liked = np.add.reduceat(liked.astype(np.int64), asked.starts)
    credit = np.where(opinion & liked[asked.correct], 1 / np.maximum(n_liked, 1), 0.0)
    return Outcome(opinion, credit)


def measured(
    asked: QuestionArrays, outcomes: Mapping[str, Outcome], part: IntArray, names: tuple[str, ...]
) -> pl.DataFrame:
    """Measure the outcomes of solvers, for every part of the questions.

    Args:
        asked: The questions.
        outcomes: What the solvers did, by name.
        part: The part of every question, an index into ``names``.
        names: What to call the parts.

    Returns:
        ``solver``, ``part`` and `MEASURED`, one row per solver and part, in order.
    """
    # Part after part, so that each is a slice.
    order = np.argsort(part, kind="stable")
    part, guessed, n_parts = part[order], 1 / asked.sizes[order], len(names)
    cluster, part_of_cluster = _within(part, asked.template[order])
    pair, part_of_pair = _within(part, asked.pair[order])
    figures = np.zeros((len(MEASURED), len(outcomes), n_parts))
    for column, outcome in enumerate(outcomes.values()):
        opinion, credit = outcome.opinion[order], outcome.credit[order]
        chosen, overall = part[opinion], np.where(opinion, credit, guessed)
        accuracy = _means(chosen, credit[opinion], n_parts)
        apart = credit[opinion] - accuracy[chosen]
        low, high, templates = _intervals(apart, cluster[opinion], part_of_cluster, accuracy)
        figures[:, column] = (
            np.bincount(chosen, minlength=n_parts),
            templates,
            accuracy,
            low,
            high,
            _means(chosen, guessed[opinion], n_parts),
            _means(part, overall, n_parts),
            _means(part_of_pair, np.bincount(pair, overall) / np.bincount(pair), n_parts),
        )
    rows = [(solver, name) for solver in outcomes for name in names]
    labels = pl.DataFrame(rows, {"solver": pl.String(), "part": pl.String()}, orient="row")
    columns = dict(zip(MEASURED, figures.reshape(len(MEASURED), -1), strict=True))
    return labels.with_columns(pl.DataFrame(columns, nan_to_null=True).cast(MEASURED))


def _intervals(
    apart: FloatArray, cluster: IntArray, part_of_cluster: IntArray, accuracy: FloatArray
) -> tuple[FloatArray, FloatArray, IntArray]:
    """A 95 % interval for the mean of every part over its clusters, and how many of them there are.

    Wilson's interval with an effective number of questions: so many independent ones would be as uncertain as
    these are, whose templates vary together. It comes from the linearised variance of a ratio between clusters;
    where all templates agree, every template counts as one question. Few templates widen it
    as Student's t does.

    Args:
        apart: Credit less the accuracy of the part, by question.
        cluster: Code of every question's cluster, same shape.
        part_of_cluster: The part of every cluster; those without a question do not count.
        accuracy: The accuracy in every part.

    Returns:
        Lower and upper ends, NaN with fewer than two clusters, and numbers of clusters.

    References:
        Wilson (1927); Cochran (1977), Sampling techniques, section 9A.
    """
    sizes = np.bincount(cluster, minlength=len(part_of_cluster))
    n_clusters = np.bincount(part_of_cluster[sizes > 0], minlength=len(accuracy))
    k, p = np.where(n_clusters < 2, np.nan, n_clusters), accuracy
    n = np.bincount(part_of_cluster, sizes, len(p))
    spread = np.bincount(cluster, apart, len(part_of_cluster))
    variance = k / (k - 1) * np.bincount(part_of_cluster, spread**2, len(p)) / np.maximum(n, 1) ** 2
    size = np.divide(p * (1 - p), variance, out=k.copy(), where=variance > 1e-15)
    t = _student(k - 1)
    centre = (p + t**2 / (2 * size)) / (1 + t**2 / size)
    half = t / (1 + t**2 / size) * np.sqrt(p * (1 - p) / size + t**2 / (4 * size**2))
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0), n_clusters


def _student(degrees: FloatArray) -> FloatArray:
    """The 97.5 % quantile of Student's t, from the normal one (Abramowitz and Stegun 1964, 26.7.5).

    Within 3 % from two degrees of freedom on; with one it is 9.7 instead of 12.7.
    """
    z, v = _Z, degrees
    return (
        z
        + (z**3 + z) / (4 * v)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
    )


def _within(part: IntArray, code: IntArray) -> tuple[IntArray, IntArray]:
    """Codes of what has one code in one part, part after part, and the part of each."""
    n_codes = int(code.max()) + 1
    found, within = np.unique(part * n_codes + code, return_inverse=True)
    return within, found // n_codes


def _means(part: IntArray, numbers: FloatArray, n_parts: int) -> FloatArray:
    """The mean of every part, NaN of an empty one; parts are ascending."""
    counts = np.bincount(part, minlength=n_parts)
    # Each on its own: of a running sum more digits are rounded off, and a printed one may be.
    sums = [numbers[start:end].sum() for start, end in pairwise([0, *np.cumsum(counts).tolist()])]
    means: FloatArray = np.divide(sums, counts, out=np.full(n_parts, np.nan), where=counts > 0)
    return means
