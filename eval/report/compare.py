"""Comparison: who is better, where, and is it chance. Nothing is called better without the test."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from blend.eval.report.scored import ABOUT_DISHES, LEADING, ScoredRun, check_comparable, read_scored
from blend.eval.report.texts import TASK as TEXTS
from blend.eval.scoring.probing.figures import MIN_DISHES
from blend.eval.statistics.clusters import Clusters, cluster_sums
from blend.eval.statistics.figures import Estimate, macro_estimate
from blend.eval.statistics.paired import Comparison, holm, macro_test, paired_tests
from blend.eval.statistics.ranks import Rank, rank_intervals
from blend.eval.statistics.resampling import FEW, ratio_draws
from blend.schemas.errors import InputError

OTHER_COUNTRIES = "other countries"
"""What countries of fewer than `MIN_DISHES` dishes are together."""

ALPHA = 0.05
"""Corrected p-values up to this one count as a difference."""

Verdict = Literal["better", "worse", "no difference shown"]


@dataclass(frozen=True, slots=True)
class Difference:
    """How far the second model is ahead of the first, in percentage points."""

    estimate: Estimate
    """The difference and its 95 % interval (not corrected for being one of several)."""
    p_value: float
    """Corrected (Holm): over the pairs of models for the mean over regions, else over a pair's regions."""
    verdict: Verdict
    """About the second model."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two models on the items that both answered."""

    first: str
    """Name of the first model."""
    second: str
    """Name of the second model."""
    n_items: int
    """Items that both answered."""
    n_left_out: int
    """Items that only one of them answered, which no figure of the pair counts."""
    macro: Difference
    """Mean over regions."""
    regions: dict[str, Difference]
    """By region code."""

    def where(self, verdict: Verdict) -> tuple[str, ...]:
        """Regions in which the second model is better, worse, or not shown to differ."""
        return tuple(region for region, found in self.regions.items() if found.verdict == verdict)


@dataclass(frozen=True, slots=True)
class Standing:
    """A model's place among all."""

    model: str
    """Name of the model."""
    macro: Estimate
    """Mean over regions of the share right, in percent, of the items that all models answered."""
    rank: Rank
    """Its place, and the places that the differences allow (all of them at once, 95 %)."""


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Models compared."""

    task: str
    """Name of the task."""
    signature: str
    """What all of them share."""
    standings: tuple[Standing, ...]
    """Best first; equal ones in the order given."""
    pairs: tuple[Pair, ...]
    """Every pair, in the order given."""

    def rank_of(self, model: str) -> Rank:
        """The place of a model."""
        return next(standing.rank for standing in self.standings if standing.model == model)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON has it."""
        return asdict(self)


def compare_runs(directories: Sequence[Path], *, seed: int = 0) -> Comparisons:
    """Compare scored runs of the same questions.

    Args:
        directories: Run directories, two or more.
        seed: Seed of intervals and tests.

    Raises:
        InputError: If there are fewer than two, if one is not scored, if their signatures differ, or if no item
            was answered in all of them.
    """
    if len(directories) < 2:
        raise InputError("one run cannot be compared; name two or more")
    runs = read_scored(directories)
    check_comparable(runs)
    if runs[0].scores.task == TEXTS:
        raise InputError(
            "texts for readers of many nationalities are not right or wrong, so no model is better; "
            "show the runs side by side with blend eval report"
        )
    return compare_scored(runs, seed=seed)


def compare_scored(runs: Sequence[ScoredRun], *, seed: int = 0) -> Comparisons:
    """Compare runs that were read and found comparable; see `compare_runs`."""
    answers = [_judged(run) for run in runs]
    pairs = [
        _pair(runs[i].name, runs[j].name, answers[i], answers[j], seed)
        for i, j in combinations(range(len(runs)), 2)
    ]
    corrected = holm([macro.p_value for _, macro in pairs])
    return Comparisons(
        task=runs[0].scores.task,
        signature=runs[0].scores.signature,
        standings=_standings([run.name for run in runs], answers, seed),
        pairs=tuple(
            replace(pair, macro=_difference(macro, p))
            for (pair, macro), p in zip(pairs, corrected.tolist(), strict=True)
        ),
    )


def _judged(run: ScoredRun) -> pl.DataFrame:
    """What is compared, as ``value``: right or wrong, or the figure that a task about dishes is about.

    Countries of a few dishes are one region: by themselves each would weigh as much as any other.
    """
    figure = pl.col(LEADING.get(run.scores.task, "right")).cast(pl.Float64)
    rows = run.decisions().select("item_id", "region", "template_id", value=figure).drop_nulls("value")
    if run.scores.task not in ABOUT_DISHES:
        return rows
    is_large = pl.col("template_id").n_unique().over("region") >= MIN_DISHES
    return rows.with_columns(region=pl.when(is_large).then("region").otherwise(pl.lit(OTHER_COUNTRIES)))


def _pair(
    first: str, second: str, one: pl.DataFrame, other: pl.DataFrame, seed: int
) -> tuple[Pair, Comparison]:
    """A pair whose p-value of the mean over regions is not corrected yet, and the test behind it."""
    both = one.join(other.select("item_id", other="value"), on="item_id", how="inner", maintain_order="left")
    if both.is_empty():
        raise InputError(f"{first} and {second} answered no item in common; run both on the same questions")
    differences = cluster_sums(
        (both["other"] - both["value"]).to_numpy(),
        both["template_id"].to_numpy(),
        both["region"].to_numpy(),
    )
    tests = paired_tests(differences, seed=seed)
    corrected = holm([test.p_value for test in tests]).tolist()
    regions = {
        str(region): _difference(test, p)
        for region, test, p in zip(differences.groups, tests, corrected, strict=True)
    }
    left_out = one.height + other.height - 2 * both.height
    macro = macro_test(differences, seed=seed)
    return Pair(first, second, both.height, left_out, _difference(macro, macro.p_value), regions), macro


def _difference(test: Comparison, p_value: float) -> Difference:
    value = test.estimate.value or 0.0
    verdict: Verdict = "no difference shown"
    if p_value <= ALPHA:
        verdict = "better" if value > 0 else "worse"
    return Difference(_in_percent(test.estimate), p_value, verdict)


def _standings(names: Sequence[str], answers: Sequence[pl.DataFrame], seed: int) -> tuple[Standing, ...]:
    """Places by the mean over regions, of the items that all models answered."""
    common = answers[0].select("item_id")
    for other in answers[1:]:
        common = common.join(other, on="item_id", how="semi")
    if common.is_empty():
        raise InputError("no item was answered in all runs; run all of them on the same questions")
    clusters = [_clusters(one.join(common, on="item_id", how="semi")) for one in answers]
    figures = np.array([one.ratios.mean() for one in clusters])
    draws = np.stack([ratio_draws(one, seed=seed).mean(axis=1) for one in clusters], axis=1)
    # Too few templates to draw from leave every place possible.
    ranks = rank_intervals(figures, draws if len(clusters[0].keys) >= FEW else draws[:0])
    standings = [
        Standing(name, _in_percent(macro_estimate(one, seed=seed)), rank)
        for name, one, rank in zip(names, clusters, ranks, strict=True)
    ]
    return tuple(sorted(standings, key=lambda standing: standing.rank.place))


def _clusters(rows: pl.DataFrame) -> Clusters:
    # The same items give the same rows and columns, and one seed the same draws: the models are drawn together.
    return cluster_sums(rows["value"].to_numpy(), rows["template_id"].to_numpy(), rows["region"].to_numpy())


def _in_percent(estimate: Estimate) -> Estimate:
    value, low, high = (None if x is None else 100 * x for x in (estimate.value, estimate.low, estimate.high))
    return Estimate(value, low, high, estimate.n)
