"""Cultural distance: how far the answers of two groups in a survey lie apart."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from blend.eval.extrinsic.definitions import Distance
from blend.eval.statistics.clusters import FloatArray
from blend.schemas.surveys import Survey


class CulturalDistances(NamedTuple):
    """The distances of groups in one survey."""

    survey: str
    """Its name, for example ``hofstede``."""
    groups: tuple[str, ...]
    """The groups that the survey knows, in the order of the data set."""
    matrix: FloatArray
    """Shape ``(n_groups, n_groups)`` over `groups`; NaN where two have no dimension in common."""
    left_out: tuple[str, ...] = ()
    """Groups of the data set that the survey knows and the kind of distance leaves out."""


def distances(survey: Survey, groups: Sequence[str], *, kind: Distance = "published") -> CulturalDistances:
    """The distance of every pair of groups that a survey knows.

    Args:
        survey: One row of numbers per group, NaN where one is missing.
        groups: The groups of the data set.
        kind: ``published``: Euclidean over the dimensions that both groups have, as they are, so that a
            column of large numbers decides, and a group with few dimensions looks close to all.
            ``standardised``: every dimension has mean 0 and standard deviation 1 over the groups compared,
            dimensions that are names of
            answers and not amounts are left out (`schemas.surveys.Survey.nominal`), and so are groups that lack
            one of the others.
    """
    rows = {name: row for row, name in enumerate(survey.groups)}
    known = tuple(group for group in groups if group in rows)
    values = survey.values[[rows[group] for group in known]]
    if kind == "published":
        return CulturalDistances(survey.name, known, _euclidean(values))
    values = values[:, [name not in survey.nominal for name in survey.dimensions]]
    complete = [not np.isnan(row).any() for row in values]
    kept = tuple(group for group, is_complete in zip(known, complete, strict=True) if is_complete)
    left_out = tuple(group for group, is_complete in zip(known, complete, strict=True) if not is_complete)
    return CulturalDistances(survey.name, kept, _euclidean(_standardised(values[complete])), left_out)


def _euclidean(values: FloatArray) -> FloatArray:
    n = len(values)
    found = np.full((n, n), np.nan)
    for row in range(n):
        apart = values - values[row]
        both = ~np.isnan(apart)
        sums = np.where(both, apart, 0.0) ** 2
        found[row] = np.where(both.any(axis=1), np.sqrt(sums.sum(axis=1)), np.nan)
    return found


def _standardised(values: FloatArray) -> FloatArray:
    if not len(values):
        return values
    spread = values.std(axis=0)
    # A dimension on which all agree tells nobody apart.
    varied = values[:, spread > 0]
    scaled: FloatArray = (varied - varied.mean(axis=0)) / spread[spread > 0]
    return scaled
