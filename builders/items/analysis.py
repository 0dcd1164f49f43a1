"""Analysis: what the answers of several models say of items, as frames."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from blend.builders.items.item_statistics import item_statistics, wrong_key_evidence
from blend.builders.items.responses import FloatArray, Responses, responses_of
from blend.builders.items.two_parameter import Abilities, ItemModel, abilities_by, fit_items
from blend.schemas.errors import InputError
from blend.schemas.texts import agreeing, pluralise

ALL = "all"
"""Key of all regions together."""
LEAST_MODELS = 6
"""Models from which on more is told of items than their difficulty."""
WORST = 0.1
"""Share of the items that are suspects at most."""
OF_SEVERAL_MODELS = ("discrimination", "low", "high", "slope", "slope_error", "intercept", "evidence")
"""Figures of items that need `LEAST_MODELS`; ``docs/items.md`` explains them."""


@dataclass(frozen=True, slots=True)
class ItemAnalysis:
    """Figures of items and of the models that answered them; ``docs/items.md`` explains every column.

    With fewer than `LEAST_MODELS` models all figures but difficulties and shares are null.
    """

    items: pl.DataFrame
    """One row per item, by id: `frame_columns.ITEM`, ``n_models``, ``difficulty`` and `OF_SEVERAL_MODELS`."""
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
                "discrimination, abilities, suspects and a compact choice need answers of six models or more"
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
        figures = ("item_id", "evidence", "best_wrong", "weak_correct", "difficulty", "discrimination")
        return self.suspects.select("template_id", "locale", *figures)

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
        answers: As of `responses.responses_of`.
        chance: What guessing scores, in percent; null where there is nothing to guess from.
    """
    found = analyse_responses(responses_of(answers))
    return found if chance is None else replace(found, guessers=_guessers(found, chance / 100))


def analyse_responses(responses: Responses) -> ItemAnalysis:
    """Analyse responses; see `analyse_items`."""
    correct = responses.correct
    model = fit_items(correct) if len(responses.models) >= LEAST_MODELS else None
    figures = pl.DataFrame(item_statistics(correct)._asdict()).fill_nan(None)
    if model is None:
        figures = figures.select("n_models", "difficulty")
    else:
        evidence = wrong_key_evidence(responses)
        figures = figures.with_columns(
            slope=model.slope, slope_error=model.slope_error, intercept=model.intercept, evidence=evidence
        )
    empty = pl.DataFrame(schema=dict.fromkeys(OF_SEVERAL_MODELS, pl.Float64()))
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
    worst = max(1, round(WORST * items.height))
    return ranked.sort("evidence", "item_id", descending=[True, False]).head(worst)
