"""Two-parameter logistic model: ability t is correct with probability 1 / (1 + exp(-(slope t + intercept))).

Items are estimated by marginal maximum likelihood with EM (Bock and Aitkin 1981, Marginal maximum likelihood
estimation of item parameters: application of an EM algorithm, Psychometrika 46), abilities being normal with
mean 0 and variance 1. Two things differ from the textbook, as few models answer thousands of items, not
thousands of people a few: the nodes of Gauss and Hermite's quadrature lie around each model's own ability,
which is so certain that common ones would miss it (Naylor and Smith 1982, Applications of a method for the
efficient computation of posterior distributions, Applied Statistics 31); and items have priors, as 20 answers
say little of one. Slopes are normal around their mean, so that they can be negative. It is difficulties that
spread alike, not intercepts: an intercept is minus slope times difficulty, so that one far from the others
speaks for a steep item, without which few models say little of slopes. Mean and spread are estimated. Thousands
of items outweigh the prior of a few abilities, so abilities are put to mean 0 and variance 1 in each step, and
items with them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
"""An array of fractions, answers or weights."""

_SLOPE_SPREAD = 0.5
"""Standard deviation of the prior of slopes, and the slope below which intercepts spread no less."""
_NODES, _STEPS, _ABILITY_STEPS = 7, 500, 4
"""Nodes for an ability, steps of EM at most, and within one those of Newton's method for an ability."""
_LEAST_SPREAD = 0.1
"""Smallest variance of difficulties, which all items together can lack."""
_LONGEST = 1.0
"""Longest step of Newton's method, so that items that all models get right stay finite."""


_Nodes = tuple[FloatArray, FloatArray]
"""Points around the abilities of models, and their weights, shape ``(n_models, _NODES)`` each."""


class Abilities(NamedTuple):
    """Abilities of models, expected a posteriori, and their standard errors as if items were known."""

    mean: FloatArray
    error: FloatArray


class ItemModel(NamedTuple):
    """Items of the two-parameter model, shape ``(n_items,)`` each, and the models' abilities."""

    slope: FloatArray
    intercept: FloatArray
    slope_error: FloatArray
    """Standard error of the slope, as if abilities were known."""
    abilities: Abilities
    log_likelihood: float
    """Marginal log-likelihood of the responses, without the priors."""
    converged: bool


def fit_items(correct: FloatArray, *, priors: bool = True, tolerance: float = 1e-3) -> ItemModel:
    """Estimate items and abilities.

    Args:
        correct: `responses.Responses.correct`; every item has an answer.
        priors: Whether items have priors; without them an item that all models get right has no estimate.
        tolerance: Change of slopes and intercepts at which EM has arrived.
    """
    asked, given = (~np.isnan(correct)).astype(np.float64), np.nan_to_num(correct)
    shares = _logit(given.sum(axis=1), asked.sum(axis=1))
    start = (shares - shares.mean()) / max(float(shares.std()), 1e-6)
    # Axis 0: slope and intercept, shape (2, n_items).
    items = np.stack([np.ones(asked.shape[1]), _logit(given.sum(axis=0), asked.sum(axis=0))])
    variances, centre = np.zeros_like(items), _logit(given.sum(), asked.sum())
    for _ in range(_STEPS):
        before = items
        points, weights, abilities, likelihood = _posterior(given, asked, items, start)
        prior = np.zeros((2, *items.shape))
        if priors:
            abilities, items, points = _standardised(abilities, items, points)
            prior = _prior(items, variances, centre)
        items, variances = _maximised(given, asked, items, (points, weights), prior)
        start, change = abilities.mean, float(np.abs(items - before).max())
        if change < tolerance:
            break
    if priors:
        # The last step has moved items, and abilities are those that belong to them.
        points, _, abilities, likelihood = _posterior(given, asked, items, start)
        abilities, items, _ = _standardised(abilities, items, points)
    return ItemModel(items[0], items[1], np.sqrt(variances[0]), abilities, likelihood, change < tolerance)


def abilities_by(model: ItemModel, correct: FloatArray, kept: NDArray[np.bool_]) -> Abilities:
    """Estimate abilities from some of the items of a model, of which ``kept`` is a mask."""
    asked, given = (~np.isnan(correct[:, kept])).astype(np.float64), np.nan_to_num(correct[:, kept])
    items = np.stack([model.slope[kept], model.intercept[kept]])
    return _posterior(given, asked, items, model.abilities.mean)[2]


def _standardised(
    abilities: Abilities, items: FloatArray, points: FloatArray
) -> tuple[Abilities, FloatArray, FloatArray]:
    """Put abilities to mean 0 and variance 1, and items and nodes with them."""
    centre = float(abilities.mean.mean())
    scale = float(np.sqrt((abilities.error**2 + (abilities.mean - centre) ** 2).mean()))
    moved = Abilities((abilities.mean - centre) / scale, abilities.error / scale)
    return moved, np.stack([items[0] * scale, items[1] + items[0] * centre]), (points - centre) / scale


def _prior(items: FloatArray, variances: FloatArray, centre: FloatArray) -> FloatArray:
    """Compute what the priors add to first derivatives, and take off second ones; shape ``(2, 2, n_items)``.

    Their moments are those of the items, given the variances of these; ``centre`` is the mean intercept.
    """
    slope, intercept = items
    width = slope**2 + _SLOPE_SPREAD**2
    off = intercept - centre
    spread = max(float(((off**2 + variances[1]) / (width + variances[0])).mean()), _LEAST_SPREAD)
    of_slope = (slope.mean() - slope) / _SLOPE_SPREAD**2 + slope / width * (off**2 / (spread * width) - 1)
    # Of the second derivative by slope what is expected, which is always positive.
    precision = np.stack([1 / _SLOPE_SPREAD**2 + 2 * (slope / width) ** 2, 1 / (spread * width)])
    return np.stack([np.stack([of_slope, -off * precision[1]]), precision])


def _posterior(
    given: FloatArray, asked: FloatArray, items: FloatArray, mode: FloatArray
) -> tuple[FloatArray, FloatArray, Abilities, float]:
    """Nodes around each ability and their weights, shape ``(n_models, _NODES)``, abilities, log-likelihood."""
    for _ in range(_ABILITY_STEPS):
        chances = _chances(mode, items)
        curvature = (asked * chances * (1 - chances)) @ items[0] ** 2 + 1
        step = ((given - asked * chances) @ items[0] - mode) / curvature
        mode = mode + np.clip(step, -_LONGEST, _LONGEST)
    width = 1 / np.sqrt(curvature)
    nodes, node_weights = np.polynomial.hermite_e.hermegauss(_NODES)
    points = mode[:, np.newaxis] + width[:, np.newaxis] * nodes
    logits = np.multiply.outer(points, items[0]) + items[1]
    logs = (logits @ given[:, :, np.newaxis] - np.logaddexp(0, logits) @ asked[:, :, np.newaxis])[:, :, 0]
    # The prior of abilities, times what turns the weights of the normal density into those of plain
    # integration.
    logs += (nodes**2 - points**2) / 2 + np.log(node_weights)
    highest = logs.max(axis=1, keepdims=True)
    weights = np.exp(logs - highest)
    total = weights.sum(axis=1, keepdims=True)
    mean = (weights * points).sum(axis=1) / total[:, 0]
    variance = (weights * (points - mean[:, np.newaxis]) ** 2).sum(axis=1) / total[:, 0]
    likelihood = float((highest + np.log(total / np.sqrt(2 * np.pi))).sum() + np.log(width).sum())
    return points, weights / total, Abilities(mean, np.sqrt(variance)), likelihood


def _maximised(
    given: FloatArray, asked: FloatArray, items: FloatArray, nodes: _Nodes, prior: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Items after a step of Newton's method for each, and their variances; shape ``(2, n_items)`` both."""
    # A row for every node of every model, shape (n_models * _NODES, n_items), so that sums are matrix products.
    point, weight, (pull, precision) = nodes[0].ravel(), nodes[1].ravel()[:, np.newaxis], prior
    chances, n_asked = _chances(point, items), weight * np.repeat(asked, _NODES, axis=0)
    residuals = weight * np.repeat(given, _NODES, axis=0) - n_asked * chances
    powers = np.stack([point, np.ones_like(point), point**2])
    slope, intercept = powers[:2] @ residuals + pull
    # Minus the second derivatives of an item: those by slope and intercept, by intercept, by slope.
    both, of_intercept, of_slope = powers @ (n_asked * chances * (1 - chances))
    of_slope, of_intercept = of_slope + precision[0], of_intercept + precision[1]
    determinant = np.maximum(of_slope * of_intercept - both**2, 1e-12)
    steps = (
        np.stack([of_intercept * slope - both * intercept, of_slope * intercept - both * slope]) / determinant
    )
    return items + np.clip(steps, -_LONGEST, _LONGEST), np.stack([of_intercept, of_slope]) / determinant


def _chances(abilities: FloatArray, items: FloatArray) -> FloatArray:
    chances: FloatArray = 1 / (1 + np.exp(-np.multiply.outer(abilities, items[0]) - items[1]))
    return chances


def _logit(n_correct: FloatArray, n_asked: FloatArray) -> FloatArray:
    logits: FloatArray = np.log((n_correct + 0.5) / (n_asked - n_correct + 0.5))
    return logits
