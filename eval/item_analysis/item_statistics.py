"""Difficulty and discrimination of items, and evidence of wrong keys: counts, without a model of answers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blend.eval.statistics.clusters import FloatArray, divide

WRONG_OPTIONS = 3
"""Wrong options over which a model's wrong answers are spread."""

_MOST = 0.999999
"""Largest correlation of which an interval is computed: Fisher's z of 1 is infinite."""
_LEAST = 0.01
"""Smallest chance of either answer, so that one slip of an excellent model does not decide alone."""


class ItemStatistics(NamedTuple):
    """Statistics of items, shape ``(n_items,)`` each; NaN where they cannot be told."""

    n_models: FloatArray
    difficulty: FloatArray
    """Share of the models that were wrong, a fraction."""
    discrimination: FloatArray
    """Correlation of being correct here with the share correct elsewhere; NaN where all models agree."""
    low: FloatArray
    high: FloatArray
    """Ends of its 95 % interval over models; NaN with fewer than four."""


def item_statistics(correct: FloatArray) -> ItemStatistics:
    """Describe every item; the discrimination is corrected, as the item is left out of the score beside it.

    Args:
        correct: `responses.Responses.correct`.

    References:
        Henrysson (1963), Correction of item-total correlations in item analysis, Psychometrika 28. Of the
        interval, Fisher (1921), On the "probable error" of a coefficient of correlation, Metron 1.
    """
    known = ~np.isnan(correct)
    given, n_models = np.where(known, correct, 0.0), known.sum(axis=0).astype(np.float64)
    # Each model's share correct of all items but the one in question, shape (n_models, n_items).
    others = divide(given.sum(axis=1, keepdims=True) - given, known.sum(axis=1, keepdims=True) - known)
    x, y = (_centred(values, known & ~np.isnan(others)) for values in (given, others))
    spread = np.sqrt((x**2).sum(axis=0) * (y**2).sum(axis=0))
    r = np.clip(divide((x * y).sum(axis=0), np.where(spread > 1e-12, spread, 0.0)), -1.0, 1.0)
    z, error = np.arctanh(np.clip(r, -_MOST, _MOST)), np.sqrt(divide(np.ones_like(r), np.fmax(n_models - 3, 0)))
    low, high = (np.tanh(z + normal * error) for normal in (-1.959964, 1.959964))
    difficulty = 1 - divide(given.sum(axis=0), n_models)
    return ItemStatistics(n_models, difficulty, r, np.minimum(low, r), np.maximum(high, r))


def _centred(values: FloatArray, used: NDArray[np.bool_]) -> FloatArray:
    kept = np.where(used, values, 0.0)
    centred: FloatArray = np.where(used, kept - divide(kept.sum(axis=0), used.sum(axis=0)), 0.0)
    return centred


def wrong_key_evidence(correct: FloatArray, regions: FloatArray) -> FloatArray:
    """Measure how much better the answers to each item fit a wrong key than a correct one.

    A model is correct in an item as often as in the others of its region: chance ``p``. Were the key one of the
    wrong options, it would count as correct where it chose just that one: chance ``(1 - p) / 3``. The evidence
    is the log of the ratio of both likelihoods, summed over models: that good models fail says much for a wrong
    key, that weak ones pass says a little. An item that is merely harder than others has some as well.

    Args:
        correct: `responses.Responses.correct`.
        regions: Number of every item's region, shape ``(n_items,)``.

    Returns:
        Natural logarithms, shape ``(n_items,)``; above 0 the answers fit a wrong key better.
    """
    asked, given = (~np.isnan(correct)).astype(np.float64), np.nan_to_num(correct)
    # Shape (n_models, n_regions) times (n_regions, n_items): sums over the region of each item, without itself.
    members = (regions[:, np.newaxis] == np.unique(regions)).astype(np.float64)
    n_correct, n_asked = ((values @ members) @ members.T - values for values in (given, asked))
    # Half an answer more of either kind, since a region can have one item.
    chance = np.clip((n_correct + 0.5) / (n_asked + 1), _LEAST, 1 - _LEAST)
    missed = (1 - chance) / WRONG_OPTIONS
    ratios = given * np.log(missed / chance) + (asked - given) * np.log((1 - missed) / (1 - chance))
    evidence: FloatArray = (ratios * asked).sum(axis=0)
    return evidence
