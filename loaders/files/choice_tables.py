"""Choice tables: anybody's multiple-choice questions, one row each, in a table, JSONL or Parquet.

Columns ``question``, ``options`` and ``answer``, and, where there are any, ``group`` (whom the question is
about), ``template`` (what it is a variant of) and ``topic``; others are left out.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.loaders.files.content import open_content
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import SUFFIXES, Cells, Columns, read_rows
from blend.schemas.errors import InputError

_COLUMNS = Columns(
    required=("question", "options", "answer"), optional=("group", "template", "topic"), others=True
)
_TABLE = pl.Schema(
    {
        "question": pl.String(),
        "options": pl.List(pl.String()),
        "answer": pl.Int64(),
        **{name: pl.String() for name in _COLUMNS.optional},
    }
)


class _Row(NamedTuple):
    """A row as far as it can be read without knowing how the file writes answers."""

    location: str
    values: Mapping[str, Any]
    options: list[str]


def read_choice_table(path: Path, *, encoding: str | None = None) -> pl.DataFrame:
    """The questions of a table.

    Options are a list of texts; in a table a JSON list, or texts parted by ``|``. Answers are the text of an
    option, its letter, or its index from 0: whichever of the three fits most rows, on a tie in this order. All
    rows must be written in that one way, so that an option ``2`` is not taken for an index.

    Args:
        path: The file.
        encoding: Of a table; see `loaders.files.encodings.read_text`.

    Returns:
        ``question``, ``options``, ``answer`` (index from 0), and ``group``, ``template`` and ``topic``, null
        where they are blank or absent.

    Raises:
        InputError: If the file is not of such a kind, or cannot be read.
        RowError, RowErrors: If rows are not questions with an answer among their options; every one is named.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(
            f"{path}: expected a table, {', '.join(SUFFIXES)}; give one, or the directory of a release"
        )
    with open_content(path, what="table"):  # one sentence where it is not there, with the path as given
        pass
    diagnostics = Diagnostics()
    cells = read_rows(path, path.parent, diagnostics, _COLUMNS, encoding=encoding)
    rows = [row for cell in cells if (row := _row(cell, diagnostics)) is not None]
    answers = _answers(rows, diagnostics)
    diagnostics.raise_problems()
    if not rows:
        raise InputError(f"{path}: no questions in this table; give at least one row")
    return pl.DataFrame(
        [
            {"question": row.values["question"], "options": row.options, "answer": answer}
            | {name: row.values.get(name) or None for name in _COLUMNS.optional}
            for row, answer in zip(rows, answers, strict=True)
        ],
        schema=_TABLE,
    )


def _row(cell: Cells, diagnostics: Diagnostics) -> _Row | None:
    """A row with its options; null, and a problem noted, where it is not one."""
    for name in ("question", *_COLUMNS.optional):
        value = cell.values.get(name)
        if not (isinstance(value, str) or (value is None and name != "question")):
            diagnostics.problem(f"column {name} is {value!r}", where=cell.location, fix="write a text")
            return None
    if not cell.values["question"].strip():
        diagnostics.problem(
            "column question is blank", where=cell.location, fix="write the question, or remove the row"
        )
        return None
    options = _options(cell.values["options"])
    if options is None:
        diagnostics.problem(
            f"column options is {_short(cell.values['options'])}",
            where=cell.location,
            fix='write a list of at least two texts, in CSV as ["tea", "milk"] or tea|milk',
        )
        return None
    return _Row(cell.location, cell.values, options)


def _options(value: Any) -> list[str] | None:
    """The options of a cell, or null when it does not hold at least two texts."""
    found = value
    if isinstance(value, str):
        try:
            found = json.loads(value) if value.lstrip().startswith("[") else value.split("|")
        except (ValueError, RecursionError):
            return None
    if not isinstance(found, list) or len(found) < 2:
        return None
    if not all(isinstance(option, str) and option.strip() for option in found):
        return None
    return [option.strip() for option in found]


def _answers(rows: Sequence[_Row], diagnostics: Diagnostics) -> list[int | None]:
    """The index of every right option; a problem where the file's way of writing answers finds none."""
    ways = {name: [way(row) for row in rows] for name, way in _WAYS.items()}
    chosen = min(ways, key=lambda name: ways[name].count(None)) if rows else next(iter(ways))
    for row, answer in zip(rows, ways[chosen], strict=True):
        if answer is None:
            diagnostics.problem(
                f"answer {_short(row.values['answer'])} is not the {chosen} of an option",
                where=row.location,
                fix="write all answers as the text of an option, all as its letter, or all as its index from 0",
            )
    return ways[chosen]


def _by_text(row: _Row) -> int | None:
    answer = row.values["answer"]
    wanted = answer.strip() if isinstance(answer, str) else None
    return row.options.index(wanted) if wanted in row.options else None


def _by_letter(row: _Row) -> int | None:
    answer = row.values["answer"]
    if not isinstance(answer, str) or len(answer.strip()) != 1 or not answer.strip().isascii():
        return None
    index = ord(answer.strip().upper()) - ord("A")
    return index if 0 <= index < len(row.options) else None


def _by_index(row: _Row) -> int | None:
    answer = row.values["answer"]
    if isinstance(answer, str) and answer.strip().isascii() and answer.strip().isdigit() and len(answer) < 5:
        answer = int(answer)
    if isinstance(answer, bool) or not isinstance(answer, int):
        return None
    return answer if 0 <= answer < len(row.options) else None


_WAYS: Mapping[str, Callable[[_Row], int | None]] = {
    "text": _by_text,
    "letter": _by_letter,
    "index": _by_index,
}


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
