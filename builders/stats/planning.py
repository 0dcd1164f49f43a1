"""Planning a collection: what so many templates and annotators bring, cost, and tell apart in a region.

What is expected comes from regions where people have answered: those of BLEnD, or a pilot.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from blend.builders.stats.mcq import DISAGREEMENT, half_width, mcqs_needed, smallest_difference
from blend.builders.stats.vote_chances import VOTE_SHARES, vote_shares
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.releases import read_manifest
from blend.loaders.releases.tables import read_config
from blend.schemas.errors import InputError, UnknownNameError
from blend.schemas.release.summaries import Summarised, Summary
from blend.schemas.rows.configs import ANNOTATIONS, MULTIPLE_CHOICE_QUESTIONS

MOST_ANNOTATORS = 9
"""Annotators per question that are planned with: five of them tell little of more."""
MOST_TEMPLATES = 100_000
ALL = "all"
"""Locale of the mean over all regions."""

REGION_FIGURES = pl.Schema(
    {
        **VOTE_SHARES,
        "offered": pl.Float64(),
        "mcqs": pl.Float64(),
        "size": pl.Float64(),
        "mcqs_from": pl.String(),
    }
)
"""`VOTE_SHARES`, with what became of the questions that default mode asks about as far as votes decide: the
share ``offered`` that gave multiple-choice questions (others are short of distractors, or their answer is no
option), how many ``mcqs`` each of them gave, the mean ``size`` of the template of such a question (see
`mcq.power`), and whose these three are (``mcqs_from``: ``BLEnD``, or ``pilot``)."""

_OF_MCQS = ("offered", "mcqs", "size", "mcqs_from")


@dataclass(frozen=True, slots=True, repr=False)
class CollectionPlan(Summarised):
    """What collecting brings; rows are ordered by locale, number of annotators and number of templates."""

    designs: pl.DataFrame
    """One row per locale, number of ``annotators`` and of ``templates``: ``answers`` to collect (count) and
    their ``cost`` (null without a price), the expected counts ``short_answers`` (questions that short-answer
    scoring keeps), ``pairs`` (templates with multiple-choice questions) and ``mcqs``, ``half_width`` of the 95
    % interval of a model's accuracy and the smallest ``difference`` that two models can be told apart by
    (fractions; null where there are too few questions), and ``mcqs_from``."""
    needed: pl.DataFrame
    """One row per locale and number of ``annotators``: how many ``templates``, ``answers``, ``pairs`` and
    ``mcqs`` it takes for the difference asked for, and their ``cost``; null where a region gives no
    questions."""
    difference: float
    """Difference in accuracy that two models shall be told apart by, a fraction."""
    disagreement: float
    """Share of questions that exactly one of the two models is taken to get right."""
    price: float | None
    """Price of an answer; null where nobody said."""

    def frames(self) -> dict[str, pl.DataFrame]:
        """All figures, one frame each, by name."""
        return {"designs": self.designs, "needed": self.needed}

    def to_json(self) -> dict[str, Any]:
        """All figures as plain JSON: each frame a list of records."""
        return {
            name: value.to_dicts() if isinstance(value, pl.DataFrame) else value
            for name, value in asdict(self).items()
        }

    def _summary(self) -> Summary:
        columns = ("locale", "annotators", "templates", "answers", "cost")
        title = f"what it takes for a difference of {100 * self.difference:g} points"
        return Summary(title, columns, self.needed.select(columns).rows())


def plan_collection(
    figures: pl.DataFrame,
    *,
    templates: Sequence[int] = (100, 200, 500),
    annotators: Sequence[int] = (3, 5, 7),
    difference: float = 0.05,
    disagreement: float = DISAGREEMENT,
    price: float | None = None,
    locales: Sequence[str] | None = None,
) -> CollectionPlan:
    """Plan by what collecting brought elsewhere.

    Multiple-choice questions are taken to be made in default mode, with the thresholds of
    `vote_chances.vote_shares` for the number of annotators. `mcq.power` has the formula of what tells two
    models apart.

    Args:
        figures: `REGION_FIGURES`, with the numbers of annotators.
        templates: Numbers of templates to ask in each region.
        annotators: Numbers of annotators of each question, 2 to `MOST_ANNOTATORS`.
        difference: Difference in accuracy that two models shall be told apart by, a fraction between 0 and 1.
        disagreement: Share of questions that exactly one of the two models gets right, a fraction above 0.
        price: Price of an answer, in any currency.
        locales: Locales of ``figures`` to plan like; all of them when absent.

    Raises:
        InputError: If a number is out of range.
        UnknownNameError: If the figures lack a locale.
    """
    _check_counts("templates", templates, 1, MOST_TEMPLATES)
    _check_counts("annotators", annotators, 2, MOST_ANNOTATORS)
    for name, share in (("difference", difference), ("disagreement", disagreement)):
        # Not `share <= 0`: neither is true of what is not a number.
        if not 0 < share < 1:
            raise InputError(f"`{name}` of {100 * share:g} points; give more than 0 and less than 100")
    if price is not None and not 0 <= price < math.inf:
        raise InputError(f"`price` of {price:g}; give what an answer costs, 0 or more")
    known = figures["locale"].unique(maintain_order=True).to_list()
    for tag in locales or ():
        if tag not in known:
            raise UnknownNameError("locale", tag, known)
    chosen = figures.filter(
        pl.col("locale").is_in(list(locales or known)), pl.col("annotators").is_in(list(annotators))
    ).rename({"mcqs": "per_pair"})
    chosen = chosen.with_columns(
        share=pl.col("majority") * pl.col("offered"),
        order=pl.col("locale").replace_strict(known, range(len(known))),
    ).sort("order", "annotators")
    return CollectionPlan(
        _designs(chosen, templates, disagreement, price),
        _needed(chosen, difference, disagreement, price),
        difference,
        disagreement,
        price,
    )


def _check_counts(name: str, counts: Sequence[int], least: int, most: int) -> None:
    for count in counts or (0,):
        if not least <= count <= most:
            raise InputError(f"`{name}` of {count}; give whole numbers from {least} to {most:,}")


def _designs(
    chosen: pl.DataFrame, templates: Sequence[int], disagreement: float, price: float | None
) -> pl.DataFrame:
    rows = chosen.join(pl.DataFrame({"templates": sorted(set(templates))}), how="cross", maintain_order="left")
    pairs = pl.col("templates") * pl.col("share")
    rows = rows.with_columns(pairs=pairs, mcqs=pairs * pl.col("per_pair"))
    of = pl.col("mcqs"), pl.col("size")
    return rows.select(
        "locale",
        "annotators",
        "templates",
        *_costs(price),
        short_answers=_count(pl.col("templates") * pl.col("short_answers")),
        pairs=_count(pl.col("pairs")),
        mcqs=_count(pl.col("mcqs")),
        half_width=half_width(*of),
        difference=smallest_difference(*of, disagreement=disagreement),
        mcqs_from=pl.col("mcqs_from"),
    )


def _needed(chosen: pl.DataFrame, difference: float, disagreement: float, price: float | None) -> pl.DataFrame:
    mcqs = mcqs_needed(pl.col("size"), difference, disagreement=disagreement)
    pairs = mcqs / pl.col("per_pair")
    # Where nothing is left, no number of templates is enough.
    possible = pl.when(pl.col("share") > 0)
    rows = chosen.with_columns(
        templates=possible.then(_count((pairs / pl.col("share")).ceil())),
        pairs=possible.then(_count(pairs.ceil())),
        mcqs=possible.then(_count(mcqs.ceil())),
    )
    columns = ("locale", "annotators", "templates")
    return rows.select(*columns, *_costs(price), "pairs", "mcqs", "mcqs_from")


def _count(expected: pl.Expr) -> pl.Expr:
    return expected.round().cast(pl.Int64, strict=False)


def _costs(price: float | None) -> tuple[pl.Expr, pl.Expr]:
    answers = (pl.col("templates") * pl.col("annotators")).cast(pl.Int64)
    return answers.alias("answers"), (answers * pl.lit(price, pl.Float64)).alias("cost")


# What collecting brought


def mean_figures(figures: pl.DataFrame) -> pl.DataFrame:
    """Average `REGION_FIGURES` over regions, each with the same weight; the locale is `ALL`."""
    shares = pl.col(pl.Float64).mean()
    means = figures.group_by("annotators").agg(shares, locale=pl.lit(ALL), mcqs_from=pl.first("mcqs_from"))
    return means.select(list(REGION_FIGURES)).sort("annotators")


def release_figures(
    release: Path | str,
    *,
    annotators: Iterable[int],
    comparable: pl.DataFrame,
    on_progress: ProgressCallback = silent,
) -> pl.DataFrame:
    """Count `REGION_FIGURES` in a pilot.

    Args:
        release: Directory of the pilot's release.
        annotators: Numbers of annotators to plan with.
        comparable: `REGION_FIGURES` of other regions; their means stand in where a locale of the pilot has no
            multiple-choice questions.
        on_progress: Told about the rows read, by configuration.

    Raises:
        InputError: If it is not a release, has no annotations, or nobody can tell from them who agrees.
    """
    manifest = read_manifest(release)
    held = {table.config for table in manifest.tables if table.rows}
    if ANNOTATIONS not in held:
        raise InputError(f"{release}: no annotations in this release; {_OTHERWISE}")
    annotations = read_config(release, ANNOTATIONS, on_progress=on_progress)
    mcqs = (
        read_config(release, MULTIPLE_CHOICE_QUESTIONS, on_progress=on_progress)
        if MULTIPLE_CHOICE_QUESTIONS in held
        else None
    )
    wanted = manifest.recipe.saq.wanted
    return region_figures(annotations, mcqs, annotators=annotators, wanted=wanted, comparable=comparable)


_OTHERWISE = "plan from one that has some, or from BLEnD's regions: leave `release` out"


def region_figures(
    annotations: pl.DataFrame,
    mcqs: pl.DataFrame | None,
    *,
    annotators: Iterable[int],
    wanted: int,
    comparable: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Count `REGION_FIGURES` in annotations and what was made of them.

    Args:
        annotations: `frame_columns.ANNOTATIONS`.
        mcqs: ``template_id`` and ``locale`` of multiple-choice questions; null without any.
        annotators: Numbers of annotators to plan with.
        wanted: Annotators that each question was given to.
        comparable: As in `release_figures`.

    Raises:
        InputError: If questions were given to one annotator, or a locale has no votes.
    """
    if wanted < 2:
        raise InputError(
            "each question was given to one annotator, so nothing tells who agrees; ask two or more"
        )
    votes = pl.col("annotations").list.eval(pl.element().struct.field("count")).list.sum()
    for tag, total in annotations.group_by("locale").agg(votes.sum()).sort("locale").iter_rows():
        if not total:
            raise InputError(f"{tag}: no votes for any answer; {_OTHERWISE}")
    wide = vote_shares(annotations, {*annotators, wanted}, wanted=wanted)
    asked = annotations.group_by("locale").agg(asked=pl.len())
    agreed = wide.filter(annotators=wanted).join(asked, on="locale")
    agreed = agreed.select("locale", agreed=pl.col("majority") * pl.col("asked"))
    empty = pl.DataFrame(schema={"template_id": pl.String(), "locale": pl.String()})
    sizes = (
        (empty if mcqs is None else mcqs).group_by("locale", "template_id").agg(size=pl.len().cast(pl.Float64))
    )
    made = sizes.group_by("locale").agg(
        pairs=pl.len(), mcqs=pl.col("size").mean(), of_mcq=(pl.col("size") ** 2).sum() / pl.col("size").sum()
    )
    # A recipe with lower thresholds asks about more than a majority agrees on.
    offered = pl.min_horizontal(pl.col("pairs") / pl.col("agreed"), 1.0)
    of_pilot = made.join(agreed.filter(pl.col("agreed") > 0), on="locale").select(
        "locale", "mcqs", offered=offered, size="of_mcq", mcqs_from=pl.lit("pilot")
    )
    found = wide.join(of_pilot, on="locale", how="left", maintain_order="left")
    if comparable is not None:
        means = mean_figures(comparable).row(0, named=True)
        found = found.with_columns(pl.col(name).fill_null(pl.lit(means[name])) for name in _OF_MCQS)
    return found.select(list(REGION_FIGURES)).filter(pl.col("annotators").is_in(list(annotators)))
