"""Checks of a judge: what it was asked, how far order and length sway it, and whom it agrees with."""

from collections.abc import Iterator

import polars as pl

from blend.eval.judging.verdicts import (
    JUDGE,
    judge_signature,
    judges_of,
    read_judge,
    read_verdicts,
    reordered_verdicts,
)
from blend.eval.runs.run_directory import Run
from blend.eval.scores_json import ALL, Score, ScoredItems, estimated, percent, percents
from blend.eval.statistics.annotator_agreement import alpha, pairwise_agreement
from blend.eval.statistics.clusters import cluster_sums
from blend.eval.statistics.estimates import estimates
from blend.schemas.errors import InputError

LENGTHS = ("short", "medium", "long")
"""Thirds of the replies that a judge was asked about, by their characters."""

MAX_UNREADABLE = 0.01
"""Share of verdicts that cannot be read above which a reader is warned."""


def with_checks(scored: ScoredItems, run: Run, rule: str, judged: pl.DataFrame, *, seed: int) -> ScoredItems:
    """Add to what a judge decided who it is, and figures that check it.

    Args:
        scored: Decisions and figures by the verdicts of the judge that the rule names.
        run: The run that it judged.
        rule: As for `verdicts.read_judge`.
        judged: `verdicts.VERDICTS` with ``region``, ``template_id`` and ``by_rule``, whether the reply is
            correct by the default string rule.
        seed: Seed of the intervals, all of which are over templates.

    Returns:
        What was scored, with further figures, parts of the signature, and warnings. ``judge-asked``: share of
        the replies that it was asked about; ``judge-unreadable``: share of its verdicts that cannot be read;
        ``judge-partly`` by region; of what it was asked, ``judge-correct`` and ``rule-correct`` by length of
        the reply, and ``judge-rule-…``, its agreement with the string rule; ``judge-order-…``, its agreement
        with itself on accepted answers in the opposite order; ``judges-…``, its agreement with every other
        judge of the run. Agreement is on correct or not, as Krippendorff's alpha and as the share of pairs.
    """
    judge = read_judge(run, rule)
    asked = judged.filter(decided_by=JUDGE)
    known = asked.drop_nulls("verdict").with_columns(correct=pl.col("verdict") == "correct")
    partly = judged.drop_nulls("verdict").with_columns(value=pl.col("verdict") == "partly")
    others, warnings = _others(run, judge, known)
    scores = (
        _share("judge-asked", judged.with_columns(value=pl.col("decided_by") == JUDGE), seed),
        _share("judge-unreadable", asked.with_columns(value=pl.col("verdict").is_null()), seed),
        _share("judge-partly", partly, seed),
        *_by("region", "judge-partly", partly, seed),
        *_by_length(known, seed),
        *_agreement("judge-rule", ALL, known, pl.col("correct"), pl.col("by_rule"), seed),
        *_agreement("judge-order", ALL, reordered_verdicts(judge), *_both("stated", "reordered"), seed),
        *(score for name, rows in others for score in _agreement("judges", name, rows, *_both(*_TWO), seed)),
    )
    n_unreadable = asked.height - known.height
    if n_unreadable > MAX_UNREADABLE * asked.height:
        unreadable = (
            f"{n_unreadable:,} of {asked.height:,} verdicts of {judge.description.model.id} cannot be read, so "
            "no figure counts these replies; take another judge, or a server that holds it to JSON "
            "(docs/judging.md)"
        )
        warnings = (unreadable, *warnings)
    return scored._replace(
        scores=(*scored.scores, *scores),
        signature_parts={**scored.signature_parts, **judge_signature(run, judge)},
        warnings=(*scored.warnings, *warnings),
    )


_TWO = ("verdict", "other")


def _both(first: str, second: str) -> tuple[pl.Expr, pl.Expr]:
    return pl.col(first) == "correct", pl.col(second) == "correct"


def _others(
    run: Run, judge: Run, known: pl.DataFrame
) -> tuple[list[tuple[str, pl.DataFrame]], tuple[str, ...]]:
    """The replies that another judge was asked about as well, by its name, with its verdict as ``other``."""
    found, warnings = [], []
    for name in judges_of(run):
        if name == judge.directory.name:
            continue
        try:
            theirs = read_verdicts(run, f"{JUDGE}:{name}").filter(decided_by=JUDGE)
        except InputError as error:
            warnings.append(f"left out of the agreement of judges: {error}")
            continue
        key = ["item_id", "entry"]
        stated = theirs.select(*key, other="verdict").drop_nulls("other")
        found.append((name, known.join(stated, on=key, how="inner", nulls_equal=True, maintain_order="left")))
    return found, tuple(warnings)


def _agreement(
    metric: str, key: str, rows: pl.DataFrame, first: pl.Expr, second: pl.Expr, seed: int
) -> Iterator[Score]:
    """How far two verdicts on the same replies agree; nothing where there is no reply with two."""
    if rows.is_empty():
        return
    yes = rows.select(first.cast(pl.Int64) + second.cast(pl.Int64)).to_series().to_numpy()
    columns = (yes, [2] * rows.height, rows["template_id"].to_numpy())
    scope = "overall" if key == ALL else "judge"
    yield estimated(f"{metric}-alpha", scope, key, alpha(*columns, seed=seed))
    yield percent(f"{metric}-pairs", scope, key, pairwise_agreement(*columns, seed=seed))


def _by_length(asked: pl.DataFrame, seed: int) -> Iterator[Score]:
    """The share of correct replies in each third by length, of the judge and of the string rule."""
    if asked.is_empty():
        return
    third = (pl.col("reply").str.len_chars().rank("average") - 1) * len(LENGTHS) // asked.height
    rows = asked.with_columns(
        length=third.cast(pl.Int64).replace_strict(dict(enumerate(LENGTHS)), return_dtype=pl.Enum(LENGTHS))
    ).sort("length", maintain_order=True)
    for metric, column in (("judge-correct", "correct"), ("rule-correct", "by_rule")):
        yield from _by("length", metric, rows.with_columns(value=column), seed)


def _share(metric: str, rows: pl.DataFrame, seed: int) -> Score:
    sums = cluster_sums(rows["value"].cast(pl.Float64), rows["template_id"])
    return percent(metric, "overall", ALL, estimates(sums, seed=seed)[0])


def _by(scope: str, metric: str, rows: pl.DataFrame, seed: int) -> tuple[Score, ...]:
    sums = cluster_sums(rows["value"].cast(pl.Float64), rows["template_id"], rows[scope].cast(pl.String))
    return percents(metric, scope, sums.groups, estimates(sums, seed=seed))
