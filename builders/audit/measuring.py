"""Measuring: how often a solver is right, how sure that is, and where it shows best."""

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

EXAMPLES = pl.Schema(
    {
        "baseline": pl.String(),
        "group": pl.String(),
        "question": pl.String(),
        "options": pl.List(pl.String()),
        "answer": pl.String(),
    }
)
"""Questions that a solver gets right by the widest margin, the widest first."""

_Z = 1.959963984540054
"""Quantile of the normal distribution for 95 %."""


class Outcome(NamedTuple):
    """Choices of a solver, question by question."""

    opinion: NDArray[np.bool_]
    """Whether it has one: whether its scores tell options of the question apart."""
    credit: FloatArray
    """Share of the options it likes best that is right: 1 or 0 without a tie, and 0 without an opinion."""
    margin: FloatArray
    """Best score less second best; 0 on a tie."""


def outcome_of(asked: QuestionArrays, scores: FloatArray) -> Outcome:
    """Choose by a solver's scores, shape ``(n_options,)``, and compare with the correct options.

    A tie counts as a guess among the best.
    """
    # Question by question (the last key sorts first), in each the best score first: it stands where the
    # question starts.
    ordered = scores[np.lexsort((-scores, asked.owner))]
    best, second = ordered[asked.starts], ordered[asked.starts + 1]
    # NaN is larger than nothing, so a rule that does not apply has no opinion.
    opinion = np.maximum.reduceat(scores, asked.starts) > np.minimum.reduceat(scores, asked.starts)
    liked = scores == best[asked.owner]
    n_liked = np.add.reduceat(liked.astype(np.int64), asked.starts)
    credit = np.where(opinion & liked[asked.correct], 1 / np.maximum(n_liked, 1), 0.0)
    return Outcome(opinion, credit, np.where(opinion, best - second, 0.0))


def measured(
    asked: QuestionArrays, outcome: Outcome, by: IntArray | None = None, names: tuple[str, ...] = ("all",)
) -> pl.DataFrame:
    """Measure a solver's outcome, for every part of the questions.

    Args:
        asked: The questions.
        outcome: What the solver did.
        by: The part of every question, an index into ``names``; without it all are one part.
        names: What to call the parts.

    Returns:
        ``part`` and `MEASURED`, one row per name, in order.
    """
    part = np.zeros(len(asked.starts), dtype=np.int64) if by is None else by
    guessed = 1 / asked.sizes
    rows = []
    for index, name in enumerate(names):
        inside = part == index
        chosen = inside & outcome.opinion
        credit = np.where(outcome.opinion, outcome.credit, guessed)[inside]
        low, high, templates = _interval(outcome.credit[chosen], asked.template[chosen])
        rows.append(
            {
                "part": name,
                "questions": int(chosen.sum()),
                "templates": templates,
                "accuracy": _mean(outcome.credit[chosen]),
                "low": low,
                "high": high,
                "chance": _mean(guessed[chosen]),
                "overall": _mean(credit),
                "by_pair": _mean(_means(asked.pair[inside], credit)),
            }
        )
    return pl.DataFrame(rows, schema=pl.Schema({"part": pl.String(), **MEASURED}))


def examples_of(asked: QuestionArrays, outcome: Outcome, name: str, n: int) -> pl.DataFrame:
    """The most telling examples of a solver: right ones by the widest margin, of different templates.

    Returns:
        `EXAMPLES`, at most ``n`` rows; equal margins in the order of the questions.
    """
    solved = np.flatnonzero(outcome.opinion & (outcome.credit == 1))
    ranked = solved[np.argsort(-outcome.margin[solved], kind="stable")]
    _, first = np.unique(asked.template[ranked], return_index=True)
    chosen = asked.questions[ranked[np.sort(first)[:n]]]
    return chosen.select(
        pl.lit(name).alias("baseline"),
        "group",
        "question",
        "options",
        answer=pl.col("options").list.get(pl.col("answer")),
    ).cast(EXAMPLES)


def _interval(credit: FloatArray, template: IntArray) -> tuple[float | None, float | None, int]:
    """A 95 % interval for the mean over clusters, and how many clusters there are.

    Wilson's interval with an effective number of questions: so many independent ones would be as uncertain as
    these are, whose templates vary together. It comes from the linearised variance of a ratio between clusters;
    where all templates agree, every template counts as one question. Few templates widen it
    as Student's t does.

    References:
        Wilson (1927); Cochran (1977), Sampling techniques, section 9A.
    """
    clusters, location = np.unique(template, return_inverse=True)
    k, n = len(clusters), len(credit)
    if k < 2:
        return None, None, k
    p = float(credit.mean())
    spread = np.bincount(location, credit - p, k)
    variance = k / (k - 1) * float((spread**2).sum()) / n**2
    size = p * (1 - p) / variance if variance > 1e-15 else float(k)
    t = _student(k - 1)
    centre = (p + t**2 / (2 * size)) / (1 + t**2 / size)
    half = t / (1 + t**2 / size) * np.sqrt(p * (1 - p) / size + t**2 / (4 * size**2))
    return max(float(centre - half), 0.0), min(float(centre + half), 1.0), k


def _student(degrees: int) -> float:
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


def _means(part: IntArray, numbers: FloatArray) -> FloatArray:
    """The mean of every part, in ascending order of its code."""
    parts, sizes = np.unique(part, return_inverse=True, return_counts=True)[1:]
    means: FloatArray = np.bincount(parts, numbers, len(sizes)) / sizes
    return means


def _mean(numbers: FloatArray) -> float | None:
    return float(numbers.mean()) if len(numbers) else None
