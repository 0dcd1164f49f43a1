"""Labels: what people say of a sample of a run's answers, drawn with known probabilities; ``labels.tsv``."""

import os
from pathlib import Path

import polars as pl
from pydantic import Field, field_validator

from blend.eval.runs.run_directory import translate_errors
from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.checked import checked
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.pins import file_sha256
from blend.loaders.files.rows import Columns, read_rows
from blend.schemas.base.frozen_model import Row
from blend.schemas.sheets.reply_sheets import CORRECT, REPLY_VERDICTS

LABELS_NAME = "labels.tsv"

TIE = "|"
"""Stands between the verdicts of a tie that nobody has decided: ``correct|wrong``."""


class Label(Row):
    """People's verdict on the answer to an item."""

    item_id: str = Field(min_length=1)
    """Item of the run."""
    locale: str
    """Its locale."""
    template_id: str
    """Its template."""
    stratum: str
    """Stratum that it was drawn from, within its locale."""
    probability: float = Field(gt=0, le=1)
    """Probability with which it came to have a label."""
    verdict: str
    """What most people said; the verdicts of a tie with `TIE` between them."""
    annotators: str
    """Who judged, with `TIE` between them."""

    @field_validator("verdict")
    @classmethod
    def _known(cls, verdict: str) -> str:
        if not {*verdict.split(TIE)} <= {*REPLY_VERDICTS}:
            raise ValueError(f"{verdict!r} is no verdict; write {', '.join(REPLY_VERDICTS)}")
        return verdict


LABELS = pl.Schema(
    {name: pl.Float64() if name == "probability" else pl.String() for name in Label.model_fields}
)
"""`Label`, one row each."""


def read_labels(directory: Path) -> pl.DataFrame | None:
    """The labels in the directory of a run.

    Returns:
        `LABELS` and ``correct``: 1 where people say *correct*, 0 where they say something else, of a tie the
        share of its verdicts that do. Null where nobody has labelled anything.

    Raises:
        RowError, RowErrors: If the file cannot be read, or a row is not a `Label`.
    """
    path = directory / LABELS_NAME
    if not os.path.lexists(path):
        return None
    verdicts = pl.col("verdict").str.split(TIE)
    is_correct = verdicts.list.eval((pl.element() == CORRECT).cast(pl.Float64))
    return _read(path).with_columns(correct=is_correct.list.mean())


def labels_digest(directory: Path) -> str:
    """The first digits of the digest of a run's labels, for signatures."""
    return file_sha256(directory / LABELS_NAME)[:4]


def _read(path: Path) -> pl.DataFrame:
    diagnostics = Diagnostics()
    rows = read_rows(path, path.parent, diagnostics, Columns(tuple(LABELS)))
    labels = [checked(Label, cells.values, cells.location, diagnostics) for cells in rows]
    diagnostics.raise_problems()
    return pl.DataFrame([one.row.model_dump() for one in labels if one is not None], LABELS)


def write_labels(directory: Path, labels: pl.DataFrame) -> None:
    """Keep labels, `LABELS`, in the directory of their run, in place of earlier ones."""
    with translate_errors(directory):
        atomic_write(directory / LABELS_NAME, labels.select(list(LABELS)).write_csv(separator="\t"))
