"""What tells two models apart, and planning: what so many templates and annotators bring, cost and tell apart.

What is expected of a collection comes from regions where people have answered: those of BLEnD, or a pilot.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.releases import read_manifest
from blend.loaders.releases.tables import read_config
from blend.schemas.errors import InputError, UnknownNameError
from blend.schemas.frames import is_scored
from blend.schemas.rows import ANNOTATIONS, MULTIPLE_CHOICE_QUESTIONS
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
    return _by_locale(mcqs).select(
        "locale",
        "templates",
        "mcqs",
        difference=_smallest_difference(pl.col("mcqs"), pl.col("size")),
        templates_needed=(_mcqs_needed(pl.col("size"), CLOSE) * pl.col("templates") / pl.col("mcqs"))
        .ceil()
        .cast(pl.Int64),
    )


def _by_locale(mcqs: pl.LazyFrame) -> pl.LazyFrame:
    """How many ``templates`` and ``mcqs`` each locale has, and the mean ``size`` of a question's template."""
    sizes = mcqs.group_by("locale", "template_id").agg(size=pl.len().cast(pl.Int64))
    return sizes.group_by("locale").agg(
        templates=pl.len().cast(pl.Int64),
        mcqs=pl.col("size").sum(),
        size=(pl.col("size") ** 2).sum() / pl.col("size").sum(),
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
        "mcqs_from": pl.String(),
    }
)
"""One row per locale and number of annotators: expected shares of the questions that short-answer scoring
does not skip, and that default mode asks about as far as votes decide (fractions); and what became of the
latter: the share ``offered`` that gave multiple-choice questions (others are short of distractors, or their
answer is no option), how many ``mcqs`` each of them gave, the mean ``size`` of the template of such a question
(see `power`), and whose these three are (``mcqs_from``: ``BLEnD``, or ``pilot``)."""

_OF_MCQS = ("offered", "mcqs", "size", "mcqs_from")
_OTHERWISE = "plan from one that has some, or from BLEnD's regions: leave `release` out"


@dataclass(frozen=True, slots=True, repr=False)
class _CollectionPlan(Summarised):
    """What collecting brings."""

    designs: pl.DataFrame
    """One row per locale, number of ``annotators`` and of ``templates``, in this order: ``answers`` to collect
    (count) and their ``cost`` (null without a price), the expected counts ``short_answers`` (questions that
    short-answer scoring keeps), ``pairs`` (templates with multiple-choice questions) and ``mcqs``,
    the smallest ``difference`` that two models can be told apart by (a fraction; null where there are too few
    questions), how many templates are ``needed`` for the difference asked for (null where a region gives no
    questions), and ``mcqs_from``."""
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
                f"{_mcqs_from(self.designs)}",
            )
        ]


def _mcqs_from(designs: pl.DataFrame) -> str:
    if set(designs["mcqs_from"]) == {"pilot"}:
        return "Pairs and MCQs: as in the pilot."
    strangers = designs.filter(mcqs_from="BLEnD")["locale"].unique(maintain_order=True)
    return f"Pairs and MCQs of {', '.join(strangers)}: as in BLEnD's regions (docs/contributing-data.md)."


def plan_collection(
    figures: pl.DataFrame,
    *,
    templates: Sequence[int] = (100, 200, 500),
    annotators: Sequence[int] = (3, 5, 7),
    difference: float = 0.05,
    price: float | None = None,
    locales: Sequence[str] | None = None,
) -> _CollectionPlan:
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
    return _CollectionPlan(_designs(chosen, templates, difference, price), difference, price)


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
        mcqs_from=pl.col("mcqs_from"),
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
    means = figures.group_by("annotators").agg(shares, locale=pl.lit(ALL), mcqs_from=pl.first("mcqs_from"))
    return means.select(list(REGION_FIGURES)).sort("annotators")


def release_figures(
    release: Path | str, *, comparable: pl.DataFrame, on_progress: ProgressCallback = silent
) -> pl.DataFrame:
    """Count `REGION_FIGURES` in a pilot.

    Args:
        release: Directory of the pilot's release.
        comparable: `REGION_FIGURES` of other regions: their means say what other numbers of annotators would
            leave, and stand in where a locale of the pilot has no multiple-choice questions.
        on_progress: Told about the rows read, by configuration.

    Raises:
        InputError: If it is not a release, has no annotations, or nobody can tell from them who agrees.
    """
    manifest = read_manifest(release)
    held = {table.config for table in manifest.tables if table.rows}
    if ANNOTATIONS not in held:
        raise InputError(f"{release}: no annotations in this release; {_OTHERWISE}")
    annotations = read_config(release, ANNOTATIONS, on_progress=on_progress)
    mcqs = None
    if MULTIPLE_CHOICE_QUESTIONS in held:
        mcqs = read_config(release, MULTIPLE_CHOICE_QUESTIONS, on_progress=on_progress)
    return _pilot_figures(annotations, mcqs, wanted=manifest.recipe.saq.wanted, comparable=comparable)


def _pilot_figures(
    annotations: pl.DataFrame, mcqs: pl.DataFrame | None, *, wanted: int, comparable: pl.DataFrame
) -> pl.DataFrame:
    """Count `REGION_FIGURES` in annotations and what was made of them.

    Shares of another number of annotators are those observed, times what that number leaves in the comparable
    regions, divided by what the number of the pilot leaves there.

    Args:
        annotations: `frames.ANNOTATIONS`.
        mcqs: ``template_id`` and ``locale`` of multiple-choice questions; null without any.
        wanted: Annotators that each question was given to.
        comparable: As in `release_figures`.

    Raises:
        InputError: If questions were given to one annotator, or a locale has no votes.
    """
    if wanted < FEWEST_ANNOTATORS:
        what = "each question was given to one annotator, so nothing tells who agrees"
        raise InputError(f"{what}; ask two or more")
    observed = _observed(annotations, wanted)
    for tag in observed.filter(pl.col("votes") == 0)["locale"]:
        raise InputError(f"{tag}: no votes for any answer; {_OTHERWISE}")
    means = mean_figures(comparable).drop("locale")
    alike = means.row(by_predicate=pl.col("annotators") == min(wanted, MOST_ANNOTATORS), named=True)
    rows = observed.join(means, how="cross", maintain_order="left", suffix="_mean").join(
        made_of(observed, mcqs), on="locale", how="left", suffix="_own", maintain_order="left"
    )
    shares = {
        name: pl.min_horizontal(pl.col(name) * pl.col(f"{name}_mean") / alike[name], 1.0)
        for name in ("short_answers", "majority")
    }
    own = {name: pl.coalesce(f"{name}_own", name) for name in _OF_MCQS}
    return rows.with_columns(**shares, **own).select(list(REGION_FIGURES))


def made_of(shares: pl.DataFrame, mcqs: pl.DataFrame | None) -> pl.DataFrame:
    """What became of the questions that default mode asks about: `REGION_FIGURES` without those of votes.

    Args:
        shares: ``locale``, ``majority`` and ``asked``, the number of questions.
        mcqs: As in `_pilot_figures`.
    """
    if mcqs is None:
        return pl.DataFrame(schema={name: REGION_FIGURES[name] for name in ("locale", *_OF_MCQS)})
    agreed = pl.col("majority") * pl.col("asked")
    found = shares.filter(agreed > 0).join(_by_locale(mcqs.lazy()).collect(), on="locale")
    # A recipe with lower thresholds asks about more than a majority agrees on.
    offered = pl.min_horizontal(pl.col("templates") / agreed, 1.0)
    of_pair = pl.col("mcqs") / pl.col("templates")
    return found.select("locale", "size", mcqs=of_pair, offered=offered, mcqs_from=pl.lit("pilot"))


def _observed(annotations: pl.DataFrame, wanted: int) -> pl.DataFrame:
    """Shares of questions by locale, as the annotators who were asked leave them."""
    reasons = pl.col("idks").struct
    counts = pl.col("annotations").list.eval(pl.element().struct.field("count"))
    others = reasons.field("others").list.eval(pl.element().struct.field("count")).list.sum()
    none, never, idk = (reasons.field(name) for name in ("no-answer", "not-applicable", "idk"))
    top = counts.list.max().fill_null(0)
    is_agreed = (2 * top > wanted) & (never == 0) & (2 * (none + never + idk + others) < wanted)
    return (
        annotations.group_by("locale")
        .agg(
            short_answers=is_scored().mean(),
            majority=is_agreed.mean(),
            votes=counts.list.sum().sum(),
            asked=pl.len(),
        )
        .sort("locale")
    )
