"""Exclusions: verdicts on options; those that were excluded are not to be shown about a region again."""

from pathlib import Path

import polars as pl

from blend.loaders.files.rows import Columns
from blend.loaders.responses.fillers import read_reviewed_options
from blend.schemas.errors import RowError, raise_all
from blend.schemas.frames import EXCLUSIONS
from blend.schemas.personal_data import is_model

_COLUMNS = Columns(
    ("template_id", "locale", "option", "kind", "reviewer"),
    optional=("question", "why", "native", "confidence"),
    ignored=("when",),
)


def read_exclusions(path: Path) -> pl.DataFrame:
    """The exclusions in a table, JSON Lines or Parquet file, for example of the stage mcq-review.

    Returns:
        `frame_columns.EXCLUSIONS`, in the file's order; what an exclusion names is checked where it is used.

    Raises:
        InputError: If there is no such file, or none of a kind that can be read.
        RowError, RowErrors: If it cannot be read, lacks a column, says neither yes nor no of a native, calls a
            model one, or states a confidence that is not a fraction.
    """
    as_text = pl.Schema({**EXCLUSIONS, "confidence": pl.String()})
    rows = read_reviewed_options(path, "exclusions", as_text, _COLUMNS)
    known = rows.with_columns(pl.col("confidence").cast(pl.Float64, strict=False))
    problems: list[RowError] = []
    for who, native, text, confidence, source in zip(
        *rows.select("reviewer", "native", "confidence").get_columns(),
        known["confidence"],
        rows["source"],
        strict=True,
    ):
        if native not in ("yes", "no", None):
            where = f"{source}, column native"
            problems.append(RowError(f"unknown value {native!r}", where=where, fix="write yes or no"))
        elif native == "yes" and is_model(who):
            fix = "leave the cell empty, or name the person in the column reviewer"
            problems.append(
                RowError(f"{who!r} is a model, not a native", where=f"{source}, column native", fix=fix)
            )
        if text is not None and not (confidence is not None and 0 <= confidence <= 1):
            fix = "write a number from 0 to 1, such as 0.9, or leave the cell empty"
            problems.append(RowError(f"unknown value {text!r}", where=f"{source}, column confidence", fix=fix))
    raise_all(problems)
    return known


def models_in(exclusions: pl.DataFrame) -> list[str]:
    """List the models that have given verdicts, `frame_columns.EXCLUSIONS`, in text order."""
    names = exclusions["reviewer"].drop_nulls().unique().sort()
    return [name for name in names if is_model(name)]
