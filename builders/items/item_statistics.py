"""Difficulty and discrimination of items, and evidence of wrong keys: counts, without a model of answers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blend.builders.items.responses import FloatArray, Responses, divide

WRONG_OPTIONS = 3
"""Wrong options over which a model's wrong answers are spread."""

_MOST = 0.999999
"""Largest correlation of which an interval is computed: Fisher's z of 1 is infinite."""
_LEAST = 0.01
"""Smallest chance to be correct or wrong, so that one slip of an excellent model does not decide alone."""


class ItemStatistics(NamedTuple):
    """Statistics of items, shape ``(n_items,)`` each; NaN where they cannot be told."""

    n_models: NDArray[np.int64]
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
    given, n_models = np.nan_to_num(correct), known.sum(axis=0)
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


def wrong_key_evidence(responses: Responses) -> FloatArray:
    """Weigh, for each item, the votes of models for the wrong option that has most against those for the key.

    A model is correct in an item as often as in the others of its region: chance ``p``; else it chooses each of
    the wrong options alike. Were another option the key, it would choose that one with ``p``, and the marked
    one with ``(1 - p) / 3``. So a vote weighs the logarithm of ``3 p / (1 - p)``, and the difference between
    two options is the log of the ratio of their likelihoods as keys. That good models agree on another option
    says most for a wrong key.

    Returns:
        Natural logarithms, shape ``(n_items,)``; above 0 the answers fit a wrong key better.
    """
    asked, given = (~np.isnan(responses.correct)).astype(np.float64), np.nan_to_num(responses.correct)
    # Shape (n_models, n_regions) times (n_regions, n_items): sums over the region of each item, without itself.
    members = responses.items.select("region").to_dummies().to_numpy()
    n_correct, n_asked = ((values @ members) @ members.T - values for values in (given, asked))
    # Half an answer more of either kind, since a region can have one item.
    chance = np.clip((n_correct + 0.5) / (n_asked + 1), _LEAST, 1 - _LEAST)
    weight = np.log(WRONG_OPTIONS * chance / (1 - chance))
    votes = (weight * np.nan_to_num(responses.wrong)).sum(axis=1)
    evidence: FloatArray = votes.max(axis=0) - (weight * given).sum(axis=0)
    return evidence
