"""Returned sheets: rows of files that people have filled in, each about something that they were asked."""

from collections.abc import Container
from pathlib import Path

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Cells, Columns, read_rows
from blend.schemas.errors import InputError, RowError


def read_returned(path: Path, columns: Columns, *, encoding: str | None) -> list[Cells]:
    """The rows of a sheet that came back, or of a table that stands in its place.

    Raises:
        InputError: If it is absent or of no kind that can be read.
        RowError, RowErrors: If it cannot be read.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such file; name sheets that were filled in")
    diagnostics = Diagnostics()
    rows = read_rows(path, path.parent, diagnostics, columns, encoding=encoding)
    diagnostics.raise_problems()
    return rows


def is_unknown(cells: Cells, name: str, asked: Container[str], problems: list[RowError]) -> bool:
    """Whether a row is about something that was not asked, which is then a problem."""
    if name in asked:
        return False
    fix = "name the run whose sheet it is; a run that was scored anew with other answers has another sheet"
    problems.append(RowError(f"{name!r} is not of this run", where=f"{cells.location}, column id", fix=fix))
    return True
