"""Sheets that stages begin with: models' predictions and replies, as ``blend eval judge-sheet`` writes them."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from blend.builders.annotation.project import StageName
from blend.builders.annotation.stages.predictions import PREDICTIONS
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Cells, Columns, read_rows
from blend.schemas.errors import InputError
from blend.schemas.sheets.answer_sheets import parted, unguarded

_DISHES = Columns(("id", "dish", "ingredients"), optional=("image",), others=True)
_REPLIES = Columns(("id", "locale", "question", "reply"), others=True)


def read_predictions(path: Path) -> pl.DataFrame:
    """The predictions of a sheet: `stages.predictions.PREDICTIONS`, in its order.

    Args:
        path: A table, JSON Lines or Parquet with the columns ``id``, ``dish``, ``ingredients`` (with ``|``
            between them, or a list) and perhaps ``image``; further columns are left out, so that nobody is
            shown which model predicts.

    Raises:
        InputError: If there is no such file, or none of a kind that can be read.
        RowError, RowErrors: If it cannot be read, lacks a column, or has a blank cell or an id twice.
    """

    def row(cells: Cells, diagnostics: Diagnostics) -> dict[str, Any]:
        listed = cells.values["ingredients"]
        ingredients = parted(unguarded(listed)) if isinstance(listed, str) else list(map(str, listed or []))
        image = str(cells.values.get("image") or "").strip() or None
        if image is not None and not image.startswith(("https://", "http://")):
            fix = "write one that begins with https://, or leave the cell empty"
            what = f"{image!r} is not the address of an image"
            diagnostics.problem(what, where=f"{cells.location}, column image", fix=fix)
        return {"image": image, "ingredients": ingredients}

    return pl.DataFrame(_read(path, _DISHES, "predictions", row), PREDICTIONS)


def read_replies(path: Path) -> pl.DataFrame:
    """The replies of a sheet, of all its locales: ``id``, ``locale``, ``question`` and ``reply``, in its order.

    See `read_predictions` for the argument and errors.
    """
    return pl.DataFrame(
        _read(path, _REPLIES, "replies", lambda _cells, _diagnostics: {}),
        dict.fromkeys(_REPLIES.required, pl.String()),
    )


def _read(
    path: Path, columns: Columns, what: str, more: Callable[[Cells, Diagnostics], dict[str, Any]]
) -> list[dict[str, Any]]:
    """The rows of a sheet; ``more`` reads what of a row is no text."""
    if not path.is_file():
        raise InputError(f"{path}: there is no such sheet of {what}; correct the path")
    diagnostics = Diagnostics()
    rows = []
    first: dict[str, str] = {}
    for cells in read_rows(path, path.parent, diagnostics, columns):
        texts = {name: unguarded(str(cells.values[name] or "").strip()) for name in columns.required}
        row = texts | more(cells, diagnostics)
        for column in columns.required:
            if not row[column]:
                diagnostics.problem(
                    "the cell is blank", where=f"{cells.location}, column {column}", fix="fill it in"
                )
        name = row["id"]
        if name and first.setdefault(name, cells.location) != cells.location:
            fix = f"delete this row or {first[name]}"
            diagnostics.problem(f"{name!r} occurs a second time", where=cells.location, fix=fix)
        rows.append(row)
    diagnostics.raise_problems()
    return rows


SHEETS: Mapping[StageName, Callable[[Path], pl.DataFrame]] = {
    "predictions": read_predictions,
    "replies": read_replies,
}
"""How the sheet is read that a stage begins with; the project file names it by the stage."""
