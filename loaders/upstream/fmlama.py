"""FmLAMA's published files: dishes, prompt templates and countries.

The files of Zhou et al. (2025), https://github.com/lizhou21/FmLAMA, in the layout of their folder ``data``.
Labels are text there, without the items behind them: what `builders.triples` makes from a snapshot knows both.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.loaders.files.content import location_of, read_json
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Columns, read_rows
from blend.loaders.wikidata.facts import ENTITY
from blend.schemas.errors import InputError, RowError
from blend.schemas.frames import text_columns
from blend.schemas.rows import TEMPLATES

_SUBSETS = {"data_filter": "aligned", "data_lang": "language"}
"""Folder to subset: the dishes that all languages have, and all dishes of a language."""

_DISHES = pl.Schema(
    {
        **text_columns("subset", "qid", "language", "label", "origin_en", "origin"),
        "parts": pl.List(pl.String()),
        "source": pl.String(),
    }
)
"""One row per dish, language and subset; ``parts`` are labels in the order of the file."""

_COUNTRIES = pl.Schema(text_columns("origin_en", "continent"))
"""One row per country."""

_TEXTS = ("url", "origin", "origin_name", "lang", "sub_label")
_DISH_FILES = Columns(required=(*_TEXTS, "obj_label"))
_TEMPLATE_FILES = Columns(required=("relation", "template"), others=True)
_NUMBERED = {"[1]": "[X]", "[2]": "[Y]", "[3]": "[C]"}


class FmlamaTables(NamedTuple):
    """Tables of FmLAMA's files."""

    dishes: pl.DataFrame
    """`_DISHES`, by subset, language and file order."""
    templates: pl.DataFrame
    """`rows.TEMPLATES`, published ones, placeholders as everywhere else; by language and file order."""
    countries: pl.DataFrame
    """`_COUNTRIES`, by name."""


def read_fmlama(folder: Path) -> FmlamaTables:
    """Read FmLAMA's files.

    Labels stay as published. Placeholders ``[1] [2] [3]`` (Arabic and Hebrew) become ``[X] [Y] [C]``; nothing
    else of a template is changed.

    Args:
        folder: Holds any of ``data_filter``, ``data_lang``, ``templates`` and ``country_info.json``; the dish
            and template files may be JSONL or CSV. In CSV, ``obj_label`` holds labels joined with ``", "``.

    Raises:
        InputError: If the folder holds neither dishes nor templates.
        RowError, RowErrors: If anything cannot be read; names all places at once.
    """
    diagnostics = Diagnostics()
    countries = []
    path = folder / "country_info.json"
    with diagnostics.collected():
        countries = _countries(path, location_of(path, folder)) if path.exists() else []
    dishes = [
        row
        for subset in _SUBSETS
        for path in _files(folder, subset, "dishes")
        for row in _dishes(path, folder, diagnostics)
    ]
    paths = _files(folder, "templates", "templates")
    templates = [row for path in paths for row in _templates(path, folder, diagnostics)]
    diagnostics.raise_problems()
    if not dishes and not templates:
        raise InputError(
            f"{folder}: no FmLAMA files; expected {', '.join(_SUBSETS)} or templates with files such as "
            "en/en_dishes.jsonl and en_templates.jsonl"
        )
    return FmlamaTables(
        pl.DataFrame(dishes, schema=_DISHES, orient="row"),
        pl.DataFrame(templates, schema=TEMPLATES, orient="row"),
        pl.DataFrame(countries, schema=_COUNTRIES, orient="row"),
    )


def _files(folder: Path, name: str, ending: str) -> list[Path]:
    return sorted(path for kind in ("jsonl", "csv") for path in (folder / name).glob(f"**/*_{ending}.{kind}"))


def _countries(path: Path, where: str) -> list[tuple[str, str]]:
    value = read_json(path, where=where)
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value.values()):
        raise RowError("not an object of text", where=where, fix='write {"country": "continent", …}')
    return sorted(value.items())


def _dishes(path: Path, folder: Path, diagnostics: Diagnostics) -> Iterator[tuple[Any, ...]]:
    subset = _SUBSETS[path.relative_to(folder).parts[0]]
    language = path.stem.removesuffix("_dishes")
    seen: dict[str, str] = {}
    with diagnostics.collected():
        for location, values in read_rows(path, folder, diagnostics, _DISH_FILES):
            parts = values["obj_label"]
            parts = parts.split(", ") if isinstance(parts, str) else parts
            if fault := _dish_fault(values, parts, language):
                diagnostics.problem(fault, where=location, fix="correct the row")
                continue
            qid = values["url"].removeprefix(ENTITY)
            if (first := seen.setdefault(qid, location)) != location:
                diagnostics.problem(f"{qid} is also in {first}", where=location, fix="keep one of the two")
            names = (values["sub_label"], values["origin"], values["origin_name"])
            yield subset, qid, language, *names, parts, location


def _dish_fault(values: dict[str, Any], parts: Any, language: str) -> str:
    """Say what is wrong with a row; empty where nothing is."""
    for column in _TEXTS:
        if not isinstance(values[column], str) or not values[column].strip():
            return f"column {column}: {values[column]!r} is not text"
    if not values["url"].removeprefix(f"{ENTITY}Q").isdecimal():
        return f"column url: {values['url']!r} is not an item such as {ENTITY}Q1"
    if values["lang"] != language:
        return f"column lang: {values['lang']!r} in a file of {language!r}"
    if not isinstance(parts, list) or not parts or not all(isinstance(p, str) and p.strip() for p in parts):
        return f"column obj_label: {parts!r} is not a list of labels"
    return ""


def _templates(path: Path, folder: Path, diagnostics: Diagnostics) -> Iterator[tuple[Any, ...]]:
    language = path.stem.removesuffix("_templates")
    with diagnostics.collected():
        for location, values in read_rows(path, folder, diagnostics, _TEMPLATE_FILES):
            relation, template = str(values["relation"]), str(values["template"])
            if not relation.startswith(("hasParts_", "country_")):
                what = f"column relation: unknown relation {relation!r}"
                diagnostics.problem(what, where=location, fix="write hasParts_N or country_N")
            for number, letter in _NUMBERED.items():
                template = template.replace(number, letter)
            # Last in `TEMPLATES`: whether the country is named, and whether the template is published.
            yield language, relation, template, relation.startswith("country_"), True
