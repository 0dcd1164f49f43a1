"""Responses: what several models answered, as arrays of models and items."""

from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from blend.schemas.frames import ITEM

FloatArray = NDArray[np.float64]


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


def responses_of(answers: pl.DataFrame) -> Responses:
    """Answers as arrays.

    Args:
        answers: A row per model and item: ``model``, `ITEM`, ``correct`` and the shares of the wrong options.
    """
    # In orders of their own, so that no figure depends on the order in which runs are named.
    models = answers.select("model").unique().sort("model")
    items = answers.select(ITEM).unique().sort("item_id")
    every = models.join(items, how="cross", maintain_order="left_right")
    shares = every.join(answers, on=("model", *ITEM), how="left", maintain_order="left").drop("model", *ITEM)
    correct, *wrong = shares.to_numpy().T.reshape(-1, len(models), len(items))
    return Responses(tuple(models["model"]), items, correct, np.stack(wrong))


def divide(totals: FloatArray, counts: NDArray[Any]) -> FloatArray:
    """Ratios, NaN where the denominator is 0."""
    ratios: FloatArray = np.divide(totals, counts, out=np.full(np.shape(totals), np.nan), where=counts != 0)
    return ratios
