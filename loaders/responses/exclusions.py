"""Exclusions: options that people of a region have excluded, not to be shown about it again."""

from pathlib import Path

import polars as pl

from blend.loaders.files.rows import Columns
from blend.loaders.responses.fillers import read_reviewed_options
from blend.schemas.rows.frame_columns import EXCLUSIONS

_COLUMNS = Columns(
    ("template_id", "locale", "option", "kind", "reviewer"), optional=("question", "why"), ignored=("when",)
)


def read_exclusions(path: Path) -> pl.DataFrame:
    """The exclusions in a table, JSON Lines or Parquet file, for example of the stage mcq-review.

    Returns:
        `frame_columns.EXCLUSIONS`, in the file's order; what an exclusion names is checked where it is used.

    Raises:
        InputError: If there is no such file, or none of a kind that can be read.
        RowError: If it cannot be read or lacks a column.
    """
    return read_reviewed_options(path, "exclusions", EXCLUSIONS, _COLUMNS)
