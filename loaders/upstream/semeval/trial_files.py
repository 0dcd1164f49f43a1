"""Trial data of SemEval-2026 Task 7: tables with quotes, in which a question's options stand in one cell."""

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from blend.loaders.files.content import read_text
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.upstream.semeval.task_files import MCQ_TRIAL, SAQ_TRIAL, TaskRow, other_than_four, task_id
from blend.schemas.errors import RowError
from blend.schemas.rows import LETTERS

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
    """The rows of a file, in its order; one goes on until it has as many cells as the header.

    A quotation mark that nothing closes is a character like any other: a reader of CSV would take all rows
    behind it for a part of its cell.
    """
    text = read_text(path).replace("\r\n", "\n")
    lines = text.split("\n")
    header = [name.strip() for name in lines[0].split("\t")]
    wanted = (*_COLUMNS, _OPTIONS) if path.name == MCQ_TRIAL else _COLUMNS
    missing = [name for name in wanted if name not in header]
    if missing:
        raise RowError(
            f"the header lacks {', '.join(map(repr, missing))}",
            where=f"{path.name}:1",
            fix=f"its columns are {', '.join(wanted)}, with tabs between them",
        )
    rows: list[tuple[int, str]] = []
    for number, line in enumerate(lines[1:], start=2):
        if rows and (rows[-1][1].count("\t") < len(header) - 1 or "\t" not in line):
            rows[-1] = rows[-1][0], f"{rows[-1][1]}\n{line}"
        elif line.strip():
            rows.append((number, line))
    for number, row in rows:
        cells = [_unquoted(cell) for cell in row.split("\t")]
        if len(cells) == len(header):
            yield TaskRow(f"{path.name}:{number}", dict(zip(header, cells, strict=True)))
        else:
            what = f"{len(cells)} cells, but the header has {len(header)}"
            fix = "take the file from the organisers again"
            diagnostics.problem(what, where=f"{path.name}:{number}", fix=fix)


def _unquoted(cell: str) -> str:
    cell = cell.strip(" \n")
    is_quoted = len(cell) > 1 and cell.startswith('"') and cell.endswith('"')
    return cell[1:-1].replace('""', '"') if is_quoted else cell


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
