"""Prompt templates about dishes: one table per language, as in the packaged file."""

import re
from collections.abc import Mapping

import polars as pl

from blend.schemas.errors import RowError, raise_all
from blend.schemas.frames import FINDINGS
from blend.schemas.languages import is_language
from blend.schemas.models import packaged_text, toml_tables
from blend.schemas.rows import PLACEHOLDERS, TEMPLATES

PACKAGED = "food_templates.toml"
"""File name of the packaged templates about food."""

KINDS = {"hasParts": False, "country": True}
"""First part of a relation to whether the country is named."""


def packaged_templates() -> pl.DataFrame:
    """Packaged templates, `rows.TEMPLATES`, in file order: about food, ten in each of 14 languages."""
    return parse_templates(packaged_text(PACKAGED), source=PACKAGED)


def parse_templates(text: str, *, source: str) -> pl.DataFrame:
    """The templates of a TOML text: one table per language with the lists ``hasParts`` and ``country``.

    Whether the sentences are sound is for `check_templates` to say.

    Args:
        text: TOML; a table is named by its language tag.
        source: File name for messages.

    Returns:
        `rows.TEMPLATES`, languages and templates in the order of the text.

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


_PLACEHOLDER = re.compile(r"\[[^\[\]]*\]")
"""Whatever stands in square brackets."""


def check_templates(templates: pl.DataFrame) -> pl.DataFrame:
    """List the templates that have other placeholders than they need.

    Args:
        templates: `rows.TEMPLATES`.

    Returns:
        `FINDINGS`, ordered by place; empty if nothing is. ``source`` is ``language:relation``.
    """
    rows = [
        ("wrong-placeholders", f"{row['language']}:{row['relation']}", None, None, detail)
        for row in templates.iter_rows(named=True)
        if (detail := _fault(row["template"], with_country=row["with_country"])) is not None
    ]
    return pl.DataFrame(rows, schema=FINDINGS, orient="row").sort("source", "detail")


def _fault(template: str, *, with_country: bool) -> str | None:
    wanted = sorted(value for name, value in PLACEHOLDERS.items() if name != "country" or with_country)
    # Lists and no sets: a placeholder that stands there twice is wrong as well.
    found = sorted(_PLACEHOLDER.findall(template))
    return None if found == wanted else f"holds {' '.join(found) or 'nothing'} instead of {' '.join(wanted)}"
