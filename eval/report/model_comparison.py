"""Comparison: who is better, where, and is it chance. Nothing is called better without the test."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import polars as pl

from blend.eval.report import ScoredRun, few_note, region_name, with_interval
from blend.eval.runs import RecordedAnswers, RunDescription, is_of_people
from blend.eval.scores_json import UNANSWERED, clustered
from blend.eval.statistics.estimates import Estimate, holm, macro_estimate, macro_test, paired_tests
from blend.eval.tasks import task_of
from blend.schemas.errors import InputError
from blend.schemas.summaries import Summarised, Table
from blend.schemas.texts import pluralise

_STANDINGS = pl.Schema(
    {
        "model": pl.String(),
        **dict.fromkeys(("value", "low", "high", "n"), pl.Float64()),
        **dict.fromkeys(("clusters", "best", "worst"), pl.Int64()),
    }
)
_DIFFERENCES = pl.Schema(
    {
        **dict.fromkeys(("first", "second", "region"), pl.String()),
        **dict.fromkeys(("difference", "low", "high", "n"), pl.Float64()),
        "clusters": pl.Int64(),
        "p_value": pl.Float64(),
    }
)

_ALPHA = 0.05
"""Corrected p-values up to this one count as a difference."""

_NOT_SHOWN = "no difference shown"

_Row = Mapping[str, Any]
"""A row of a frame, by column."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ModelComparison(Summarised):
    """Models compared."""

    task: str
    """Name of the task."""
    signature: str
    """What all of them share."""
    standings: pl.DataFrame
    """A row per model, best first and equal ones in the order given.

    ``value`` is the mean over regions of the share that is correct, in percent, of the items that all models
    answered, with its interval; ``place`` its place by that, and ``best`` and ``worst`` the places that the
    verdicts on pairs leave: behind whoever is shown to be better, before whoever is shown to be worse."""
    pairs: pl.DataFrame
    """A row per pair, in the order given.

    ``n_items`` were answered by both; of them the second has more correct ``n_fixed``, and less ``n_broken``.
    ``n_left_out`` were answered by one alone, and no figure of the pair counts them."""
    frame: pl.DataFrame
    """Every difference, a row each, pair by pair: over all regions (``region`` is null), then by region.

    ``difference``, ``low`` and ``high`` say by how many percentage points ``second`` is ahead of ``first``,
    with the 95 % interval (not corrected for being one of several). ``p_value`` is corrected (Holm), over the
    pairs for the mean over regions, else over a pair's regions; ``verdict`` is about the second model."""

    def as_tables(self) -> list[Table]:
        """The places of the models, how pairs differ in the mean over regions, and each of them by region."""
        # The mean over regions stands before the regions of its pair.
        number = pl.col("region").is_null().cum_sum().alias("pair")
        parts = self.frame.with_columns(number).partition_by("pair", maintain_order=True)
        pairs = [part.rows(named=True) for part in parts]
        n_shown = sum(mean["verdict"] != _NOT_SHOWN for mean, *_ in pairs)
        standings = self.standings.rows(named=True)
        macros = [_estimate(one, "value") for one in standings]
        places = Table.of(
            f"{self.task}, {len(standings)} models, {n_shown} of {pluralise(len(pairs), 'pair')} shown to "
            "differ",
            ("place", "possible", "model", "mean over regions"),
            [
                (one["place"], _possible(one), one["model"], with_interval(macro))
                for one, macro in zip(standings, macros, strict=True)
            ],
            f"{task_of(self.task).compared_by}. Possible: places that the verdicts below leave, all of them "
            f"at once with 95 % certainty.{few_note(macros)}",
        )
        counts = self.pairs.drop("first", "second").rows()
        means = Table.of(
            "Is it chance?",
            ("model less model", "verdict", "points", "p", "items", "fixed", "broken", "left out"),
            [
                (_direction(mean), *_cells(mean), *counted)
                for (mean, *_), counted in zip(pairs, counts, strict=True)
            ],
            "In the mean over regions, by paired permutation tests over templates; p is corrected for the "
            "number of pairs (Holm). Fixed: items on which the model named first scores higher; broken: "
            "lower; left out: only one of them answered.",
        )
        if not self.pairs["n_left_out"].sum():
            means = means._replace(frame=means.frame.drop("left out"))
        return [places, means, *(_by_region(*pair) for pair in pairs)]

    def to_json(self) -> dict[str, Any]:
        """The comparison as JSON has it."""
        frames = {"standings": self.standings, "pairs": self.pairs, "differences": self.frame}
        rows = {name: frame.to_dicts() for name, frame in frames.items()}
        return {"task": self.task, "signature": self.signature, **rows}


def _estimate(row: _Row, figure: str) -> Estimate:
    return Estimate(row[figure], row["low"], row["high"], row["n"], row["clusters"])


def _possible(standing: _Row) -> str:
    """All places that are possible, ``2`` or ``1–3``."""
    best, worst = standing["best"], standing["worst"]
    return f"{best}" if best == worst else f"{best}–{worst}"


def _direction(difference: _Row) -> str:
    """Which way a difference goes."""
    return f"{difference['second']} less {difference['first']}"


def _cells(of: _Row) -> tuple[str, str, str]:
    """Verdict, points with their interval, and the p-value."""
    p_value = "< 0.001" if of["p_value"] < 0.001 else f"{of['p_value']:.3f}"
    return of["verdict"], with_interval(_estimate(of, "difference"), "{:+.1f}".format), p_value


def _by_region(mean: _Row, *regions: _Row) -> Table:
    """Where two models differ, best first for the second one."""
    ranked = sorted(regions, key=lambda one: (-(one["difference"] or 0.0), one["region"]))
    rows = [(region_name(one["region"]), *_cells(one)) for one in ranked]
    return Table.of(_direction(mean), ("region", "verdict", "points", "corrected p"), rows)


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
    compared = [
        _pair((runs[i].name, runs[j].name), (answers[i], answers[j]), seed)
        for i, j in combinations(range(len(runs)), 2)
    ]
    differences = pl.concat(found for _, found in compared)
    is_mean, p_values = differences["region"].is_null().to_numpy(), differences["p_value"].to_numpy().copy()
    p_values[is_mean] = holm(p_values[is_mean])
    shown = pl.when(pl.col("difference") > 0).then(pl.lit("better")).otherwise(pl.lit("worse"))
    verdict = pl.when(pl.col("p_value") <= _ALPHA).then(shown).otherwise(pl.lit(_NOT_SHOWN))
    frame = differences.with_columns(p_value=p_values).with_columns(verdict=verdict)
    return ModelComparison(
        task=runs[0].scores.task,
        signature=runs[0].scores.signature,
        standings=_standings([run.name for run in runs], answers, frame.filter(is_mean), seed),
        pairs=pl.DataFrame([counts for counts, _ in compared]),
        frame=frame,
    )


def _pair(
    names: tuple[str, str], answers: tuple[pl.DataFrame, pl.DataFrame], seed: int
) -> tuple[dict[str, Any], pl.DataFrame]:
    """A row of `ModelComparison.pairs`, and differences, of which the mean's p-value is not corrected yet."""
    one, other = answers
    both = one.join(other.select("item_id", other="value"), on="item_id", how="inner", maintain_order="left")
    if both.is_empty():
        raise InputError(f"{' and '.join(names)} answered no item in common; run both on the same questions")
    lead = pl.col("other") - pl.col("value")
    differences = clustered(both.with_columns(value=lead), "region")
    macro, tests = macro_test(differences, seed=seed), paired_tests(differences, seed=seed)
    p_values = [macro.p_value, *holm([test.p_value for test in tests]).tolist()]
    rows = [
        (*names, region, *_in_points(test.estimate), p_value)
        for region, test, p_value in zip((None, *differences.groups), (macro, *tests), p_values, strict=True)
    ]
    counts = {
        "first": names[0],
        "second": names[1],
        "n_items": both.height,
        "n_fixed": both.filter(lead > 0).height,
        "n_broken": both.filter(lead < 0).height,
        "n_left_out": one.height + other.height - 2 * both.height,
    }
    return counts, pl.DataFrame(rows, _DIFFERENCES, orient="row")


def _in_points(estimate: Estimate) -> tuple[float | None, float | None, float | None, float, int | None]:
    """A share in percent: figure, interval, items and clusters."""
    found = estimate.scaled(100)
    return found.value, found.low, found.high, found.n, found.clusters


def _standings(
    names: Sequence[str], answers: Sequence[pl.DataFrame], differences: pl.DataFrame, seed: int
) -> pl.DataFrame:
    """Places by the mean over regions, of what all models answered, and those that verdicts on pairs leave."""
    common = answers[0].select("item_id")
    for other in answers[1:]:
        common = common.join(other, on="item_id", how="semi")
    if common.is_empty():
        raise InputError("no item was answered in all runs; run all of them on the same questions")
    rows_of = [one.join(common, on="item_id", how="semi") for one in answers]
    macros = [macro_estimate(clustered(rows, "region"), seed=seed) for rows in rows_of]
    is_better = pl.col("verdict") == "better"
    shown = differences.filter(pl.col("verdict") != _NOT_SHOWN).select(
        ahead=pl.when(is_better).then("second").otherwise("first"),
        behind=pl.when(is_better).then("first").otherwise("second"),
    )
    n_above, n_below = Counter(shown["behind"]), Counter(shown["ahead"])
    rows = [
        (name, *_in_points(macro), 1 + n_above[name], len(names) - n_below[name])
        for name, macro in zip(names, macros, strict=True)
    ]
    # Figures that differ by rounding alone are equal.
    place = pl.col("value").round(9).rank("min", descending=True).cast(pl.Int64)
    # A pair may have more answers in common than all models have, and its verdict go the other way.
    possible = {"best": pl.min_horizontal("best", place), "worst": pl.max_horizontal("worst", place)}
    standings = pl.DataFrame(rows, _STANDINGS, orient="row").with_columns(place=place, **possible)
    return standings.sort("place", maintain_order=True)


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
