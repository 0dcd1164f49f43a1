"""Workbooks: the texts in a sheet of .xlsx, and sheets of texts for people to fill in.

A spreadsheet keeps what it made of a text, not the text: ``1/2`` is a day of this year, ``50%`` is 0.5. A cell
of which it kept the text, a plain number or a time of day is read; any other comes as `Rewritten`, which says
what the cell holds, for a reader to refuse.

polars' own reader (fastexcel) is no help: it makes empty cells of errors and formulas, and 0.5 of ``50%``.
"""

import io
import re
import warnings
import zipfile
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from blend.loaders.files.diagnostics import Diagnostics
from blend.schemas.errors import RowError

if TYPE_CHECKING:
    import polars as pl


WORKBOOK = ".xlsx"

Choices = Mapping[str, Sequence[str]]
"""What can be chosen in a column."""

Lines = list[tuple[int, list[str]]]
"""The rows of a table that hold anything, with the number that a spreadsheet shows."""


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


def workbook_lines(
    content: bytes, location: str, known: Collection[str], diagnostics: Diagnostics
) -> tuple[str, Lines]:
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
        RowError: If it is not a workbook, is damaged or protected, is empty, or if several sheets
            could be meant.
    """
    try:
        cells, comments = _sheets(content), _comments(content)
        texts = {name: [(row, [*map(_text, line)]) for row, line in rows] for name, rows in cells.items()}
    except Exception as error:  # of packing, of XML and of openpyxl, which has none of its own
        fix = "save it again as .xlsx without a password, or as CSV in UTF-8"
        raise RowError("not a workbook, or damaged", where=location, fix=fix) from error
    name = _chosen(texts, known, location)
    for other in (one for one in texts if one != name):
        what = f"sheet {other!r} is left out; {name!r} is read"
        diagnostics.finding("sheet-left-out", f"{location}[{other}]", what)
    struck = [row for row, line in cells[name][1:] if any(cell.value and cell.font.strike for cell in line)]
    looks: Mapping[str, Sequence[object]] = {
        "row {}: struck through; each counts all the same: delete what is not to count": struck,
        "a comment at {}: comments are not read": comments,
    }
    for what, places in looks.items():
        if places:
            listed = ", ".join(map(str, places[:_LISTED])) + (", …" if len(places) > _LISTED else "")
            diagnostics.finding("looks-not-read", f"{location}[{name}]", what.format(listed))
    return f"{location}[{name}]", texts[name]


_Cells = dict[str, list[tuple[int, Sequence[Any]]]]


def _sheets(content: bytes) -> _Cells:
    """The lines of all sheets that hold anything, as cells."""
    import openpyxl

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about what it cannot write back
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True)
        found: _Cells = {}
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # what a file says of its size need not be true
            rows = enumerate(sheet.iter_rows(), start=1)
            found[sheet.title] = [(row, line) for row, line in rows if any(c.value is not None for c in line)]
    return {title: lines for title, lines in found.items() if lines}


def _chosen(sheets: Mapping[str, Lines], known: Collection[str], location: str) -> str:
    """The name of the one sheet that is meant."""
    if not sheets:
        raise RowError("no sheet holds anything", where=location, fix="fill one in, or save the right file")
    wanted = {name.casefold() for name in known}
    heads = {name: {cell.strip().casefold() for cell in lines[0][1]} for name, lines in sheets.items()}
    found = {name: len(wanted & head) for name, head in heads.items()}
    most = max(found.values())
    meant = [
        name
        for name, n in found.items()
        # A sheet that has nothing but a header loses no row.
        if n == most or (n >= _SEVERAL and len(sheets[name]) > 1)
    ]
    if len(meant) > 1:
        fix = "keep the one that is meant, or all rows in it, and move the others to another file"
        raise RowError(f"the sheets {', '.join(meant)} could all be meant", where=location, fix=fix)
    return meant[0]


_SEVERAL = 2
"""Known columns from which a sheet is another one of the same kind."""

_PLAIN_FORMATS = re.compile(r"General|@|[#,]*0(?:\.0+)?", re.IGNORECASE)
_EXACT = 10**15
"""Numbers from here on have more digits than a spreadsheet keeps."""
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


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
    if isinstance(value, datetime | timedelta):
        text = str(value).removesuffix(" 00:00:00")
        return Rewritten(text, f"the {'date' if isinstance(value, datetime) else 'duration'} {text}")
    text = f"{value:.15g}"
    if _PLAIN_FORMATS.fullmatch(cell.number_format or "General") and abs(value) < _EXACT:
        return text
    return Rewritten(text, f"the number {text} in the format {cell.number_format!r}")


_LISTED = 10
"""Rows, or cells, that a message lists."""
_COMMENTED = re.compile(r'ref="([A-Z]+[0-9]+)"')


def _comments(content: bytes) -> list[str]:
    """The cells with a comment, in any of the sheets."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = b"".join(archive.read(name) for name in archive.namelist() if "omment" in name)
    return sorted({*_COMMENTED.findall(parts.decode())})


_MAX_CELL = 32_767
"""Characters that a cell of a workbook holds."""
_WIDEST = 60
_TO_FILL_IN = 24
"""Width of a column that holds nothing yet."""
# What XML cannot hold; carriage returns, which it turns into line feeds; and texts that look like an escape.
_TO_ESCAPE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


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
    from openpyxl.worksheet.datavalidation import DataValidation

    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.freeze_panes = "A2"
    wrapped, bold = Alignment(wrap_text=True, vertical="top"), Font(bold=True)
    for number, column in enumerate(rows.columns, start=1):
        texts = ["" if value is None else str(value) for value in rows[column]]
        letter = get_column_letter(number)
        dimensions = sheet.column_dimensions[letter]
        widest = max(map(len, texts), default=0) or _TO_FILL_IN
        dimensions.width = min(max(widest, len(column)), _WIDEST) + 2
        dimensions.number_format = "@"
        for row, text in enumerate([column, *texts], start=1):
            if len(text) > _MAX_CELL:
                what = f"{len(text):,} characters, and a cell of a workbook holds {_MAX_CELL:,}"
                raise RowError(what, where=f"{location}:{row}, column {column}", fix="write the sheet as .csv")
            escaped = _TO_ESCAPE.sub(lambda found: f"_x{ord(found[0]):04X}_", text)
            cell = sheet.cell(row, number, escaped or None)
            if text:
                cell.data_type = "s"  # '=1' is a text as well
            cell.number_format, cell.alignment = "@", wrapped
        sheet.cell(1, number).font = bold
        if column in choices and rows.height:
            cells, offered = f"{letter}2:{letter}{rows.height + 1}", f'"{",".join(choices[column])}"'
            sheet.add_data_validation(
                DataValidation(type="list", formula1=offered, showErrorMessage=True, sqref=cells)
            )
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()
