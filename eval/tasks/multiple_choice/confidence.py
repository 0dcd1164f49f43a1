"""Confidence: how sure a model is of its choice, by its word or by its probabilities, and how often correct."""

from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from blend.eval.scores_json import ALL, Score, percent, plain
from blend.eval.statistics.calibration import auroc, coverage_weights, expected_calibration_error
from blend.eval.statistics.clusters import cluster_sums
from blend.eval.statistics.estimates import estimates
from blend.schemas.prompts import ANSWER_KEY, INSTRUCTION, PUBLISHED_PROMPT

COVERAGES = (50, 80, 90, 100)
"""Shares of the answers, in percent, of which accuracy is told."""

CONFIDENT_PROMPT = PUBLISHED_PROMPT.replace(
    INSTRUCTION,
    INSTRUCTION.replace(f'{{"{ANSWER_KEY}":""}}', f'{{"{ANSWER_KEY}":"", "confidence":""}}')
    + ", where confidence is a number from 0 to 100: how likely it is, in percent, that your answer is correct",
)
"""The published prompt with a field for confidence."""

STATED = r',?\s*"confidence"\s*:\s*"?\s*(\d+(?:\.\d+)?)\s*%?\s*"?\s*,?'


"""The field for confidence in an answer, as a regular expression."""


def stated_confidence(text: pl.Expr) -> pl.Expr:
    """The confidence that answers give in JSON, as a share; null where there is none from 0 to 100.

    A number with a point up to 1, such as 0.9, is taken as the share that it would be a strange percentage for.
    """
    stated = text.str.extract(STATED)
    number = stated.cast(pl.Float64)
    is_share = stated.str.contains(".", literal=True) & (number <= 1)
    share = pl.when(is_share).then(number).otherwise(number / 100)
    return pl.when(share <= 1).then(share)


def without_confidence(text: pl.Expr) -> pl.Expr:
    """Answers without the field for confidence, which the rules for letters know nothing of."""
    return text.str.replace(STATED, "")


def likelihood(measure: NDArray[np.float64]) -> NDArray[np.float64]:
    """The softmax of the highest of each row's scores, shape ``(n_rows,)``; NaN where there are none."""
    highest = measure.max(axis=1, keepdims=True)
    share: NDArray[np.float64] = 1 / np.exp(measure - highest).sum(axis=1)
    return share


def confidence_scores(rows: pl.DataFrame, seed: int) -> Iterator[Score]:
    """Calibration error, area under the curve and accuracy at coverage, overall and by region.

    Args:
        rows: Answered items: ``correct``, ``confidence``, ``region`` and ``template_id``; nothing is scored
            where no answer has a confidence.
        seed: Seed of the intervals.
    """
    if rows["confidence"].null_count() == rows.height:
        return
    yield from _scores(rows, "overall", ALL, seed)
    for (region,), part in rows.sort("region").group_by("region", maintain_order=True):
        yield from _scores(part, "region", str(region), seed)


def _scores(rows: pl.DataFrame, scope: str, key: str, seed: int) -> Iterator[Score]:
    known = rows.drop_nulls("confidence")
    sure, correct = known["confidence"].to_numpy(), known["correct"].to_numpy()
    for metric, value in (("ece", expected_calibration_error(sure, correct)), ("auroc", auroc(sure, correct))):
        yield plain(metric, scope, key, None if value is None else 100 * value, n=known.height)
    everything = rows["confidence"].cast(pl.Float64).fill_null(float("nan")).to_numpy()
    correct_share = rows["correct"].cast(pl.Float64).to_numpy()
    for coverage in COVERAGES:
        weight = coverage_weights(everything, coverage / 100)
        shares = cluster_sums(correct_share * weight, rows["template_id"].to_numpy(), counts=weight)
        name = str(coverage) if scope == "overall" else f"{key}/{coverage}"
        of = "coverage" if scope == "overall" else f"{scope}-coverage"
        yield percent("accuracy-at-coverage", of, name, estimates(shares, seed=seed)[0])
