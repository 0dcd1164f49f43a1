"""Wrong keys: whether the answers to an item look like those to a question whose key is wrong."""

import numpy as np

from blend.eval.statistics.clusters import FloatArray, divide

WRONG_OPTIONS = 3
"""Wrong options over which a model's wrong answers are spread."""
_LEAST = 0.01
"""Smallest chance of either answer, so that one slip of an excellent model does not decide alone."""


def wrong_key_evidence(correct: FloatArray, regions: FloatArray) -> FloatArray:
    """Measure how much better the answers to each item fit a wrong key than a correct one.

    A model is correct in an item as often as in the others of its region: chance ``p``. Were the key one of the
    wrong options, it would count as correct where it chose just that one: chance ``(1 - p) / 3``. The evidence
    is the log of the ratio of both likelihoods, summed over models: that good models fail says much for a wrong
    key, that weak ones pass says a little. An item that is merely harder than others has some as well, so it
    ranks items for people to read and decides nothing.

    Args:
        correct: `responses.Responses.correct`.
        regions: Region of every item, as a number, shape ``(n_items,)``.

    Returns:
        Natural logarithms, shape ``(n_items,)``; above 0 the answers fit a wrong key better.
    """
    known = ~np.isnan(correct)
    given = np.where(known, correct, 0.0)
    # Shape (n_models, n_regions) times (n_regions, n_items): sums over the region of each item, without itself.
    members = (regions[:, np.newaxis] == np.unique(regions)).astype(np.float64)
    n_correct, n_asked = (
        (values @ members) @ members.T - values for values in (given, known.astype(np.float64))
    )
    # Half an answer more of either kind, since a region can have one item.
    chance = np.clip(divide(n_correct + 0.5, n_asked + 1), _LEAST, 1 - _LEAST)
    missed = (1 - chance) / WRONG_OPTIONS
    ratios = given * np.log(missed / chance) + (known - given) * np.log((1 - missed) / (1 - chance))
    evidence: FloatArray = np.where(known, ratios, 0.0).sum(axis=0)
    return evidence
