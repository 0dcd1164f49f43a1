"""Workbooks: sheets of .xlsx, in as texts and out with drop-down lists.

A spreadsheet keeps what it made of a text, not the text: ``1/2`` is a day of this year, ``50%`` is 0.5. A cell
of which it kept the text, a plain number or a time of day is read; any other comes as `Rewritten`, which says
what the cell holds, for a reader that knows what was there or refuses it.

polars' own reader (fastexcel) is no help: it makes empty cells of errors and formulas, and 0.5 of ``50%``.
"""

import io
import lzma
import re
import warnings
import zipfile
import zlib
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from blend.loaders.files.diagnostics import Diagnostics
from blend.schemas.errors import RowError
from blend.schemas.sheets.spreadsheet_cells import may_be_rewritten

if TYPE_CHECKING:
    import polars as pl

WORKBOOK = ".xlsx"
ARCHIVE = b"PK\x03\x04"
"""How a workbook begins."""

OTHER_WORKBOOKS = (".xls", ".xlsm", ".xlsb", ".ods", ".numbers")
"""File name endings of spreadsheets that are not read."""

MAX_UNPACKED = 256 << 20
"""Bytes that the parts of a workbook may take once they are unpacked."""
MAX_CELL = 32_767
"""Characters that a cell of a workbook holds."""

_PROTECTED = b"\xd0\xcf\x11\xe0"  # the older container, in which protected workbooks and .xls are
_PLAIN_FORMATS = re.compile(r"General|@|[#,]*0(?:\.0+)?", re.IGNORECASE)
_EXACT = 10**15
"""Numbers from here on have more digits than a spreadsheet keeps."""
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
# What XML cannot hold; carriage returns, which it turns into line feeds; and texts that look like an escape.
_TO_ESCAPE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_WIDEST = 60
_STYLES = "xl/styles.xml"
_COMMENTS = re.compile(r"xl/(?:comments|threadedComments)[^.]*\.xml|xl/comments/[^/]*\.xml")
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


def workbook_lines(
    content: bytes, location: str, known: Collection[str], diagnostics: Diagnostics
) -> tuple[str, _Lines]:
    """The lines of a workbook's sheet.

    Args:
        content: Of the file.
        location: What messages call it.
        known: Names of columns. Of several sheets that hold anything, the one whose first line has most of them
            is read; no other may have two of them, nor rows like its rows, since these would be lost.
        diagnostics: Takes a finding for each other sheet that holds anything.

    Returns:
        The file with the sheet, ``file[sheet]``; and the lines with their row, from 1.

    Raises:
        RowError: If it is not a workbook, is damaged, protected or too large, is empty, or if several sheets
            could be meant.
    """
    if content.startswith(_PROTECTED):
        fix = "save it as .xlsx without a password"
        raise RowError("protected by a password, or an .xls file by another name", where=location, fix=fix)
    _check_archive(content, location)
    try:
        sheets = _sheets(content)
        texts: dict[str, _Lines] = {
            name: [(row, [_text(cell) for cell in cells]) for row, cells in lines]
            for name, lines in sheets.items()
        }
    except Exception as error:
        raise _damaged(location) from error
    name = _chosen(texts, known, location)
    for other, lines in texts.items():
        if other == name:
            continue
        if _continues(texts[name], lines):
            what = f"the rows of sheet {other!r} look like those of {name!r}, but without its header"
            fix = f"move them below those of {name!r}, or to another file"
            raise RowError(what, where=f"{location}[{other}]", fix=fix)
        what = f"sheet {other!r} is left out; {name!r} is read"
        diagnostics.finding("sheet-left-out", f"{location}[{other}]", what)
    try:
        _note_looks(content, sheets[name][1:], f"{location}[{name}]", diagnostics)
    except Exception as error:
        raise _damaged(location) from error
    return f"{location}[{name}]", texts[name]


def _note_looks(
    content: bytes, lines: Sequence[tuple[int, Sequence[Any]]], where: str, diagnostics: Diagnostics
) -> None:
    """Note what people say by the looks of cells and nobody reads: struck through, coloured, commented."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        styles = archive.read(_STYLES) if _STYLES in names else b""
        comments = [archive.read(name) for name in names if _COMMENTS.fullmatch(name)]
    cells = [(row, cell) for row, of_row in lines for cell in of_row if cell.value is not None]
    struck = {row for row, cell in cells if b"<strike" in styles and cell.font.strike}
    filled = {row for row, cell in cells if b'"solid"' in styles and cell.fill.fill_type == "solid"}
    noted = {ref.decode() for part in comments for ref in _COMMENTED.findall(part)}
    looks = {
        "struck through; each counts all the same: delete what is not to count": struck,
        # Every other row, or all of them, are coloured to be read more easily.
        "coloured, which means nothing here": filled if 2 * len(filled) < len(lines) else (),
    }
    for what, rows in looks.items():
        if rows:
            listed = ", ".join(map(str, sorted(rows)[:_LISTED])) + (", …" if len(rows) > _LISTED else "")
            diagnostics.finding("looks-not-read", where, f"row {listed}: {what}")
    if noted:
        listed = ", ".join(sorted(noted)[:_LISTED]) + (", …" if len(noted) > _LISTED else "")
        diagnostics.finding("looks-not-read", where, f"a comment at {listed}: comments are not read")


def write_workbook(rows: "pl.DataFrame", choices: Choices, location: str) -> bytes:
    """A workbook with a sheet of texts: a header that stays in sight, and drop-down lists.

    Args:
        rows: One cell per value; null is an empty cell. Apostrophes by which texts survive a spreadsheet's CSV
            (`answer_sheets.guarded`) are left out: here the format Text does that.
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
    cells = [[None if v is None else str(v) for v in row] for row in rows.iter_rows()]
    lines: list[list[str | None]] = [[*rows.columns], *cells]
    for number, column in enumerate(rows.columns):
        dimensions = sheet.column_dimensions[get_column_letter(number + 1)]
        widest = max((len(line[number] or "") for line in lines[1:]), default=0) or _TO_FILL_IN
        dimensions.width = min(max(widest, len(column)), _WIDEST) + 2
        dimensions.number_format = "@"
        if column in choices and rows.height:
            sheet.add_data_validation(_validation(rows, column, choices[column]))
    for row, line in enumerate(lines, start=1):
        for number, text in enumerate(line, start=1):
            if len(text or "") > MAX_CELL:
                what = f"{len(text or ''):,} characters, and a cell of a workbook holds {MAX_CELL:,}"
                where = f"{location}:{row}, column {rows.columns[number - 1]}"
                raise RowError(what, where=where, fix="write the sheet as .csv")
            cell = sheet.cell(row, number, _escaped(_unguarded(text)) if text else None)
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

    last = rows.height + 1
    if offered[0] in rows.columns:
        source = get_column_letter(rows.columns.index(offered[0]) + 1)
        formula, what = f"${source}$2:${source}${last}", f"one from the column {offered[0]}"
    else:
        formula, what = f'"{",".join(offered)}"', " or ".join(offered)
    letter = get_column_letter(rows.columns.index(column) + 1)
    return DataValidation(
        type="list",
        formula1=formula,
        allow_blank=True,
        showErrorMessage=True,
        errorTitle=column,
        error=f"Choose {what}, or leave the cell empty.",
        sqref=f"{letter}2:{letter}{last}",
    )


def _unguarded(text: str) -> str:
    """A text without the apostrophe that keeps it text in CSV; one of its own stays."""
    return text[1:] if text.startswith("'") and may_be_rewritten(text[1:]) else text


def _check_archive(content: bytes, location: str) -> None:
    """Refuse what is no workbook, or too large to be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = sum(part.file_size for part in archive.infolist())
            is_workbook = "[Content_Types].xml" in archive.namelist()
    except NOT_AN_ARCHIVE:
        raise _damaged(location) from None
    if size > MAX_UNPACKED:
        what = f"{len(content):,} bytes that unpack to {size:,}; more than {MAX_UNPACKED:,} is not read"
        raise RowError(what, where=location, fix="save the sheet as CSV, with the encoding UTF-8")
    if not is_workbook:
        raise RowError("not a workbook", where=location, fix="save it as .xlsx, or as CSV in UTF-8")


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


def _continues(read: _Lines, other: _Lines) -> bool:
    """Whether most rows of another sheet share a value with the sheet that is read, behind the first column.

    That is an annotator or a locale. A sheet that explains ids has them in its first column.
    """
    width = max(len(cells) for _, cells in read)
    held = [{cells[at] for _, cells in read[1:] if at < len(cells)} - {""} for at in range(1, width)]
    shared = [
        sum(len(cells) > at and cells[at] in held[at - 1] for _, cells in other) for at in range(1, width)
    ]
    return len(other) > 1 and max(shared, default=0) * 2 > len(other)


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


def _damaged(location: str) -> RowError:
    return RowError(
        "not a workbook, or damaged", where=location, fix="save it again as .xlsx, or as CSV in UTF-8"
    )
