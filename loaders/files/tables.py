"""Tables that people save: CSV, its kin with semicolons or tabs, and workbooks, as lines that know their place.

What comes in is a file as a spreadsheet or a program writes it; what goes out are texts, row by row, without
regard to what the columns mean. `rows.read_rows` makes rows of them that have a header.
"""

import codecs
import csv
import io
import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from blend.loaders.files.content import location_of, open_content, read_content
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.encodings import UTF_16, decoded
from blend.loaders.files.workbooks import ARCHIVE, WORKBOOK, workbook_lines
from blend.schemas.errors import RowError

TEXT_SUFFIXES = (".csv", ".tsv", ".txt")
TABLE_SUFFIXES = (*TEXT_SUFFIXES, WORKBOOK)
"""File name endings that `open_table` reads."""

DESTROYED = "question marks in place of letters"
"""What a cell holds whose letters the encoding of a spreadsheet's CSV lacks."""

_SEPARATORS = (",", ";", "\t")
_SAID = "sep="
_START = 1 << 16


class Line(NamedTuple):
    """A line of a table."""

    location: str
    """``file:row``, in a workbook ``file[sheet]:row``; the row that a spreadsheet shows."""
    cells: list[str]
    """As many as the line has; `workbooks.Rewritten` where a spreadsheet made something else of a text."""

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing in it but white space."""
        return not any(cell.strip() for cell in self.cells)


@dataclass(frozen=True, slots=True)
class Table:
    """A table as it stands in a file."""

    location: str
    """The file, and the sheet of a workbook."""
    lines: Iterator[Line]
    """All lines, in file order, also the blank ones."""
    separator: str | None = None
    """What separates the cells; null in a workbook."""
    ends_open: bool = False
    """Whether no line end follows the last line, as where a file was cut off."""


def open_table(
    path: Path,
    root: Path,
    diagnostics: Diagnostics,
    *,
    known: Collection[str] = (),
    width: int | None = None,
    encoding: str | None = None,
) -> Table:
    """The lines of a table.

    Args:
        path: A file with one of `TABLE_SUFFIXES`.
        root: Folder that places are relative to.
        diagnostics: Takes a finding for a byte order mark.
        known: Names of columns by which its separator, or its sheet, is recognised.
        width: Cells that most lines of a table without a header have, by which its separator is recognised.
        encoding: As of `encodings.read_text`; a workbook has none.

    Raises:
        RowError: If nothing can be read: an unknown encoding, not a workbook, several sheets that it could be.
            Reading the lines raises it for a file that is not CSV, with its row.
    """
    location = location_of(path, root)
    content = read_content(path, where=location)
    if path.suffix.lower() == WORKBOOK:
        sheet, of_sheet = workbook_lines(content, location, known, diagnostics)
        return Table(sheet, (Line(f"{sheet}:{row}", cells) for row, cells in of_sheet))
    if content.startswith(ARCHIVE):
        raise RowError("a workbook, not text", where=location, fix=f"name it {path.stem}{WORKBOOK}")
    text = decoded(content, location, diagnostics, encoding=encoding, can_be_said=True)
    separator, skipped = _separator(text, known)
    if separator is None:
        is_tsv = path.suffix.lower() == ".tsv"
        separator = "\t" if is_tsv else _by_width(text, width, location)
    records = enumerate(csv_records(text, location, separator=separator), start=1)
    lines = (Line(f"{location}:{row - skipped}", cells) for row, cells in records if row > skipped)
    return Table(location, lines, separator, ends_open=not text.endswith(("\n", "\r")))


def read_headless(
    path: Path, root: Path, diagnostics: Diagnostics, *, width: int, encoding: str | None = None
) -> list[Line]:
    """The lines of a table without a header that are not blank, without empty cells beyond its width.

    Raises:
        RowError: As `open_table`. Cells that a spreadsheet has rewritten become problems of ``diagnostics``.
    """
    lines = [
        line
        for line in open_table(path, root, diagnostics, width=width, encoding=encoding).lines
        if not line.is_blank
    ]
    for line in lines:
        while len(line.cells) > width and not line.cells[-1].strip():
            line.cells.pop()
        for number, cell in enumerate(line.cells, start=1):
            refuse_rewritten(cell, f"{line.location}, cell {number}", diagnostics)
    return lines


def is_plain_csv(path: Path) -> bool:
    """Whether a file can be read as it is by whoever reads CSV in UTF-8 with commas."""
    with open_content(path) as file:
        start = file.read(_START)
    if b"\0" in start or start.startswith((ARCHIVE, *UTF_16)):
        return False
    first = start.partition(b"\n")[0]
    return b"," in first and not first.removeprefix(codecs.BOM_UTF8).startswith(_SAID.encode())


def named_table(folder: Path, stem: str) -> Path | None:
    """The table of a name in a folder, whatever its kind; null where there is none.

    Raises:
        InputError: If there are several.
    """
    return only_named(folder, stem, TABLE_SUFFIXES)


def only_named(folder: Path, stem: str, suffixes: Iterable[str]) -> Path | None:
    """The one file of a name with one of the endings; null where there is none.

    Raises:
        RowError: If there are several.
    """
    # A folder or a broken link of that name counts as well: reading it says what is wrong with it.
    found = [path for suffix in suffixes if os.path.lexists(path := folder / f"{stem}{suffix}")]
    if len(found) > 1:
        present = " and ".join(path.name for path in found)
        raise RowError(f"{present} stand side by side", where=str(folder), fix="keep one of them")
    return found[0] if found else None


def refuse_rewritten(cell: str, where: str, diagnostics: Diagnostics) -> None:
    """Note as a problem that a cell holds what a spreadsheet made of a text, where nobody can know of which."""
    what = getattr(cell, "what", None)
    if what is not None:
        fix = "give the column the format Text, and write again what stood there"
        if what == DESTROYED:
            fix = (
                "save the original again as .xlsx or 'CSV UTF-8'; if somebody typed question marks, that is no "
                "answer: leave it out, or write why there is none"
            )
        diagnostics.problem(f"the cell holds {what}, made by a spreadsheet", where=where, fix=fix)


def csv_records(text: str, location: str, *, separator: str = ",") -> Iterator[list[str]]:
    """The records of a CSV text; an empty line is an empty record.

    Raises:
        RowError: If it is not CSV; names the row.
    """
    # newline="" leaves line ends to the csv module; str.splitlines would also split at U+001C and others.
    # The module's limit of 128 KiB a cell would refuse long answers, and a missing quote is found without it.
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    records = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    row = 1
    try:
        for record in records:
            yield record
            row += 1
    except csv.Error as error:
        kind = "TSV" if separator == "\t" else "CSV"
        raise RowError(
            f"not {kind} ({error})",
            where=f"{location}:{row}",
            fix="close double quotes, and double those inside a cell",
        ) from None


def _separator(text: str, known: Collection[str]) -> tuple[str | None, int]:
    """Find what separates the cells, null if nothing tells; and how many lines come before the first."""
    first = text.partition("\n")[0]
    first_line = first.strip().strip('"')
    if first_line.startswith(_SAID) and len(first_line) <= len(_SAID) + 1:
        return first_line.removeprefix(_SAID) or "\t", 1
    wanted = {name.casefold() for name in known}
    found = {mark: len(wanted.intersection(_names(first.split(mark)))) for mark in _SEPARATORS}
    best = max(_SEPARATORS, key=lambda mark: found[mark])
    return (best if found[best] else None), 0


def _by_width(text: str, width: int | None, location: str) -> str:
    """Find what separates the cells of a table whose columns nobody knows.

    That by which most lines are as wide.

    As wide as expected in a table without a header, otherwise as the first line.
    """
    found: dict[str, tuple[int, int]] = {}
    for mark in _SEPARATORS:
        with suppress(RowError):  # told when the lines are read
            widths = [len(cells) for cells in csv_records(text, location, separator=mark) if cells]
            wanted = width or (widths[0] if widths else 0)
            if wanted > 1 and wanted in widths:
                found[mark] = widths.count(wanted), wanted
    best = [mark for mark, measure in found.items() if measure == max(found.values())]
    if len(best) > 1:
        marks = " or ".join(map(repr, best))
        fix = "write sep= and the right one, as in sep=;, into a first line of its own, or save it as .tsv"
        raise RowError(f"the cells could be separated by {marks}", where=location, fix=fix)
    return best[0] if best else ","


def _names(cells: Iterable[str]) -> set[str]:
    return {cell.strip(' "\r').casefold() for cell in cells}
