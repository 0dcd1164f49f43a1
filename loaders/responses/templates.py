"""Files on the way to templates: natives' questions, the reviewed sheet, translations.

Each is a table, JSONL or Parquet; ``docs/templates.md`` shows examples.
"""

from pathlib import Path
from typing import Any

import polars as pl

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.new_files import read_sheet
from blend.loaders.files.rows import Cells, Columns, read_rows
from blend.schemas.errors import UnknownNameError
from blend.schemas.frames import NATIVE_QUESTIONS, TRANSLATIONS
from blend.schemas.locales import Registry, registry
from blend.schemas.sheets import PROPOSED_TEMPLATES, TEMPLATE_SHEET

_NATIVE_COLUMNS = Columns(required=("id", "topic", "text"), optional=("locale",), typed=True)
_TRANSLATION_COLUMNS = Columns(
    required=("template_id", "locale", "question"), optional=("en_question",), typed=True
)


def read_native_questions(path: Path, *, locales: Registry | None = None) -> pl.DataFrame:
    """Questions as natives wrote them.

    Args:
        path: Columns ``id``, ``topic``, ``text`` and, optional in file and row, ``locale`` (the author's; any
            name by which `Registry.find` knows it).
        locales: Known locales; the packaged registry when absent.

    Returns:
        `frames.NATIVE_QUESTIONS`, in file order.

    Raises:
        RowError, RowErrors: If the file cannot be read, a cell is blank, an id occurs twice or a locale is
            unknown; names every place.
    """
    known = registry() if locales is None else locales
    diagnostics = Diagnostics()
    rows: list[dict[str, Any]] = []
    for cells in read_rows(path, path.parent, diagnostics, _NATIVE_COLUMNS):
        row = {
            "template_id": _filled(cells, "id", diagnostics),
            "topic": _filled(cells, "topic", diagnostics),
            "source_locale": _locale(cells, "locale", known, diagnostics),
            "text": _filled(cells, "text", diagnostics),
            "source": cells.location,
        }
        rows.append(row)
    _check_unique(rows, ("template_id",), diagnostics)
    diagnostics.raise_problems()
    return pl.DataFrame(rows, schema=NATIVE_QUESTIONS)


def read_review_sheet(path: Path, *, locales: Registry | None = None) -> pl.DataFrame:
    """A review sheet after review.

    Args:
        path: The sheet, `sheets.TEMPLATE_SHEET`.
        locales: Known locales, of which ``source_locale`` names one; the packaged registry when absent.

    Returns:
        `sheets.PROPOSED_TEMPLATES`, in file order, for `builders.templates.accept_sheet`.

    Raises:
        RowError, RowErrors: If the file cannot be read, a locale is unknown or a similarity is not a number.
    """
    known = registry() if locales is None else locales
    diagnostics = Diagnostics()
    rows = [
        {
            **{name: _text(cells, name) for name in TEMPLATE_SHEET.columns},
            "source_locale": _locale(cells, "source_locale", known, diagnostics),
            "similarity": _number(cells, "similarity", diagnostics),
            "source": cells.location,
        }
        for cells in read_sheet(TEMPLATE_SHEET, path, diagnostics)
    ]
    diagnostics.raise_problems()
    return pl.DataFrame(rows, schema=PROPOSED_TEMPLATES)


def read_translations(path: Path, *, locales: Registry | None = None) -> pl.DataFrame:
    """Translated questions.

    Args:
        path: Columns ``template_id``, ``locale`` (any name by which `Registry.find` knows it), ``question``
            (local language, country named) and, optional in file and row, ``en_question`` (of what).
        locales: Known locales; the packaged registry when absent.

    Returns:
        `frames.TRANSLATIONS`, in file order.

    Raises:
        RowError, RowErrors: If the file cannot be read, a cell is blank, a question is translated twice for a
            locale, or a locale is unknown.
    """
    known = registry() if locales is None else locales
    diagnostics = Diagnostics()
    rows = [
        {
            "template_id": _filled(cells, "template_id", diagnostics),
            "locale": _locale(cells, "locale", known, diagnostics, required=True),
            "question": _filled(cells, "question", diagnostics, fix=_TRANSLATE),
            "source": cells.location,
            "en_question": _text(cells, "en_question"),
        }
        for cells in read_rows(path, path.parent, diagnostics, _TRANSLATION_COLUMNS)
    ]
    _check_unique(rows, ("template_id", "locale"), diagnostics)
    diagnostics.raise_problems()
    return pl.DataFrame(rows, schema=TRANSLATIONS)


def _text(cells: Cells, column: str) -> str | None:
    value = cells.values.get(column)
    return None if value is None or not str(value).strip() else str(value)


_TRANSLATE = "fill it in, or delete the row, which is then listed as no-translation"


def _filled(cells: Cells, column: str, diagnostics: Diagnostics, *, fix: str = "fill it in") -> str | None:
    text = _text(cells, column)
    if text is None:
        diagnostics.problem("the cell is blank", where=f"{cells.location}, column {column}", fix=fix)
    return text


def _locale(
    cells: Cells, column: str, known: Registry, diagnostics: Diagnostics, *, required: bool = False
) -> str | None:
    name = _filled(cells, column, diagnostics) if required else _text(cells, column)
    if name is None:
        return None
    try:
        return known.find(name.strip()).tag
    except UnknownNameError:
        where = f"{cells.location}, column {column}"
        diagnostics.unknown_locale(name, known, where=where)
        return None


def _number(cells: Cells, column: str, diagnostics: Diagnostics) -> float | None:
    text = _text(cells, column)
    try:
        # Spreadsheets in many languages write 0,912.
        return None if text is None else float(text.replace(",", "."))
    except ValueError:
        diagnostics.problem(
            f"{text!r} is not a number", where=f"{cells.location}, column {column}", fix="leave it as it was"
        )
        return None


def _check_unique(rows: list[dict[str, Any]], key: tuple[str, ...], diagnostics: Diagnostics) -> None:
    first: dict[tuple[Any, ...], str] = {}
    for row in rows:
        value = tuple(row[name] for name in key)
        earlier = first.setdefault(value, row["source"])
        if None not in value and earlier != row["source"]:
            what = f"{' in '.join(value)} occurs a second time"
            diagnostics.problem(what, where=row["source"], fix=f"delete this row or {earlier}")
