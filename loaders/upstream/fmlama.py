"""FmLAMA's published files: dishes, prompt templates and countries, with every irregularity as a finding.

The files of Zhou et al. (2025), https://github.com/lizhou21/FmLAMA, in the layout of their folder ``data``.
Labels are text there, without the items behind them: what `builders.triples` makes from a snapshot knows both.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from rapidfuzz.fuzz import ratio

from blend.loaders.files.content import location_of, read_json
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Cells, Columns, read_rows
from blend.loaders.wikidata.facts import ENTITY
from blend.loaders.wikidata.prompts import check_templates
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

_SCRIPTS = {
    "ar": "ARABIC",
    "en": "LATIN",
    "he": "HEBREW",
    "ko": "HANGUL",
    "ru": "CYRILLIC",
    "zh": "CJK",
}

_SAME_SENTENCE = 80.0
"""Similarity in percent (rapidfuzz) from which a template with country is its pair's sentence; published ones
that are have 92 or more, the two that are not have 64."""


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
    _dish_oddities(dish_rows, countries, diagnostics)
    _template_oddities(template_rows, diagnostics)
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


def _dish_oddities(dishes: pl.DataFrame, countries: pl.DataFrame, diagnostics: Diagnostics) -> None:
    """Note what is odd about the dishes."""
    known = set(countries["origin_en"])
    for _, rows in dishes.group_by("subset", "language", maintain_order=True):
        _label_oddities(rows, diagnostics)
        for row in rows.iter_rows(named=True):
            for kind, detail in _row_oddities(row, known):
                diagnostics.finding(kind, row["source"], detail)
    _list_lengths(dishes.filter(pl.col("subset") == "aligned"), diagnostics)


def _template_oddities(templates: pl.DataFrame, diagnostics: Diagnostics) -> None:
    """Note templates beyond the five of a kind, and those with country that are not their pair's sentence."""
    for (language,), rows in templates.group_by("language", maintain_order=True):
        texts = dict(rows.select("relation", "template").iter_rows())
        for relation, template in texts.items():
            location = f"{language}:{relation}"
            if relation.count("_") > 1:
                diagnostics.finding("further-wording", location, "another wording of the country phrase")
            pair = texts.get(f"hasParts_{relation.split('_')[1]}")
            if relation.startswith("country") and pair is not None:
                similarity = ratio(_behind_country(template).casefold(), pair.casefold())
                if similarity < _SAME_SENTENCE:
                    diagnostics.finding(
                        "unlike-its-pair", location, f"not the sentence {pair!r} with a country"
                    )


def _behind_country(template: str) -> str:
    """The sentence without the phrase that names the country."""
    rest = template.partition("[C]")[2]
    return rest[rest.find("[X]") :] if rest.lstrip(" ,，،").startswith("[X]") else rest.lstrip(" ,，،")


def _row_oddities(row: dict[str, object], known: set[str]) -> Iterator[tuple[str, str]]:
    label, parts = str(row["label"]), row["parts"]
    assert isinstance(parts, list)
    if known and row["origin_en"] not in known:
        yield "unknown-country", f"{row['origin_en']!r} is not in country_info.json"
    inside = [part for part in parts if part in label]
    if inside:
        yield "part-in-name", f"{', '.join(map(repr, inside))} is in the name {label!r}: no knowledge is needed"
    if "," in label:
        yield "comma-in-name", f"{label!r}; an ingredient with a comma would have been cut in pieces"


def _label_oddities(rows: pl.DataFrame, diagnostics: Diagnostics) -> None:
    language, source = rows["language"][0], rows["source"][0].rpartition(":")[0]
    kinds = {
        "dish": rows["label"].unique().sort(),
        "ingredient": rows["parts"].list.explode().unique().sort(),
    }
    for what, labels in kinds.items():
        for label in labels:
            for kind in _odd(label, language):
                diagnostics.finding(kind, source, f"{what} {label!r}")
        _same_but_case(labels, what, source, diagnostics)
    twice = rows.group_by("label", maintain_order=True).agg("qid").filter(pl.col("qid").list.len() > 1)
    for label, qids in twice.iter_rows():
        diagnostics.finding("repeated-name", source, f"{label!r} names {' and '.join(qids)}")


def _same_but_case(labels: pl.Series, what: str, source: str, diagnostics: Diagnostics) -> None:
    spellings: dict[str, list[str]] = {}
    for label in labels:
        spellings.setdefault(label.casefold(), []).append(label)
    for same in spellings.values():
        if len(same) > 1:
            diagnostics.finding("differ-in-case", source, f"{what}s {' and '.join(map(repr, same))}")


def _list_lengths(aligned: pl.DataFrame, diagnostics: Diagnostics) -> None:
    """An ingredient without a label in a language is missing there; two with one label count once."""
    english = aligned.filter(pl.col("language") == "en").select("qid", english=pl.col("parts").list.len())
    lengths = aligned.with_columns(here=pl.col("parts").list.len()).join(english, on="qid")
    for row in lengths.filter(pl.col("here") != pl.col("english")).iter_rows(named=True):
        kind = "fewer-parts" if row["here"] < row["english"] else "more-parts"
        diagnostics.finding(kind, row["source"], f"{row['here']} ingredients, {row['english']} in English")


def _odd(label: str, language: str) -> Iterator[str]:
    """The kinds of oddity that a label has by itself."""
    if "/" in label:
        yield "page-name"
    if re.search(r"\(.*\)|（.*）", label):
        yield "disambiguator"
    script = _SCRIPTS.get(language)
    letters = [char for char in label if char.isalpha()]
    if script is not None and not any(unicodedata.name(char, "").startswith(script) for char in letters):
        yield "other-script"
