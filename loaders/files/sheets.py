"""Sheets: tables that are written for people to fill in with a spreadsheet, and read as they came back."""

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import polars as pl

from blend.loaders.files.atomic import atomic_write, storage_errors
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Cells, Columns, read_rows
from blend.loaders.files.tables import OTHER_WORKBOOKS, WORKBOOK, Choices, write_workbook
from blend.schemas.errors import InputError
from blend.schemas.sheets import Sheet, guarded, unguarded
from blend.schemas.texts import clean

_OTHER_KINDS = (*OTHER_WORKBOOKS, ".json", ".parquet")


def write_new_sheet(
    out: Path,
    rows: "pl.DataFrame",
    *,
    choices: Choices = MappingProxyType({}),
) -> None:
    """Write a sheet for people to fill in: a workbook if it is named .xlsx, JSON Lines if .jsonl, or CSV.

    CSV begins with a byte order mark, by which spreadsheets know UTF-8.

    Args:
        out: The file; its folder must be there.
        rows: One cell per value; null is an empty cell, and an empty text one in quotes.
        choices: What can be chosen in a column of a workbook (see `tables.write_workbook`).

    Raises:
        InputError: If the file is there, or named as one of another kind.
        StorageError: If it cannot be written.
    """
    if out.suffix.lower() in _OTHER_KINDS:
        raise InputError(f"{out}: a sheet is .csv, .xlsx or .jsonl; choose another `out`")
    if os.path.lexists(out):
        raise InputError(f"{out}: exists, and may hold somebody's work; choose another `out` or move it away")
    with storage_errors(out):
        if out.suffix.lower() == WORKBOOK:
            atomic_write(out, write_workbook(rows, choices, out.name))
        elif out.suffix.lower() == ".jsonl":
            atomic_write(out, rows.fill_null("").write_ndjson().encode())
        else:
            atomic_write(out, rows.write_csv(include_bom=True))


def write_sheet(sheet: Sheet, rows: pl.DataFrame, path: Path) -> None:
    """Write a sheet for people to fill in; see `write_new_sheet`.

    Args:
        sheet: What it is like.
        rows: With its columns; others are left out.
        path: Where.

    Raises:
        InputError, StorageError: As `write_new_sheet`.
    """
    cells = rows.select(list(sheet.columns))
    if path.suffix.lower() == ".csv":  # the cells of a workbook are text
        texts = pl.selectors.string().exclude(sheet.numbers)
        cells = cells.with_columns(texts.map_elements(guarded, return_dtype=pl.String, skip_nulls=True))
    choices = {column: offered for column, offered in sheet.filled.items() if offered}
    write_new_sheet(path, cells.with_columns(pl.col(pl.String).replace("", None)), choices=choices)


def read_sheet(sheet: Sheet, path: Path, diagnostics: Diagnostics) -> list[Cells]:
    """The rows of a sheet that came back as they were proposed, each with its place, in file order.

    Args:
        sheet: What it was like.
        path: The table.
        diagnostics: Takes problems of rows that are others, and findings about the file.

    Raises:
        RowError: If nothing of the file can be read.
    """
    columns = Columns(
        sheet.needed,
        optional=sheet.also_read,
        others=True,
        typed=True,
        # Their mark tells what was there.
        rewritten=(*sheet.proposed, "check") if "check" in sheet.columns else (),
        returned=True,
    )
    rows = []
    for row in read_rows(path, path.parent, diagnostics, columns):
        texts = row.values.items()
        values = {name: unguarded(cell) if isinstance(cell, str) else cell for name, cell in texts}
        if any(values.get(name) for name in sheet.filled) and not _is_as_proposed(sheet, values):
            names = ", ".join(sheet.proposed)
            shown = ", ".join(repr(values[name]) for name in sheet.proposed)
            fix = f"bring back {names} and check as they were proposed (as .xlsx, whose cells are text)"
            what = f"{shown} is not a row that was proposed"
            diagnostics.problem(what, where=row.location, fix=f"{fix}, or delete a row of your own")
        else:
            rows.append(Cells(row.location, values))
    return rows


def _is_as_proposed(sheet: Sheet, values: Mapping[str, Any]) -> bool:
    """Whether a row is one that was proposed, by its mark, if the sheet has any."""
    proposed = (clean(str(values[name] or "")) for name in sheet.proposed)
    return "check" not in sheet.columns or str(values["check"]).strip().endswith(sheet.mark(*proposed))
