"""Clusters: items added up per group and cluster, so that what follows does not depend on their number."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
"""An array of numbers."""


@dataclass(frozen=True, eq=False)
class Clusters:
    """A ratio per group (a mean is one: the sum of values over their number), kept as sums per cluster."""

    groups: tuple[Any, ...]
    """What the rows stand for, for example region codes; in order."""
    keys: tuple[Any, ...]
    """What the columns stand for, for example template ids; in order."""
    totals: FloatArray
    """Numerators, shape ``(n_groups, n_clusters)``: for a mean, the sum of the values."""
    counts: FloatArray
    """Denominators, same shape: for a mean, the number of items; 0 where a group lacks a cluster."""

    @cached_property
    def ratios(self) -> FloatArray:
        """The figure of every group, shape ``(n_groups,)``; NaN where all denominators are 0."""
        return divide(self.totals.sum(axis=1), self.counts.sum(axis=1))

    @property
    def pooled(self) -> "Clusters":
        """All groups as one: every item counts the same, whichever group it belongs to."""
        return Clusters(("overall",), self.keys, _row(self.totals), _row(self.counts))

    def only(self, groups: Sequence[Any]) -> "Clusters":
        """The rows of some groups, in the order in which they are named."""
        rows = [self.groups.index(group) for group in groups]
        return Clusters(tuple(groups), self.keys, self.totals[rows], self.counts[rows])


def cluster_sums(
    values: ArrayLike,
    clusters: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    counts: ArrayLike | None = None,
) -> Clusters:
    """Items added up per group and cluster.

    Args:
        values: One number per item, shape ``(n_items,)``: right (1) or wrong (0), or a numerator.
        clusters: The cluster of every item, same shape: template ids, or codes for them.
        groups: The group of every item, same shape; without it all items are of the group ``overall``.
        counts: The denominator of every item, same shape; without it every item counts 1, so that the ratio is
            the mean of the values.

    Returns:
        Groups and clusters in ascending order; the order of the items does not matter.

    Raises:
        ValueError: If the lengths differ, or a number is not finite: what is unknown is left out before.
    """
    numerators = np.asarray(values, dtype=np.float64)
    denominators = np.ones_like(numerators) if counts is None else np.asarray(counts, dtype=np.float64)
    keys, columns = np.unique(np.asarray(clusters), return_inverse=True)
    labels, rows = (
        (np.array(["overall"]), np.zeros(len(numerators), dtype=np.intp))
        if groups is None
        else np.unique(np.asarray(groups), return_inverse=True)
    )
    if not len(numerators) == len(denominators) == len(columns) == len(rows):
        raise ValueError("values, clusters, groups and counts must be of one length")
    if not (np.isfinite(numerators).all() and np.isfinite(denominators).all()):
        raise ValueError("values and counts must be finite numbers")
    shape = (len(labels), len(keys))
    # Row-major number of each item's (group, cluster) cell, so that one bincount adds all of them up.
    cells = rows * shape[1] + columns

    def added_up(numbers: FloatArray) -> FloatArray:
        sums = np.bincount(cells, weights=numbers, minlength=shape[0] * shape[1])
        return sums.astype(np.float64).reshape(shape)

    return Clusters(tuple(labels.tolist()), tuple(keys.tolist()), added_up(numerators), added_up(denominators))


def divide(totals: FloatArray, counts: FloatArray) -> FloatArray:
    """Ratios, NaN where the denominator is 0."""
    ratios: FloatArray = np.divide(totals, counts, out=np.full(np.shape(totals), np.nan), where=counts != 0)
    return ratios


def _row(numbers: FloatArray) -> FloatArray:
    row: FloatArray = numbers.sum(axis=0, keepdims=True)
    return row
