"""Figures of the tables from Wikidata, as tables for a terminal."""

from collections.abc import Callable

import polars as pl
from rich.markup import escape
from rich.table import Table

from blend.builders.stats.triples import FoodStats
from blend.views.tables import narrow_table

_LANGUAGES = 8
"""Languages whose most common parts are shown: those with the most dishes."""

_ORIGINS = 15
"""Origins shown."""


def food_stats_tables(name: str, stats: FoodStats, told: Callable[[str], str] = str) -> dict[str, Table]:
    """How many dishes every language has, their origins and most common parts, by the table's name.

    Args:
        name: First part of the tables' names.
        stats: The figures.
        told: A text about dishes in the words of the release's domain.
    """
    return {
        f"{name}-languages": _languages(name, stats.languages, told),
        f"{name}-origins": _origins(name, stats.origins, told),
        f"{name}-common-parts": _common_parts(name, stats, told),
    }


def _languages(name: str, languages: pl.DataFrame, told: Callable[[str], str]) -> Table:
    caption = told(
        "Counts. Triples: pairs of dish and part. Labels: different names of parts, the candidates of probing. "
        "One part: dishes with a single part. Material and image: dishes with any."
    )
    columns = {
        "dishes": _heading(told),
        "triples": "triples",
        "parts": "parts",
        "part_labels": "labels",
        "one_part": "one part",
        "origins": "origins",
        "materials": "material",
        "images": "image",
    }
    table = narrow_table(f"{name}: rows by language", caption, "language", columns.values())
    for row in languages.iter_rows(named=True):
        table.add_row(row["language"], *(f"{row[column]:,}" for column in columns))
    return table


def _heading(told: Callable[[str], str]) -> str:
    # The words of a name on lines of their own: the column stays as narrow as its counts allow.
    return told("dishes").replace(" ", "\n")


def _origins(name: str, origins: pl.DataFrame, told: Callable[[str], str]) -> Table:
    totals = origins.group_by("origin_qid", "origin_en").agg(
        pl.col("dishes").max(), languages=pl.col("language").n_unique()
    )
    number = pl.col("origin_qid").str.slice(1).cast(pl.Int64)
    shown = totals.sort("dishes", number, descending=[True, False]).head(_ORIGINS)
    table = Table(
        title=f"{name}: where they come from",
        title_justify="left",
        caption=told(
            f"The first {len(shown)} of {len(totals)}. Dishes: in the language that has most of them."
        ),
        caption_justify="left",
    )
    table.add_column("origin")
    table.add_column("item")
    table.add_column(_heading(told), justify="right")
    table.add_column("languages", justify="right")
    for row in shown.iter_rows(named=True):
        english = escape(row["origin_en"] or "–")
        table.add_row(english, row["origin_qid"], f"{row['dishes']:,}", f"{row['languages']:,}")
    return table


def _common_parts(name: str, stats: FoodStats, told: Callable[[str], str]) -> Table:
    shown = stats.languages["language"].head(_LANGUAGES).to_list()
    table = Table(
        title=f"{name}: most common parts",
        title_justify="left",
        caption=told("With the dishes that have them."),
        caption_justify="left",
    )
    table.add_column("language")
    table.add_column("parts", overflow="fold")
    for language in shown:
        rows = stats.common_parts.filter(pl.col("language") == language)
        parts = (f"{row['label']} {row['dishes']:,}" for row in rows.iter_rows(named=True))
        table.add_row(language, escape(", ".join(parts)))
    return table
