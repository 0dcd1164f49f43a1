"""Scores of repeated answers: what of a figure's uncertainty further questions would take, and what repeats."""

from collections.abc import Iterable, Iterator, Mapping

import polars as pl

from blend.eval.scores_json import ALL, Score, ScoredItems, percent, plain
from blend.eval.statistics.repeats import RepeatedScore, repeated_score

_MACRO = "-macro"


def with_repeats(scored: ScoredItems, items: pl.DataFrame, figures: Mapping[str, str]) -> ScoredItems:
    """What was scored, with the number of every repeat and with figures on how the repeats differ.

    Args:
        scored: Decisions and figures.
        items: ``item_id``, ``region``, ``template_id`` and ``sample`` of the run, in order (`items.repeated`).
        figures: `Task.repeated`.

    Returns:
        Decisions with ``sample``, and for every figure and its mean over regions ``…-between-runs``,
        ``…-stderr-items`` and ``…-stderr-repeats`` behind the others; see ``docs/scores.md``.
    """
    question = (pl.col("sample") == 0).cum_sum().alias("question")
    numbered = items.select("item_id", "region", "template_id", question)
    held = {score.metric for score in scored.scores}
    found = [
        score
        for metric, column in figures.items()
        for score in _of_figure(metric, numbered, scored.decisions, column, macro=f"{metric}{_MACRO}" in held)
    ]
    decisions = scored.decisions.join(
        items.select("item_id", "sample"), on="item_id", how="left", maintain_order="left"
    )
    return scored._replace(decisions=decisions, scores=(*scored.scores, *found))


def _of_figure(
    metric: str, numbered: pl.DataFrame, decisions: pl.DataFrame, column: str, *, macro: bool
) -> Iterator[Score]:
    values = decisions.select("item_id", value=pl.col(column).cast(pl.Float64)).drop_nulls("value")
    rows = numbered.join(values, on="item_id", how="inner").drop("item_id")
    if rows.is_empty():
        return
    # Numbers in the order of the names: as Python's texts, those of a million answers fill 70 MB each.
    templates, regions = (
        rows[name].cast(pl.Enum(rows[name].unique().sort())).to_physical() for name in ("template_id", "region")
    )
    answers = (rows["value"], rows["question"], templates)
    yield from _scores(metric, repeated_score(*answers))
    if macro:
        yield from _scores(f"{metric}{_MACRO}", repeated_score(*answers, regions))


def _scores(metric: str, found: RepeatedScore) -> Iterable[Score]:
    n = round(found.between_runs.n)
    yield percent(f"{metric}-between-runs", "overall", ALL, found.between_runs)
    for source, error in (("items", found.items_error), ("repeats", found.repeats_error)):
        yield plain(f"{metric}-stderr-{source}", "overall", ALL, None if error is None else 100 * error, n=n)
