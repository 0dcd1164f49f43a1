"""Statistics of groups: how much their texts differ, and whether that goes along with their values.

Lexical variance is between groups and within each of them; cultural distance is how far the answers of two
groups in a survey lie apart, and their agreement a rank correlation.

References:
    Bhatt and Diaz (2024), section 3.3. The estimates that are called unbiased here are this package's: the
    published ones are not comparable with each other, as ``docs/cultural-prompts.md`` shows.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from blend.eval.statistics import FloatArray, divide
from blend.eval.tasks.cultural_prompts import Distance
from blend.eval.tasks.cultural_prompts.text_measures import Definition, PairSums, scipy_module, wed
from blend.loaders.surveys import Survey
from blend.schemas.texts import pluralise

_BoolArray = NDArray[np.bool_]


class Variances(NamedTuple):
    """The lexical variance of a topic."""

    across: float
    """Between groups; NaN with fewer than two groups that have texts."""
    within: float
    """Within groups: the mean over groups; NaN where no group has two texts."""
    most: float
    """The most that a variance can be: half of a squared distance, or all of it in the published code."""


def published_variances(pairs: PairSums, *, definition: Definition = "paper") -> Variances:
    """Lexical variance as published.

    Between groups, half of the squared mean distance of every ordered pair of groups, a group with itself (0)
    among them; within a group, half of the squared distance of every ordered pair of its samples, a sample
    with itself (0) among them. ``reference_code`` leaves the half out. With one sample, the variance within a
    group is not defined, and NaN here.

    Args:
        pairs: WED of the texts of a topic.
        definition: See `Definition`.
    """
    factor = 0.5 if definition == "paper" else 1.0
    own = factor * divide(np.diag(pairs.squares), np.diag(pairs.n_pairs))
    own = np.where(pairs.samples > 1, own, np.nan)
    # The mean over n(n - 1) ordered pairs of different groups; the published one is over all n**2.
    n = max(1, int((pairs.samples > 0).sum()))
    across = (n - 1) / n * _between(factor * wed(pairs, definition=definition) ** 2)
    return Variances(across, _mean(own), factor)


def unbiased_variances(pairs: PairSums) -> Variances:
    """Lexical variance such that both kinds are equal on average if groups make no difference.

    Half of the mean squared distance of two different texts: of a pair of groups between, of one group within.
    """
    counts = pairs.n_pairs
    # Pairs of different texts of a group: a text with itself adds 0 to the sum and is not counted.
    distinct = np.diag(counts) - pairs.samples
    own = 0.5 * divide(np.diag(pairs.squares).copy(), distinct.astype(np.float64))
    return Variances(_between(0.5 * divide(pairs.squares, counts)), _mean(own), 0.5)


def _between(values: FloatArray) -> float:
    """The mean of a figure over pairs of different groups."""
    return _mean(values[~np.eye(len(values), dtype=bool)])


def _mean(values: FloatArray) -> float:
    """The mean of those that are not NaN; NaN of none."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else math.nan


def anova(within: FloatArray, across: FloatArray) -> tuple[float, float] | None:
    """F and p of whether the variances of topics within and across groups have one mean; one number per topic.

    Null with fewer than two topics, or where neither list varies.

    Raises:
        MissingExtraError: If SciPy is not installed.
    """
    if min(len(within), len(across)) < 2 or not (np.ptp(within) or np.ptp(across)):
        return None
    found = scipy_module("stats").f_oneway(within, across)
    return float(found.statistic), float(found.pvalue)


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
    values = survey.values[[rows[group] for group in known]]
    if kind == "published":
        return CulturalDistances(survey.name, known, _euclidean(values), (), survey.dimensions)
    is_amount = [name not in survey.nominal for name in survey.dimensions]
    dimensions = tuple(compress(survey.dimensions, is_amount))
    values = values[:, is_amount]
    complete: _BoolArray = np.all(~np.isnan(values), axis=1)
    kept, left_out = (tuple(compress(known, which)) for which in (complete, ~complete))
    apart = _euclidean(_standardised(values[complete]))
    return CulturalDistances(survey.name, kept, apart, left_out, dimensions)


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


def survey_warnings(groups: Sequence[str], culture: CulturalDistances) -> Iterator[str]:
    """What a reader should know of a survey's distances: dimensions, groups that it lacks, too few to rank."""
    name, n_known = culture.survey, len(culture.groups)
    shown = ", ".join(map(repr, culture.dimensions[:_SHOWN])) + ", …" * (len(culture.dimensions) > _SHOWN)
    yield f"{name}: distances are over {pluralise(len(culture.dimensions), 'dimension')} ({shown})"
    unknown = [group for group in groups if group not in {*culture.groups, *culture.left_out}]
    if unknown:
        n_found = len(groups) - len(unknown)
        yield f"{name} knows {n_found} of {len(groups)} groups (not, for example, {unknown[0]!r})"
    if culture.left_out:
        n = len(culture.left_out)
        yield f"{name}: left out for want of an answer: {n} (first: {culture.left_out[0]})"
    if n_known < 3:
        yield f"{name}: too few groups to rank ({n_known}); no correlation"


_SHOWN = 12
"""Dimensions that are named at most."""


def agreement(
    likeness: FloatArray,
    groups: Sequence[str],
    culture: CulturalDistances,
    *,
    definition: Definition = "paper",
    least_first: bool = False,
) -> pl.DataFrame:
    """Kendall's tau-c of likeness and closeness for every anchor, in the order of the survey's groups.

    Args:
        likeness: How alike the texts of two groups are, higher for more, shape ``(n_groups, n_groups)``; NaN
            where unknown.
        groups: What its rows and columns stand for.
        culture: The distances of some of the groups.
        definition: See `Definition`.
        least_first: Whether the published code lists the least alike first, as it does for BLEU and not for
            WED; only for ``reference_code``.

    Returns:
        ``anchor``; ``tau``, null where it is not defined: fewer than two others, or all of them equally close
        or alike; ``p``, how likely so large a correlation is if there is none, two-sided, null likewise, and
        under ``reference_code``; ``n``, the other groups that were ranked.

    Raises:
        MissingExtraError: If SciPy is not installed.
    """
    places = [list(groups).index(group) for group in culture.groups]
    alike = likeness[np.ix_(places, places)]
    rows = []
    for anchor, group in enumerate(culture.groups):
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
        rows.append((group, tau, p, len(others)))
    schema = {"anchor": pl.String, "tau": pl.Float64, "p": pl.Float64, "n": pl.Int64}
    return pl.DataFrame(rows, schema, orient="row").with_columns(pl.col("tau", "p").fill_nan(None))


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
