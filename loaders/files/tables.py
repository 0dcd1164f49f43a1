"""Tables that people save: CSV, its kin with semicolons or tabs, and workbooks, as lines that know their place.

A spreadsheet keeps what it made of a text, not the text: ``1/2`` is a day of this year, ``50%`` is 0.5. A cell
of which it kept the text, a plain number or a time of day is read; any other comes as `Rewritten`, which says
what the cell holds, for a reader that knows what was there or refuses it.

polars' own reader (fastexcel) is no help: it makes empty cells of errors and formulas, and 0.5 of ``50%``.

What comes in is a file as a spreadsheet or a program writes it; what goes out are texts, row by row, without
regard to what the columns mean. `rows.read_rows` makes rows of them that have a header.
"""

import csv
import io
import lzma
import os
import re
import warnings
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from blend.loaders.files.content import location_of, read_content, utf8_text
from blend.loaders.files.diagnostics import Diagnostics
from blend.schemas.errors import RowError

if TYPE_CHECKING:
    import polars as pl


WORKBOOK = ".xlsx"
_ARCHIVE = b"PK\x03\x04"
"""How a workbook begins."""

OTHER_WORKBOOKS = (".xls", ".xlsm", ".xlsb", ".ods", ".numbers")
"""File name endings of spreadsheets that are not read."""

MAX_UNPACKED = 256 << 20
"""Bytes that the parts of a workbook may take once they are unpacked."""
_MAX_CELL = 32_767
"""Characters that a cell of a workbook holds."""

_PROTECTED = b"\xd0\xcf\x11\xe0"  # the older container, in which protected workbooks and .xls are
_PLAIN_FORMATS = re.compile(r"General|@|[#,]*0(?:\.0+)?", re.IGNORECASE)
_EXACT = 10**15
"""Numbers from here on have more digits than a spreadsheet keeps."""
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
# What XML cannot hold; carriage returns, which it turns into line feeds; and texts that look like an escape.
_TO_ESCAPE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_WIDEST = 60
_HIDDEN = re.compile(rb'<row\b(?=[^>]*\bhidden="(?:1|true)")[^>]*\br="(\d+)"')
_HIDDEN_COLUMNS = re.compile(rb'<col\b(?=[^>]*\bhidden="(?:1|true)")(?=[^>]*\bmin="(\d+)")[^>]*\bmax="(\d+)"')
_OF_LOOKS = re.compile(r"xl/(?:worksheets/[^/]*|comments[^.]*|threadedComments[^.]*|comments/[^/]*)\.xml")
_COMMENTED = re.compile(rb'ref="([A-Z]+[0-9]+)"')
_LISTED = 10
"""Rows, or cells, that a message lists."""
_TO_FILL_IN = 24
"""Width of a column that holds nothing yet."""
_SEVERAL = 2
"""Known columns from which a sheet is another one of the same kind."""

Choices = Mapping[str, Sequence[str]]
"""What can be chosen in a column. A list with the name of another column offers its values."""


class Rewritten(str):
    """The text of a cell in which a spreadsheet keeps something else than what was typed."""

    __slots__ = ("what",)
    what: str
    """What it keeps, in words: ``the date 2026-01-02``."""

    def __new__(cls, text: str, what: str) -> "Rewritten":
        """A text as a spreadsheet shows it, and what it stands for."""
        made = super().__new__(cls, text)
        made.what = what
        return made


NOT_AN_ARCHIVE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError),
    *(NotImplementedError, RuntimeError, OSError, ValueError),
)
"""What `zipfile` raises for bytes that are not a sound archive: each packing has an error of its own."""

_Lines = list[tuple[int, list[str]]]


def _workbook_lines(
    content: bytes, location: str, known: Collection[str], diagnostics: Diagnostics
) -> tuple[str, _Lines]:
    """The lines of a workbook's sheet.

    Args:
        content: Of the file.
        location: What messages call it.
        known: Names of columns. Of several sheets that hold anything, the one whose first line has most of them
            is read; no other may have two of them, since its rows would be lost.
        diagnostics: Takes a finding for each other sheet that holds anything, and for what looks say.

    Returns:
        The file with the sheet, ``file[sheet]``; and the lines with their row, from 1.

    Raises:
        RowError: If it is not a workbook, is damaged, protected or too large, is empty, or if several sheets
            could be meant.
    """
    if content.startswith(_PROTECTED):
        fix = "save it as .xlsx without a password"
        raise RowError("protected by a password, or an .xls file by another name", where=location, fix=fix)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = sum(part.file_size for part in archive.infolist())
            cells = _sheets(content) if size <= MAX_UNPACKED else {}
            sheets = {name: [(row, [*map(_text, line)]) for row, line in rows] for name, rows in cells.items()}
            width = max((len(line) for rows in cells.values() for _, line in rows), default=0)
            looks = _looks(archive, width)
    except Exception as error:  # of packing, of XML and of openpyxl, which has none of its own
        fix = "save it again as .xlsx, or as CSV in UTF-8"
        raise RowError("not a workbook, or damaged", where=location, fix=fix) from error
    if size > MAX_UNPACKED:
        what = f"{len(content):,} bytes that unpack to {size:,}; more than {MAX_UNPACKED:,} is not read"
        raise RowError(what, where=location, fix="save the sheet as CSV in UTF-8")
    name = _chosen(sheets, known, location)
    for other in (one for one in sheets if one != name):
        what = f"sheet {other!r} is left out; {name!r} is read"
        diagnostics.finding("sheet-left-out", f"{location}[{other}]", what)
    where = f"{location}[{name}]"
    struck = [row for row, line in cells[name][1:] if any(cell.value and cell.font.strike for cell in line)]
    looks["row {}: struck through; each counts all the same: delete what is not to count"] = struck
    for what, places in looks.items():
        if places:
            listed = ", ".join(map(str, places[:_LISTED])) + (", …" if len(places) > _LISTED else "")
            diagnostics.finding("looks-not-read", where, what.format(listed))
    return where, sheets[name]


def _looks(archive: zipfile.ZipFile, width: int) -> dict[str, list[Any]]:
    """What people say by looks, which nobody reads: what is hidden, and comments, in any of the sheets."""
    from openpyxl.utils import get_column_letter

    parts = {name: archive.read(name) for name in archive.namelist() if _OF_LOOKS.fullmatch(name)}
    hidden = {int(row) for part in parts.values() for row in _HIDDEN.findall(part)}
    columns = {
        number
        for part in parts.values()
        for first, last in _HIDDEN_COLUMNS.findall(part)
        for number in range(int(first), min(int(last), width) + 1)
    }
    noted = {
        ref.decode() for name, part in parts.items() if "omments" in name for ref in _COMMENTED.findall(part)
    }
    return {
        "row {}: hidden; each counts all the same: delete what is not to count": sorted(hidden),
        "column {}: hidden; it is read all the same: delete it if it is not to count": [
            get_column_letter(number) for number in sorted(columns)
        ],
        "a comment at {}: comments are not read": sorted(noted),
    }


def write_workbook(rows: "pl.DataFrame", choices: Choices, location: str) -> bytes:
    """A workbook with a sheet of texts: a header that stays in sight, and drop-down lists.

    Args:
        rows: One cell per value; null is an empty cell.
        choices: What can be chosen.
        location: What messages call the file.

    Raises:
        RowError: If a text is longer than a cell can hold.
    """
    import openpyxl
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.freeze_panes = "A2"
    texts = [["" if value is None else str(value) for value in row] for row in rows.iter_rows()]
    for number, column in enumerate(rows.columns):
        dimensions = sheet.column_dimensions[get_column_letter(number + 1)]
        widest = max((len(row[number]) for row in texts), default=0) or _TO_FILL_IN
        dimensions.width = min(max(widest, len(column)), _WIDEST) + 2
        dimensions.number_format = "@"
        if column in choices and rows.height:
            sheet.add_data_validation(_validation(rows, column, choices[column]))
    for row, line in enumerate([rows.columns, *texts], start=1):
        for number, text in enumerate(line, start=1):
            if len(text) > _MAX_CELL:
                what = f"{len(text):,} characters, and a cell of a workbook holds {_MAX_CELL:,}"
                where = f"{location}:{row}, column {rows.columns[number - 1]}"
                raise RowError(what, where=where, fix="write the sheet as .csv")
            cell = sheet.cell(row, number, _escaped(text) or None)
            if text:
                cell.data_type = "s"  # '=1' is a text as well
            cell.number_format = "@"
            cell.alignment = Alignment(wrap_text=True, vertical="top")
            cell.font = Font(bold=row == 1)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def _validation(rows: "pl.DataFrame", column: str, offered: Sequence[str]) -> Any:
    """The drop-down list of a column."""
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    def cells(name: str, mark: str = "") -> str:
        letter = get_column_letter(rows.columns.index(name) + 1)
        return f"{mark}{letter}{mark}2:{mark}{letter}{mark}{rows.height + 1}"

    formula, what = f'"{",".join(offered)}"', " or ".join(offered)
    if offered[0] in rows.columns:
        formula, what = cells(offered[0], "$"), f"one from the column {offered[0]}"
    return DataValidation(
        type="list",
        formula1=formula,
        allow_blank=True,
        showErrorMessage=True,
        errorTitle=column,
        error=f"Choose {what}, or leave the cell empty.",
        sqref=cells(column),
    )


def _sheets(content: bytes) -> dict[str, list[tuple[int, Sequence[Any]]]]:
    """The lines of all sheets that hold anything, as cells."""
    import openpyxl

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about what it cannot write back
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True)
        found: dict[str, list[tuple[int, Sequence[Any]]]] = {}
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # what a file says of its size need not be true
            lines: list[tuple[int, Sequence[Any]]] = [
                (row, cells)
                for row, cells in enumerate(sheet.iter_rows(), start=1)
                if any(cell.value is not None for cell in cells)
            ]
            if lines:
                found[sheet.title] = lines
    return found


def _chosen(sheets: Mapping[str, _Lines], known: Collection[str], location: str) -> str:
    if not sheets:
        raise RowError("no sheet holds anything", where=location, fix="fill one in, or save the right file")
    wanted = {name.casefold() for name in known}
    found = {
        name: len(wanted.intersection(cell.strip().casefold() for cell in lines[0][1]))
        for name, lines in sheets.items()
    }
    most = max(found.values())
    best = [
        name
        for name, columns in found.items()
        if columns == most or (columns >= _SEVERAL and len(sheets[name]) > 1)
    ]
    if len(best) > 1:
        fix = "keep the one that is meant, or all rows in it, and move the others to another file"
        raise RowError(f"the sheets {', '.join(best)} could all be meant", where=location, fix=fix)
    return best[0]


def _text(cell: Any) -> str:
    """The text of a cell."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if cell.data_type == "f":
        return Rewritten("", "a formula")
    if cell.data_type == "e":
        return Rewritten(value, f"the error {value}")
    if isinstance(value, str):
        return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value)
    if isinstance(value, time):
        return f"{value:%H:%M:%S}".removesuffix(":00")
    if isinstance(value, datetime):
        text = value.isoformat(" ", "seconds").removesuffix(" 00:00:00")
        return Rewritten(text, f"the date {text}")
    if isinstance(value, timedelta):
        return Rewritten(str(value), f"the duration {value}")
    text = f"{value:.15g}"
    if _PLAIN_FORMATS.fullmatch(cell.number_format or "General") and abs(value) < _EXACT:
        return text
    return Rewritten(text, f"the number {text} in the format {cell.number_format!r}")


def _escaped(text: str) -> str:
    return _TO_ESCAPE.sub(lambda found: f"_x{ord(found[0]):04X}_", text)


TEXT_SUFFIXES = (".csv", ".tsv", ".txt")
TABLE_SUFFIXES = (*TEXT_SUFFIXES, WORKBOOK)
"""File name endings that `open_table` reads."""

DESTROYED = "question marks in place of letters"
"""What a cell holds whose letters the encoding of a spreadsheet's CSV lacks."""

_SEPARATORS = (",", ";", "\t")


class Line(NamedTuple):
    """A line of a table."""

    location: str
    """``file:row``, in a workbook ``file[sheet]:row``; the row that a spreadsheet shows."""
    cells: list[str]
    """As many as the line has; `tables.Rewritten` where a spreadsheet made something else of a text."""

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
) -> Table:
    """The lines of a table.

    Args:
        path: A file with one of `TABLE_SUFFIXES`.
        root: Folder that places are relative to.
        diagnostics: Takes a finding for a byte order mark.
        known: Names of columns by which its separator, or its sheet, is recognised.

    Raises:
        RowError: If nothing can be read: not a workbook, several sheets that it could be.
            Reading the lines raises it for a file that is not CSV, with its row.
    """
    location = location_of(path, root)
    content = read_content(path, where=location)
    if path.suffix.lower() == WORKBOOK:
        sheet, of_sheet = _workbook_lines(content, location, known, diagnostics)
        return Table(sheet, (Line(f"{sheet}:{row}", cells) for row, cells in of_sheet))
    if content.startswith(_ARCHIVE):
        raise RowError("a workbook, not text", where=location, fix=f"name it {path.stem}{WORKBOOK}")
    text = utf8_text(content, location)
    separator = _separator(text, known, location, is_tsv=path.suffix.lower() == ".tsv")
    records = enumerate(csv_records(text, location, separator=separator), start=1)
    lines = (Line(f"{location}:{row}", cells) for row, cells in records)
    return Table(location, lines, separator, ends_open=not text.endswith(("\n", "\r")))


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


def _separator(text: str, known: Collection[str], location: str, *, is_tsv: bool) -> str:
    """Find what separates the cells: that between most of the known columns.

    Where nobody knows the columns, that by which most lines are as wide as the first.
    """
    first = text.partition("\n")[0]
    wanted = {name.casefold() for name in known}
    marks = _SEPARATORS[::-1] if is_tsv else _SEPARATORS
    found = {mark: (len(wanted.intersection(_names(first.split(mark)))), 0) for mark in marks}
    if not any(n for n, _ in found.values()):
        for mark in marks:
            with suppress(RowError):  # told when the lines are read
                widths = [len(cells) for cells in csv_records(text, location, separator=mark) if cells]
                if widths and widths[0] > 1:
                    found[mark] = widths.count(widths[0]), widths[0]
    return max(marks, key=lambda mark: found[mark])


def _names(cells: Iterable[str]) -> set[str]:
    return {cell.strip(' "\r').casefold() for cell in cells}
