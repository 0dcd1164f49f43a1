"""Difficulty and discrimination of items: counts and correlations, without a model of answers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blend.eval.statistics.clusters import FloatArray, divide

MOST = 0.999999
"""Largest correlation of which an interval is computed: Fisher's z of 1 is infinite."""
Z = 1.959964
"""Normal quantile of a two-sided 95 % interval."""


class ItemStatistics(NamedTuple):
    """Statistics of items, shape ``(n_items,)`` each; NaN where they cannot be told."""

    n_models: FloatArray
    """Models that answered."""
    difficulty: FloatArray
    """Share of them that were wrong, a fraction."""
    discrimination: FloatArray
    """Correlation of being correct here with the share correct elsewhere; NaN where all models agree."""
    low: FloatArray
    """Lower end of its 95 % interval over models; NaN with fewer than four."""
    high: FloatArray
    """Upper end."""


def item_statistics(correct: FloatArray) -> ItemStatistics:
    """Describe every item.

    The discrimination is the corrected point-biserial correlation: the item itself is left out of the score
    that it is compared with. Its interval is Fisher's, over models as if they were drawn; so it is wide with a
    few models, and too narrow for relatives of one model. `benchmarks/item_analysis.py` measures how often it
    holds.

    Args:
        correct: `responses.Responses.correct`.

    References:
        Henrysson (1963), Correction of item-total correlations in item analysis, Psychometrika 28. Fisher
        (1921), On the "probable error" of a coefficient of correlation, Metron 1.
    """
    known = ~np.isnan(correct)
    given, n_models = np.where(known, correct, 0.0), known.sum(axis=0).astype(np.float64)
    share = divide(given.sum(axis=0), n_models)
    # Each model's share correct of all items but the one in question, shape (n_models, n_items).
    others = divide(given.sum(axis=1, keepdims=True) - given, known.sum(axis=1, keepdims=True) - known)
    used = known & ~np.isnan(others)
    x, y = (_centred(values, used) for values in (given, others))
    spread = np.sqrt((x**2).sum(axis=0) * (y**2).sum(axis=0))
    r = np.clip(divide((x * y).sum(axis=0), np.where(spread > 1e-12, spread, 0.0)), -1.0, 1.0)
    error = np.sqrt(divide(np.ones_like(r), np.maximum(n_models - 3, 0.0)))
    z = np.arctanh(np.clip(r, -MOST, MOST))
    low, high = np.minimum(np.tanh(z - Z * error), r), np.maximum(np.tanh(z + Z * error), r)
    return ItemStatistics(n_models, 1 - share, r, low, high)


def _centred(values: FloatArray, used: NDArray[np.bool_]) -> FloatArray:
    kept = np.where(used, values, 0.0)
    centred: FloatArray = np.where(used, kept - divide(kept.sum(axis=0), used.sum(axis=0)), 0.0)
    return centred
