"""Filling: templates about a dish become prompts, with its name and perhaps its country in place."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import polars as pl

from blend.schemas.errors import RowError, raise_all
from blend.schemas.food import PLACEHOLDERS
from blend.schemas.text import counted


class Filled(NamedTuple):
    """Templates with what they are about."""

    rows: pl.DataFrame
    """The rows with ``prompt``, in their order."""
    remarks: tuple[str, ...]
    """What was left out."""


def filled(rows: pl.DataFrame) -> Filled:
    """Templates with the dish's name and its country in place; the gap stays.

    What is filled in is never read as a placeholder itself. A published template takes the country's name as
    Wikidata has it, as its authors did; one of this package's, with its article. Where the country has no name
    in the language, a template that names it is left out.

    Args:
        rows: ``template``, ``with_country``, ``published``, ``name``, ``origin``, ``origin_prompt_name``,
            ``language``, ``qid`` and ``relation``.
    """
    country = pl.when(pl.col("published")).then("origin").otherwise("origin_prompt_name")
    placed = rows.with_columns(place=country.str.strip_chars().replace("", None))
    without = placed.filter(pl.col("with_country") & pl.col("place").is_null())
    remarks: list[str] = []
    if without.height:
        first = "{language}/{qid}/{relation}".format(**without.row(0, named=True))
        remarks.append(
            f"{counted(without.height, 'prompt')} left out, since the country has no name in the language "
            f"(first: {first})"
        )
    kept = placed.filter(~pl.col("with_country") | pl.col("place").is_not_null())
    prompt = pl.struct("template", "name", "place").map_elements(_filled, return_dtype=pl.String)
    return Filled(kept.with_columns(prompt=prompt), tuple(remarks))


def _filled(row: Mapping[str, Any]) -> str:
    subject, country = PLACEHOLDERS["subject"], PLACEHOLDERS["country"]
    before, _, after = row["template"].partition(subject)
    name, place = str(row["name"]), str(row["place"])
    return name.join(part.replace(country, place) for part in (before, after))


def check_gaps(templates: pl.DataFrame) -> None:
    """Check that every template has one gap, names the dish, and names the country if it is to.

    Raises:
        RowError, RowErrors: If one does not; names language and template.
    """
    problems = []
    for row in templates.iter_rows(named=True):
        where = f"template {row['language']}:{row['relation']}"
        for name, mark in PLACEHOLDERS.items():
            found = row["template"].count(mark)
            wanted = 1 if name != "country" or row["with_country"] else 0
            if found != wanted:
                what = f"{row['template']!r} has {found or 'no'} {mark} instead of {wanted or 'none'}"
                problems.append(
                    RowError(what, where=where, fix="correct the template and build the release again")
                )
    raise_all(problems)


def template_texts(templates: pl.DataFrame) -> dict[str, str]:
    """Every template by its name, one line per language."""
    texts: dict[str, list[str]] = {}
    for row in templates.sort("relation", "language").iter_rows(named=True):
        texts.setdefault(row["relation"], []).append(f"{row['language']}: {row['template']}")
    return {relation: "\n".join(lines) for relation, lines in texts.items()}
