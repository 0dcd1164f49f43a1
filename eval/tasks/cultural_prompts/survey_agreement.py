"""Cultural distance: how far the answers of two groups in a survey lie apart."""

from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np

from blend.eval.statistics.clusters import FloatArray
from blend.eval.tasks.cultural_prompts import Distance
from blend.eval.tasks.cultural_prompts.edits_side_by_side import IntArray
from blend.eval.tasks.cultural_prompts.text_measures import Definition, scipy_module
from blend.schemas.language.text_comparison import words
from blend.schemas.rows.surveys import Survey


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
    dimensions: tuple[str, ...] = ()
    """The dimensions that the distances are over, in the order of the survey."""
    nearly: tuple[tuple[str, str], ...] = ()
    """Groups of the data set that the survey does not know, and its name of the same words."""


def distances(survey: Survey, groups: Sequence[str], *, kind: Distance = "published") -> CulturalDistances:
    """The distance of every pair of groups that a survey knows.

    Args:
        survey: One row of numbers per group, NaN where one is missing.
        groups: The groups of the data set.
        kind: ``published``: Euclidean over the dimensions that both groups have, as they are, so that a
            column of large numbers decides, and a group with few dimensions looks close to all.
            ``standardised``: every dimension has mean 0 and standard deviation 1 over the groups compared,
            dimensions that are names of
            answers and not amounts are left out (`surveys.Survey.nominal`), and so are groups that lack
            one of the others.
    """
    rows = {name: row for row, name in enumerate(survey.groups)}
    known = tuple(group for group in groups if group in rows)
    by_words = {words(name): name for name in survey.groups}
    unknown = [group for group in groups if group not in rows and words(group) in by_words]
    nearly = tuple((group, by_words[words(group)]) for group in unknown)
    values = survey.values[[rows[group] for group in known]]
    if kind == "published":
        return CulturalDistances(survey.name, known, _euclidean(values), (), survey.dimensions, nearly)
    is_amount = [name not in survey.nominal for name in survey.dimensions]
    dimensions = tuple(compress(survey.dimensions, is_amount))
    values = values[:, is_amount]
    complete = [not np.isnan(row).any() for row in values]
    kept = tuple(group for group, is_complete in zip(known, complete, strict=True) if is_complete)
    left_out = tuple(group for group, is_complete in zip(known, complete, strict=True) if not is_complete)
    apart = _euclidean(_standardised(values[complete]))
    return CulturalDistances(survey.name, kept, apart, left_out, dimensions, nearly)


def _euclidean(values: FloatArray) -> FloatArray:
    n = len(values)
    found = np.full((n, n), np.nan)
    for row in range(n):
        apart = values - values[row]
        both = ~np.isnan(apart)
        # Missing dimensions add nothing, and the sum is not scaled up for them: that is what was published.
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


class Agreement(NamedTuple):
    """The rank correlation of likeness and closeness for every anchor, in the order of the survey's groups."""

    tau: FloatArray
    """Kendall's tau-c; NaN where it is not defined: fewer than two others, or all of them equally close or
    alike."""
    p: FloatArray
    """How likely so large a correlation is if there is none, two-sided; NaN likewise, and under
    ``reference_code``."""
    n: IntArray
    """Other groups that were ranked."""


def agreement(
    likeness: FloatArray,
    groups: Sequence[str],
    culture: CulturalDistances,
    *,
    definition: Definition = "paper",
    least_first: bool = False,
) -> Agreement:
    """Kendall's tau-c of every anchor.

    Args:
        likeness: How alike the texts of two groups are, higher for more, shape ``(n_groups, n_groups)``; NaN
            where unknown.
        groups: What its rows and columns stand for.
        culture: The distances of some of the groups.
        definition: See `coded_topics.Definition`.
        least_first: Whether the published code lists the least alike first, as it does for BLEU and not for
            WED; only for ``reference_code``.

    Raises:
        MissingExtraError: If SciPy is not installed.
    """
    places = [list(groups).index(group) for group in culture.groups]
    alike = likeness[np.ix_(places, places)]
    found = np.full((3, len(places)), np.nan)
    for anchor in range(len(places)):
        known = ~np.isnan(alike[anchor]) & ~np.isnan(culture.matrix[anchor])
        known[anchor] = False
        others = np.flatnonzero(known)
        # Distance with its sign turned: both grow with closeness.
        x, y = alike[anchor, others], -culture.matrix[anchor, others]
        if definition == "paper":
            tau, p = tau_c(x, y)
        else:
            sign = -1 if least_first else 1
            names = [culture.groups[other] for other in others]
            tau, p = tau_of_names(names, sign * x, sign * y), np.nan
        found[:, anchor] = tau, p, len(others)
    return Agreement(found[0], found[1], found[2].astype(np.int64))


def tau_c(x: FloatArray, y: FloatArray) -> tuple[float, float]:
    """Kendall's tau-c and its two-sided p-value; both NaN with fewer than two different values in either."""
    if min(len(np.unique(x)), len(np.unique(y))) < 2:
        return float("nan"), float("nan")
    found = scipy_module("stats").kendalltau(x, y, variant="c")
    return float(found.statistic), float(found.pvalue)


def tau_of_names(names: Sequence[str], x: FloatArray, y: FloatArray) -> float:
    """Correlate two lists of names, in alphabetical order of names, as the published code does.

    The names ordered by likeness and by closeness, highest first, each list without its first one.
    """
    lists = [[names[i] for i in np.argsort(-values, kind="stable")][1:] for values in (x, y)]
    if min(map(len, lists)) < 2:
        return float("nan")
    codes = {name: code for code, name in enumerate(sorted(names))}
    first, second = (np.array([codes[name] for name in one]) for one in lists)
    return float(scipy_module("stats").kendalltau(first, second, variant="c").statistic)
