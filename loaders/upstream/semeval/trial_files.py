"""Trial data of SemEval-2026 Task 7: tables with quotes, in which a question's options stand in one cell."""

import csv
import io
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.encodings import read_text
from blend.loaders.upstream.semeval.task_files import MCQ_TRIAL, SAQ_TRIAL, TaskRow, other_than_four, task_id
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
    """Questions and gold of both tracks, in the columns of the final files.

    Ids are ``{lang_reg}_{index}`` with three digits, as in the task's own files: index 8 of ``ta-SG`` is
    ``ta-SG_008``.

    Args:
        folder: Holds the files.
        names: Those that are there.
        diagnostics: Takes problems of indexes that make no id, and findings of questions without four options.

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
                row_id = f"{row.cells['lang_reg']}_{row.cells['index']:>03}"
                if task_id(row_id) is None:
                    fix = "lang_reg is like 'am-ET', and index a number"
                    diagnostics.problem(f"{row_id!r} is no id", where=row.location, fix=fix)
                    continue
                question = {"id": row_id, "question": row.cells["question"]}
                answer = row.cells["correct_answer"]
                if name == MCQ_TRIAL:
                    options, answer = _options(row)
                    if len(options) != len(LETTERS):
                        detail = other_than_four(row_id, len(options))
                        diagnostics.finding("semeval-few-options", row.location, detail, template_id=row_id)
                        continue
                    question |= {f"option_{of}": option for of, option in zip(LETTERS, options, strict=True)}
                asked[row_id] = TaskRow(row.location, question)
                gold[row_id] = TaskRow(row.location, {"id": row_id, "answer": answer})
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
        yield TaskRow(f"{path.name}:{number}", {name: (cells[name] or "").strip(" ") for name in wanted})


def _options(row: TaskRow) -> tuple[list[str], str]:
    """The options, and the letter of the correct one, which is given by letter or by text."""
    # Not `splitlines`, which parts at control characters within a text as well.
    options = [line.strip(" ") for line in re.split(r"[\r\n]+", row.cells[_OPTIONS]) if line.strip()]
    if all(_LABEL.match(option) for option in options):
        options = [_LABEL.sub("", option) for option in options]
    correct = row.cells["correct_answer"]
    answer = _LABEL.sub("", correct) or correct
    key = LETTERS[options.index(answer)] if answer in options[: len(LETTERS)] else correct[:1]
    return options, key
