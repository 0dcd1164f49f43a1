"""A few items of SemEval-2026 Task 7, and names of its files of predictions."""

import polars as pl

from blend.builders.mcq.published_mcqs import given_rows
from blend.eval.items import TaskItems
from blend.eval.recorded_answers import Predictions
from blend.eval.registry import task_of
from blend.eval.tasks.multiple_choice import ChoiceOptions
from blend.eval.tasks.multiple_choice.choice_items import choice_items
from blend.schemas.frames import GIVEN_MCQS
from blend.schemas.locales import registry

MCQ_TSV = "track_2_mcq_prediction.tsv"
SAQ_TSV = "track_1_saq_prediction.tsv"


def form_of(task: str) -> Predictions:
    form = task_of(task).predictions()
    assert form is not None
    return form


CODES = ("am-ET", "ga-IE")
GOLD = {f"{code}_{i:04}": "ABCD"[i % 4] for code, n in zip(CODES, (5, 3), strict=True) for i in range(n)}


def asked(*, rebalance: bool) -> TaskItems:
    rows = [
        (
            row_id,
            row_id,
            row_id[:5],
            "-",
            f"What is {row_id}?",
            list("wxyz"),
            "ABCD".index(key),
            "semeval",
            "f:1",
        )
        for row_id, key in GOLD.items()
    ]
    given = pl.DataFrame(rows, GIVEN_MCQS, orient="row")
    mcqs = given_rows(given, rebalance=rebalance, seed=3, locales=registry())
    return choice_items(
        {"multiple-choice-questions": mcqs.with_columns(region="locale")}, ChoiceOptions(style="json")
    )


ASKED = {rebalance: asked(rebalance=rebalance) for rebalance in (False, True)}
