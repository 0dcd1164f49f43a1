"""Wordings: changes in the English of questions that people have marked as changing nothing that is asked."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Columns, read_rows
from blend.schemas.errors import InputError
from blend.schemas.frames import KEY


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
        diagnostics.check_own_words(one.why, where=f"{cells.location}, column why")
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


def reworded(verdicts: pl.DataFrame, wordings: Sequence[Wording], asked: pl.DataFrame) -> pl.DataFrame:
    """Let verdicts quote their questions as they are worded now, where a change of wording leads there.

    A change may have come to some regions only, so each verdict is looked at by itself. One whose question is
    asked as it quotes it stays as it is, and so does one that no changes bring to what is asked now.

    Args:
        verdicts: With columns ``template_id``, ``locale`` and ``question``.
        wordings: Any of them, in their order, may have been applied to a question.
        asked: ``template_id``, ``locale`` and ``question``: the words in which verdicts may quote questions.
    """
    of_template: dict[str, list[Wording]] = {}
    for one in wordings:
        of_template.setdefault(one.template_id, []).append(one)
    quoted = verdicts.select(*KEY, "question").drop_nulls().unique()
    left = quoted.filter(pl.col("template_id").is_in(list(of_template))).join(
        asked, on=quoted.columns, how="anti"
    )
    words = {(one, tag): set(texts) for one, tag, texts in asked.group_by(KEY).agg("question").iter_rows()}
    rows = []
    for template_id, tag, question in left.iter_rows():
        found = _worded(question, of_template[template_id]) & words.get((template_id, tag), set())
        rows += [(template_id, tag, question, min(found))] if found else []
    now = pl.DataFrame(rows, {**quoted.schema, "now": pl.String()}, orient="row")
    joined = verdicts.join(now, on=quoted.columns, how="left", maintain_order="left")
    return joined.with_columns(question=pl.coalesce("now", "question")).drop("now")


def _worded(question: str, wordings: Iterable[Wording]) -> set[str]:
    """List what a question becomes by any of some changes of wording, in their order."""
    found = {question}
    for one in wordings:
        found |= {text.replace(one.wording, one.corrected) for text in found}
    return found
