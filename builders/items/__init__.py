"""Item analysis: what the answers of several models say of items, instead of what items say of models."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from blend.builders.items.two_parameter import Abilities, FloatArray, ItemModel, abilities_by, fit_items
from blend.schemas.errors import InputError
from blend.schemas.frames import ITEM
from blend.schemas.summaries import Summarised, Table
from blend.schemas.texts import agreeing, pluralise


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

    def shares(self, weights: FloatArray) -> FloatArray:
        """Every model's weighted share correct, shape ``(n_models,)``; weights have shape ``(n_items,)``."""
        return divide(np.nan_to_num(self.correct) @ weights, ~np.isnan(self.correct) @ weights)


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


def divide(totals: FloatArray, counts: NDArray[Any]) -> FloatArray:
    """Ratios, NaN where the denominator is 0."""
    ratios: FloatArray = np.divide(totals, counts, out=np.full(np.shape(totals), np.nan), where=counts != 0)
    return ratios


_WRONG_OPTIONS = 3
"""Wrong options over which a model's wrong answers are spread."""

_MOST = 0.999999
"""Largest correlation of which an interval is computed: Fisher's z of 1 is infinite."""
_LEAST = 0.01
"""Smallest chance to be correct or wrong, so that one slip of an excellent model does not decide alone."""


class _ItemStatistics(NamedTuple):
    """Statistics of items, shape ``(n_items,)`` each; NaN where they cannot be told."""

    n_models: NDArray[np.int64]
    difficulty: FloatArray
    """Share of the models that were wrong, a fraction."""
    discrimination: FloatArray
    """Correlation of being correct here with the share correct elsewhere; NaN where all models agree."""
    low: FloatArray
    high: FloatArray
    """Ends of its 95 % interval over models; NaN with fewer than four."""


def _item_statistics(correct: FloatArray) -> _ItemStatistics:
    """Describe every item; the discrimination is corrected, as the item is left out of the score beside it.

    Args:
        correct: `responses.Responses.correct`.

    References:
        Henrysson (1963), Correction of item-total correlations in item analysis, Psychometrika 28. Of the
        interval, Fisher (1921), On the "probable error" of a coefficient of correlation, Metron 1.
    """
    known = ~np.isnan(correct)
    given, n_models = np.nan_to_num(correct), known.sum(axis=0)
    # Each model's share correct of all items but the one in question, shape (n_models, n_items).
    others = divide(given.sum(axis=1, keepdims=True) - given, known.sum(axis=1, keepdims=True) - known)
    x, y = (_centred(values, known & ~np.isnan(others)) for values in (given, others))
    spread = np.sqrt((x**2).sum(axis=0) * (y**2).sum(axis=0))
    r = np.clip(divide((x * y).sum(axis=0), np.where(spread > 1e-12, spread, 0.0)), -1.0, 1.0)
    z, error = np.arctanh(np.clip(r, -_MOST, _MOST)), np.sqrt(divide(np.ones_like(r), np.fmax(n_models - 3, 0)))
    low, high = (np.tanh(z + normal * error) for normal in (-1.959964, 1.959964))
    difficulty = 1 - divide(given.sum(axis=0), n_models)
    return _ItemStatistics(n_models, difficulty, r, np.minimum(low, r), np.maximum(high, r))


def _centred(values: FloatArray, used: NDArray[np.bool_]) -> FloatArray:
    kept = np.where(used, values, 0.0)
    centred: FloatArray = np.where(used, kept - divide(kept.sum(axis=0), used.sum(axis=0)), 0.0)
    return centred


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
    evidence: FloatArray = votes.max(axis=0) - (weight * given).sum(axis=0)
    return evidence


ALL = "all"
"""Key of all regions together."""
_LEAST_MODELS = 6
"""Models from which on more is told of items than their difficulty."""
_WORST = 0.1
"""Share of the items that are suspects at most."""
_OF_SEVERAL_MODELS = ("discrimination", "low", "high", "slope", "slope_error", "intercept", "evidence")
"""Figures of items that need `_LEAST_MODELS`; ``docs/scores.md`` explains them."""


_OF_SUSPECTS = ("item_id", "evidence", "best_wrong", "weak_correct", "difficulty", "discrimination")
_LISTED = 20
"""Suspects that a table lists."""


@dataclass(frozen=True, slots=True, repr=False)
class ItemAnalysis(Summarised):
    """Figures of items and of the models that answered them; ``docs/scores.md`` explains every column.

    With fewer than `_LEAST_MODELS` models all figures but difficulties and shares are null.
    """

    items: pl.DataFrame
    """One row per item, by id: `frame_columns.ITEM`, ``n_models``, ``difficulty`` and `_OF_SEVERAL_MODELS`."""
    regions: pl.DataFrame
    """One row per region, by code, `ALL` first: ``region``, ``items`` (count), means of
    ``difficulty`` and ``discrimination``, ``negative`` (fraction of items that discriminate negatively)."""
    abilities: pl.DataFrame
    """One row per region, `ALL` first, and model, by name: ``model``, ``region``, ``correct`` (fraction),
    ``ability``, ``error``."""
    suspects: pl.DataFrame
    """Rows of ``items`` that fit a wrong key better, most evidence first, of equal ones by id; ``best_wrong``
    and ``weak_correct`` count models of the better half and of the other one."""
    responses: Responses
    model: ItemModel | None
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
        """List the suspects for `verdict_sheets.read_suspects`, and what speaks for each.

        Raises:
            InputError: If there is none.
        """
        if self.suspects.is_empty():
            raise InputError(f"nothing is a suspect{self.untold and f': {self.untold}'}; leave `suspects` out")
        return self.suspects.select("template_id", "locale", *_OF_SUSPECTS)

    def as_tables(self) -> list[Table]:
        """Regions, and where they can be told abilities, with a column for each region, and suspects."""
        items = Table(
            "Items",
            self.regions,
            "Difficulty: mean share of models that are wrong. Discrimination: mean correlation of being "
            "correct in an item with the share correct elsewhere. Negative: share of items below 0.",
        )
        return [items] if self.model is None else [items, self._abilities_table(), self._suspects_table()]

    def _abilities_table(self) -> Table:
        by_region = self.abilities.filter(pl.col("region") != ALL)
        cells = [
            f"{ability:.2f}\u00a0±\u00a0{error:.2f}" for ability, error in by_region["ability", "error"].rows()
        ]
        by_region = by_region.with_columns(cell=pl.Series(cells, dtype=pl.String))
        by_region = by_region.pivot("region", index="model", values="cell")
        wide = self.abilities.filter(region=ALL).drop("region").join(by_region, on="model")
        return Table(
            "Abilities",
            wide.sort("ability", "model", descending=[True, False]),
            "Expected a posteriori in the two-parameter model, with standard errors; regions are on one scale.",
        )

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
        answers: As of `analysis.responses_of`.
        chance: What guessing scores, in percent; null where there is nothing to guess from.
    """
    found = _analyse_responses(_responses_of(answers))
    return found if chance is None else replace(found, guessers=_guessers(found, chance / 100))


def _analyse_responses(responses: Responses) -> ItemAnalysis:
    """Analyse responses; see `analyse_items`."""
    correct = responses.correct
    model = fit_items(correct) if len(responses.models) >= _LEAST_MODELS else None
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
        abilities=pl.concat(
            _abilities(responses, model, part) for part in (ALL, *items["region"].unique().sort())
        ),
        suspects=_suspects(items, correct),
        responses=responses,
        model=model,
    )


def _guessers(found: ItemAnalysis, chance: float) -> tuple[str, ...]:
    most = chance + 1.96 * (chance * (1 - chance) / found.items.height) ** 0.5
    guess = (pl.col("region") == ALL) & (pl.col("correct") <= most)
    return tuple(found.abilities.filter(guess)["model"])


def _by_region(items: pl.DataFrame) -> pl.DataFrame:
    means = pl.col("difficulty", "discrimination").mean()
    negative = (pl.col("discrimination") < 0).mean()
    return items.group_by("region").agg(pl.len().alias("items"), means, negative=negative).sort("region")


def _abilities(responses: Responses, model: ItemModel | None, region: str) -> pl.DataFrame:
    kept = ((responses.items["region"] == region) | (region == ALL)).to_numpy()
    nothing = np.full(len(responses.models), np.nan)
    found = Abilities(nothing, nothing) if model is None else abilities_by(model, responses.correct, kept)
    names = {"model": responses.models, "region": [region] * len(nothing)}
    correct = responses.shares(kept.astype(np.float64))
    return pl.DataFrame(names | {"correct": correct, "ability": found.mean, "error": found.error}).fill_nan(
        None
    )


def _suspects(items: pl.DataFrame, correct: FloatArray) -> pl.DataFrame:
    # A stable order, so that of models with equal shares the first by name are the better half.
    order = np.argsort(-np.nan_to_num(np.nanmean(correct, axis=1)), kind="stable")
    better, others = np.split(correct[order], [len(order) // 2])
    wrong, passed = pl.Series((better < 0.5).sum(axis=0)), pl.Series((others > 0.5).sum(axis=0))
    ranked = items.with_columns(best_wrong=wrong, weak_correct=passed).filter(pl.col("evidence") > 0)
    worst = max(1, round(_WORST * items.height))
    return ranked.sort("evidence", "item_id", descending=[True, False]).head(worst)
