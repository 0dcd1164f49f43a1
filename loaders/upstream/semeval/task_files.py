"""Files of SemEval-2026 Task 7: lines between tabs, with every irregularity that they are known to hold.

The organisers read their files with quoting off, so a quotation mark is a character like any other. One
accepted answer holds a line break, which makes two lines of one row; other lines hold carriage returns.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from blend.loaders.files.content import read_text
from blend.loaders.files.diagnostics import Diagnostics
from blend.schemas.errors import RowError
from blend.schemas.frames import NON_ANSWERS
from blend.schemas.locales import Locale, Registry
from blend.schemas.rows import LETTERS
from blend.schemas.texts import pluralise

SAQ_INPUT = "track_1_saq_input.tsv"
MCQ_INPUT = "track_2_mcq_input.tsv"
SAQ_GOLD = "final_1_saq_reference.tsv"
MCQ_GOLD = "final_2_mcq_reference.tsv"
SAQ_PREDICTION = "track_1_saq_prediction.tsv"
MCQ_PREDICTION = "track_2_mcq_prediction.tsv"
SAQ_TRIAL = "trial_data_unique_answer.tsv"
MCQ_TRIAL = "trial_data_multiple_choice.tsv"

TASK_FILES = (SAQ_INPUT, MCQ_INPUT, SAQ_GOLD, MCQ_GOLD, SAQ_TRIAL, MCQ_TRIAL)
"""The organisers' files of questions and answers; predictions are their users'."""

ENGLISH = "en"

_LAST_OPTION = "option_D"
"""Blank, or not there, where a question has three options."""

_ID = re.compile(r"(?P<language>[a-z]{2,3})-(?P<region>[A-Z]{2})_(?P<number>\w+)")


class TaskId(NamedTuple):
    """Parts of an id such as ``am-ET_007``: what is asked in which language of which region."""

    language: str
    """Language asked in; ``en`` in every region that has another one as well."""
    region: str
    """The dataset's own code of the region."""
    number: str
    """Number of the question, as written."""

    @property
    def code(self) -> str:
        """Language and region, by which the organisers count: ``am-ET``."""
        return f"{self.language}-{self.region}"


class TaskRow(NamedTuple):
    """A row of one of the files."""

    location: str
    """``file:line``."""
    cells: dict[str, str]
    """Column to text, without outer blanks."""


def task_id(text: str) -> TaskId | None:
    """The parts of an id; null if it is none."""
    found = _ID.fullmatch(text)
    return None if found is None else TaskId(*found.groups())


def in_english(row_id: str) -> str:
    """The id of the same question in English about the same region: ``en-ET_007`` of ``am-ET_007``."""
    parts = task_id(row_id)
    return row_id if parts is None else f"{ENGLISH}-{parts.region}_{parts.number}"


def codes(locales: Registry) -> dict[str, Locale]:
    """Locales by every code that the task's files may give them."""
    return {code: one for one in locales for code in (one.semeval, one.tag, *one.other_codes) if code}


def spelled_otherwise(ids: Iterable[str], asked: Collection[str], locales: Registry) -> dict[str, str]:
    """Ids under which nothing is asked, with the one that is asked and only spells locale or number otherwise.

    ``msa-SG_001`` with ``ms-SG_001`` and ``ta-SG_8`` with ``ta-SG_008``, unless that is among ``ids`` as well.
    """
    by_code = codes(locales)

    def question(row_id: str) -> tuple[str, str] | None:
        parts = task_id(row_id)
        if parts is None:
            return None
        # English is asked in every region, and is a locale in some.
        tag = by_code[parts.code].tag if parts.code in by_code else parts.code
        return tag, parts.number

    given = set(ids)
    known: dict[tuple[str, str], str] = {}
    for row_id in asked:
        if row_id not in given and (of := question(row_id)) is not None:
            # Only an id without zeros is filled up: 0008 counts other questions than 008 does.
            known.setdefault((of[0], of[1].lstrip("0") or "0"), row_id)
            known[of] = row_id
    return {
        row_id: known[of]
        for row_id in sorted(given.difference(asked))
        if (of := question(row_id)) is not None and of in known
    }


def is_non_answer(text: str) -> bool:
    """Whether an accepted answer says that there is none."""
    return text.strip().replace("’", "'").casefold() in NON_ANSWERS


def other_than_four(row_id: str, n: int) -> str:
    """Say that a question has another number of options than four, and is left out."""
    return f"{row_id!r} has {pluralise(n, 'option')}, not {len(LETTERS)}; the question is left out"


def read_task_file(path: Path, columns: Sequence[str], diagnostics: Diagnostics) -> list[TaskRow]:
    """The rows of one of the organisers' files; arguments and errors as of `task_rows`."""
    text = read_text(path)
    return task_rows(text, path.name, columns, diagnostics, fix="take the file from the organisers again")


def task_rows(
    text: str, name: str, columns: Sequence[str], diagnostics: Diagnostics, *, fix: str
) -> list[TaskRow]:
    """The rows of a file, in its order; a line that begins with no id goes on with the row before it.

    Args:
        text: Content of the file.
        name: What messages call it.
        columns: The columns that it has to have, in any order, ``id`` first; ``text`` is ``question`` as well.
        diagnostics: Takes a problem for every row that has other cells than the header, and findings for blanks
            in the header, carriage returns and rows that stand on several lines.
        fix: What to do about rows that cannot be read.

    Raises:
        RowError: If the file is no text in UTF-8, or its header lacks a column.
    """
    lines = text.split("\n")
    # A file with line ends of Windows has one at every line; what is meant are the others.
    ends = all(line.endswith("\r") for line in lines[:-1])
    lines = [line.removesuffix("\r") for line in lines] if ends else lines
    header = _header(lines[0], name, columns, diagnostics)
    rows = []
    for location, cells in _rows(lines, name, diagnostics, fix):
        if len(cells) == len(header) - 1 and header[-1] == _LAST_OPTION:
            cells.append("")
        if len(cells) == len(header):
            # Blanks alone: `str.strip` takes control characters away unseen.
            rows.append(TaskRow(location, dict(zip(header, (cell.strip(" ") for cell in cells), strict=True))))
            continue
        what = f"{len(cells)} cells, but the header has {len(header)}"
        diagnostics.problem(what, where=location, fix=fix)
    return rows


def _header(line: str, name: str, columns: Sequence[str], diagnostics: Diagnostics) -> list[str]:
    cells = line.split("\t")
    header = [cell.strip() for cell in cells]
    # The final questions of short answers stand under another name than those before.
    read_as = ["question" if cell == "text" and "question" not in header else cell for cell in header]
    missing = [column for column in columns if column not in read_as]
    if missing:
        shown = ", ".join(map(repr, missing))
        raise RowError(
            f"the header lacks {shown}",
            where=f"{name}:1",
            fix=f"its columns are {', '.join(columns)}, with tabs between them",
        )
    if header != [cell.removesuffix("\r") for cell in cells]:
        diagnostics.finding("semeval-header-blanks", f"{name}:1", f"the header is {line!r}; read as {header}")
    return read_as


def _rows(
    lines: Sequence[str], name: str, diagnostics: Diagnostics, fix: str
) -> Iterator[tuple[str, list[str]]]:
    held: tuple[str, list[str]] | None = None
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        location = f"{name}:{number}"
        if "\r" in line:
            what = f"{line!r} holds a carriage return; now a blank"
            diagnostics.finding("semeval-carriage-return", location, what)
        cells = line.replace("\r", " ").split("\t")
        if task_id(cells[0].strip()) is not None:
            if held is not None:
                yield held
            held = location, cells
        elif held is None:
            raise RowError(f"{cells[0]!r} is no id", where=location, fix=f"ids are like 'am-ET_001'; {fix}")
        else:
            what = f"the line has no id and goes on with {held[1][0]!r}; joined by a blank"
            diagnostics.finding("semeval-split-row", location, what)
            held = held[0], [*held[1][:-1], f"{held[1][-1]} {cells[0]}", *cells[1:]]
    if held is not None:
        yield held


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
            for row in _trial_rows(folder / name, diagnostics):
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


def _trial_rows(path: Path, diagnostics: Diagnostics) -> Iterator[TaskRow]:
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
