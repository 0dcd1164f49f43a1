"""Tables of a run: Parquet files that appear whole or not at all."""

from pathlib import Path

import polars as pl

from blend.loaders.files.atomic import atomic_file
from blend.loaders.files.content import open_content, parquet_rows
from blend.schemas.errors import RowError

RESTORE = "restore it from a copy, or run again into another directory"
"""What to do about a table that is not as the run has written it."""


def write_frame(path: Path, rows: pl.DataFrame) -> None:
    """Write a table, in place of an earlier one."""
    with atomic_file(path) as beside:
        rows.write_parquet(beside, compression="zstd")


def read_frame(path: Path, *columns: str, fix: str = RESTORE) -> pl.DataFrame:
    """A table of a run, or some of its columns.

    Args:
        path: The file.
        columns: Columns to read; all when absent.
        fix: What to do about a file that cannot be read, for the message.

    Raises:
        RowError: If it is missing, cannot be read, or lacks a column.
    """
    if not path.exists():
        raise RowError("no such file", where=str(path), fix=fix)
    with open_content(path) as file:
        return parquet_rows(file, where=str(path), fix=fix, columns=columns)
