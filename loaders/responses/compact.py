"""Compact: the multiple-choice questions that stand for all, with their weights."""

from math import inf
from pathlib import Path

import polars as pl

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Columns, read_rows
from blend.schemas.errors import InputError
from blend.schemas.frames import COMPACT_ITEMS

_COLUMNS = ("MCQID", "weight")


def read_compact(path: Path) -> pl.DataFrame:
    """The questions in a file as ``blend items --compact`` writes it, by `MCQID` with their `weight`.

    Returns:
        `frames.COMPACT_ITEMS`, in the file's order.

    Raises:
        InputError: If there is no such file, or it has no row.
        RowError, RowErrors: If it cannot be read, an id is empty or there twice, or a weight is not a positive
            number.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such file of questions; correct its name (mcq.compact in a recipe)")
    diagnostics, weights = Diagnostics(), dict[str, float]()
    for cells in read_rows(path, path.parent, diagnostics, Columns(_COLUMNS)):
        name, text = (str(cells.values[column] or "").strip() for column in _COLUMNS)
        if not name or name in weights:
            what = f"{name!r} is there twice" if name else "a question without an id"
            diagnostics.problem(what, where=f"{cells.location}, column MCQID", fix="delete the row")
        weight = pl.Series([text]).cast(pl.Float64, strict=False)[0]
        if weight is None or not 0 < weight < inf:
            fix = "write a number above 0, such as 1.25"
            diagnostics.problem(f"unknown weight {text!r}", where=f"{cells.location}, column weight", fix=fix)
        weights[name] = weight
    diagnostics.raise_problems()
    if not weights:
        raise InputError(f"{path}: names no question; write the MCQID and weight of some, or leave it out")
    return pl.DataFrame(list(weights.items()), COMPACT_ITEMS, orient="row")
