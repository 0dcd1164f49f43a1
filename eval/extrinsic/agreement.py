"""Agreement: whether groups whose cultures are close get texts that are alike, by Kendall's rank correlation.

For every group, the anchor, all others are ranked twice: by how alike their texts are to the anchor's, and by
how close their culture is to its own.

References:
    Bhatt and Diaz (2024), section 3.4 and C.2; Stuart (1953), The Estimation and Comparison of Strengths of
    Association in Contingency Tables, Biometrika 40 (tau-c); ``scipy.stats.kendalltau``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from blend.eval.extrinsic.culture import CulturalDistances
from blend.eval.extrinsic.definitions import Definition
from blend.eval.extrinsic.stats_library import scipy_stats
from blend.eval.extrinsic.topics import IntArray
from blend.eval.statistics.clusters import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """The rank correlation of likeness and closeness for every anchor, in the order of the survey's groups."""

    tau: FloatArray
    """Kendall's tau-c; NaN where it is not defined: fewer than two others, or all of them equally close or
    alike."""
    p: FloatArray
    """How likely so large a correlation is if there is none, two-sided; NaN likewise, and under
    ``reference_code``."""
    n: IntArray
    """Other groups that were ranked."""

    @property
    def mean(self) -> float | None:
        """The mean over anchors; null where it is defined for none."""
        known = self.tau[~np.isnan(self.tau)]
        return float(known.mean()) if len(known) else None


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
        definition: See `definitions.Definition`.
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
    found = scipy_stats().kendalltau(x, y, variant="c")
    return float(found.statistic), float(found.pvalue)


def tau_of_names(names: Sequence[str], x: FloatArray, y: FloatArray) -> float:
    """What the published code computes: the correlation of two lists of names, in alphabetical order of names.

    The names ordered by likeness and by closeness, highest first, each list without its first one.
    """
    lists = [[names[i] for i in np.argsort(-values, kind="stable")][1:] for values in (x, y)]
    if min(map(len, lists)) < 2:
        return float("nan")
    codes = {name: code for code, name in enumerate(sorted(names))}
    first, second = (np.array([codes[name] for name in one]) for one in lists)
    return float(scipy_stats().kendalltau(first, second, variant="c").statistic)
