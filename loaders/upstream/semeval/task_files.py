"""Files of SemEval-2026 Task 7: lines between tabs, with every irregularity that they are known to hold.

The organisers read their files with quoting off, so a quotation mark is a character like any other. One
accepted answer holds a line break, which makes two lines of one row; other lines hold carriage returns.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from blend.loaders.files.content import read_text
from blend.loaders.files.diagnostics import Diagnostics
from blend.schemas.errors import RowError
from blend.schemas.frames import NON_ANSWERS
from blend.schemas.locales import Locale, Registry
from blend.schemas.rows import LETTERS

SAQ_INPUT = "track_1_saq_input.tsv"
MCQ_INPUT = "track_2_mcq_input.tsv"
SAQ_GOLD = "final_1_saq_reference.tsv"
MCQ_GOLD = "final_2_mcq_reference.tsv"
SAQ_PREDICTION = "track_1_saq_prediction.tsv"
MCQ_PREDICTION = "track_2_mcq_prediction.tsv"
SAQ_TRIAL = "trial_data_unique_answer.tsv"
MCQ_TRIAL = "trial_data_multiple_choice.tsv"

ENGLISH = "en"
OPTIONS = tuple(f"option_{letter}" for letter in LETTERS)
"""Columns of options; the last is blank, or not there, where a question has three."""

_ID = re.compile(r"(?P<language>[a-z]{2,3})-(?P<region>[A-Z]{2})_(?P<number>\w+)")
_FIX = "take the file from the organisers again"


class _TaskId(NamedTuple):
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


def task_id(text: str) -> _TaskId | None:
    """The parts of an id; null if it is none."""
    found = _ID.fullmatch(text)
    return None if found is None else _TaskId(*found.groups())


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


def read_task_file(path: Path, columns: Sequence[str], diagnostics: Diagnostics) -> list[TaskRow]:
    """The rows of one of the organisers' files; arguments and errors as of `task_rows`."""
    return task_rows(read_text(path), path.name, columns, diagnostics, fix=_FIX)


def task_rows(
    text: str, name: str, columns: Sequence[str], diagnostics: Diagnostics, *, fix: str
) -> list[TaskRow]:
    """The rows of a file, in its order; a line that begins with no id goes on with the row before it.

    Args:
        text: Content of the file.
        name: What messages call it.
        columns: The columns that it has to have, in any order, ``id`` first; ``text`` is ``question`` as well.
        diagnostics: Takes a problem for every row that has other cells than the header, and findings for rows
            that stand on several lines.
        fix: What to do about rows that cannot be read.

    Raises:
        RowError: If its header lacks a column, or the first line has no id.
    """
    header, *lines = text.replace("\r\n", "\n").split("\n")
    # The final questions of short answers stand under another name than those before.
    names = ["question" if name == "text" else name for name in _names(header)]
    _check_header(names, columns, name)
    rows = []
    for location, held in _rows(lines, name, lambda line: task_id(line.partition("\t")[0].strip()) is not None):
        row_id = held[0].partition("\t")[0]
        if task_id(row_id.strip()) is None:
            raise RowError(f"{row_id!r} is no id", where=location, fix=f"ids are like 'am-ET_001'; {fix}")
        if len(held) > 1:
            what = f"{row_id!r} stands on several lines; joined by a blank"
            diagnostics.finding("semeval-split-row", location, what)
        cells = " ".join(held).split("\t")
        # A question with three options may end before the column of the fourth.
        if len(cells) == len(names) - 1 and names[-1] == OPTIONS[-1]:
            cells.append("")
        rows += _row(location, names, cells, diagnostics, fix)
    return rows


def _names(header: str) -> list[str]:
    return [cell.strip() for cell in header.split("\t")]


def _check_header(header: Collection[str], columns: Sequence[str], name: str) -> None:
    missing = ", ".join(repr(column) for column in columns if column not in header)
    if missing:
        fix = f"its columns are {', '.join(columns)}, with tabs between them"
        raise RowError(f"the header lacks {missing}", where=f"{name}:1", fix=fix)


def _rows(lines: Sequence[str], name: str, starts: Callable[[str], bool]) -> Iterator[tuple[str, list[str]]]:
    """The lines of each row that are not blank, with its place; all before the first start are one row."""
    held: list[str] = []
    location = ""
    for number, line in enumerate(lines, start=2):
        if held and starts(line):
            yield location, held
            held = []
        if line.strip():
            location = location if held else f"{name}:{number}"
            held.append(line)
    if held:
        yield location, held


def _row(
    location: str, header: Sequence[str], cells: Sequence[str], diagnostics: Diagnostics, fix: str
) -> list[TaskRow]:
    """The row, or none and a problem where it has other cells than the header."""
    if len(cells) != len(header):
        what = f"{len(cells)} cells, but the header has {len(header)}"
        diagnostics.problem(what, where=location, fix=fix)
        return []
    # Blanks alone: `str.strip` takes control characters away unseen.
    return [TaskRow(location, {name: cell.strip(" \n") for name, cell in zip(header, cells, strict=True)})]


_COLUMNS = ("index", "lang_reg", "question", "correct_answer")
_LISTED = "multiple_choice_options"
_LABEL = re.compile(r"^\(?[A-D][.):]\s*")
_TRIAL_ROW = re.compile(r"\d+\t[a-z]{2,3}-[A-Z]{2}\t")
"""How a row begins, other than the lines of its options."""


def read_trial(path: Path, diagnostics: Diagnostics) -> list[TaskRow]:
    """The rows of a trial file, with questions and gold in the columns of the final files.

    Ids are ``{lang_reg}_{index}`` with three digits, as in the task's own files: index 8 of ``ta-SG`` is
    ``ta-SG_008``. A quotation mark that nothing closes is a character like any other: a reader of CSV would
    take all rows behind it for a part of its cell.

    Args:
        path: The file.
        diagnostics: Takes problems of rows that have other cells than the header, or indexes that make no id.

    Raises:
        RowError: If it cannot be read, or its header lacks a column.
    """
    header, *lines = read_text(path).replace("\r\n", "\n").split("\n")
    names = _names(header)
    _check_header(names, (*_COLUMNS, _LISTED) if path.name == MCQ_TRIAL else _COLUMNS, path.name)
    found = []
    for location, held in _rows(lines, path.name, lambda line: _TRIAL_ROW.match(line) is not None):
        cells = [_unquoted(cell) for cell in "\n".join(held).split("\t")]
        for _, row in _row(location, names, cells, diagnostics, _FIX):
            row_id = f"{row['lang_reg']}_{row['index']:>03}"
            if task_id(row_id) is None:
                fix = "lang_reg is like 'am-ET', and index a number"
                diagnostics.problem(f"{row_id!r} is no id", where=location, fix=fix)
                continue
            options, answer = _options(row) if path.name == MCQ_TRIAL else ([], row["correct_answer"])
            named = dict(zip(OPTIONS, options, strict=True)) if len(options) == len(OPTIONS) else {}
            cells_of_final = {"id": row_id, "question": row["question"], "answer": answer}
            found.append(TaskRow(location, cells_of_final | dict.fromkeys(OPTIONS, "") | named))
    return found


def _unquoted(cell: str) -> str:
    cell = cell.strip(" \n")
    is_quoted = len(cell) > 1 and cell.startswith('"') and cell.endswith('"')
    return cell[1:-1].replace('""', '"') if is_quoted else cell


def _options(row: dict[str, str]) -> tuple[list[str], str]:
    """The options, and the letter of the correct one, which is given by letter or by text."""
    # Not `splitlines`, which parts at control characters within a text as well.
    options = [line.strip(" ") for line in re.split(r"[\r\n]+", row[_LISTED]) if line.strip()]
    if all(_LABEL.match(option) for option in options):
        options = [_LABEL.sub("", option) for option in options]
    correct = row["correct_answer"]
    answer = _LABEL.sub("", correct) or correct
    key = LETTERS[options.index(answer)] if answer in options[: len(LETTERS)] else correct[:1]
    return options, key
