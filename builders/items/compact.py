"""Compact: the few items that keep scores and ranks, each with a weight for those that it stands for."""

from collections.abc import Callable

import numpy as np
import polars as pl

from blend.builders.items.analysis import analyse_items
from blend.builders.items.responses import FloatArray, Responses
from blend.builders.items.two_parameter import ItemModel
from blend.schemas.errors import ArgumentError, InputError

BALANCED = 0.5
"""Share of neighbours among which information decides: those that keep the score. Of all it would choose the
steepest, whose score is too high for good models and too low for weak ones."""


def select_compact(
    answers: pl.DataFrame,
    *,
    size: float,
    chance: float | None = None,
    on_warning: Callable[[str], None] = lambda _: None,
) -> pl.DataFrame:
    """Choose a compact set from answers to multiple-choice questions; see `choose_compact`.

    Args:
        answers: As of `analysis.analyse_items`, of six models or more.
        size: Share of the items to choose, a fraction.
        chance: As of `analysis.analyse_items`.
        on_warning: Hears `ItemAnalysis.untold`, why the choice may not be relied on.

    Returns:
        One row per chosen item, by id: ``MCQID``, as in a release, and ``weight``, with a mean of 1.

    Raises:
        ArgumentError: If ``size`` is not a fraction between 0 and 1.
        InputError: If the answers are of fewer than six models.
    """
    if not 0 < size < 1:
        raise ArgumentError(f"`size={size:g}` is not possible (it is a fraction between 0 and 1, such as 0.1)")
    found = analyse_items(answers, chance=chance)
    if found.model is None:
        raise InputError(f"nothing to choose by: {found.untold}")
    if found.untold:
        on_warning(found.untold)
    weights = pl.Series(choose_compact(found.responses, found.model, size=size))
    return found.items.select(MCQID="item_id", weight=weights).filter(pl.col("weight") > 0)


def choose_compact(responses: Responses, model: ItemModel, *, size: float) -> FloatArray:
    """Choose items that stand for all.

    Items of a region are sorted by topic, and within it by how often the models are expected to be correct.
    Each run of neighbours as long as ``1 / size`` has one item chosen, with the length of the run as its
    weight. Half of a run comes into question: those with which the expected scores of what is chosen so far are
    nearest those of all items so far. Among them the one that tells most about the models' abilities is chosen,
    by Fisher's information summed over models. So regions, topics and difficulties are there in their shares,
    and a weighted score estimates the full one.

    Args:
        responses: What the models got right.
        model: Fitted to them.
        size: Share of the items to choose, a fraction.

    Returns:
        Weights, shape ``(n_items,)``: 0 of items that are not chosen; the others have a mean of 1.
    """
    chances = model.chances()
    information = (model.slope**2 * chances * (1 - chances)).sum(axis=0)
    numbered = responses.items.with_columns(chance=pl.Series(chances.mean(axis=0))).with_row_index("item")
    weights, ahead = np.zeros(len(numbered)), np.zeros((len(chances), 1))
    for region in numbered.sort("region", "topic", "chance", "item_id").partition_by("region"):
        for run in np.array_split(region["item"].to_numpy(), max(1, round(size * region.height))):
            # How far each model would be ahead of its score with each item of the run, shape (n_models, n_run).
            ahead = ahead + len(run) * chances[:, run] - chances[:, run].sum(axis=1, keepdims=True)
            near = np.argsort((ahead**2).sum(axis=0), kind="stable")[: max(1, round(len(run) * BALANCED))]
            best = near[np.argmax(information[run[near]])]
            weights[run[best]], ahead = len(run), ahead[:, [best]]
    weights *= np.count_nonzero(weights) / len(weights)
    return weights
