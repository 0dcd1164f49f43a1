"""Fillers: reviewed distractors for questions that are short of them."""

from pathlib import Path

import polars as pl

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Columns, read_rows
from blend.schemas.errors import InputError
from blend.schemas.frames import FILLERS
from blend.schemas.personal_data import pseudonym

_COLUMNS = Columns(("template_id", "option", "region", "reviewer"), optional=("locale", "why"))


def read_fillers(path: Path) -> pl.DataFrame:
    """The fillers in a table, JSON Lines or Parquet file.

    Args:
        path: Columns ``template_id``, ``option``, ``region``, ``reviewer``, and perhaps ``locale`` (empty: any)
            and ``why``.

    Returns:
        `frame_columns.FILLERS`, in the file's order; what a filler names is checked where it is used.

    Raises:
        InputError: If there is no such file, or none of a kind that can be read.
        RowError, RowErrors: If it cannot be read, lacks a column, or says who somebody is.
    """
    return read_reviewed_options(path, "fillers", FILLERS, _COLUMNS)


def read_reviewed_options(path: Path, what: str, schema: pl.Schema, columns: Columns) -> pl.DataFrame:
    """The rows of a file of options that people have reviewed, all text, in its order.

    Args:
        path: The file.
        what: What its rows are, and the key of the recipe's ``[mcq]`` that names it.
        schema: Of the rows; the last column is their place, empty cells are null.
        columns: Of the file.

    Raises:
        InputError: If there is no such file, or none of a kind that can be read.
        RowError, RowErrors: If it cannot be read, lacks a column, or says who somebody is.
    """
    if not path.is_file():
        raise InputError(f"{path}: there is no such file of {what}; correct its name (mcq.{what} in a recipe)")
    diagnostics = Diagnostics()
    rows = []
    for cells in read_rows(path, path.parent, diagnostics, columns):
        rows.append((*(_text(cells.values.get(name)) for name in schema.names()[:-1]), cells.location))
        try:
            pseudonym(str(cells.values["reviewer"] or ""))
        except ValueError as error:
            what, _, fix = str(error).partition("; ")
            diagnostics.problem(what, where=f"{cells.location}, column reviewer", fix=fix)
        diagnostics.check_own_words(str(cells.values.get("why") or ""), where=f"{cells.location}, column why")
    diagnostics.raise_problems()
    return pl.DataFrame(rows, schema, orient="row")


def _text(value: object) -> str | None:
    return None if value is None else str(value) or None
