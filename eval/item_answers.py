"""Item answers: what several models answered, item by item, for an analysis of the items."""

from collections.abc import Sequence

import polars as pl

from blend.eval.report.scored_runs import ScoredRun, check_comparable
from blend.schemas.errors import InputError
from blend.schemas.frames import ITEM
from blend.schemas.rows import LETTERS


def item_answers(runs: Sequence[ScoredRun]) -> pl.DataFrame:
    """Read the decisions of comparable runs.

    A question that was asked in several rotations or samples is one item: its answers are not independent.

    Returns:
        A row per model and item: ``model``, ``item_id``, ``template_id``, ``locale``, ``region``, ``topic``
        (empty where there is none), ``correct``, the share of its answers that are, and the shares that choose
        each of the wrong options, in the order in which they follow the correct one; ``wrong`` where nothing is
        chosen.

    Raises:
        InputError: If the signatures of the runs differ, the model apart, the task's answers are not correct or
            wrong, decisions cannot be read, or there are none.
    """
    check_comparable(runs)
    answers = pl.concat(_answers(run).with_columns(model=pl.lit(run.name)) for run in runs)
    if answers.is_empty():
        raise InputError("no item has an answer; ask the models again, and score their runs")
    return answers


def _answers(run: ScoredRun) -> pl.DataFrame:
    """The items of a run, and shares of its answers: those that are correct, and the wrong ones by option."""
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
    return decided.with_columns(item_id=named).group_by(*ITEM).agg(shares)
