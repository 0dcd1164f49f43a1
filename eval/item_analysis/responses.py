"""Responses: what several models got right, as an array of models and items."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from blend.eval.report.scored_runs import ScoredRun
from blend.eval.statistics.clusters import FloatArray, divide
from blend.schemas.errors import InputError

ITEM = ("item_id", "template_id", "region", "topic")
"""Columns that say what an item is; ``topic`` is empty where it has none."""


class Responses(NamedTuple):
    """Responses of models to items."""

    models: tuple[str, ...]
    """Names of the models in text order, one per row."""
    items: pl.DataFrame
    """`ITEM`, by ``item_id``, one row per column."""
    correct: FloatArray
    """Shape ``(n_models, n_items)``: 1 correct, 0 wrong, between them the share of several answers to one item;
    NaN without an answer."""

    def shares(self, weights: FloatArray) -> FloatArray:
        """Every model's weighted share correct, shape ``(n_models,)``; weights have shape ``(n_items,)``."""
        return divide(np.nan_to_num(self.correct) @ weights, ~np.isnan(self.correct) @ weights)


def read_responses(runs: Sequence[ScoredRun]) -> Responses:
    """Read the decisions of comparable runs.

    A question that was asked in several rotations or samples is one item: its answers are not independent.

    Raises:
        InputError: If the task's answers are not correct or wrong, if decisions cannot be read, or if there are
            none.
    """
    rows = []
    for run in runs:
        if run.task.compared(run) is None:
            raise InputError(f"{run.task.title.lower()} are not correct or wrong, so items cannot be analysed")
        decided = run.task.questions(run)
        # A rotation has its question beside it; a repeat is named `item#1` (`items.repeated`).
        item = pl.col("question_id" if "question_id" in decided.columns else "item_id")
        named = item.str.replace(r"#\d+$", "") if "sample" in decided.columns else item
        own = decided.with_columns(item_id=named, topic=pl.col("topic").fill_null(""))
        rows.append(own.group_by(ITEM).agg(pl.col("correct").mean().alias(run.name)))
    joined = rows[0]
    for more in rows[1:]:
        joined = joined.join(more, on=ITEM, how="full", coalesce=True)
    if joined.is_empty():
        raise InputError("no item has an answer; ask the models again, and score their runs")
    # In orders of their own, so that no figure depends on the order in which runs are named.
    names, joined = sorted(run.name for run in runs), joined.sort("item_id")
    correct = joined.select(pl.col(names).cast(pl.Float64).fill_null(np.nan)).to_numpy()
    return Responses(tuple(names), joined.select(ITEM), np.ascontiguousarray(correct.T))
