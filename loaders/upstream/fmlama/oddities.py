"""What is odd about FmLAMA's published labels and templates; all of it stays as published."""

import re
import unicodedata
from collections.abc import Iterator

import polars as pl
from rapidfuzz.fuzz import ratio

from blend.loaders.files.diagnostics import Diagnostics

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


def dish_oddities(dishes: pl.DataFrame, countries: pl.DataFrame, diagnostics: Diagnostics) -> None:
    """Note what is odd about the dishes; ``dishes`` and ``countries`` as in `loaders.upstream.fmlama`."""
    known = set(countries["origin_en"])
    for _, rows in dishes.group_by("subset", "language", maintain_order=True):
        _label_oddities(rows, diagnostics)
        for row in rows.iter_rows(named=True):
            for kind, detail in _row_oddities(row, known):
                diagnostics.finding(kind, row["source"], detail)
    _list_lengths(dishes.filter(pl.col("subset") == "aligned"), diagnostics)


def template_oddities(templates: pl.DataFrame, diagnostics: Diagnostics) -> None:
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
