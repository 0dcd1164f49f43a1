"""Labels: what people say of a sample of a run's answers, drawn with known probabilities."""

import os
from pathlib import Path

import polars as pl

from blend.eval.runs.run_directory import read_frame, write_frame
from blend.loaders.files.content import file_sha256
from blend.schemas.sheets import CORRECT

LABELS_NAME = "labels.parquet"

TIE = "|"
"""Stands between the verdicts of a tie that nobody has decided, ``correct|wrong``, and between annotators."""

LABELS = pl.Schema(
    {"item_id": pl.String(), "probability": pl.Float64(), "verdict": pl.String(), "annotators": pl.String()}
)
"""One row per item whose answer people judged: the probability with which it came to have a label, what most
people said, and who they are."""


def read_labels(directory: Path) -> pl.DataFrame | None:
    """The labels in the directory of a run.

    Returns:
        `LABELS` and ``correct``: 1 where people say *correct*, 0 where they say something else, of a tie the
        share of its verdicts that do. Null where nobody has labelled anything.

    Raises:
        RowError: If the file is not as it was written.
    """
    path = directory / LABELS_NAME
    if not os.path.lexists(path):
        return None
    is_correct = pl.col("verdict").str.split(TIE).list.eval((pl.element() == CORRECT).cast(pl.Float64))
    fix = "read the sheets again: blend eval judged RUN SHEET…"
    return read_frame(path, *LABELS, fix=fix).with_columns(correct=is_correct.list.mean())


def labels_digest(directory: Path) -> str:
    """The first digits of the digest of a run's labels, for signatures."""
    return file_sha256(directory / LABELS_NAME)[:4]


def write_labels(directory: Path, labels: pl.DataFrame) -> None:
    """Keep labels, `LABELS`, in the directory of their run, in place of earlier ones."""
    write_frame(directory / LABELS_NAME, labels.select(list(LABELS)))
