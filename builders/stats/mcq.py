"""Statistics of multiple-choice questions: how many, where the right answer stands, who gives distractors."""

from dataclasses import dataclass

import polars as pl

from blend.builders.stats.measures import in_order
from blend.schemas.language.locales import Registry, registry
from blend.schemas.rows.published_rows import LETTERS


@dataclass(frozen=True, slots=True)
class McqStats:
    """Figures of multiple-choice questions, one frame each; locales are in registry order."""

    counts: pl.DataFrame
    """One row per locale and topic that have any: ``locale``, ``topic``, ``templates`` (count of templates with
    a multiple-choice question), ``mcqs`` (count)."""
    positions: pl.DataFrame
    """One row per locale and letter: ``locale``, ``letter`` (of the right option), ``mcqs`` (count), ``share``
    of the locale's multiple-choice questions (fraction)."""
    distractors: pl.DataFrame
    """One row per locale asked about and region that gives it distractors: ``locale``, ``region`` (code),
    ``options`` (count of distractors), ``share`` of the locale's distractors (fraction)."""


def mcq_stats(mcqs: pl.DataFrame | pl.LazyFrame, *, locales: Registry | None = None) -> McqStats:
    """Count multiple-choice questions, places of the right answer, and origins of distractors.

    Args:
        mcqs: `MCQ_ROWS`; of a lazy frame, only the columns needed are read, in streams.
        locales: Registry that knows the locales and orders them; the packaged one when absent.

    Returns:
        The figures. ``counts`` is ordered by locale and topic, ``positions`` by locale and letter, with a row
        for every letter, and ``distractors`` by locale, most options first, then region. A locale without
        multiple-choice questions has no rows.

    Raises:
        UnknownNameError: If the registry lacks a locale.
    """
    known = registry() if locales is None else locales
    rows = mcqs.lazy().select("locale", "topic", "template_id", "answer", "option_regions")
    counts, positions, distractors = pl.collect_all(
        [_counts(rows), _positions(rows), _distractors(rows)], engine="streaming"
    )
    order = in_order("locale", sorted(counts["locale"].unique(), key=known.rank))
    return McqStats(
        counts=counts.sort(order, "topic"),
        positions=positions.sort(order, "letter"),
        distractors=distractors.sort(order, pl.col("options"), "region", descending=[False, True, False]),
    )


def _counts(rows: pl.LazyFrame) -> pl.LazyFrame:
    return rows.group_by("locale", "topic").agg(
        templates=pl.col("template_id").n_unique().cast(pl.Int64), mcqs=pl.len().cast(pl.Int64)
    )


def _positions(rows: pl.LazyFrame) -> pl.LazyFrame:
    letters = pl.LazyFrame({"letter": list(LETTERS), "answer": list(range(len(LETTERS)))})
    found = rows.group_by("locale", "answer").agg(mcqs=pl.len().cast(pl.Int64))
    return (
        found.select("locale")
        .unique()
        .join(letters, how="cross")
        .join(found, on=["locale", "answer"], how="left")
        .select("locale", "letter", pl.col("mcqs").fill_null(0))
        .with_columns(share=pl.col("mcqs") / pl.col("mcqs").sum().over("locale"))
    )


def _distractors(rows: pl.LazyFrame) -> pl.LazyFrame:
    correct = pl.col("option_regions").list.get(pl.col("answer"))
    # Regions of one question are distinct, so taking out the right one by name takes out one option.
    wrong = rows.select("locale", "option_regions", correct=correct).explode("option_regions")
    return (
        wrong.filter(pl.col("option_regions") != pl.col("correct"))
        .group_by("locale", region="option_regions")
        .agg(options=pl.len().cast(pl.Int64))
        .with_columns(share=pl.col("options") / pl.col("options").sum().over("locale"))
    )
