"""Item analysis: what the answers of several models say of items, instead of what items say of models."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from blend.schemas.errors import InputError
from blend.schemas.frames import ITEM
from blend.schemas.summaries import Summarised, Table
from blend.schemas.texts import agreeing, pluralise

FloatArray = NDArray[np.float64]
"""An array of fractions, answers or weights."""


class Responses(NamedTuple):
    """Responses of models to items; of several answers of a model to one item the share of each."""

    models: tuple[str, ...]
    """Names of the models in text order, one per row."""
    items: pl.DataFrame
    """`ITEM`, by ``item_id``, one row per column."""
    correct: FloatArray
    """Share of correct answers, shape ``(n_models, n_items)``; NaN without an answer."""
    wrong: FloatArray
    """Share of answers that choose each of the wrong options, shape ``(n_wrong, n_models, n_items)``, in the
    order in which they follow the correct one; where nothing is chosen, of all wrong answers as one option."""


def _responses_of(answers: pl.DataFrame) -> Responses:
    """Answers as arrays.

    Args:
        answers: A row per model and item: ``model``, `ITEM`, ``correct`` and the shares of the wrong options.
    """
    # In orders of their own, so that no figure depends on the order in which runs are named.
    models = answers.select("model").unique().sort("model")
    items = answers.select(ITEM).unique().sort("item_id")
    every = models.join(items, how="cross", maintain_order="left_right")
    shares = every.join(answers, on=("model", *ITEM), how="left", maintain_order="left").drop("model", *ITEM)
    correct, *wrong = shares.to_numpy().T.reshape(-1, len(models), len(items))
    return Responses(tuple(models["model"]), items, correct, np.stack(wrong))


def _divide(totals: FloatArray, counts: NDArray[Any]) -> FloatArray:
    """Ratios, NaN where the denominator is 0."""
    nothing = np.full(np.shape(totals), np.nan)
    return np.asarray(np.divide(totals, counts, out=nothing, where=counts != 0))


_WRONG_OPTIONS = 3
"""Wrong options over which a model's wrong answers are spread."""

_LEAST = 0.01
"""Smallest chance to be correct or wrong, so that one slip of an excellent model does not decide alone."""


class _ItemStatistics(NamedTuple):
    """Statistics of items, shape ``(n_items,)`` each; NaN where they cannot be told."""

    n_models: NDArray[np.int64]
    difficulty: FloatArray
    """Share of the models that were wrong, a fraction."""
    discrimination: FloatArray
    """Correlation of being correct here with the share correct elsewhere; NaN where all models agree."""


def _item_statistics(correct: FloatArray) -> _ItemStatistics:
    """Describe every item; the discrimination is corrected, as the item is left out of the score beside it.

    Args:
        correct: `Responses.correct`.

    References:
        Henrysson (1963), Correction of item-total correlations in item analysis, Psychometrika 28.
    """
    known = ~np.isnan(correct)
    given, n_models = np.nan_to_num(correct), known.sum(axis=0)
    # Each model's share correct of all items but the one in question, shape (n_models, n_items).
    others = _divide(given.sum(axis=1, keepdims=True) - given, known.sum(axis=1, keepdims=True) - known)
    x, y = (_centred(values, known & ~np.isnan(others)) for values in (given, others))
    spread = np.sqrt((x**2).sum(axis=0) * (y**2).sum(axis=0))
    r = np.clip(_divide((x * y).sum(axis=0), np.where(spread > 1e-12, spread, 0.0)), -1.0, 1.0)
    return _ItemStatistics(n_models, 1 - _divide(given.sum(axis=0), n_models), r)


def _centred(values: FloatArray, used: NDArray[np.bool_]) -> FloatArray:
    kept = np.where(used, values, 0.0)
    return np.where(used, kept - _divide(kept.sum(axis=0), used.sum(axis=0)), 0.0)


def _wrong_key_evidence(responses: Responses) -> FloatArray:
    """Weigh, for each item, the votes of models for the wrong option that has most against those for the key.

    A model is correct in an item as often as in the others of its region: chance ``p``; else it chooses each of
    the wrong options alike. Were another option the key, it would choose that one with ``p``, and the marked
    one with ``(1 - p) / 3``. So a vote weighs the logarithm of ``3 p / (1 - p)``, and the difference between
    two options is the log of the ratio of their likelihoods as keys. That good models agree on another option
    says most for a wrong key.

    Returns:
        Natural logarithms, shape ``(n_items,)``; above 0 the answers fit a wrong key better.
    """
    asked, given = (~np.isnan(responses.correct)).astype(np.float64), np.nan_to_num(responses.correct)
    # Shape (n_models, n_regions) times (n_regions, n_items): sums over the region of each item, without itself.
    members = responses.items.select("region").to_dummies().to_numpy()
    n_correct, n_asked = ((values @ members) @ members.T - values for values in (given, asked))
    # Half an answer more of either kind, since a region can have one item.
    chance = np.clip((n_correct + 0.5) / (n_asked + 1), _LEAST, 1 - _LEAST)
    weight = np.log(_WRONG_OPTIONS * chance / (1 - chance))
    votes = (weight * np.nan_to_num(responses.wrong)).sum(axis=1)
    return np.asarray(votes.max(axis=0) - (weight * given).sum(axis=0))


ALL = "all"
"""Key of all regions together."""
_LEAST_MODELS = 6
"""Models from which on more is told of items than their difficulty."""
_WORST = 0.1
"""Share of the items that are suspects at most."""
_OF_SEVERAL_MODELS = ("discrimination", "slope", "slope_error", "intercept", "evidence")
"""Figures of items that need `_LEAST_MODELS`; ``docs/scores.md`` explains them."""


_OF_SUSPECTS = ("item_id", "evidence", "best_wrong", "weak_correct", "difficulty", "discrimination")
_LISTED = 20
"""Suspects that a table lists."""


class _Abilities(NamedTuple):
    """Abilities of models, expected a posteriori, and their standard errors as if items were known."""

    mean: FloatArray
    error: FloatArray


class _ItemModel(NamedTuple):
    """Items of the two-parameter model, shape ``(n_items,)`` each, and the models' abilities."""

    slope: FloatArray
    intercept: FloatArray
    slope_error: FloatArray
    """Standard error of the slope, as if abilities were known."""
    abilities: _Abilities
    log_likelihood: float
    """Marginal log-likelihood of the responses, without the priors."""
    converged: bool


@dataclass(frozen=True, slots=True, repr=False)
class ItemAnalysis(Summarised):
    """Figures of items and of the models that answered them; ``docs/scores.md`` explains every column.

    With fewer than `_LEAST_MODELS` models all figures but difficulties and shares are null.
    """

    items: pl.DataFrame
    """One row per item, by id: `frames.ITEM`, ``n_models``, ``difficulty`` and `_OF_SEVERAL_MODELS`."""
    regions: pl.DataFrame
    """One row per region, by code, `ALL` first: ``region``, ``items`` (count), means of
    ``difficulty`` and ``discrimination``, ``negative`` (fraction of items that discriminate negatively)."""
    abilities: pl.DataFrame
    """One row per model, by name: ``model``, ``correct`` (fraction), ``ability``, ``error``."""
    suspects: pl.DataFrame
    """Rows of ``items`` that fit a wrong key better, most evidence first, of equal ones by id; ``best_wrong``
    and ``weak_correct`` count models of the better half and of the other one."""
    responses: Responses
    model: _ItemModel | None
    guessers: tuple[str, ...] = ()
    """Models whose share of correct answers is no larger than guessing gives in 39 of 40 cases."""

    @property
    def untold(self) -> str:
        """What cannot be told or not be relied on, and why; empty where all can."""
        n, n_guess = len(self.responses.models), len(self.guessers)
        reasons = []
        if self.model is None:
            reasons.append(
                f"{pluralise(n, 'model')} {agreeing(n, 'says', 'say')} how difficult items are, and no more: "
                "discrimination, abilities and suspects need answers of six models or more"
            )
        elif not self.model.converged:
            reasons.append(
                "the two-parameter model has not converged, so slopes, intercepts and abilities are rough"
            )
        if n_guess:
            reasons.append(
                f"{pluralise(n_guess, 'model')} {agreeing(n_guess, 'is', 'are')} no better than guessing "
                f"({', '.join(self.guessers)}) and {agreeing(n_guess, 'tells', 'tell')} nothing of items"
            )
        return "; ".join(reasons)

    def suspect_sheet(self) -> pl.DataFrame:
        """List the suspects for `returned_sheets.read_suspects`, and what speaks for each.

        Raises:
            InputError: If there is none.
        """
        if self.suspects.is_empty():
            raise InputError(f"nothing is a suspect{self.untold and f': {self.untold}'}; leave `suspects` out")
        return self.suspects.select("template_id", "locale", *_OF_SUSPECTS)

    def as_tables(self) -> list[Table]:
        """Regions, and where they can be told abilities and suspects."""
        items = Table(
            "Items",
            self.regions,
            "Difficulty: mean share of models that are wrong. Discrimination: mean correlation of being "
            "correct in an item with the share correct elsewhere. Negative: share of items below 0.",
        )
        abilities = Table(
            "Abilities",
            self.abilities.sort("ability", "model", descending=[True, False]),
            "Expected a posteriori in the two-parameter model, with standard errors.",
        )
        return [items] if self.model is None else [items, abilities, self._suspects_table()]

    def _suspects_table(self) -> Table:
        n = self.suspects.height
        first = f" These are the first {_LISTED} of {n:,}." if n > _LISTED else ""
        return Table(
            "Suspects",
            self.suspects.select("region", *_OF_SUSPECTS).head(_LISTED),
            "Evidence: log of how much better the answers fit a wrong key than a correct one. It ranks what "
            "people should read: hard items have some as well. Best wrong: models of the better half that are "
            f"wrong; weak correct: models of the other half that are correct.{first}",
        )

    def frames(self) -> dict[str, pl.DataFrame]:
        """All figures, by name."""
        return {name: getattr(self, name) for name in ("items", "regions", "abilities", "suspects")}

    def to_json(self) -> dict[str, Any]:
        """All figures as plain JSON."""
        rows = {name: frame.to_dicts() for name, frame in self.frames().items()}
        return {"models": list(self.responses.models), "untold": self.untold, **rows}


def analyse_items(answers: pl.DataFrame, *, chance: float | None = None) -> ItemAnalysis:
    """Analyse the items that several models answered.

    Args:
        answers: As of `_responses_of`.
        chance: What guessing scores, in percent; null where there is nothing to guess from.
    """
    found = _analyse_responses(_responses_of(answers))
    return found if chance is None else replace(found, guessers=_guessers(found, chance / 100))


def _analyse_responses(responses: Responses) -> ItemAnalysis:
    """Analyse responses; see `analyse_items`."""
    correct = responses.correct
    model = _fit_items(correct) if len(responses.models) >= _LEAST_MODELS else None
    figures = pl.DataFrame(_item_statistics(correct)._asdict()).fill_nan(None)
    if model is None:
        figures = figures.select("n_models", "difficulty")
    else:
        evidence = _wrong_key_evidence(responses)
        figures = figures.with_columns(
            slope=model.slope, slope_error=model.slope_error, intercept=model.intercept, evidence=evidence
        )
    empty = pl.DataFrame(schema=dict.fromkeys(_OF_SEVERAL_MODELS, pl.Float64()))
    items = pl.concat([responses.items, pl.concat([figures, empty], how="diagonal")], how="horizontal")
    return ItemAnalysis(
        items=items,
        regions=pl.concat([_by_region(items.with_columns(region=pl.lit(ALL))), _by_region(items)]),
        abilities=_abilities(responses, model),
        suspects=_suspects(items, correct),
        responses=responses,
        model=model,
    )


def _guessers(found: ItemAnalysis, chance: float) -> tuple[str, ...]:
    most = chance + 1.96 * (chance * (1 - chance) / found.items.height) ** 0.5
    return tuple(found.abilities.filter(pl.col("correct") <= most)["model"])


def _by_region(items: pl.DataFrame) -> pl.DataFrame:
    means = pl.col("difficulty", "discrimination").mean()
    negative = (pl.col("discrimination") < 0).mean()
    return items.group_by("region").agg(pl.len().alias("items"), means, negative=negative).sort("region")


def _abilities(responses: Responses, model: _ItemModel | None) -> pl.DataFrame:
    nothing = np.full(len(responses.models), np.nan)
    found = _Abilities(nothing, nothing) if model is None else model.abilities
    columns = {"model": responses.models, "correct": np.nanmean(responses.correct, axis=1)}
    return pl.DataFrame(columns | {"ability": found.mean, "error": found.error}).fill_nan(None)


def _suspects(items: pl.DataFrame, correct: FloatArray) -> pl.DataFrame:
    # A stable order, so that of models with equal shares the first by name are the better half.
    order = np.argsort(-np.nan_to_num(np.nanmean(correct, axis=1)), kind="stable")
    better, others = np.split(correct[order], [len(order) // 2])
    wrong, passed = pl.Series((better < 0.5).sum(axis=0)), pl.Series((others > 0.5).sum(axis=0))
    ranked = items.with_columns(best_wrong=wrong, weak_correct=passed).filter(pl.col("evidence") > 0)
    worst = max(1, round(_WORST * items.height))
    return ranked.sort("evidence", "item_id", descending=[True, False]).head(worst)


# Two-parameter logistic model: ability t is correct with probability 1 / (1 + exp(-(slope t + intercept))).

_SLOPE_SPREAD = 0.5
"""Standard deviation of the prior of slopes, and the slope below which intercepts spread no less."""
_NODES, _STEPS, _ABILITY_STEPS = 7, 500, 4
"""Nodes for an ability, steps of EM at most, and within one those of Newton's method for an ability."""
_LEAST_SPREAD = 0.1
"""Smallest variance of difficulties, which all items together can lack."""
_LONGEST = 1.0
"""Longest step of Newton's method, so that items that all models get right stay finite."""
_LEAST_LOGIT = -700.0
"""Logit below which a chance is taken to be the same, since no number holds the exponential of more."""


_Nodes = tuple[FloatArray, FloatArray]
"""Points around the abilities of models, and their weights, shape ``(n_models, _NODES)`` each."""


def _fit_items(correct: FloatArray, *, priors: bool = True, tolerance: float = 1e-3) -> _ItemModel:
    """Estimate items and abilities.

    Items are estimated by marginal maximum likelihood with EM (Bock and Aitkin 1981, Marginal maximum
    likelihood estimation of item parameters: application of an EM algorithm, Psychometrika 46), abilities
    being normal with mean 0 and variance 1. Two things differ from the textbook, as few models answer
    thousands of items, not thousands of people a few: the nodes of Gauss and Hermite's quadrature lie around
    each model's own ability, which is so certain that common ones would miss it (Naylor and Smith 1982,
    Applications of a method for the efficient computation of posterior distributions, Applied Statistics 31);
    and items have priors, as 20 answers say little of one. Slopes are normal around their mean, so that they
    can be negative. It is difficulties that spread alike, not intercepts: an intercept is minus slope times
    difficulty, so that one far from the others speaks for a steep item, without which few models say little
    of slopes. Mean and spread are estimated. Thousands of items outweigh the prior of a few abilities, so
    abilities are put to mean 0 and variance 1 in each step, and items with them.

    Args:
        correct: `Responses.correct`; every item has an answer.
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
    return _ItemModel(items[0], items[1], np.sqrt(variances[0]), abilities, likelihood, change < tolerance)


def _standardised(
    abilities: _Abilities, items: FloatArray, points: FloatArray
) -> tuple[_Abilities, FloatArray, FloatArray]:
    """Put abilities to mean 0 and variance 1, and items and nodes with them."""
    centre = float(abilities.mean.mean())
    scale = float(np.sqrt((abilities.error**2 + (abilities.mean - centre) ** 2).mean()))
    moved = _Abilities((abilities.mean - centre) / scale, abilities.error / scale)
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
) -> tuple[FloatArray, FloatArray, _Abilities, float]:
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
    return points, weights / total, _Abilities(mean, np.sqrt(variance)), likelihood


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
    logits = np.maximum(np.multiply.outer(abilities, items[0]) + items[1], _LEAST_LOGIT)
    return np.asarray(1 / (1 + np.exp(-logits)))


def _logit(n_correct: FloatArray, n_asked: FloatArray) -> FloatArray:
    return np.asarray(np.log((n_correct + 0.5) / (n_asked - n_correct + 0.5)))
