"""Scores: one flat table that others' scripts can rely on, ``scores.json``."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import ArrayLike
from pydantic import Field, ValidationError

from blend.eval.judging import JUDGE, judges_of, verdicts_digest
from blend.eval.runs.answers import answers_digest
from blend.eval.runs.run_directory import Run, Usage
from blend.eval.statistics import FEW, Clusters, cluster_sums
from blend.eval.statistics.agreement import alpha, pairwise_agreement
from blend.eval.statistics.estimates import Estimate, estimates, gap_estimate, macro_estimate, mean_of_runs
from blend.loaders.files.content import read_json
from blend.schemas.errors import DISTRIBUTION, InputError
from blend.schemas.models import FrozenModel, first_reason

SCORES_NAME = "scores.json"
DECISIONS_NAME = "decisions.parquet"

FEW_MARK = "*"
"""Stands behind an interval over so few templates that it is wide whatever the answers are."""

ALL = "all"
"""Key of the scope ``overall``."""


class Score(FrozenModel):
    """One figure."""

    metric: str
    """Name of the figure, for example ``accuracy``."""
    scope: str
    """What it is about: ``overall``, ``region``, ``topic`` …"""
    key: str
    """Which one of those, for example ``KR``; ``all`` for ``overall``; parts joined by ``/`` for several."""
    value: float | None
    """The figure; shares in percent; null where nothing was counted."""
    low: float | None
    """Lower end of the 95 % interval, in the unit of the figure; null where none can be given."""
    high: float | None
    """Upper end."""
    n: int
    """Number that the figure is a share or mean of: items, unless the documentation says otherwise."""
    clusters: int | None = None
    """Templates (or dishes, topics …) that the interval is over; null where there is none."""

    @property
    def is_over_few(self) -> bool:
        """Whether the interval is over so few that it is wide whatever the answers are."""
        return self.clusters is not None and self.clusters < FEW


class Scores(FrozenModel):
    """All figures of a run by one rule."""

    task: str
    """Name of the task."""
    signature: str
    """Everything that can change a figure, the model apart."""
    rule: str
    """Name of the rule by which answers were judged."""
    release: str
    """Name and version of the release, ``blend@1.2.0``."""
    model: str
    """Name of the model."""
    scores: tuple[Score, ...]
    """The figures."""
    answers: str
    """Digest of the answers that were scored, of `answers_digest`."""
    tables: dict[str, str] = Field(default_factory=dict)
    """SHA-256 of the tables beside it that are read again, ``decisions.parquet`` once it is written."""
    verdicts: str | None = None
    """Digest of a judge's verdicts that they were scored by, likewise; null where no judge scores."""
    usage: Usage | None = None
    """Requests, tokens, time and cost of the run; null where nobody was asked."""


def score_again(run: Run) -> str:
    """Say what to do about what scoring has written and somebody has changed or lost."""
    return f"score the run again, with the options of before: `blend eval score {run.directory}`"


def read_scores(run: Run) -> Scores:
    """The scores of a run.

    Raises:
        InputError: If it is not scored, has other answers or verdicts since, or its scores are not what this
            version writes.
        RowError: If the file cannot be read.
    """
    path = run.directory / SCORES_NAME
    if not os.path.lexists(path):
        raise InputError(
            f"{run.directory}: the run is not scored yet; score it first: blend eval score {run.directory}"
        )
    try:
        scores = Scores.model_validate(read_json(path))
    except ValidationError as error:
        raise InputError(
            f"{path}: not scores that this version of {DISTRIBUTION} reads ({first_reason(error)}); "
            f"{score_again(run)}"
        ) from error
    if scores.answers != answers_digest(run.answers_folder):
        raise InputError(f"{run.directory}: answers have changed since it was scored; {score_again(run)}")
    # Who has a run without the folder of its judge can still show its scores. Any judge's verdicts: by now the
    # rule `judge`, which meant the only one, may name none of several.
    digests = [verdicts_digest(run, f"{JUDGE}:{name}") for name in judges_of(run)]
    if scores.verdicts and digests and scores.verdicts not in digests:
        raise InputError(
            f"{run.directory}: the judge's verdicts have changed since it was scored; {score_again(run)}"
        )
    return scores


def drop_scores(run: Run) -> None:
    """Remove the scores of a run before tables that they go with are replaced.

    Whatever stops the scoring in between, a run has no scores beside decisions of another rule.
    """
    (run.directory / SCORES_NAME).unlink(missing_ok=True)


def percent(metric: str, scope: str, key: str, estimate: Estimate) -> Score:
    """A share as a score."""
    return estimated(metric, scope, key, estimate.scaled(100))


def estimated(metric: str, scope: str, key: str, estimate: Estimate) -> Score:
    """A figure in its own unit as a score, with its interval."""
    value, low, high, over = estimate.value, estimate.low, estimate.high, estimate.clusters
    n = round(estimate.n)
    return Score(metric=metric, scope=scope, key=key, value=value, low=low, high=high, n=n, clusters=over)


def plain(metric: str, scope: str, key: str, value: float | None, *, n: int) -> Score:
    """A figure without an interval as a score."""
    return Score(metric=metric, scope=scope, key=key, value=value, low=None, high=None, n=n)


def agreement_scores(
    metric: str,
    yes: ArrayLike,
    n: ArrayLike,
    clusters: ArrayLike,
    seed: int,
    *,
    scope: str = "overall",
    key: str = ALL,
) -> tuple[Score, ...]:
    """Krippendorff's alpha of answers that are yes or no, and the share of pairs of them that agree.

    See `agreement.alpha` for the arguments. Nothing where nobody answered.
    """
    if not np.size(yes):
        return ()
    return (
        estimated(f"{metric}-alpha", scope, key, alpha(yes, n, clusters, seed=seed)),
        percent(f"{metric}-pairs", scope, key, pairwise_agreement(yes, n, clusters, seed=seed)),
    )


def counted_share(metric: str, part: int, of_all: int, *, scope: str = "overall", key: str = ALL) -> Score:
    """A share of what is counted, without an interval; null of nothing."""
    return plain(metric, scope, key, 100 * part / of_all if of_all else None, n=of_all)


def missing_share(n_answered: int, n_items: int) -> Score:
    """The share of the items that have no answer."""
    return counted_share("missing", n_items - n_answered, n_items)


UNANSWERED = "unanswered"
"""Name of the figure for written answers that are none; also why such an answer is wrong, in decisions."""


UNREAD = "unparsable"
"""The same for those that name none of the options that they have to choose from."""


def written_count(scores: Iterable[Score], metric: str = UNANSWERED) -> tuple[int, int]:
    """Number of written answers that are none, or unread, and of all; both 0 where none were written."""
    found = [score for score in scores if score.metric == metric and score.scope == "overall"]
    return sum(round((one.value or 0.0) * one.n / 100) for one in found), sum(one.n for one in found)


class ScoredItems(NamedTuple):
    """Decisions and figures."""

    decisions: pl.DataFrame
    """One row per item, in the order of the items; the task's module says its columns."""
    scores: tuple[Score, ...]
    """Every figure."""
    signature_parts: Mapping[str, str] = MappingProxyType({})
    """What of the task's options and tools can change a figure, for the signature."""
    warnings: tuple[str, ...] = ()
    """What a reader of the figures should know, in words for a user."""
    tables: tuple[str, ...] = ()
    """Further tables that it has written into the run's directory and that are read again."""


def clustered(rows: pl.DataFrame, *groups: str) -> Clusters:
    """Add up what rows count by group and template; several groups make one joined key, ``KR/Food``.

    Args:
        rows: With ``template_id``, ``value`` (numerator; null where a row does not count) and perhaps
            ``denominator``, 1 where there is no such column.
        groups: Columns to group by; all rows are one group without any.
    """
    counts = pl.col("denominator") if "denominator" in rows.columns else pl.lit(1)
    value = pl.col("value").cast(pl.Float64)
    sums = (
        # In the order of the rows: in another one, a sum has other last digits.
        rows.group_by("template_id", *groups, maintain_order=True)
        .agg(value=value.sum(), denominator=pl.when(value.is_not_null()).then(counts).sum())
        .with_columns(group=pl.concat_str(groups, separator="/") if groups else pl.lit(ALL))
    )
    return cluster_sums(sums["value"], sums["template_id"], sums["group"], counts=sums["denominator"])


def share_scores(
    metric: str,
    rows: pl.DataFrame,
    by: Mapping[str, str | Sequence[str]],
    seed: int,
    *,
    macro: bool = False,
    proportion: bool = True,
    unit: float = 100,
    bounds: tuple[float, float] | None = None,
) -> list[Score]:
    """A figure over all rows and by scope, with intervals over templates.

    Args:
        metric: Its name.
        rows: As for `clustered`, with the columns that are grouped by.
        by: Scope to the columns that its keys stand in.
        seed: Seed of the intervals.
        macro: Whether the mean over regions stands beside the figure of all rows, as ``-macro``.
        proportion: Whether values are shares of what they are divided by.
        unit: What 1 is in the unit of the figure: 100 of one in percent.
        bounds: Between which values any true one lies: Student's t over few templates knows none.
    """
    sums = cache(partial(clustered, rows))
    scores = []
    for scope, columns in {"overall": (), **by}.items():
        of_scope = sums(*([columns] if isinstance(columns, str) else columns))
        if scope == "overall":
            # One figure also where there are no rows.
            of_scope = replace(of_scope.pooled, groups=(ALL,))
        found = estimates(of_scope, seed=seed, proportion=proportion)
        for key, one in zip(of_scope.groups, found, strict=True):
            within = one if bounds is None else one.within(*bounds)
            scores.append(estimated(metric, scope, key, within.scaled(unit)))
        if macro and scope == "overall":
            mean = macro_estimate(sums("region"), seed=seed, proportion=proportion)
            scores.append(estimated(f"{metric}-macro", "overall", ALL, mean.scaled(unit)))
    return scores


def macro_score(
    metric: str,
    rows: pl.DataFrame,
    seed: int,
    *,
    by: str = "region",
    proportion: bool = True,
    unit: float = 100,
) -> Score:
    """The mean of a figure over regions, each of which counts the same; see `share_scores`."""
    mean = macro_estimate(clustered(rows, by), seed=seed, proportion=proportion)
    return estimated(metric, "overall", ALL, mean.scaled(unit))


def gap_scores(rows: pl.DataFrame, seed: int) -> list[Score]:
    """The best minus the worst region, in points; none with fewer than two. See `share_scores`."""
    gap = gap_estimate(clustered(rows, "region"), seed=seed)
    return [] if gap is None else [percent("parity-gap", "overall", f"{gap.best}/{gap.worst}", gap.estimate)]


def repeat_scores(metric: str, rows: pl.DataFrame, *, macro: bool) -> Iterator[Score]:
    """A figure with the interval in which further runs over the same questions would have it.

    Args:
        metric: Name of the figure.
        rows: An answer each: ``question``, numbered, ``region`` and ``value``.
        macro: Whether the figure has a mean over regions, of which the same is said.

    Yields:
        One or two figures; none without rows.
    """
    if rows.is_empty():
        return
    yield percent(f"{metric}-between-runs", "overall", ALL, mean_of_runs(rows["value"], rows["question"]))
    if macro:
        # Numbers in place of names: as Python's texts, those of a million answers fill 70 MB.
        regions = rows["region"].rank("dense")
        over_regions = mean_of_runs(rows["value"], rows["question"], regions)
        yield percent(f"{metric}-macro-between-runs", "overall", ALL, over_regions)


def whole_and_parts(scope: str, rows: pl.DataFrame) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """All rows as ``overall``, then those of each value of the column that is called like the scope."""
    yield "overall", ALL, rows
    for (key,), part in rows.sort(scope, maintain_order=True).group_by(scope, maintain_order=True):
        yield scope, str(key), part
