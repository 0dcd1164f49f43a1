"""An item analysis as tables for a terminal."""

from collections.abc import Iterator

import polars as pl
from rich.table import Table

from blend.builders.items.analysis import ALL, ItemAnalysis
from blend.views.frames import frame_table

_SHOWN = 20
"""Suspects that are shown."""


def item_tables(found: ItemAnalysis) -> Iterator[Table]:
    """Regions, and where they can be told abilities, with a column of text for each region, and suspects."""
    names = ("model", "item_id", "region")
    yield frame_table(found.regions, "Items", _REGIONS, texts=names)
    if found.model is None:
        return
    by_region = found.abilities.filter(pl.col("region") != ALL)
    cells = [
        f"{ability:.2f}\u00a0±\u00a0{error:.2f}" for ability, error in by_region["ability", "error"].rows()
    ]
    by_region = by_region.with_columns(cell=pl.Series(cells, dtype=pl.String))
    by_region = by_region.pivot("region", index="model", values="cell")
    wide = found.abilities.filter(region=ALL).drop("region").join(by_region, on="model")
    wide = wide.sort("ability", "model", descending=[True, False])
    heads = {name: name.replace("_", "/") for name in wide.columns[:4]}
    yield frame_table(wide, "Abilities", _ABILITIES, heads=heads, texts=names)
    figures = ("item_id", "region", "evidence", "best_wrong", "weak_correct", "difficulty", "discrimination")
    suspects = found.suspects.select(figures)
    n = suspects.height
    first = f" These are the first {_SHOWN} of {n:,}." if n > _SHOWN else ""
    heads = {name: name.replace("_", "/") for name in figures}
    yield frame_table(suspects.head(_SHOWN), "Suspects", _SUSPECTS + first, heads=heads, texts=names)


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
