"""FmLAMA's published files: dishes, prompt templates and countries, with every irregularity as a finding.

The files of Zhou et al. (2025), https://github.com/lizhou21/FmLAMA, in the layout of their folder ``data``.
Labels are text there, without the items behind them: what `builders.triples` makes from a snapshot knows both.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from blend.loaders.files.content import location_of, read_json
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Cells, Columns, read_rows
from blend.loaders.upstream.fmlama.oddities import dish_oddities, template_oddities
from blend.loaders.wikidata.prompts import check_templates
from blend.loaders.wikidata.store import ENTITY
from blend.schemas.errors import InputError
from blend.schemas.languages import is_language
from blend.schemas.rows import TEMPLATES

SUBSETS = {"data_filter": "aligned", "data_lang": "language"}
"""Folder to subset: the dishes that all languages have, and all dishes of a language."""

DISHES = pl.Schema(
    {
        "subset": pl.String(),
        "qid": pl.String(),
        "language": pl.String(),
        "label": pl.String(),
        "origin_en": pl.String(),
        "origin": pl.String(),
        "parts": pl.List(pl.String()),
        "source": pl.String(),
    }
)
"""One row per dish, language and subset; ``parts`` are labels in the order of the file."""

COUNTRIES = pl.Schema({"origin_en": pl.String(), "continent": pl.String()})
"""One row per country."""

_DISH_FILES = Columns(required=("url", "origin", "origin_name", "lang", "sub_label", "obj_label"))
_TEMPLATE_FILES = Columns(required=("relation", "template"), ignored=("avg",))
_NUMBERED = {"[1]": "[X]", "[2]": "[Y]", "[3]": "[C]"}


@dataclass(frozen=True, slots=True)
class FmlamaTables:
    """Tables of FmLAMA's files."""

    dishes: pl.DataFrame
    """`DISHES`, by subset, language and file order."""
    templates: pl.DataFrame
    """`triple_rows.TEMPLATES`, published ones, placeholders as everywhere else; by language and file order."""
    countries: pl.DataFrame
    """`COUNTRIES`, by name."""
    findings: pl.DataFrame
    """`frame_columns.FINDINGS`, one row per irregularity."""


def read_fmlama(folder: Path) -> FmlamaTables:
    """Read FmLAMA's files.

    Labels stay as published. Placeholders ``[1] [2] [3]`` (Arabic and Hebrew) become ``[X] [Y] [C]``; nothing
    else of a template is changed.

    Args:
        folder: Holds any of ``data_filter``, ``data_lang``, ``templates`` and ``country_info.json``; the dish
            and template files may be JSONL or CSV. In CSV, ``obj_label`` holds labels joined with ``", "``.

    Raises:
        InputError: If the folder holds none of them.
        RowError, RowErrors: If anything cannot be read; names all places at once.
    """
    diagnostics = Diagnostics()
    countries = _countries(folder, diagnostics)
    dishes = [
        row
        for subset in SUBSETS
        for path in _files(folder, subset, "dishes")
        for row in _dishes(path, folder, diagnostics)
    ]
    paths = _files(folder, "templates", "templates")
    templates = [row for path in paths for row in _templates(path, folder, diagnostics)]
    if not dishes and not templates and not diagnostics.problems:
        raise InputError(
            f"{folder}: no FmLAMA files; expected {', '.join(SUBSETS)} or templates with files such as "
            "en/en_dishes.jsonl and en_templates.jsonl"
        )
    diagnostics.raise_problems()
    dish_rows = pl.DataFrame(dishes, schema=DISHES, orient="row")
    template_rows = pl.DataFrame(templates, schema=TEMPLATES, orient="row")
    dish_oddities(dish_rows, countries, diagnostics)
    template_oddities(template_rows, diagnostics)
    findings = pl.concat([diagnostics.findings_frame(), check_templates(template_rows)])
    return FmlamaTables(
        dish_rows, template_rows, countries, findings.sort("kind", "source", "locale", "template_id", "detail")
    )


def _files(folder: Path, name: str, ending: str) -> list[Path]:
    return sorted(path for kind in ("jsonl", "csv") for path in (folder / name).glob(f"**/*_{ending}.{kind}"))


def _countries(folder: Path, diagnostics: Diagnostics) -> pl.DataFrame:
    path = folder / "country_info.json"
    if not path.exists():
        return pl.DataFrame(schema=COUNTRIES)
    with diagnostics.collected():
        value = read_json(path, where=location_of(path, folder))
        if isinstance(value, dict) and all(isinstance(name, str) for name in value.values()):
            return pl.DataFrame(sorted(value.items()), schema=COUNTRIES, orient="row")
        diagnostics.problem(
            "not an object of text", where=location_of(path, folder), fix='write {"country": "continent", …}'
        )
    return pl.DataFrame(schema=COUNTRIES)


def _dishes(path: Path, folder: Path, diagnostics: Diagnostics) -> Iterator[tuple[Any, ...]]:
    subset = SUBSETS[path.relative_to(folder).parts[0]]
    language = path.stem.removesuffix("_dishes")
    seen: dict[str, str] = {}
    with diagnostics.collected():
        for row in read_rows(path, folder, diagnostics, _DISH_FILES):
            values = _listed(row)
            fault = _dish_fault(values, language)
            if fault is not None:
                diagnostics.problem(fault[0], where=row.location, fix=fault[1])
                continue
            qid = values["url"].removeprefix(ENTITY)
            if qid in seen:
                diagnostics.problem(
                    f"{qid} is also in {seen[qid]}", where=row.location, fix="keep one of the two"
                )
            seen[qid] = row.location
            names = (values["sub_label"], values["origin"], values["origin_name"], values["obj_label"])
            yield subset, qid, language, *names, row.location


def _listed(row: Cells) -> dict[str, Any]:
    """The values of a row, ingredients as a list whatever the layout."""
    parts = row.values["obj_label"]
    return {**row.values, "obj_label": parts.split(", ") if isinstance(parts, str) else parts}


def _dish_fault(values: Mapping[str, Any], language: str) -> tuple[str, str] | None:
    """Say what is wrong with a row, and what to do about it."""
    for column in ("url", "origin", "origin_name", "lang", "sub_label"):
        if not isinstance(values[column], str) or not values[column].strip():
            return f"column {column}: {values[column]!r} is not text", "write the text"
    number = values["url"].removeprefix(f"{ENTITY}Q")
    if number == values["url"] or not number.isdecimal():
        return f"column url: {values['url']!r} is not an item", f"write {ENTITY}Q and the item's number"
    if values["lang"] != language:
        return f"column lang: {values['lang']!r} in a file of {language!r}", "move the row or correct the tag"
    parts = values["obj_label"]
    if not isinstance(parts, list) or not parts or not all(isinstance(p, str) and p.strip() for p in parts):
        return f"column obj_label: {parts!r} is not a list of labels", 'write ["bread", …], at least one'
    return None


def _templates(path: Path, folder: Path, diagnostics: Diagnostics) -> Iterator[tuple[Any, ...]]:
    language = path.stem.removesuffix("_templates")
    if not is_language(language):
        diagnostics.problem(
            f"{language!r} is not a language tag", where=location_of(path, folder), fix="rename the file"
        )
        return
    with diagnostics.collected():
        for row in read_rows(path, folder, diagnostics, _TEMPLATE_FILES):
            relation, template = str(row.values["relation"]), str(row.values["template"])
            if not relation.startswith(("hasParts_", "country_")):
                fix = "write hasParts_N or country_N"
                diagnostics.problem(
                    f"column relation: unknown relation {relation!r}", where=row.location, fix=fix
                )
                continue
            lettered = template
            for number, letter in _NUMBERED.items():
                lettered = lettered.replace(number, letter)
            if lettered != template:
                detail = f"{relation} has placeholders [1] [2] [3]; read as [X] [Y] [C]"
                diagnostics.finding("numbered-placeholders", row.location, detail)
            yield language, relation, lettered, relation.startswith("country_"), True
