"""Prompt templates about dishes: one table per language, as in the packaged file."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from typing import Any

import polars as pl

from blend.schemas.errors import RowError, raise_all
from blend.schemas.frames import FINDINGS
from blend.schemas.languages import is_language, variable_particle
from blend.schemas.models import toml_tables
from blend.schemas.rows import PLACEHOLDERS, TEMPLATES

PACKAGED = "food_templates.toml"
"""File name of the packaged templates about food."""

KINDS = {"hasParts": False, "country": True}
"""First part of a relation to whether the country is named."""


def packaged_templates(name: str = PACKAGED) -> pl.DataFrame:
    """Packaged templates, `triple_rows.TEMPLATES`, in file order: about food, ten in each of 14 languages."""
    text = files("blend.schemas").joinpath(name).read_text(encoding="utf-8")
    return parse_templates(text, source=name)


def parse_templates(text: str, *, source: str) -> pl.DataFrame:
    """The templates of a TOML text: one table per language with the lists ``hasParts`` and ``country``.

    Whether the sentences are sound is for `prompts.check_templates` to say.

    Args:
        text: TOML; a table is named by its language tag.
        source: File name for messages.

    Returns:
        `triple_rows.TEMPLATES`, languages and templates in the order of the text.

    Raises:
        RowError, RowErrors: If the text is not TOML, a table's name no language tag, or a list missing, unknown
            or not of text.
    """
    tables = toml_tables(text, source=source)
    problems = [problem for language, table in tables.items() for problem in _problems(language, table, source)]
    raise_all(problems)
    rows = [
        (language, f"{kind}_{number}", template, with_country, False)
        for language, table in tables.items()
        for kind, with_country in KINDS.items()
        for number, template in enumerate(table[kind], start=1)
    ]
    return pl.DataFrame(rows, schema=TEMPLATES, orient="row")


def _problems(language: str, table: object, source: str) -> list[RowError]:
    where = f"{source}, table {language}"
    if not is_language(language):
        return [RowError("the name is not a BCP 47 tag", where=where, fix="name the table en, zh, pt-br …")]
    if not isinstance(table, Mapping) or set(table) != set(KINDS):
        form = f"give it the lists {' and '.join(KINDS)} and nothing else"
        return [RowError("not a table of templates", where=where, fix=form)]
    return [
        RowError("not a list of text", where=f"{where}, key {kind}", fix='write ["…", "…"]')
        for kind in KINDS
        if not isinstance(table[kind], list) or not all(isinstance(item, str) for item in table[kind])
    ]


PLACEHOLDER = re.compile(r"\[[^\[\]]*\]")
"""Whatever stands in square brackets."""

_ENDS = {"zh": "。", "ja": "。"}
_COMMAS = {"ar": "،", "fa": "،"}
_NO_BLANK_BEFORE = re.compile(r"[ \u00a0][,.،。;؛:]")
_TOGETHER = re.compile(r"\]\s*\[")
_DOUBLED = re.compile(r"[.,،。;؛:!?]{2,}| {2,}")


def check_templates(templates: pl.DataFrame) -> pl.DataFrame:
    """List what is wrong with templates, as far as a program can tell.

    Args:
        templates: `triple_rows.TEMPLATES`.

    Returns:
        `FINDINGS`, ordered by kind and place; empty if nothing is. ``source`` is ``language:relation``.
    """
    rows = [
        (kind, f"{row['language']}:{row['relation']}", None, None, detail)
        for row in templates.iter_rows(named=True)
        for kind, detail in _faults(row)
    ]
    found = pl.DataFrame(rows, schema=FINDINGS, orient="row")
    return pl.concat([found, _repeated(templates)]).sort("kind", "source", "detail")


def _faults(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for kind, check in _CHECKS.items():
        detail = check(row)
        if detail is not None:
            yield kind, detail


def _placeholders(row: Mapping[str, Any]) -> str | None:
    wanted = sorted(value for name, value in PLACEHOLDERS.items() if name != "country" or row["with_country"])
    found = sorted(PLACEHOLDER.findall(row["template"]))
    return None if found == wanted else f"holds {' '.join(found) or 'nothing'} instead of {' '.join(wanted)}"


def _together(row: Mapping[str, Any]) -> str | None:
    found = _TOGETHER.search(row["template"])
    return None if found is None else "two placeholders stand side by side, so that their words run together"


def _end(row: Mapping[str, Any]) -> str | None:
    stop = _ENDS.get(row["language"], ".")
    return None if row["template"].endswith(stop) else f"does not end in {stop!r}"


def _punctuation(row: Mapping[str, Any]) -> str | None:
    template, comma = row["template"], _COMMAS.get(row["language"])
    wrong = _DOUBLED.search(template) or _NO_BLANK_BEFORE.search(template)
    if wrong is not None:
        return f"{wrong[0]!r} is doubled or has a blank before it"
    return f"has the comma ',' instead of {comma!r}" if comma and "," in template else None


def _characters(row: Mapping[str, Any]) -> str | None:
    template = row["template"]
    if template != unicodedata.normalize("NFC", template):
        return "is not in Unicode NFC"
    if template != template.strip():
        return "starts or ends with a blank"
    for before, char in zip(" " + template, template, strict=False):
        if unicodedata.combining(char) and not (before.isalpha() or unicodedata.combining(before)):
            return f"a mark U+{ord(char):04X} stands on no letter"
    return None


def _particle(row: Mapping[str, Any]) -> str | None:
    if row["language"] != "ko":
        return None
    template = row["template"]
    ends = [match.end() for match in PLACEHOLDER.finditer(template)]
    found = [particle for end in ends if (particle := variable_particle(template[end:])) is not None]
    return f"the particle {found[0]} depends on the word before it" if found else None


_CHECKS: dict[str, Callable[[Mapping[str, Any]], str | None]] = {
    "wrong-placeholders": _placeholders,
    "placeholders-together": _together,
    "no-full-stop": _end,
    "wrong-punctuation": _punctuation,
    "odd-character": _characters,
    "variable-particle": _particle,
}


def _repeated(templates: pl.DataFrame) -> pl.DataFrame:
    twice = (
        templates.group_by("language", "template", maintain_order=True)
        .agg("relation")
        .filter(pl.col("relation").list.len() > 1)
    )
    rows = [
        ("repeated-template", f"{language}:{relations[-1]}", None, None, f"the same text as {relations[0]}")
        for language, _, relations in twice.iter_rows()
    ]
    return pl.DataFrame(rows, schema=FINDINGS, orient="row")
