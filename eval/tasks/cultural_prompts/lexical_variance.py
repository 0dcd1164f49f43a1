"""Lexical variance: how much texts about a topic differ between groups, and within each of them.

References:
    Bhatt and Diaz (2024), section 3.3. The estimates that are called unbiased here are this package's: the
    published ones are not comparable with each other, as ``docs/cultural-prompts.md`` shows.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blend.eval.statistics.clusters import FloatArray, cluster_sums, divide
from blend.eval.statistics.estimates import Estimate, estimates
from blend.eval.statistics.resampling import DRAWS, cluster_weights, percentile_interval
from blend.eval.tasks.cultural_prompts.text_measures import Definition, PairSums, scipy_module, wed

BoolArray = NDArray[np.bool_]


class Variances(NamedTuple):
    """The lexical variance of a topic."""

    across: Estimate
    """Between groups, with an interval over groups; null with fewer than two groups that have texts."""
    within: Estimate
    """Within groups: the mean over groups; null where no group has two texts."""
    per_group: FloatArray
    """Within every group, shape ``(n_groups,)``; NaN where it is not defined."""


class Anova(NamedTuple):
    """A one-way analysis of variance of two lists of variances."""

    statistic: float
    """F."""
    p: float
    """How likely so large an F is if both lists have one mean."""


def published_variances(
    pairs: PairSums, *, definition: Definition = "paper", seed: int = 0, draws: int = DRAWS
) -> Variances:
    """Lexical variance as published.

    Between groups, half of the squared mean distance of every ordered pair of groups, a group with itself (0)
    among them; within a group, half of the squared distance of every ordered pair of its samples, a sample
    with itself (0) among them. ``reference_code`` leaves the half out. With one sample, the variance within a
    group is not defined, and NaN here.

    Args:
        pairs: WED of the texts of a topic.
        definition: See `coded_topics.Definition`.
        seed: Seed of the intervals.
        draws: Bootstrap draws of groups; none leaves the intervals out.
    """
    factor = 0.5 if definition == "paper" else 1.0
    distances = factor * wed(pairs, definition=definition) ** 2
    own = factor * divide(np.diag(pairs.squares), np.diag(pairs.n_pairs))
    present = pairs.samples > 0
    n = int(present.sum())
    # `_between` takes the mean over n(n - 1) ordered pairs; the published one is over all n**2, those with
    # itself 0.
    across = _between(distances, present, (n - 1) / n if n else 1.0, seed, draws)
    own = np.where(pairs.samples > 1, own, np.nan)
    return Variances(across, mean_estimate(own, seed=seed, draws=draws), own)


def unbiased_variances(pairs: PairSums, *, seed: int = 0, draws: int = DRAWS) -> Variances:
    """Lexical variance such that both kinds are equal on average if groups make no difference.

    Half of the mean squared distance of two different texts: of a pair of groups between, of one group within.
    See `published_variances` for the arguments.
    """
    counts = pairs.n_pairs
    between = 0.5 * divide(pairs.squares, counts)
    present = pairs.samples > 0
    # Pairs of different texts of a group: a text with itself adds 0 to the sum and is not counted.
    distinct = np.diag(counts) - pairs.samples
    own = 0.5 * divide(np.diag(pairs.squares).copy(), distinct.astype(np.float64))
    return Variances(
        _between(between, present, 1.0, seed, draws), mean_estimate(own, seed=seed, draws=draws), own
    )


def anova(within: Sequence[float], across: Sequence[float]) -> Anova | None:
    """Whether the variances of topics within and across groups have one mean; one number per topic in each.

    Null with fewer than two topics, or where neither list varies.

    Raises:
        MissingExtraError: If SciPy is not installed.
    """
    if min(len(within), len(across)) < 2 or not (np.ptp(within) or np.ptp(across)):
        return None
    found = scipy_module("stats").f_oneway(np.asarray(within), np.asarray(across))
    return Anova(float(found.statistic), float(found.pvalue))


def _between(values: FloatArray, present: BoolArray, scale: float, seed: int, draws: int) -> Estimate:
    """The mean of a figure over pairs of different groups, times a scale; the groups are what is drawn."""
    kept = values[np.ix_(present, present)].copy()
    n = len(kept)
    if n < 2:
        return Estimate(None, None, None, float(n))
    np.fill_diagonal(kept, 0.0)
    value = scale * kept.sum() / (n * (n - 1))
    figures = []
    for weights in cluster_weights(n, seed=seed, draws=draws):
        pairs = n**2 - (weights**2).sum(axis=1)
        # A group that is drawn twice is no pair with itself.
        figures.append(divide(scale * ((weights @ kept) * weights).sum(axis=1), pairs))
    interval = percentile_interval(np.concatenate([np.zeros(0), *figures]), n_clusters=n)
    low, high, over = (None, None, None) if interval is None else (*interval, n)
    return Estimate(float(value), low, high, float(n), over)


def mean_estimate(values: Iterable[float | None], *, seed: int, draws: int = DRAWS) -> Estimate:
    """The mean of the values that are known, with an interval over them."""
    known = [value for value in values if value is not None and not np.isnan(value)]
    if not known:
        return Estimate(None, None, None, 0.0)
    (found,) = estimates(cluster_sums(known, range(len(known))), seed=seed, draws=draws, proportion=False)
    return found
