"""Decisions: which answers mean the same, as decided by people or a model, in a file that people review.

The file is TSV in UTF-8 with a header row; what a spreadsheet makes of it is read as well. Rows are added in
whole, one batch at a time, so that a run that dies loses no verdict that it had got; see `docs/judges.md`.
"""

import codecs
import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Literal

from blend.loaders.files.atomic import append_rows, atomic_write, complete_rows, one_at_a_time, storage_errors
from blend.loaders.files.content import UTF_16, open_content, read_content, utf8_text
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Columns, read_rows
from blend.loaders.files.tables import TEXT_SUFFIXES, WORKBOOK, csv_records
from blend.schemas.errors import InputError, RowError
from blend.schemas.models import Row, Text
from blend.schemas.personal_data import Pseudonym
from blend.schemas.texts import clean, pluralise

_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


class Decision(Row):
    """Whether two answers mean the same, and who decided it."""

    answer_a: Text
    """One answer."""
    answer_b: Text
    """The other; which of them comes first means nothing."""
    verdict: Literal["same", "different"]
    """``same`` when they mean the same or one contains the other, otherwise ``different``."""
    who: Pseudonym
    """A person's pseudonym, ``chat:`` and the name of a model, or ``model`` for one that is not named."""
    when: date
    """Day of the decision."""
    why: str = ""
    """Reason, in the words of whoever decided; may be empty."""


COLUMNS = tuple(Decision.model_fields)
"""Columns of the file, in the order in which they are written."""
_HEADER_BYTES = 1 << 12
"""Bytes of the longest header, which tells who wrote a file."""
_ELSEWHERE = Columns(COLUMNS, rewritten=("when",))


def pair_key(a: str, b: str) -> tuple[str, str]:
    """Return what two answers are compared by.

    Without order, case, outer or repeated white space, in Unicode NFC.

    Accents and punctuation count: a decision is about these two answers and says nothing about similar ones.
    """
    first, second = answer_key(a), answer_key(b)
    return (first, second) if first <= second else (second, first)


@lru_cache(maxsize=1 << 12)
def answer_key(answer: str) -> str:
    """Return what one answer is compared by, see `pair_key`."""
    return unicodedata.normalize("NFC", clean(answer).casefold())


def read_decisions(
    path: Path, diagnostics: Diagnostics | None = None, *, missing_ok: bool = False
) -> tuple[Decision, ...]:
    """The decisions in a file, in its order, each checked.

    Args:
        path: The file; an empty one holds no decisions. Places name it without its folder.
        diagnostics: Takes findings: a byte order mark, a last line that was cut off while it was written. Such
            a line is left out; `append_decisions` replaces it.
        missing_ok: Whether a file that does not exist yet counts as empty: it does when verdicts will be
            added to it.

    Returns:
        One decision per row. A pair may stand there twice with the same verdict.

    Raises:
        InputError: If the file does not exist.
        RowError: If the file is not UTF-8, has other columns, holds a blank answer, an unknown verdict, a
            date that is none, an answer compared with itself, or two verdicts on one pair (names both rows).
        RowErrors: If there are several such problems.
    """
    if not path.exists():
        if missing_ok:
            return ()
        raise InputError(
            f"{path}: there is no such file of decisions; "
            f"correct the path, or make the file with the columns {', '.join(COLUMNS)}, separated by tabs"
        )
    diagnostics = Diagnostics() if diagnostics is None else diagnostics.part()
    if _is_ours(path):
        text = _text(path, diagnostics)
        placed = _decisions(text, path.name, diagnostics) if text else []
    else:
        placed = []
        for cells in read_rows(path, path.parent, diagnostics, _ELSEWHERE):
            with diagnostics.collected():
                placed.append((cells.location, _decision(cells.values, cells.location)))
    _check_no_contradiction(placed, diagnostics)
    for where, decision in placed:
        diagnostics.check_own_words(decision.why, where=f"{where}, column why")
    diagnostics.raise_problems()
    return tuple(decision for _, decision in placed)


def append_decisions(path: Path, decisions: Sequence[Decision]) -> None:
    """Add rows to the end of a file of decisions, which is made where there is none.

    The rows are on the disk when the function returns. If the process dies before, they are there or not; half
    a row that it leaves at the end is left out by `read_decisions` and replaced by the next call. Processes
    that add to one file at the same time wait for each other.

    A file that a spreadsheet has saved in its own way is written anew, as we write it.

    Raises:
        InputError: If the file is a workbook.
        RowError: If the file's header has other columns.
        StorageError: If the file cannot be written or the disk is full; then it is as before.
    """
    if not decisions:
        return
    if path.suffix.lower() == WORKBOOK:
        raise InputError(
            f"{path}: verdicts are added to text, not to a workbook; save it as .tsv and name that"
        )
    fix = "change the permissions, or name another file of decisions"
    with storage_errors(path, kept="the file is as before; ", fix=fix):
        path.parent.mkdir(parents=True, exist_ok=True)
        with one_at_a_time(path):
            if path.exists() and path.stat().st_size:
                if _is_ours(path):
                    _append(path, decisions)
                else:
                    atomic_write(path, decisions_text([*read_decisions(path), *decisions]))
            else:
                atomic_write(path, decisions_text(decisions))


def decisions_text(decisions: Sequence[Decision]) -> str:
    """A whole file of decisions; empty for none."""
    return _lines([list(COLUMNS), *_cells(decisions, COLUMNS)]).decode() if decisions else ""


def _is_ours(path: Path) -> bool:
    """Whether a file is as we write it, or empty: UTF-8 with tabs between the cells."""
    with open_content(path, what="decisions file") as file:
        first = file.readline(_HEADER_BYTES)
    elsewhere = path.suffix.lower() not in ("", *TEXT_SUFFIXES) or first.startswith(UTF_16)
    return not elsewhere and (b"\t" in first or not first.strip())


def _text(path: Path, diagnostics: Diagnostics) -> str:
    """The file's text without a last line that was cut off."""
    content, location = read_content(path, what="decisions file"), path.name
    if content.startswith(codecs.BOM_UTF8):
        content = content.removeprefix(codecs.BOM_UTF8)
        diagnostics.finding(
            "byte-order-mark", location, "the file starts with a byte order mark; it is left out"
        )
    # A first line is the header, right or wrong, and no row that was cut off.
    complete_lines, rest = complete_rows(content, _is_complete) if b"\n" in content else (content, b"")
    if rest:
        row = complete_lines.count(b"\n") + 1
        diagnostics.finding(
            "cut-off-line",
            f"{location}:{row}",
            f"the last line, {rest.decode(errors='replace')!r}, was cut off while it was written; left out, "
            "and replaced when verdicts are added",
        )
    return utf8_text(
        complete_lines, location, save_as="save the file as tab-separated text with the encoding UTF-8"
    )


def _is_complete(line: bytes) -> bool:
    try:
        records = list(_reader(line.decode()))
    except (UnicodeDecodeError, csv.Error):
        return False
    return len(records) == 1 and len(records[0]) >= len(COLUMNS)


def _reader(text: str) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(text, newline=""), delimiter="\t", strict=True)


def _decisions(text: str, location: str, diagnostics: Diagnostics) -> list[tuple[str, Decision]]:
    records = enumerate(csv_records(text, location, separator="\t"), start=1)
    _, header = next(records)
    _check_header(header, location)
    decisions: list[tuple[str, Decision]] = []
    for row, record in records:
        if not any(record):
            continue  # an empty line
        where = f"{location}:{row}"
        if len(record) != len(header):
            diagnostics.problem(
                f"{pluralise(len(record), 'cell')}, but the header has {len(header)}",
                where=where,
                fix="separate cells with single tabs, and leave empty cells empty",
            )
            continue
        with diagnostics.collected():
            decisions.append((where, _decision(dict(zip(header, record, strict=True)), where)))
    return decisions


def _check_header(header: Sequence[str], location: str) -> None:
    where = f"{location}:1"
    for column in COLUMNS:
        if column not in header:
            fix = f"the columns are {', '.join(COLUMNS)}"
            raise RowError(f"column {column!r} is missing", where=where, fix=fix)
    for column in header:
        if column not in COLUMNS:
            fix = f"rename or remove it; the columns are {', '.join(COLUMNS)}"
            raise RowError(f"unknown column {column!r}", where=where, fix=fix)
        if header.count(column) > 1:
            raise RowError(f"column {column!r} occurs twice", where=where, fix="remove one of the two")


def _decision(raw: dict[str, str], where: str) -> Decision:
    cells = {column: clean(value) for column, value in raw.items()}
    for column in ("answer_a", "answer_b", "who"):
        if not cells[column]:
            fix = "fill it in or remove the row"
            raise RowError("the cell is blank", where=f"{where}, column {column}", fix=fix)
    if cells["verdict"] not in ("same", "different"):
        raise RowError(
            f"unknown verdict {cells['verdict']!r}",
            where=f"{where}, column verdict",
            fix="write 'same' or 'different'",
        )
    if len(set(pair_key(cells["answer_a"], cells["answer_b"]))) == 1:
        what = f"{cells['answer_a']!r} is compared with itself"
        raise RowError(what, where=f"{where}, column answer_b", fix="remove the row")
    return Decision.model_validate({**cells, "when": _day(cells["when"], f"{where}, column when")})


def _day(text: str, where: str) -> date:
    try:
        if _ISO_DATE.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise RowError(f"{text!r} is not a date", where=where, fix="write YYYY-MM-DD, for example 2026-11-30")


def _check_no_contradiction(placed: Sequence[tuple[str, Decision]], diagnostics: Diagnostics) -> None:
    first: dict[tuple[str, str], tuple[str, Decision]] = {}
    for location, decision in placed:
        earlier_location, earlier = first.setdefault(
            pair_key(decision.answer_a, decision.answer_b), (location, decision)
        )
        if earlier.verdict != decision.verdict:
            diagnostics.problem(
                f"{decision.answer_a!r} and {decision.answer_b!r} are {decision.verdict!r} here, "
                f"but {earlier.verdict!r} in {earlier_location}",
                where=f"{location}, column verdict",
                fix="remove one of the two rows",
            )


def _append(path: Path, decisions: Sequence[Decision]) -> None:
    with path.open("rb") as file:
        header = next(_reader(file.readline().decode("utf-8-sig", errors="replace")))
    _check_header(header, path.name)
    append_rows(path, _lines(_cells(decisions, header)), _is_complete)


def _cells(decisions: Sequence[Decision], columns: Sequence[str]) -> Iterator[list[str]]:
    for decision in decisions:
        cells = decision.model_dump(mode="json")
        yield [clean(cells[column]) for column in columns]


def _lines(records: Iterable[list[str]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter="\t", lineterminator="\n").writerows(records)
    return text.getvalue().encode()
