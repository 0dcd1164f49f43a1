"""Two-parameter logistic model: items with slope and intercept, models of answers with an ability.

A model of ability t is correct in an item with probability 1 / (1 + exp(-(slope t + intercept))). Items are
estimated by marginal maximum likelihood with EM (Bock and Aitkin 1981, Marginal maximum likelihood estimation
of item parameters: application of an EM algorithm, Psychometrika 46), abilities being normal with mean 0 and
variance 1. Two things differ from the textbook, since here a few models answer thousands of items, and not
thousands of people a few:

* The nodes of Gauss and Hermite's quadrature lie around each model's own ability (Naylor and Smith 1982,
  Applications of a method for the efficient computation of posterior distributions, Applied Statistics 31):
  after thousands of answers it is so certain that nodes common to all would miss it.
* Slopes and intercepts have normal priors, since 20 answers say little of one item: slopes around 1,
  intercepts around the logit of the share correct in all items. A slope can be negative.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blend.eval.statistics.clusters import FloatArray

NODES = 7
STEPS = 500
ABILITY_STEPS = 4
"""Steps of Newton's method for an ability within a step of EM; EM goes on where they end."""
TOLERANCE = 1e-3
_LONGEST = 1.0
"""Longest step of Newton's method for a parameter, so that items that all models get right stay finite."""
SLOPE_SPREAD, INTERCEPT_SPREAD = 0.5, 2.0
"""Standard deviations of the priors."""


class Abilities(NamedTuple):
    """Abilities of models, expected a posteriori; shape ``(n_models,)`` each."""

    mean: FloatArray
    error: FloatArray
    """Standard errors: of the posterior, as if the items were known."""


class ItemModel(NamedTuple):
    """Items of the two-parameter model."""

    slope: FloatArray
    """Discrimination of each item, shape ``(n_items,)``."""
    intercept: FloatArray
    """Logit of the chance that a model of ability 0 is correct, shape ``(n_items,)``."""
    slope_error: FloatArray
    """Standard error of the slope, as if abilities were known."""
    abilities: Abilities
    log_likelihood: float
    """Marginal log-likelihood of the responses, without the priors."""
    converged: bool
    """Whether EM arrived within `STEPS`."""

    def chances(self, abilities: FloatArray) -> FloatArray:
        """The chance of each ability to be correct in each item, shape ``(n_abilities, n_items)``."""
        return _logistic(np.multiply.outer(abilities, self.slope) + self.intercept)

    def information(self, abilities: FloatArray) -> FloatArray:
        """Fisher information of each item about each ability, shape ``(n_abilities, n_items)``."""
        chances = self.chances(abilities)
        information: FloatArray = self.slope**2 * chances * (1 - chances)
        return information


def fit_items(correct: FloatArray, *, priors: bool = True, tolerance: float = TOLERANCE) -> ItemModel:
    """Estimate items and abilities.

    Args:
        correct: `responses.Responses.correct`; every item has an answer.
        priors: Whether items have priors; without them an item that all models get right has no estimate.
        tolerance: Change of slopes and intercepts at which EM has arrived.
    """
    asked, given = _counts(correct)
    shares = _logit((given.sum(axis=1) + 0.5) / (asked.sum(axis=1) + 1))
    start = (shares - shares.mean()) / max(float(shares.std()), 1e-6)
    # Axis 0: slope and intercept, shape (2, n_items).
    items = np.stack([np.ones(asked.shape[1]), _logit((given.sum(axis=0) + 0.5) / (asked.sum(axis=0) + 1))])
    centre = np.array([1.0, _logit((given.sum() + 0.5) / (asked.sum() + 1))])
    precision = 1 / np.array([SLOPE_SPREAD, INTERCEPT_SPREAD]) ** 2 if priors else np.zeros(2)
    converged = False
    for _ in range(STEPS):
        before = items
        points, weights, abilities, likelihood = _posterior(given, asked, items, start)
        items, variances = _maximised(given, asked, items, points, weights, centre, precision)
        start = abilities.mean
        converged = bool(np.abs(items - before).max() < tolerance)
        if converged:
            break
    return ItemModel(items[0], items[1], np.sqrt(variances[0]), abilities, likelihood, converged)


def abilities_by(model: ItemModel, correct: FloatArray, kept: NDArray[np.bool_]) -> Abilities:
    """Estimate abilities from some of the items of a model, of which ``kept`` is a mask."""
    asked, given = _counts(correct[:, kept])
    items = np.stack([model.slope[kept], model.intercept[kept]])
    return _posterior(given, asked, items, model.abilities.mean)[2]


def _counts(correct: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Whether each answer is there, and whether it is correct, 0 without one."""
    known = ~np.isnan(correct)
    return known.astype(np.float64), np.where(known, correct, 0.0)


def _posterior(
    given: FloatArray, asked: FloatArray, items: FloatArray, start: FloatArray
) -> tuple[FloatArray, FloatArray, Abilities, float]:
    """Nodes around each model's ability, their posterior weights, abilities and marginal log-likelihood.

    Nodes and weights have shape ``(n_models, nodes)``; the weights of a model add up to 1.
    """
    mode, width = _modes(given, asked, items, start)
    nodes_of_normal, weights_of_normal = np.polynomial.hermite_e.hermegauss(NODES)
    points = mode[:, np.newaxis] + width[:, np.newaxis] * nodes_of_normal
    logits = np.multiply.outer(points, items[0]) + items[1]
    logs = (logits @ given[:, :, np.newaxis] - np.logaddexp(0, logits) @ asked[:, :, np.newaxis])[:, :, 0]
    # The prior of abilities times what turns the weights of the normal density into those of plain integration.
    logs += (nodes_of_normal**2 - points**2) / 2 + np.log(weights_of_normal)
    highest = logs.max(axis=1, keepdims=True)
    weights = np.exp(logs - highest)
    total = weights.sum(axis=1, keepdims=True)
    weights /= total
    mean = (weights * points).sum(axis=1)
    error = np.sqrt(np.maximum((weights * (points - mean[:, np.newaxis]) ** 2).sum(axis=1), 1e-12))
    likelihood = float((highest + np.log(total / np.sqrt(2 * np.pi))).sum() + np.log(width).sum())
    return points, weights, Abilities(mean, error), likelihood


def _modes(
    given: FloatArray, asked: FloatArray, items: FloatArray, start: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Mode of each model's posterior by Newton's method, and the width of the normal density there."""
    mode = start
    for _ in range(ABILITY_STEPS):
        chances = _logistic(np.multiply.outer(mode, items[0]) + items[1])
        gradient = (given - asked * chances) @ items[0] - mode
        curvature = (asked * chances * (1 - chances)) @ items[0] ** 2 + 1
        mode = mode + np.clip(gradient / curvature, -_LONGEST, _LONGEST)
    return mode, 1 / np.sqrt(curvature)


def _maximised(
    given: FloatArray,
    asked: FloatArray,
    items: FloatArray,
    points: FloatArray,
    weights: FloatArray,
    centre: FloatArray,
    precision: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Items after a step of Newton's method for each, and their variances; shape ``(2, n_items)`` both."""
    # A row for every node of every model, shape (n_models * nodes, n_items), so that sums are matrix products.
    point, weight = points.ravel(), weights.ravel()[:, np.newaxis]
    chances = _logistic(np.multiply.outer(point, items[0]) + items[1])
    asked_at = weight * np.repeat(asked, points.shape[1], axis=0)
    residuals = weight * np.repeat(given, points.shape[1], axis=0) - asked_at * chances
    curvature = asked_at * chances * (1 - chances)
    powers = np.stack([np.ones_like(point), point, point**2])
    intercept, slope = (
        powers[:2] @ residuals - precision[::-1, np.newaxis] * (items - centre[:, np.newaxis])[::-1]
    )
    # Minus the second derivatives of an item: those by intercept, by both, by slope.
    dd, ad, aa = powers @ curvature
    aa, dd = aa + precision[0], dd + precision[1]
    determinant = np.maximum(aa * dd - ad**2, 1e-12)
    steps = np.stack([dd * slope - ad * intercept, aa * intercept - ad * slope]) / determinant
    return items + np.clip(steps, -_LONGEST, _LONGEST), np.stack([dd, aa]) / determinant


def _logistic(logits: FloatArray) -> FloatArray:
    chances: FloatArray = 1 / (1 + np.exp(-logits))
    return chances


def _logit(shares: FloatArray) -> FloatArray:
    logits: FloatArray = np.log(shares / (1 - shares))
    return logits
