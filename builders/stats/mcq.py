"""Statistics of multiple-choice questions: how many, and what they tell apart."""

from dataclasses import dataclass

import polars as pl

from blend.builders.stats.measures import in_order
from blend.schemas.locales import Registry, registry

DISAGREEMENT = 0.35
"""Share of questions that exactly one of two models is taken to get right, see `power`.

It and `CORRELATION` are medians over the 15 pairs of six baselines of the audit on BLEnD's 16 regions.
"""
CORRELATION = 0.65
"""Intra-cluster correlation that the two models' difference is taken to have among variants of a template."""
CLOSE = 0.05
"""Difference in accuracy for which `McqStats.power` says how many templates it takes."""
_ACCURACY_CORRELATION = 0.85
"""Intra-cluster correlation that being right is taken to have among variants of a template, see `half_width`;
about the median over the same baselines."""
# Quantiles of the normal distribution for two sides of 5 %, and with it for 80 % power.
_Z_95 = 1.959963984540054
_Z = _Z_95 + 0.8416212335729143


@dataclass(frozen=True, slots=True)
class McqStats:
    """Figures of multiple-choice questions, one frame each; locales are in registry order."""

    counts: pl.DataFrame
    """One row per locale and topic that have any: ``locale``, ``topic``, ``templates`` (count of templates with
    a multiple-choice question), ``mcqs`` (count)."""
    power: pl.DataFrame
    """One row per locale, see `power`: ``locale``, ``templates``, ``mcqs`` (counts), ``difference`` (fraction),
    ``templates_needed`` (count)."""


def mcq_stats(mcqs: pl.DataFrame | pl.LazyFrame, *, locales: Registry | None = None) -> McqStats:
    """Count multiple-choice questions, and say what they tell apart.

    Args:
        mcqs: ``locale``, ``topic`` and ``template_id`` of `MCQ_ROWS`.
        locales: Registry that knows the locales and orders them; the packaged one when absent.

    Returns:
        The figures, ordered by locale and topic. A locale without multiple-choice questions has no rows.

    Raises:
        UnknownNameError: If the registry lacks a locale.
    """
    known = registry() if locales is None else locales
    rows = mcqs.lazy().select("locale", "topic", "template_id")
    by_topic = rows.group_by("locale", "topic").agg(
        templates=pl.col("template_id").n_unique().cast(pl.Int64), mcqs=pl.len().cast(pl.Int64)
    )
    counts, told_apart = pl.collect_all([by_topic, power(rows)], engine="streaming")
    order = in_order("locale", sorted(counts["locale"].unique(), key=known.rank))
    return McqStats(counts=counts.sort(order, "topic"), power=told_apart.sort(order))


def power(mcqs: pl.LazyFrame) -> pl.LazyFrame:
    """Compute the smallest difference in accuracy that two models must have to be told apart, by locale.

    Both answer the same questions. A paired test at 5 % on two sides finds a difference ``d`` with 80 % power
    if ``d = (1.960 + 0.842) * sqrt(v * deff / n)``. The variance ``v`` of a question's difference (1, 0 or -1)
    is at most the share of questions that exactly one model gets right: `DISAGREEMENT` or, where ``d`` is
    larger, ``d`` itself. Variants of a template rise and fall together: ``deff = 1 + (m - 1) * CORRELATION``
    questions say as much as one, where ``m`` is the mean size of the template of a question.

    Args:
        mcqs: ``locale`` and ``template_id`` of `MCQ_ROWS`.

    Returns:
        `McqStats.power`, in no order: counts, ``difference`` (null if it would be above 1) and
        ``templates_needed``, templates with as many variants each that bring it down to `CLOSE`.

    References:
        Connor (1987), Sample size for testing differences in proportions for the paired-sample design; Kish
        (1965), Survey sampling, for the design effect with clusters of unequal size; Miller (2024), Adding
        error bars to evals, https://arxiv.org/abs/2411.00640, section 5.
    """
    sizes = mcqs.group_by("locale", "template_id").agg(size=pl.len().cast(pl.Int64))
    by_locale = sizes.group_by("locale").agg(
        templates=pl.len().cast(pl.Int64),
        mcqs=pl.col("size").sum(),
        size=(pl.col("size") ** 2).sum() / pl.col("size").sum(),
    )
    return by_locale.select(
        "locale",
        "templates",
        "mcqs",
        difference=smallest_difference(pl.col("mcqs"), pl.col("size")),
        templates_needed=(mcqs_needed(pl.col("size"), CLOSE) * pl.col("templates") / pl.col("mcqs"))
        .ceil()
        .cast(pl.Int64),
    )


def smallest_difference(mcqs: pl.Expr, size: pl.Expr) -> pl.Expr:
    """Compute the difference of `power`, a fraction: null if it would be above 1.

    Args:
        mcqs: How many questions there are.
        size: Mean size of the template of a question, the sum of squared sizes by the sum of sizes.
    """
    ratio = _Z**2 * _design_effect(size, CORRELATION) / mcqs
    # The larger one holds: the second is the solution where all of the disagreement is the difference.
    difference = pl.max_horizontal((DISAGREEMENT * ratio).sqrt(), ratio)
    return pl.when(difference <= 1).then(difference)


def mcqs_needed(size: pl.Expr, difference: float) -> pl.Expr:
    """Compute how many questions bring the difference of `power` down to a fraction; not a whole number."""
    variance = max(DISAGREEMENT, difference)
    return variance * _Z**2 * _design_effect(size, CORRELATION) / difference**2


def half_width(mcqs: pl.Expr, size: pl.Expr) -> pl.Expr:
    """Compute half the width of the 95 % interval of the accuracy of a model that gets half of them right.

    Args:
        mcqs: How many questions there are.
        size: As in `smallest_difference`.

    Returns:
        A fraction, null if above 0.5.
    """
    half = _Z_95 * (0.25 * _design_effect(size, _ACCURACY_CORRELATION) / mcqs).sqrt()
    return pl.when(half <= 0.5).then(half)


def _design_effect(size: pl.Expr, correlation: float) -> pl.Expr:
    return 1 + (size - 1) * correlation
