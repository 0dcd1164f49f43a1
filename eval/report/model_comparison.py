"""Comparison: who is better, where, and is it chance. Nothing is called better without the test."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from blend.eval.judging.labels import means_of, scored_with_labels
from blend.eval.report import ScoredRun, few_note, region_name, with_interval
from blend.eval.runs import RecordedAnswers, RunDescription, is_of_people
from blend.eval.scores_json import UNANSWERED, clustered
from blend.eval.statistics import FEW, ratio_draws
from blend.eval.statistics.estimates import Estimate, macro_estimate
from blend.eval.statistics.paired import PairedTest, Rank, holm, macro_test, paired_tests, rank_intervals
from blend.eval.statistics.prediction_powered import CorrectedMeans
from blend.eval.tasks import task_of
from blend.schemas.errors import InputError
from blend.schemas.summaries import Summarised, Table
from blend.schemas.texts import pluralise

_DIFFERENCES = pl.Schema(
    {
        **dict.fromkeys(("first", "second", "region"), pl.String()),
        **dict.fromkeys(("difference", "low", "high", "p_value"), pl.Float64()),
        "verdict": pl.String(),
    }
)
"""One row per pair and region; ``region`` is null for the mean over regions."""

_ALPHA = 0.05
"""Corrected p-values up to this one count as a difference."""


@dataclass(frozen=True, slots=True)
class _Difference:
    """Lead of the second model over the first, in percentage points."""

    estimate: Estimate
    """The difference and its 95 % interval (not corrected for being one of several)."""
    p_value: float
    """Corrected (Holm): over the pairs of models for the mean over regions, else over a pair's regions."""
    verdict: str
    """About the second model: ``better``, ``worse`` or ``no difference shown``."""


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two models on the items that both answered."""

    first: str
    """Name of the first model."""
    second: str
    """Name of the second model."""
    n_items: int
    """Items that both answered."""
    n_fixed: int
    """Items that the second has more correct than the first."""
    n_broken: int
    """Items that it has less correct."""
    n_left_out: int
    """Items that only one of them answered, which no figure of the pair counts."""
    macro: _Difference
    """Mean over regions."""
    regions: dict[str, _Difference]
    """By region code."""
    corrected: tuple[str, ...] = ()
    """Regions whose difference is corrected by people's labels of both models' answers; where these are all,
    the mean over regions is corrected as well."""

    @property
    def is_corrected(self) -> bool:
        """Whether the mean over regions is corrected."""
        return len(self.corrected) == len(self.regions)

    @property
    def name(self) -> str:
        """Which way its differences go."""
        return f"{self.second} less {self.first}"

    @property
    def correction(self) -> str:
        """What is corrected, as a sentence."""
        where = "" if self.is_corrected else f" in {', '.join(map(region_name, self.corrected))} alone"
        return f" {self.name} is corrected by people's labels{where}."

    def by_region(self) -> Table:
        """Where the two differ, best first for the second one."""
        ranked = sorted(self.regions.items(), key=lambda found: (-(found[1].estimate.value or 0.0), found[0]))
        rows = [(region_name(region), *_cells(found)) for region, found in ranked]
        return Table.of(self.name, ("region", "verdict", "points", "corrected p"), rows)


@dataclass(frozen=True, slots=True)
class _Standing:
    """A model's place among all."""

    model: str
    """Name of the model."""
    macro: Estimate
    """Mean over regions of the share that is correct, in percent, of the items that all models answered."""
    rank: Rank
    """Its place, and the places that the differences allow (all of them at once, 95 %)."""
    is_corrected: bool = False
    """Whether the mean is corrected by people's labels, as where all models have some in every region."""


@dataclass(frozen=True, slots=True, repr=False)
class ModelComparison(Summarised):
    """Models compared."""

    task: str
    """Name of the task."""
    signature: str
    """What all of them share."""
    standings: tuple[_Standing, ...]
    """Best first; equal ones in the order given."""
    pairs: tuple[_Pair, ...]
    """Every pair, in the order given."""

    @property
    def frame(self) -> pl.DataFrame:
        """Every difference, a row each: over all regions (``region`` is null), then by region.

        ``difference``, ``low`` and ``high`` say by how many percentage points ``second`` is ahead of ``first``.
        """
        rows = [
            (pair.first, pair.second, region, found.value, found.low, found.high, of.p_value, of.verdict)
            for pair in self.pairs
            for region, of in [(None, pair.macro), *pair.regions.items()]
            for found in [of.estimate]
        ]
        return pl.DataFrame(rows, schema=_DIFFERENCES, orient="row")

    def as_tables(self) -> list[Table]:
        """The places of the models, how pairs differ in the mean over regions, and each of them by region."""
        n_shown = sum(pair.macro.verdict != "no difference shown" for pair in self.pairs)
        title = (
            f"{self.task}, {len(self.standings)} models, {n_shown} of {pluralise(len(self.pairs), 'pair')} "
            "shown to differ"
        )
        corrected = ", corrected by people's labels" if any(one.is_corrected for one in self.standings) else ""
        places = Table.of(
            title,
            ("place", "possible", "model", "mean over regions"),
            [
                (one.rank.place, one.rank.possible, one.model, with_interval(one.macro))
                for one in self.standings
            ],
            f"{task_of(self.task).compared_by}{corrected}. Possible: places that the differences allow, all of "
            f"them at once with 95 % certainty.{few_note(one.macro for one in self.standings)}",
        )
        means = Table.of(
            "Is it chance?",
            ("model less model", "verdict", "points", "p", "items", "fixed", "broken", "left out"),
            [
                (pair.name, *_cells(pair.macro), pair.n_items, pair.n_fixed, pair.n_broken, pair.n_left_out)
                for pair in self.pairs
            ],
            "In the mean over regions, by paired permutation tests over templates; p is corrected for the "
            "number of pairs (Holm). Fixed: items that the model named first has correct and the other wrong; "
            "broken: the other way around; left out: only one of them answered."
            + "".join(pair.correction for pair in self.pairs if pair.corrected),
        )
        if not any(pair.n_left_out for pair in self.pairs):
            means = means._replace(frame=means.frame.drop("left out"))
        return [places, means, *(pair.by_region() for pair in self.pairs)]

    def rank_of(self, model: str) -> Rank:
        """The place of a model; the page of the report shows it."""
        return next(standing.rank for standing in self.standings if standing.model == model)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON has it."""
        return asdict(self)


def _cells(of: _Difference) -> tuple[str, str, str]:
    """Verdict, points with their interval, and the p-value."""
    p_value = "< 0.001" if of.p_value < 0.001 else f"{of.p_value:.3f}"
    return of.verdict, with_interval(of.estimate, "{:+.1f}".format), p_value


def compare_scored(runs: Sequence[ScoredRun], *, seed: int = 0) -> ModelComparison | None:
    """Compare scored runs of the same questions; see `check_comparable`.

    Args:
        runs: Two or more.
        seed: Seed of intervals and tests.

    Returns:
        Null if no answer of the task is better than another one.

    Raises:
        InputError: If no item was answered in all of them.
    """
    answers = [found for run in runs if (found := task_of(run.scores.task).compared(run)) is not None]
    if len(answers) < len(runs):
        return None
    labelled = [scored_with_labels(run) for run in runs]
    pairs = [
        _pair((runs[i].name, runs[j].name), (answers[i], answers[j]), (labelled[i], labelled[j]), seed)
        for i, j in combinations(range(len(runs)), 2)
    ]
    corrected = holm([pair.macro.p_value for pair in pairs]).tolist()
    return ModelComparison(
        task=runs[0].scores.task,
        signature=runs[0].scores.signature,
        standings=_standings([run.name for run in runs], answers, labelled, seed),
        pairs=tuple(
            replace(pair, macro=_difference(pair.macro.estimate, p))
            for pair, p in zip(pairs, corrected, strict=True)
        ),
    )


_Labelled = Sequence[pl.DataFrame | None]
"""Labelled answers of models, null for one whose answers nobody has labelled."""


def _pair(
    names: tuple[str, str], answers: tuple[pl.DataFrame, pl.DataFrame], labelled: _Labelled, seed: int
) -> _Pair:
    """A pair whose p-value of the mean over regions is not corrected yet."""
    one, other = answers
    both = one.join(other.select("item_id", other="value"), on="item_id", how="inner", maintain_order="left")
    if both.is_empty():
        raise InputError(f"{' and '.join(names)} answered no item in common; run both on the same questions")
    lead = pl.col("other") - pl.col("value")
    differences = clustered(both.with_columns(value=lead), "region")
    means = _corrected_means(labelled, both)
    by_labels = {} if means is None else _corrected_tests(means, differences.groups)
    tests = {
        str(region): by_labels.get(region, test)
        for region, test in zip(differences.groups, paired_tests(differences, seed=seed), strict=True)
    }
    corrected = zip(tests.items(), holm([test.p_value for test in tests.values()]).tolist(), strict=True)
    if means is not None and len(by_labels) == len(tests):
        signs = [1 if group.startswith(_SECOND) else -1 for group in means.groups]
        macro = means.test(np.array(signs) / len(tests))
    else:
        macro = macro_test(differences, seed=seed)
    return _Pair(
        *names,
        n_items=both.height,
        n_fixed=both.filter(lead > 0).height,
        n_broken=both.filter(lead < 0).height,
        n_left_out=one.height + other.height - 2 * both.height,
        macro=_difference(macro.estimate.scaled(100), macro.p_value),
        regions={region: _difference(test.estimate.scaled(100), p) for (region, test), p in corrected},
        corrected=tuple(by_labels),
    )


_FIRST, _SECOND = "0/", "1/"
"""Beginnings of the groups of two models' regions."""


def _corrected_means(labelled: _Labelled, items: pl.DataFrame) -> CorrectedMeans | None:
    """Corrected means of some items by model and region, ``0/KR``; null where one model has no labels."""
    rows = []
    for number, of_model in enumerate(labelled):
        if of_model is None:
            return None
        of_items = of_model.join(items, on="item_id", how="semi")
        columns = ("cell", "template_id", "label", "probability")
        rows.append(of_items.select(*columns, group=pl.format("{}/{}", pl.lit(number), "region")))
    return means_of(pl.concat(rows), "group")


def _corrected_tests(means: CorrectedMeans, regions: Sequence[str]) -> dict[str, PairedTest]:
    """The tests of the regions in which both models have labels."""
    at = {group: number for number, group in enumerate(means.groups)}
    each = np.eye(len(means.groups))
    tests = {one: means.test(each[at[_SECOND + one]] - each[at[_FIRST + one]]) for one in regions}
    return {region: test for region, test in tests.items() if test.estimate.value is not None}


def _difference(estimate: Estimate, p_value: float) -> _Difference:
    shown = "better" if (estimate.value or 0.0) > 0 else "worse"
    return _Difference(estimate, p_value, shown if p_value <= _ALPHA else "no difference shown")


def _standings(
    names: Sequence[str], answers: Sequence[pl.DataFrame], labelled: _Labelled, seed: int
) -> tuple[_Standing, ...]:
    """Places by the mean over regions, of what all models answered; corrected where all have labels."""
    common = answers[0].select("item_id")
    for other in answers[1:]:
        common = common.join(other, on="item_id", how="semi")
    if common.is_empty():
        raise InputError("no item was answered in all runs; run all of them on the same questions")
    # The same items give the same rows and columns, and one seed the same draws: models are drawn together.
    clusters = [clustered(one.join(common, on="item_id", how="semi"), "region") for one in answers]
    figures = np.array([one.ratios.mean() for one in clusters])
    draws = np.stack([ratio_draws(one, seed=seed).mean(axis=1) for one in clusters], axis=1)
    means = _corrected_means(labelled, common)
    is_corrected = means is not None and not np.isnan(means.values).any()
    macros = [macro_estimate(one, seed=seed) for one in clusters]
    if means is not None and is_corrected:
        owners = np.array([int(group.partition("/")[0]) for group in means.groups])
        # A row per model: the mean over its regions.
        shares = (owners == np.arange(len(names))[:, np.newaxis]) * len(names) / len(owners)
        figures, draws = shares @ means.values, means.draws(seed=seed) @ shares.T
        macros = [means.combined(by) for by in shares]
    # Too few templates to draw from leave every place possible.
    ranks = rank_intervals(figures, draws if len(clusters[0].keys) >= FEW else draws[:0])
    standings = [
        _Standing(name, macro.scaled(100), rank, is_corrected)
        for name, macro, rank in zip(names, macros, ranks, strict=True)
    ]
    return tuple(sorted(standings, key=lambda standing: standing.rank.place))


# Whether the scores of runs can stand side by side.


def check_comparable(runs: Sequence[ScoredRun]) -> tuple[str, ...]:
    """Whether the scores of runs can stand in one column: equal signatures, the model apart.

    Of people's answers only what was asked counts, not how a prompt put it: they saw none. Of another tool's,
    how they were asked for is not known, and does not count.

    Returns:
        What a reader of the comparison should know: which runs do not say how they were asked.

    Raises:
        InputError: If not; names the part that differs.
    """
    first, *others = sorted(
        runs, key=lambda run: (is_of_people(run.run.description), _is_recorded(run.run.description))
    )
    notes = []
    for other in others:
        there, here = (_parts(run.scores.signature) for run in (first, other))
        compared = {*there, *here}
        if is_of_people(other.run.description):
            compared &= _ASKED
        elif _is_recorded(other.run.description) and not _is_recorded(first.run.description):
            asked = ", ".join(f"{part} {there[part]}" for part in _UNSAID if part in there)
            notes.append(
                f"the answers of {other.name} are another tool's, which do not say how they were asked for "
                f"({first.name}: {asked}); how they differ may come from that"
            )
            compared -= {*_UNSAID}
        differing = [
            f"  {part}: {there.get(part, 'absent')} there, {here.get(part, 'absent')} here"
            for part in dict.fromkeys([*there, *here])
            if part in compared and there.get(part) != here.get(part)
        ]
        if differing:
            listed = "\n".join(differing)
            raise InputError(
                f"{other.run.directory}: its scores cannot be compared with those of "
                f"{first.run.directory}, since they differ in\n{listed}\n"
                "run or score both the same way, or compare runs that were (docs/scores.md says what these "
                "parts are)"
            )
    return tuple(notes)


def _is_recorded(run: RunDescription) -> bool:
    return isinstance(run.model, RecordedAnswers)


_UNSAID = ("chat", "dec", "sys", "think", "effort", "body")
"""Parts that nobody knows of recorded answers."""

_OF_THE_MODEL = {UNANSWERED, "missing", "dtype", "labels"}
"""Parts that say how a model ran, how often it did not answer and who labelled its answers: its own doing."""

_ASKED = {"name", "rel", "loc", "rule", "seed", "lemma", "local", "sdk"}
"""Parts that say what was asked and how answers were scored, whoever gave them."""


def _parts(signature: str) -> dict[str, str]:
    name, *fields = signature.split("|")
    found = {"name": name, **{part: value for part, _, value in (field.partition(":") for field in fields)}}
    return {part: value for part, value in found.items() if part not in _OF_THE_MODEL}
