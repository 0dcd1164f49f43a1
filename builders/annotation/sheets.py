"""Sheets that stages begin with: models' predictions, as ``blend eval judge-sheet`` writes them."""

from pathlib import Path

import polars as pl

from blend.builders.annotation.stages.predictions import PREDICTIONS
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Columns, read_rows
from blend.schemas.errors import InputError
from blend.schemas.sheets.answer_sheets import parted, unguarded

_COLUMNS = Columns(("id", "dish", "ingredients"), optional=("image",), others=True)


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
    if not path.is_file():
        raise InputError(f"{path}: there is no such sheet of predictions; correct the path")
    diagnostics = Diagnostics()
    rows = []
    first: dict[str, str] = {}
    for cells in read_rows(path, path.parent, diagnostics, _COLUMNS):
        listed = cells.values["ingredients"]
        ingredients = parted(unguarded(listed)) if isinstance(listed, str) else list(map(str, listed or []))
        name, dish = (unguarded(str(cells.values[column] or "").strip()) for column in ("id", "dish"))
        for column, filled in (("id", name), ("dish", dish), ("ingredients", ingredients)):
            if not filled:
                diagnostics.problem(
                    "the cell is blank", where=f"{cells.location}, column {column}", fix="fill it in"
                )
        image = str(cells.values.get("image") or "").strip() or None
        if image is not None and not image.startswith(("https://", "http://")):
            fix = "write one that begins with https://, or leave the cell empty"
            what = f"{image!r} is not the address of an image"
            diagnostics.problem(what, where=f"{cells.location}, column image", fix=fix)
        if name and first.setdefault(name, cells.location) != cells.location:
            fix = f"delete this row or {first[name]}"
            diagnostics.problem(f"{name!r} occurs a second time", where=cells.location, fix=fix)
        rows.append((name, dish, image, ingredients))
    diagnostics.raise_problems()
    return pl.DataFrame(rows, PREDICTIONS, orient="row")
