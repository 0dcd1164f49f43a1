"""Corrected means: what people would find, from every item's prediction and people's labels of some items.

A judge, or a rule, predicts every item; people label a sample that was drawn with known probabilities. In each
*cell*, the items of a group that are predicted alike, the labels say how many are correct; the cells count as
their numbers of items, which are known. So labels are uncertain only where predictions leave open what people
say, and a judge that is wrong, or says the same of everything, makes intervals wide and no figure wrong.

References:
    Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023), Prediction-powered Inference, Science 382; Fisch,
    Maynez, Hofer, Dhingra, Globerson and Cohen (2024), Stratified Prediction-powered Inference for Hybrid
    Language Model Evaluation, https://arxiv.org/abs/2406.04291: of strata in which all predictions are alike,
    the estimate is the labels' mean of each, whatever the prediction.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from blend.eval.statistics import LEVEL, FloatArray, cell_sums, divide, student_quantile
from blend.eval.statistics.estimates import Estimate

_ADDED = 1.0
"""Labels of either kind that an interval adds, shared among its cells. Price and Bonett (2004) add two, to a
variance that is too small by one label in each cell; this one is not."""


@dataclass(frozen=True, eq=False)
class CorrectedMeans:
    """Labels and numbers of items per cell and cluster, from which means of groups and their sums come."""

    groups: tuple[Any, ...]
    """What the means are of, for example region codes; in order."""
    cell_groups: NDArray[np.intp]
    """The group of every cell, as a position in ``groups``, shape ``(n_cells,)``."""
    shares: FloatArray
    """Items of a cell and cluster by the items of the cell's group, shape ``(n_cells, n_clusters)``."""
    weights: FloatArray
    """Weights of the labels, same shape. Those of a cell add up to the number of labels, each of a cluster of
    its own and all drawn alike, that would say as much (Kish 1965)."""
    correct: FloatArray
    """Weights of the labels times their values, same shape."""
    sizes: NDArray[np.intp]
    """Items of every group, shape ``(n_groups,)``."""

    @property
    def values(self) -> FloatArray:
        """The mean of every group, shape ``(n_groups,)``; NaN without a label.

        A cell without a label is taken to be like the others of its group; intervals let it be anything.
        """
        totals = self.weights.sum(axis=1)
        # Cells without a label hold nothing here: to divide by `known` below scales the others of a group up.
        held = np.where(totals > 0, self.shares.sum(axis=1), 0.0)
        means = np.nan_to_num(divide(self.correct.sum(axis=1), totals))
        sums, known = (
            np.bincount(self.cell_groups, x, len(self.groups)).astype(np.float64) for x in (held * means, held)
        )
        return divide(sums, known)

    def combined(self, coefficients: ArrayLike) -> Estimate:
        """A sum of the groups' means, each times its coefficient.

        Args:
            coefficients: Shape ``(n_groups,)``, none below 0: 1 for one mean, 1 / n each for the mean of n, 0
                for a group that does not count.

        Returns:
            The figure, null where a group that counts has no label. Its interval is that of the same sum with
            `_ADDED` label more of either kind, so that a cell is not taken for certain because its few labels
            agree, and with the degrees of freedom of `_freedom`; null where all labels are of one cluster.
        """
        by = np.asarray(coefficients, dtype=np.float64)
        size, value = float(self.sizes[by != 0].sum()), float(by[by != 0] @ self.values[by != 0])
        if math.isnan(value):
            return Estimate(None, None, None, size)
        centres, errors = self._errors(by)
        n_clusters, freedom = self._freedom(by, errors)
        if n_clusters < 2:
            return Estimate(value, None, None, size)
        centre = float(by @ centres)
        reach = student_quantile(1 - (1 - LEVEL) / 2, freedom) * float(np.linalg.norm(by @ errors))
        # Added labels move the middle: so the interval is widened to hold the figure, and cut to the possible.
        low, high = max(min(centre - reach, value), 0.0), min(max(centre + reach, value), float(by.sum()))
        return Estimate(value, low, high, size, n_clusters)

    def _freedom(self, by: FloatArray, errors: FloatArray) -> tuple[int, int]:
        """Clusters with a label among the groups that count, and the degrees of freedom of their sum.

        A group has as many as labelled clusters less labelled cells. Those of a sum are Satterthwaite's (1946),
        and at most one less than all clusters.
        """
        held = np.flatnonzero(by)
        labelled = [self.weights[self.cell_groups == group] > 0 for group in held]
        n_clusters = int(np.vstack(labelled).any(axis=0).sum())
        freedoms = [max(1, int(one.any(axis=0).sum()) - int(one.any(axis=1).sum())) for one in labelled]
        variances = [float(by[group]) ** 2 * float((errors[group] ** 2).sum()) for group in held]
        of_sum = sum(variances) ** 2 / sum(v**2 / n for v, n in zip(variances, freedoms, strict=True))
        return n_clusters, max(1, min(int(of_sum), n_clusters - 1))

    def _errors(self, by: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Middles of the groups' intervals, and what clusters and the labels added put into their errors.

        Returns:
            Shapes ``(n_groups,)`` and ``(n_groups, n_clusters + 2 * n_cells)``; the length of a row is the
            standard error of the group's mean.
        """
        added = _ADDED / max(1, int((by != 0)[self.cell_groups].sum()))
        numbers = self.weights.sum(axis=1)
        totals = numbers + 2 * added
        means = (self.correct.sum(axis=1) + added) / totals
        sizes = self.shares.sum(axis=1)
        # Shape ``(n_groups, n_cells)``: products with it add cells up by group.
        of_group = self.cell_groups == np.arange(len(self.groups))[:, np.newaxis]
        centres: FloatArray = of_group @ (sizes * means)
        of_label = (sizes / totals)[:, np.newaxis]
        # What a cluster adds: its labels about the cell's mean, and its items' cells about the group's. Labels
        # lie nearer to their own mean than to the true one: n of them by n - 1, as in a variance of a sample.
        unbiased = np.sqrt(numbers / np.maximum(1, numbers - 1))[:, np.newaxis]
        labels = unbiased * of_label * (self.correct - means[:, np.newaxis] * self.weights)
        items = self.shares * (means - centres[self.cell_groups])[:, np.newaxis]
        n_clusters = self.shares.shape[1]
        of_clusters = of_group @ (labels + items) * math.sqrt(n_clusters / max(1, n_clusters - 1))
        extra = math.sqrt(added) * of_label[:, 0]
        return centres, np.hstack([of_clusters, of_group * extra * (1 - means), of_group * extra * means])


def corrected_means(
    cells: ArrayLike,
    clusters: ArrayLike,
    labelled: ArrayLike,
    labels: ArrayLike,
    probability: ArrayLike,
    groups: ArrayLike | None = None,
) -> CorrectedMeans:
    """Means that people would find, per group.

    Args:
        cells: What is predicted of every item, shape ``(n_items,)``: a judge's verdict, or a code for those of
            a rule and of judges. The same of all items is a prediction as well, which says nothing.
        clusters: The cluster of every item, same shape: template ids.
        labelled: Which items people have labelled, as positions, shape ``(n_labels,)``.
        labels: What they say, from 0 to 1, same shape.
        probability: With what probability each of these was drawn, above 0.
        groups: The group of every item, shape ``(n_items,)``; without it all are of the group ``overall``.

    Returns:
        Groups in ascending order; the order of items and of labels does not matter.
    """
    names = np.full(np.shape(cells), "overall") if groups is None else np.asarray(groups)
    found, group = np.unique(names, return_inverse=True)
    kind = np.unique(np.asarray(cells), return_inverse=True)[1]
    column = np.unique(np.asarray(clusters), return_inverse=True)[1]
    n_kinds, n_clusters = int(kind.max()) + 1, int(column.max()) + 1
    held, cell = np.unique(group * n_kinds + kind, return_inverse=True)
    at, sizes = np.asarray(labelled, dtype=np.intp), np.bincount(group)

    def added_up(rows: NDArray[np.intp], numbers: FloatArray) -> FloatArray:
        return cell_sums(cell[rows], column[rows], numbers, (len(held), n_clusters))

    drawn = 1 / np.asarray(probability, dtype=np.float64)
    weights, correct = (added_up(at, drawn * x) for x in (1.0, np.asarray(labels, dtype=np.float64)))
    # Kish's number is the sum squared by the sum of squares.
    scale = np.nan_to_num(divide(weights.sum(axis=1), (weights**2).sum(axis=1)))[:, np.newaxis]
    # An item counts one by the size of its group, so that the shares of a group add up to 1.
    shares = added_up(np.arange(len(cell)), 1 / sizes[group])
    return CorrectedMeans(
        tuple(found.tolist()), held // n_kinds, shares, weights * scale, correct * scale, sizes
    )
