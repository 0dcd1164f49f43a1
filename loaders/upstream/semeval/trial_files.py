"""Trial data of SemEval-2026 Task 7: tables with quotes, in which a question's options stand in one cell."""

import csv
import io
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.encodings import read_text
from blend.loaders.upstream.semeval.task_files import MCQ_TRIAL, SAQ_TRIAL, TaskRow, task_id
from blend.schemas.errors import RowError
from blend.schemas.rows.published_rows import LETTERS

Rows = dict[str, TaskRow]
"""Rows by id."""

_COLUMNS = ("index", "lang_reg", "question", "correct_answer")
_OPTIONS = "multiple_choice_options"
_LABEL = re.compile(r"^\(?[A-D][.):]\s*")


def read_trial(
    folder: Path, names: Collection[str], diagnostics: Diagnostics
) -> tuple[tuple[Rows, Rows], tuple[Rows, Rows]]:
    """Questions and gold of both tracks, in the columns of the final files, ids ``{lang_reg}_{index}``.

    Args:
        folder: Holds the files.
        names: Those that are there.
        diagnostics: Takes problems: an index that makes no id, options that are not four.

    Returns:
        Short answers and multiple choice, of each the questions and the gold.
    """
    saq: tuple[Rows, Rows] = {}, {}
    mcq: tuple[Rows, Rows] = {}, {}
    for name, (asked, gold) in ((SAQ_TRIAL, saq), (MCQ_TRIAL, mcq)):
        if name not in names:
            continue
        with diagnostics.collected():
            for row in _rows(folder / name, diagnostics):
                row_id = f"{row.cells['lang_reg']}_{row.cells['index']}"
                if task_id(row_id) is None:
                    fix = "lang_reg is like 'am-ET', and index a number"
                    diagnostics.problem(f"{row_id!r} is no id", where=row.location, fix=fix)
                    continue
                options, key = _options(row, diagnostics) if name == MCQ_TRIAL else ({}, "")
                question = {"id": row_id, "question": row.cells["question"], **options}
                asked[row_id] = TaskRow(row.location, question)
                answer = {"id": row_id, "answer": key or row.cells["correct_answer"]}
                gold[row_id] = TaskRow(row.location, answer)
    return saq, mcq


def _rows(path: Path, diagnostics: Diagnostics) -> Iterator[TaskRow]:
    text = read_text(path, path.parent, diagnostics)
    table = csv.DictReader(io.StringIO(text, newline=""), delimiter="\t")
    header = [name.strip() for name in table.fieldnames or ()]
    wanted = (*_COLUMNS, _OPTIONS) if path.name == MCQ_TRIAL else _COLUMNS
    missing = [name for name in wanted if name not in header]
    if missing:
        raise RowError(
            f"the header lacks {', '.join(map(repr, missing))}",
            where=f"{path.name}:1",
            fix=f"its columns are {', '.join(wanted)}, with tabs between them",
        )
    table.fieldnames = header
    for number, cells in enumerate(table, start=2):
        yield TaskRow(f"{path.name}:{number}", {name: (cells[name] or "").strip() for name in wanted})


def _options(row: TaskRow, diagnostics: Diagnostics) -> tuple[dict[str, str], str]:
    """The options by column, and the letter of the correct one, which is given by letter or by text."""
    lines = [line.strip() for line in row.cells[_OPTIONS].splitlines() if line.strip()]
    if len(lines) != len(LETTERS):
        what = f"{len(lines)} options, not {len(LETTERS)}"
        diagnostics.problem(what, where=f"{row.location}, column {_OPTIONS}", fix="write one option per line")
        return {f"option_{letter}": "" for letter in LETTERS}, ""
    if all(_LABEL.match(line) for line in lines):
        lines = [_LABEL.sub("", line) for line in lines]
    answer = _LABEL.sub("", row.cells["correct_answer"]) or row.cells["correct_answer"]
    key = LETTERS[lines.index(answer)] if answer in lines else row.cells["correct_answer"][:1]
    return {f"option_{letter}": line for letter, line in zip(LETTERS, lines, strict=True)}, key
