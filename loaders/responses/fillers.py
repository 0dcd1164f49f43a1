"""Fillers: reviewed distractors for questions that are short of them."""

from pathlib import Path

import polars as pl

from blend.loaders.files.notes import Notes
from blend.loaders.files.rows import SUFFIXES, Columns, read_rows
from blend.schemas.errors import InputError
from blend.schemas.frames import FILLERS

_COLUMNS = Columns(("template_id", "option", "region", "reviewer"), optional=("locale", "why"))


def read_fillers(path: Path) -> pl.DataFrame:
    """The fillers in a CSV, JSON Lines or Parquet file.

    Args:
        path: Columns ``template_id``, ``option``, ``region``, ``reviewer``, and perhaps ``locale`` (empty: any)
            and ``why``.

    Returns:
        `frames.FILLERS`, in the file's order; what a filler names is checked where it is used.

    Raises:
        InputError: If there is no such file, or none of a kind that can be read.
        RowError: If it cannot be read or lacks a column.
    """
    if not path.is_file():
        raise InputError(f"{path}: there is no such file of fillers; correct the recipe's key mcq.fillers")
    if path.suffix not in SUFFIXES:
        raise InputError(f"{path}: unknown kind of file {path.suffix!r}; use one of: {', '.join(SUFFIXES)}")
    notes = Notes()
    rows = [
        (*(str(cells.values.get(name) or "") or None for name in FILLERS.names()[:-1]), cells.place)
        for cells in read_rows(path, path.parent, notes, _COLUMNS)
    ]
    notes.raise_problems()
    return pl.DataFrame(rows, FILLERS, orient="row")
