"""Sheets, out and in: one way to write and to read every table that people fill in (`schemas.sheets.Sheet`)."""

from pathlib import Path

import polars as pl

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.new_files import write_new_sheet
from blend.loaders.files.rows import Cells, Columns, read_rows
from blend.schemas.sheets import Sheet, guarded


def write_sheet(sheet: Sheet, rows: pl.DataFrame, path: Path) -> None:
    """Write a sheet for people to fill in; see `files.new_files.write_new_sheet`.

    Args:
        sheet: What it is like.
        rows: With its columns; others are left out.
        path: Where.

    Raises:
        InputError, StorageError: As `files.new_files.write_new_sheet`.
    """
    cells = rows.select(list(sheet.columns))
    if "check" in sheet.columns:
        texts = pl.selectors.string().exclude(sheet.numbers)
        cells = cells.with_columns(texts.map_elements(guarded, return_dtype=pl.String, skip_nulls=True))
    choices = {column: offered for column, offered in sheet.filled.items() if offered}
    write_new_sheet(path, cells.with_columns(pl.col(pl.String).replace("", None)), choices=choices)


def read_sheet(sheet: Sheet, path: Path, diagnostics: Diagnostics) -> list[Cells]:
    """The rows of a sheet that came back, each with its place, in file order.

    Args:
        sheet: What it was like.
        path: The table.
        diagnostics: Takes problems of single rows, and findings about the file, such as colours, which nobody
            reads.

    Raises:
        RowError: If nothing of the file can be read.
    """
    columns = Columns(
        sheet.needed,
        optional=sheet.also_read,
        others=True,
        # Their mark tells what was there.
        rewritten=(*sheet.proposed, "check") if "check" in sheet.columns else (),
        returned=True,
    )
    return read_rows(path, path.parent, diagnostics, columns)
