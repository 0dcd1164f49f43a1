"""What tells two models apart, and planning: what so many templates and annotators bring, cost and tell apart.

What is expected of a collection comes from regions where people have answered: those of BLEnD.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from blend.schemas.errors import InputError, UnknownNameError
from blend.schemas.summaries import Summarised, Table

DISAGREEMENT = 0.35
"""Share of questions that exactly one of two models is taken to get right, see `power`.

It and `CORRELATION` are medians over the 15 pairs of six baselines of the audit on BLEnD's 16 regions.
"""
CORRELATION = 0.65
"""Intra-cluster correlation that the two models' difference is taken to have among variants of a template."""
CLOSE = 0.05
"""Difference in accuracy for which `power` says how many templates it takes."""
# Quantiles of the normal distribution for two sides of 5 %, and with it for 80 % power.
_Z = 1.959963984540054 + 0.8416212335729143


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
        One row per locale, in no order: ``locale``, ``templates``, ``mcqs`` (counts), ``difference`` (a
        fraction; null if it would be above 1) and ``templates_needed``, templates with as many variants each
        that bring it down to `CLOSE`.

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
        difference=_smallest_difference(pl.col("mcqs"), pl.col("size")),
        templates_needed=(_mcqs_needed(pl.col("size"), CLOSE) * pl.col("templates") / pl.col("mcqs"))
        .ceil()
        .cast(pl.Int64),
    )


def _smallest_difference(mcqs: pl.Expr, size: pl.Expr) -> pl.Expr:
    """Compute the difference of `power`, a fraction: null if it would be above 1.

    Args:
        mcqs: How many questions there are.
        size: Mean size of the template of a question, the sum of squared sizes by the sum of sizes.
    """
    ratio = _Z**2 * _design_effect(size) / mcqs
    # The larger one holds: the second is the solution where all of the disagreement is the difference.
    difference = pl.max_horizontal((DISAGREEMENT * ratio).sqrt(), ratio)
    return pl.when(difference <= 1).then(difference)


def _mcqs_needed(size: pl.Expr, difference: float) -> pl.Expr:
    """Compute how many questions bring the difference of `power` down to a fraction; not a whole number."""
    variance = max(DISAGREEMENT, difference)
    return variance * _Z**2 * _design_effect(size) / difference**2


def _design_effect(size: pl.Expr) -> pl.Expr:
    return 1 + (size - 1) * CORRELATION


# A collection that is planned.

FEWEST_ANNOTATORS, MOST_ANNOTATORS = 2, 9
"""Annotators per question that are planned with: the published votes tell little of more."""
_MOST_TEMPLATES = 100_000
ALL = "all"
"""Locale of the mean over all regions."""

REGION_FIGURES = pl.Schema(
    {
        "locale": pl.String(),
        "annotators": pl.Int64(),
        "short_answers": pl.Float64(),
        "majority": pl.Float64(),
        "offered": pl.Float64(),
        "mcqs": pl.Float64(),
        "size": pl.Float64(),
    }
)
"""One row per locale and number of annotators: expected shares of the questions that short-answer scoring
does not skip, and that default mode asks about as far as votes decide (fractions); and what became of the
latter: the share ``offered`` that gave multiple-choice questions (others are short of distractors, or their
answer is no option), how many ``mcqs`` each of them gave, and the mean ``size`` of the template of such a
question (see `power`)."""


@dataclass(frozen=True, slots=True, repr=False)
class CollectionPlan(Summarised):
    """What collecting brings."""

    designs: pl.DataFrame
    """One row per locale, number of ``annotators`` and of ``templates``, in this order: ``answers`` to collect
    (count) and their ``cost`` (null without a price), the expected counts ``short_answers`` (questions that
    short-answer scoring keeps), ``pairs`` (templates with multiple-choice questions) and ``mcqs``,
    the smallest ``difference`` that two models can be told apart by (a fraction; null where there are too few
    questions), and how many templates are ``needed`` for the difference asked for (null where a region
    gives no questions)."""
    difference: float
    """Difference in accuracy that two models shall be told apart by, a fraction."""
    price: float | None
    """Price of an answer; null where nobody said."""

    def to_json(self) -> dict[str, Any]:
        """All figures as plain JSON: the frame a list of records."""
        return asdict(self) | {"designs": self.designs.to_dicts()}

    def as_tables(self) -> list[Table]:
        """Show what each number of templates and annotators brings, and what the difference asked for takes."""
        heads = {"annotators": "anno-\ntators", "templates": "tem-\nplates", "short_answers": "short"}
        cost = [] if self.price is None else [pl.col("cost").round().cast(pl.Int64)]
        return [
            Table(
                "What collecting brings, by region",
                self.designs.select(
                    pl.col("locale", "annotators", "templates", "answers"),
                    *cost,
                    pl.col("short_answers", "pairs", "mcqs"),
                    (100 * pl.col("difference")).alias("differ-\nence %"),
                    "needed",
                ).rename({**heads, "mcqs": "MCQs"}),
                "Expected. Short: questions that short-answer scoring keeps. Pairs: templates with "
                "multiple-choice questions (MCQs). Difference: the smallest that tells two models apart "
                f"(test at 5 %, 80 % power), if exactly one of them is right in {DISAGREEMENT:.0%} of the "
                f"questions. Needed: templates for {100 * self.difference:g} points. "
                "Pairs and MCQs: as in BLEnD's regions (docs/contributing-data.md).",
            )
        ]


def plan_collection(
    figures: pl.DataFrame,
    *,
    templates: Sequence[int] = (100, 200, 500),
    annotators: Sequence[int] = (3, 5, 7),
    difference: float = 0.05,
    price: float | None = None,
    locales: Sequence[str] | None = None,
) -> CollectionPlan:
    """Plan by what collecting brought elsewhere.

    Multiple-choice questions are taken to be made in default mode, whose rules go with the number of
    annotators: a top answer needs a majority, and non-answers may be a minority. `power` has the formula of
    what tells two models apart.

    Args:
        figures: `REGION_FIGURES`, with the numbers of annotators.
        templates: Numbers of templates to ask in each region.
        annotators: Numbers of annotators of each question, `FEWEST_ANNOTATORS` to `MOST_ANNOTATORS`.
        difference: Difference in accuracy that two models shall be told apart by, a fraction between 0 and 1.
        price: Price of an answer, in any currency.
        locales: Locales of ``figures`` to plan like; all of them when absent.

    Raises:
        InputError: If a number is out of range.
        UnknownNameError: If the figures lack a locale.
    """
    _check_counts("templates", templates, 1, _MOST_TEMPLATES)
    _check_counts("annotators", annotators, FEWEST_ANNOTATORS, MOST_ANNOTATORS)
    # Not `difference <= 0`: neither is true of what is not a number.
    if not 0 < difference < 1:
        raise InputError(f"`difference` of {100 * difference:g} points; give more than 0 and less than 100")
    if price is not None and not 0 <= price < math.inf:
        raise InputError(f"`price` of {price:g}; give what an answer costs, 0 or more")
    known = figures["locale"].unique(maintain_order=True).to_list()
    for tag in locales or ():
        if tag not in known:
            raise UnknownNameError("locale", tag, known)
    chosen = figures.filter(
        pl.col("locale").is_in(list(locales or known)), pl.col("annotators").is_in(list(annotators))
    )
    return CollectionPlan(_designs(chosen, templates, difference, price), difference, price)


def _designs(
    figures: pl.DataFrame, templates: Sequence[int], difference: float, price: float | None
) -> pl.DataFrame:
    numbers = pl.DataFrame({"templates": sorted(set(templates))})
    order = {tag: number for number, tag in enumerate(figures["locale"].unique(maintain_order=True))}
    rows = figures.sort(pl.col("locale").replace_strict(order, return_dtype=pl.Int64), "annotators").join(
        numbers, how="cross", maintain_order="left"
    )
    share = pl.col("majority") * pl.col("offered")
    pairs = pl.col("templates") * share
    mcqs, size = pairs * pl.col("mcqs"), pl.col("size")
    answers = pl.col("templates") * pl.col("annotators")
    wanted = _mcqs_needed(size, difference) / pl.col("mcqs") / share
    return rows.select(
        "locale",
        "annotators",
        "templates",
        answers=answers,
        cost=answers * pl.lit(price, pl.Float64),
        short_answers=_count(pl.col("templates") * pl.col("short_answers")),
        pairs=_count(pairs),
        mcqs=_count(mcqs),
        difference=_smallest_difference(mcqs, size),
        # Where nothing is left, no number of templates is enough.
        needed=pl.when(share > 0).then(_count(wanted.ceil())),
    )


def _count(expected: pl.Expr) -> pl.Expr:
    return expected.round().cast(pl.Int64, strict=False)


def _check_counts(name: str, counts: Sequence[int], least: int, most: int) -> None:
    for count in counts or (0,):
        if not least <= count <= most:
            raise InputError(f"`{name}` of {count}; give whole numbers from {least} to {most:,}")


def mean_figures(figures: pl.DataFrame) -> pl.DataFrame:
    """Average `REGION_FIGURES` over regions, each with the same weight; the locale is `ALL`."""
    shares = pl.col(pl.Float64).mean()
    means = figures.group_by("annotators").agg(shares, locale=pl.lit(ALL))
    return means.select(list(REGION_FIGURES)).sort("annotators")
