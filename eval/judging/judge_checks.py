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
from blend.eval.scores_json import ALL, Score, ScoredItems, agreement_scores, percents
from blend.eval.statistics.clusters import cluster_sums
from blend.eval.statistics.estimates import estimates
from blend.schemas.errors import InputError
from blend.schemas.language.text_comparison import agreeing

LENGTHS = ("short", "medium", "long")
"""Thirds of the replies that a judge was asked about, by their characters."""

MAX_UNREADABLE = 0.01
"""Share of verdicts that cannot be read above which a reader is warned."""


def with_checks(scored: ScoredItems, run: Run, rule: str, verdicts: pl.DataFrame, *, seed: int) -> ScoredItems:
    """Add to what a judge decided who it is, and figures that check it.

    Args:
        scored: Decisions and figures by the verdicts of the judge that the rule names.
        run: The run that it judged.
        rule: As for `verdicts.read_judge`.
        verdicts: `verdicts.VERDICTS` that this judge gave.
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
    items = run.items("item_id", "region", "template_id")
    # Of the entries of lists, which can be millions, only those that were asked about with all that is known.
    judged, asked = (
        rows.join(items, on="item_id", how="inner", maintain_order="left")
        for rows in (verdicts.select("item_id", "verdict", "decided_by"), verdicts.filter(decided_by=JUDGE))
    )
    by_rule = pl.lit(False)  # the default rule is sure of the entries of a list that it finds correct
    if "by_rule" in scored.decisions.columns:
        asked = asked.join(scored.decisions.select("item_id", "by_rule"), on="item_id", how="left")
        by_rule = pl.col("by_rule")
    asked = asked.with_columns(by_rule=pl.when(by_rule).then(pl.lit("correct")).otherwise(pl.lit("wrong")))
    known, of_verdicts = (rows.drop_nulls("verdict") for rows in (asked, judged))
    others, warnings = _others(run, judge, known, seed)
    is_partly = pl.col("verdict") == "partly"
    scores = (
        *_shares("judge-asked", judged, pl.col("decided_by") == JUDGE, seed),
        *_shares("judge-unreadable", asked, pl.col("verdict").is_null(), seed),
        *_shares("judge-partly", of_verdicts, is_partly, seed),
        *_shares("judge-partly", of_verdicts, is_partly, seed, "region"),
        *(_by_length(known, seed) if known.height else ()),
        *_agreement("judge-rule", known, "verdict", "by_rule", seed),
        *_agreement("judge-order", reordered_verdicts(judge), "stated", "reordered", seed),
        *others,
    )
    n_unreadable = asked.height - known.height
    if n_unreadable > MAX_UNREADABLE * asked.height:
        unreadable = (
            f"{n_unreadable:,} of {asked.height:,} verdicts of {judge.description.model.id} cannot be read, so "
            "no figure counts these replies; take another judge, or a server that holds it to JSON "
            "(docs/judging.md)"
        )
        warnings = (unreadable, *warnings)
    n_questions = judge.description.n_items
    n_failed = n_questions - judge.answers("item_id", "error")["error"].null_count()
    if n_failed:
        failed = (
            f"{n_failed:,} of {n_questions:,} questions to {judge.description.model.id} "
            f"{agreeing(n_failed, 'has', 'have')} no answer, which counts as a verdict that cannot be "
            "read; run the same `blend eval judge` again to ask them"
        )
        warnings = (failed, *warnings)
    return scored._replace(
        scores=(*scored.scores, *scores),
        signature_parts={**scored.signature_parts, **judge_signature(run, judge)},
        warnings=(*scored.warnings, *warnings),
    )


def _others(run: Run, judge: Run, asked: pl.DataFrame, seed: int) -> tuple[tuple[Score, ...], tuple[str, ...]]:
    """Agreement with every other judge on the replies that both were asked about, and warnings."""
    scores: list[Score] = []
    warnings: list[str] = []
    for name in judges_of(run):
        if name == judge.directory.name:
            continue
        try:
            theirs = read_verdicts(run, f"{JUDGE}:{name}").filter(decided_by=JUDGE)
        except InputError as error:
            warnings.append(f"left out of the agreement of judges: {error}")
            continue
        other = theirs.select("item_id", "entry", other="verdict")
        both = asked.join(other, on=["item_id", "entry"], how="inner", nulls_equal=True, maintain_order="left")
        scores += _agreement("judges", both, "verdict", "other", seed, scope="judge", key=name)
    return tuple(scores), tuple(warnings)


def _agreement(
    metric: str, rows: pl.DataFrame, first: str, second: str, seed: int, scope: str = "overall", key: str = ALL
) -> tuple[Score, ...]:
    """How far two verdicts on the same replies agree on *correct* or not, where both can be read."""
    rows = rows.drop_nulls([first, second])
    yes = rows.select(n=pl.sum_horizontal((pl.col(first, second) == "correct").cast(pl.Int64)))
    return agreement_scores(
        metric, yes["n"], [2] * rows.height, rows["template_id"], seed, scope=scope, key=key
    )


def _by_length(asked: pl.DataFrame, seed: int) -> Iterator[Score]:
    """The share of correct replies in each third by length, of the judge and of the string rule."""
    third = (pl.col("reply").str.len_chars().rank("average") - 1) * len(LENGTHS) // asked.height
    rows = asked.with_columns(
        length=third.cast(pl.Int64).replace_strict(dict(enumerate(LENGTHS)), return_dtype=pl.Enum(LENGTHS))
    ).sort("length", maintain_order=True)
    for metric, column in (("judge-correct", "verdict"), ("rule-correct", "by_rule")):
        yield from _shares(metric, rows, pl.col(column) == "correct", seed, "length")


def _shares(
    metric: str, rows: pl.DataFrame, value: pl.Expr, seed: int, by: str | None = None
) -> tuple[Score, ...]:
    """A share of the rows, overall or by a column, which is the scope."""
    cells = rows.group_by("template_id", *([by] if by else [])).agg(value=value.sum(), n=pl.len())
    groups = cells[by].cast(pl.String) if by else None
    sums = cluster_sums(cells["value"], cells["template_id"], groups, counts=cells["n"])
    return percents(metric, by or "overall", sums.groups if by else (ALL,), estimates(sums, seed=seed))
