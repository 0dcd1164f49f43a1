"""An item analysis as tables for readers."""

from collections.abc import Iterator

import polars as pl

from blend.builders.items.analysis import ALL, ItemAnalysis
from blend.schemas.summaries import Table

_SHOWN = 20
"""Suspects that are shown."""


def item_tables(found: ItemAnalysis) -> Iterator[Table]:
    """Regions, and where they can be told abilities, with a column of text for each region, and suspects."""
    yield Table("Items", found.regions, _REGIONS)
    if found.model is None:
        return
    by_region = found.abilities.filter(pl.col("region") != ALL)
    cells = [
        f"{ability:.2f}\u00a0±\u00a0{error:.2f}" for ability, error in by_region["ability", "error"].rows()
    ]
    by_region = by_region.with_columns(cell=pl.Series(cells, dtype=pl.String))
    by_region = by_region.pivot("region", index="model", values="cell")
    wide = found.abilities.filter(region=ALL).drop("region").join(by_region, on="model")
    yield Table("Abilities", wide.sort("ability", "model", descending=[True, False]), _ABILITIES)
    figures = ("item_id", "region", "evidence", "best_wrong", "weak_correct", "difficulty", "discrimination")
    n = found.suspects.height
    first = f" These are the first {_SHOWN} of {n:,}." if n > _SHOWN else ""
    yield Table("Suspects", found.suspects.select(figures).head(_SHOWN), _SUSPECTS + first)


_REGIONS = (
    "Difficulty: mean share of models that are wrong. Discrimination: mean correlation of being correct in an "
    "item with the share correct elsewhere. Negative: share of the items where it is below 0."
)
_ABILITIES = "Expected a posteriori in the two-parameter model, with standard errors; regions are on one scale."
_SUSPECTS = (
    "Evidence: log of how much better the answers fit a wrong key than a correct one. It ranks what people "
    "should read: hard items have some as well. Best wrong: models of the better half that are wrong; weak "
    "correct: models of the other half that are correct."
)
