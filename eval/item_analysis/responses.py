"""Responses: what several models answered, as arrays of models and items."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from blend.eval.report.scored_runs import ScoredRun
from blend.eval.statistics.clusters import FloatArray, divide
from blend.schemas.errors import InputError
from blend.schemas.rows.published_rows import LETTERS

ITEM = ("item_id", "template_id", "locale", "region", "topic")
"""Columns that say what an item is; ``topic`` is empty where it has none."""


class Responses(NamedTuple):
    """Responses of models to items; of several answers of a model to one item the share of each."""

    models: tuple[str, ...]
    """Names of the models in text order, one per row."""
    items: pl.DataFrame
    """`ITEM`, by ``item_id``, one row per column."""
    correct: FloatArray
    """Share of correct answers, shape ``(n_models, n_items)``; NaN without an answer."""
    wrong: FloatArray
    """Share of answers that choose each of the wrong options, shape ``(n_wrong, n_models, n_items)``, in the
    order in which they follow the correct one; where nothing is chosen, of all wrong answers as one option."""

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
    answers = pl.concat(_answers(run).with_columns(model=pl.lit(run.name)) for run in runs)
    if answers.is_empty():
        raise InputError("no item has an answer; ask the models again, and score their runs")
    # In orders of their own, so that no figure depends on the order in which runs are named.
    models = answers.select("model").unique().sort("model")
    items = answers.select(ITEM).unique().sort("item_id")
    every = models.join(items, how="cross", maintain_order="left_right")
    shares = every.join(answers, on=("model", *ITEM), how="left", maintain_order="left").drop("model", *ITEM)
    correct, *wrong = shares.to_numpy().T.reshape(-1, len(models), len(items))
    return Responses(tuple(models["model"]), items, correct, np.stack(wrong))


def _answers(run: ScoredRun) -> pl.DataFrame:
    """`ITEM` of a run, and shares of its answers: those that are correct, and the wrong ones by option."""
    if run.task.compared(run) is None:
        raise InputError(f"{run.task.title.lower()} are not correct or wrong, so items cannot be analysed")
    decided = run.task.questions(run).drop_nulls("correct").with_columns(pl.col("topic").fill_null(""))
    wrong = {"wrong": 1 - pl.col("correct").cast(pl.Float64)}
    if "chosen" in decided.columns:
        # A rotation moves all options alike.
        behind = (pl.col("chosen") - pl.col("answer")) % len(LETTERS)
        wrong = {f"wrong{n}": behind.eq_missing(n) for n in range(1, len(LETTERS))}
    # A rotation has its question beside it; a repeat is named `item#1` (`items.repeated`).
    item = pl.col("question_id" if "question_id" in decided.columns else "item_id")
    named = item.str.replace(r"#\d+$", "") if "sample" in decided.columns else item
    shares = (share.mean().alias(name) for name, share in {"correct": pl.col("correct"), **wrong}.items())
    return decided.with_columns(item_id=named).group_by(ITEM).agg(shares)
