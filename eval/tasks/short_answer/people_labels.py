"""Labels: what people say of replies that were drawn from a run, ``labels.tsv`` in its directory."""

import csv
import io
from collections.abc import Iterable
from typing import Annotated, Literal

import polars as pl
from pydantic import Field

from blend.eval.runs.run_directory import Run, translate_errors
from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.checked import checked
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Columns, read_rows
from blend.schemas.base.frozen_model import Row, Text

LABELS_NAME = "labels.tsv"

Verdict = Literal["correct", "partly", "wrong", "refused"]
"""Verdict on a reply, by a person or a judge; ``correct`` alone counts as correct."""


class PeopleLabel(Row):
    """A reply that people have judged."""

    item_id: Text
    """The item that was replied to."""
    locale: Text
    """Its locale."""
    template_id: Text
    """Its question template."""
    stratum: Text
    """What it was drawn from, for example what the rule and the judge said of it."""
    probability: Annotated[float, Field(gt=0, le=1)]
    """Chance with which it was drawn."""
    verdict: Verdict
    """What most of the people say."""
    annotators: Text
    """Who judged it, names joined by ``|``."""


LABELS = pl.Schema(
    {name: pl.Float64() if name == "probability" else pl.String() for name in PeopleLabel.model_fields}
)
"""One row per labelled item; columns as the fields of `PeopleLabel`."""


def write_labels(run: Run, labels: Iterable[PeopleLabel]) -> None:
    """Keep the labels in the directory of their run, in place of earlier ones.

    Raises:
        StorageError: If they cannot be written.
    """
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    writer.writerow(LABELS)
    writer.writerows(label.model_dump().values() for label in labels)
    with translate_errors(run.directory):
        atomic_write(run.directory / LABELS_NAME, text.getvalue())


def read_labels(run: Run) -> pl.DataFrame | None:
    """The labels of a run, `LABELS` in the order of the file; null where people have not judged any reply.

    Raises:
        RowError, RowErrors: If the file cannot be read, or a row is no label, is of no item of the run, or of
            one that another row labels; names file, row and column.
    """
    path = run.directory / LABELS_NAME
    if not path.exists():
        return None
    diagnostics = Diagnostics()
    rows = read_rows(path, path.parent, diagnostics, Columns(tuple(LABELS)))
    asked = run.items("item_id", "locale", "template_id").rows_by_key("item_id", unique=True)
    labels: list[PeopleLabel] = []
    seen: dict[str, str] = {}
    for cells in rows:
        if (found := checked(PeopleLabel, cells.values, cells.location, diagnostics)) is None:
            continue
        label, where = found.row, f"{cells.location}, column item_id"
        if asked.get(label.item_id) != (label.locale, label.template_id):
            what = f"the run has no item {label.item_id!r} of {label.locale} and {label.template_id}"
            diagnostics.problem(what, where=where, fix="read the sheets again: blend eval judged")
        if label.item_id in seen:
            what = f"{label.item_id!r} has a second label"
            diagnostics.problem(what, where=where, fix=f"delete this row or {seen[label.item_id]}")
        seen.setdefault(label.item_id, cells.location)
        labels.append(label)
    diagnostics.raise_problems()
    return pl.DataFrame([label.model_dump() for label in labels], schema=LABELS, orient="row")
