"""Wordings: changes in the English of questions that people have marked as changing nothing that is asked."""

from pathlib import Path
from typing import NamedTuple

import polars as pl

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Columns, read_rows
from blend.schemas.errors import InputError


class Wording(NamedTuple):
    """A change of wording in the questions of a template."""

    template_id: str
    wording: str
    """Part of the questions before."""
    corrected: str
    """What stands there now."""
    reviewer: str = ""
    """Pseudonym of whoever says that nothing else changed."""
    why: str = ""


_COLUMNS = Columns(Wording._fields[:3], optional=Wording._fields[3:], ignored=("when",))


def read_wordings(path: Path) -> tuple[Wording, ...]:
    """The changes of wording in a table, JSON Lines or Parquet file, in its order.

    Args:
        path: Columns ``template_id``, ``wording`` and ``corrected``, and perhaps ``reviewer``, ``when`` and
            ``why``.

    Raises:
        InputError: If there is no such file, or none of a kind that can be read.
        RowError, RowErrors: If it cannot be read, lacks a column or a cell, or a change changes nothing.
    """
    if not path.is_file():
        fix = "correct its name (mcq.wordings in a recipe)"
        raise InputError(f"{path}: there is no such file of wordings; {fix}")
    diagnostics = Diagnostics()
    found = []
    for cells in read_rows(path, path.parent, diagnostics, _COLUMNS):
        one = Wording(*(str(cells.values.get(name) or "") for name in Wording._fields))
        missing = [name for name in ("template_id", "wording") if not getattr(one, name).strip()]
        if missing:
            what, fix = f"a wording without {' and '.join(missing)}", "fill it in or delete the row"
            diagnostics.problem(what, where=cells.location, fix=fix)
        elif one.wording == one.corrected:
            diagnostics.problem(
                f"{one.wording!r} stands for itself",
                where=f"{cells.location}, column corrected",
                fix="write what the questions say now, or delete the row",
            )
        found.append(one)
    diagnostics.raise_problems()
    return tuple(found)


def reworded(verdicts: pl.DataFrame, wordings: tuple[Wording, ...]) -> pl.DataFrame:
    """Let verdicts quote their questions as they are worded now.

    Args:
        verdicts: With columns ``template_id`` and ``question``.
        wordings: Applied in their order.
    """
    question = pl.col("question")
    for one in wordings:
        is_of = pl.col("template_id") == one.template_id
        now = question.str.replace_all(one.wording, one.corrected, literal=True)
        verdicts = verdicts.with_columns(question=pl.when(is_of).then(now).otherwise(question))
    return verdicts
