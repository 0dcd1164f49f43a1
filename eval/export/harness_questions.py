"""What every harness is given: the items of multiple choice with their correct answers, one row each."""

import io
import re
from typing import NamedTuple, Self

import polars as pl

from blend.eval.release_items import ReleaseItems
from blend.schemas.rows.published_rows import LETTERS


class Questions(NamedTuple):
    """Questions to export."""

    task: str
    """Name of the task, in letters, digits and underscores: release, ``mcq`` and style."""
    release: str
    """Name and version of the release."""
    version: str
    """Version of the release."""
    style: str
    """``letters`` or ``texts``."""
    rows: pl.DataFrame
    """One row per question, in the order of the release: ``item_id``, ``region``, ``locale``, ``topic``,
    ``template_id``, ``prompt``, ``options`` (what is scored after the prompt), ``answer`` (index from 0) and
    ``letter`` of the correct one."""

    @classmethod
    def of(cls, asked: ReleaseItems, style: str) -> Self:
        """The questions of a task's items."""
        manifest = asked.manifest
        letters = dict(enumerate(LETTERS))
        rows = asked.asked.items.join(
            asked.asked.gold.select("item_id", "answer"), on="item_id", validate="1:1", maintain_order="left"
        ).select(
            "item_id",
            "region",
            "locale",
            "topic",
            "template_id",
            "prompt",
            "options",
            "answer",
            letter=pl.col("answer").replace_strict(letters, return_dtype=pl.String),
        )
        name = re.sub(r"\W+", "_", manifest.name)
        return cls(f"{name}_mcq_{style}", f"{manifest.name}@{manifest.version}", manifest.version, style, rows)

    @property
    def regions(self) -> list[str]:
        """The regions asked about, in the order of the release."""
        return self.rows["region"].unique(maintain_order=True).to_list()


class Exported(NamedTuple):
    """Files that an export wrote."""

    task: str
    """Name of the task, to run it by."""
    n_questions: int
    """Questions in all."""
    regions: tuple[str, ...]
    """Regions asked about."""
    files: tuple[str, ...]
    """Paths of the files below the directory, in text order."""


def parquet_bytes(rows: pl.DataFrame) -> bytes:
    """Rows as the content of a Parquet file."""
    buffer = io.BytesIO()
    rows.write_parquet(buffer)
    return buffer.getvalue()
