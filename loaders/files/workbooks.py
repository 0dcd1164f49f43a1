"""Workbooks: sheets of .xlsx, in as texts and out with drop-down lists.

A spreadsheet keeps what it made of a text, not the text: ``1/2`` is a day of this year, ``50%`` is 0.5. What
can be told without a guess is read as the text that the cell shows; the rest comes as `Rewritten`, which says
what the cell holds, for a reader that knows what was there or refuses it.
"""

import io
import lzma
import re
import warnings
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from blend.loaders.files.diagnostics import Diagnostics
from blend.schemas.errors import RowError
from blend.schemas.sheets.spreadsheet_cells import may_be_rewritten

if TYPE_CHECKING:
    import polars as pl
    from openpyxl.workbook.workbook import Workbook

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
_PLAIN_FORMATS = re.compile(r"General|@|[#,]*0(?:\.0+)?(?:E\+0+)?(?:_\))?", re.IGNORECASE)
_PERCENT = re.compile(r"0(?:\.(0+))?%")
_EXACT = 10**15
"""Numbers from here on have more digits than a spreadsheet keeps."""
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
# What XML cannot hold; carriage returns, which it turns into line feeds; and texts that look like an escape.
_TO_ESCAPE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_WIDEST = 60
_SEVERAL = 2
"""Known columns from which a sheet is another one of the same kind."""
_STYLES = "xl/styles.xml"
_COMMENTS = re.compile(r"xl/(?:comments|threadedComments)[^.]*\.xml|xl/comments/[^/]*\.xml")
_COMMENTED = re.compile(rb'ref="([A-Z]+[0-9]+)"')
_LISTED = 10
"""Rows, or cells, that a message lists."""
_LEGEND = re.compile(r"what \w+ means")
"""Title of a sheet that explains what can be chosen."""
_TO_FILL_IN = 24
"""Width of a column that holds nothing yet."""


class ByColumn(NamedTuple):
    """What can be chosen in a cell, by what another column of its row holds."""

    column: str
    choices: Mapping[str, Mapping[str, str]]
    """By value of that column, what can be chosen and what each choice means."""


Choices = Mapping[str, Sequence[str] | ByColumn]
"""What can be chosen in a column. A list with the name of another column offers its values; what depends on
another column is explained in a sheet of its own."""


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
) -> tuple[str, Iterator[tuple[int, list[str]]]]:
    """The lines of a workbook's sheet.

    Args:
        content: Of the file.
        location: What messages call it.
        known: Names of columns. Of several sheets that hold anything, the one whose first line has most of them
            is read; no other may have two of them, nor rows like its rows, since these would be lost.
        diagnostics: Takes a finding for each other sheet that holds anything but what our own ones explain.

    Returns:
        The file with the sheet, ``file[sheet]``; and the lines with their row, from 1.

    Raises:
        RowError: If it is not a workbook, is damaged, protected or too large, is empty, or if several sheets
            could be meant.
    """
    if content.startswith(_PROTECTED):
        fix = "save it as .xlsx without a password"
        raise RowError("protected by a password, or an .xls file by another name", where=location, fix=fix)
    has_formulas = _check_archive(content, location)
    try:
        sheets = _sheets(content, values=True)
        formulas = _sheets(content, values=False) if has_formulas else {}
    except Exception as error:
        raise _damaged(location) from error
    name = _chosen(sheets, known, location)
    for other, lines in sheets.items():
        if other == name or _LEGEND.fullmatch(other):
            continue
        if _continues(sheets[name], lines):
            what = f"the rows of sheet {other!r} look like those of {name!r}, but without its header"
            fix = f"move them below those of {name!r}, or to another file"
            raise RowError(what, where=f"{location}[{other}]", fix=fix)
        what = f"sheet {other!r} is left out; {name!r} is read"
        diagnostics.finding("sheet-left-out", f"{location}[{other}]", what)
    _note_looks(content, sheets[name][1:], f"{location}[{name}]", diagnostics)
    return f"{location}[{name}]", _texts(sheets[name], formulas.get(name, []))


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

    Choices that depend on another column stand in a second sheet, with what they mean.

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
    texts: list[list[str | None]] = [
        [*rows.columns],
        *([None if v is None else str(v) for v in row] for row in rows.iter_rows()),
    ]
    for number in range(len(rows.columns)):
        letter = get_column_letter(number + 1)
        widest = max((len(line[number] or "") for line in texts[1:]), default=0) or _TO_FILL_IN
        sheet.column_dimensions[letter].width = min(max(widest, len(rows.columns[number])), _WIDEST) + 2
        sheet.column_dimensions[letter].number_format = "@"
    for validation in _validations(rows, choices):
        sheet.add_data_validation(validation)
    for column, offered in choices.items():
        if isinstance(offered, ByColumn):
            _add_legend(book.create_sheet(_legend_title(column)), column, offered)
    for row, line in enumerate(texts, start=1):
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


def _validations(rows: "pl.DataFrame", choices: Choices) -> Iterator[Any]:
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    last = rows.height + 1
    for column, offered in choices.items():
        if not rows.height:
            return
        letter = get_column_letter(rows.columns.index(column) + 1)
        if isinstance(offered, ByColumn):
            formula = _formula_by_column(rows, column, offered)
            lists = (f"for a {one}: {', '.join(offered.choices[one])}" for one in offered.choices)
            error = f"Choose, or leave the cell empty; {'; '.join(lists)}."
        elif len(offered) == 1 and offered[0] in rows.columns:
            source = get_column_letter(rows.columns.index(offered[0]) + 1)
            formula = f"${source}$2:${source}${last}"
            error = f"Choose one from the column {offered[0]}, or leave the cell empty."
        else:
            formula = f'"{",".join(offered)}"'
            error = f"Choose {' or '.join(offered)}, or leave the cell empty."
        yield DataValidation(
            type="list",
            formula1=formula,
            allow_blank=True,
            showErrorMessage=True,
            errorTitle=column,
            error=error,
            sqref=f"{letter}2:{letter}{last}",
        )


def _formula_by_column(rows: "pl.DataFrame", column: str, offered: ByColumn) -> str:
    """The list of a cell in row 2, as a formula that every other row repeats for itself: rows may be sorted."""
    from openpyxl.utils import get_column_letter

    other, title = get_column_letter(rows.columns.index(offered.column) + 1), _legend_title(column)
    formula, end = "", sum(map(len, offered.choices.values())) + 1
    for value, choices in reversed(list(offered.choices.items())):
        cells = f"'{title}'!$B${end - len(choices) + 1}:$B${end}"
        end -= len(choices)
        # The last list is that of every other value, too: a list must be a range.
        formula = f'IF(${other}2="{value}",{cells},{formula})' if formula else cells
    return formula


def _legend_title(column: str) -> str:
    return f"what {column} means"


def _add_legend(sheet: Any, column: str, offered: ByColumn) -> None:
    """Write what can be chosen, line by line; `_formula_by_column` refers to the second column."""
    from openpyxl.styles import Alignment, Font

    sheet.append((offered.column, column, "meaning"))
    for value, choices in offered.choices.items():
        for choice, meaning in choices.items():
            sheet.append((value, choice, meaning))
    for letter, width in zip("ABC", (_TO_FILL_IN, _TO_FILL_IN, _WIDEST), strict=True):
        sheet.column_dimensions[letter].width = width
        sheet[f"{letter}1"].font = Font(bold=True)
    for line in sheet["C"]:
        line.alignment = Alignment(wrap_text=True, vertical="top")
    sheet.freeze_panes = "A2"


def _check_archive(content: bytes, location: str) -> bool:
    """Whether the sheets of a workbook hold formulas; refuse what is none, or too large to be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = sum(part.file_size for part in archive.infolist())
            if size > MAX_UNPACKED:
                what = f"{len(content):,} bytes that unpack to {size:,}; more than {MAX_UNPACKED:,} is not read"
                raise RowError(what, where=location, fix="save the sheet as CSV, with the encoding UTF-8")
            names = [part.filename for part in archive.infolist() if part.filename.endswith((".xml", ".rels"))]
            if "[Content_Types].xml" not in names:
                raise RowError("not a workbook", where=location, fix="save it as .xlsx, or as CSV in UTF-8")
            parts = {name: archive.read(name) for name in names}
    except RowError:
        raise
    except NOT_AN_ARCHIVE:
        raise _damaged(location) from None
    # No spreadsheet writes one, and what it declares could unpack without end.
    if any(b"<!DOCTYPE" in part for part in parts.values()):
        raise RowError("a workbook that declares entities", where=location, fix="do not use it")
    return any(b"<f>" in part or b"<f " in part for name, part in parts.items() if "worksheets/" in name)


NOT_AN_ARCHIVE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError),
    *(NotImplementedError, RuntimeError, OSError, ValueError),
)
"""What `zipfile` raises for bytes that are not a sound archive: each packing has an error of its own."""

_Sheets = dict[str, list[tuple[int, Sequence[Any]]]]


def _sheets(content: bytes, *, values: bool) -> _Sheets:
    """The lines of all sheets that hold anything, as cells; formulas in place of their values if asked."""
    import openpyxl

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about what it cannot write back
        book: Workbook = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=values)
        found: _Sheets = {}
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


def _chosen(sheets: _Sheets, known: Collection[str], location: str) -> str:
    if not sheets:
        raise RowError("no sheet holds anything", where=location, fix="fill one in, or save the right file")
    wanted = {name.casefold() for name in known}
    found = {
        name: len(wanted.intersection(str(cell.value).strip().casefold() for cell in lines[0][1]))
        for name, lines in sheets.items()
    }
    most = max(found.values())
    best = [name for name, columns in found.items() if columns == most or _has_rows(name, columns, sheets)]
    if len(best) > 1:
        fix = "keep the one that is meant, or all rows in it, and move the others to another file"
        raise RowError(f"the sheets {', '.join(best)} could all be meant", where=location, fix=fix)
    return best[0]


def _has_rows(name: str, columns: int, sheets: _Sheets) -> bool:
    """Whether a sheet with so many of the wanted columns holds rows of the same kind, and not our legend."""
    return columns >= _SEVERAL and len(sheets[name]) > 1 and not _LEGEND.fullmatch(name)


def _continues(read: Sequence[tuple[int, Sequence[Any]]], other: Sequence[tuple[int, Sequence[Any]]]) -> bool:
    """Whether most rows of another sheet share a value with the sheet that is read, behind the first column.

    That is an annotator or a locale. A sheet that explains ids has them in its first column.
    """
    width = max(len(cells) for _, cells in read)
    held = [{cells[at].value for _, cells in read[1:] if at < len(cells)} - {None} for at in range(1, width)]
    shared = [
        sum(len(cells) > at and cells[at].value in held[at - 1] for _, cells in other) for at in range(1, width)
    ]
    return len(other) > 1 and max(shared, default=0) * 2 > len(other)


def _texts(
    lines: list[tuple[int, Sequence[Any]]], formulas: list[tuple[int, Sequence[Any]]]
) -> Iterator[tuple[int, list[str]]]:
    by_row = dict(formulas)
    rows = sorted({row for row, _ in (*lines, *formulas)})
    shown = dict(lines)
    for row in rows:
        cells, beside = shown.get(row, ()), by_row.get(row, ())
        yield (
            row,
            [
                _text(cells[at] if at < len(cells) else None, beside[at] if at < len(beside) else None)
                for at in range(max(len(cells), len(beside)))
            ],
        )


def _text(cell: Any, formula: Any) -> str:
    """The text of a cell; ``formula`` is the same cell as it stands in the file, null where none has any."""
    value = None if cell is None else cell.value
    if value is None:
        if formula is not None and formula.data_type == "f":
            return Rewritten("", "a formula whose value was never computed")
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if cell.data_type == "e":
        return Rewritten(value, f"the error {value}")
    if isinstance(value, str):
        return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value)
    if isinstance(value, (time, timedelta)):
        return _clock(value)
    if isinstance(value, date):
        return _day(value)
    return _number(value, cell.number_format or "General")


def _clock(value: time | timedelta) -> str:
    if isinstance(value, time):
        value = datetime.combine(date.min, value) - datetime.combine(date.min, time())
    minutes, seconds = divmod(round(value.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}" + (f":{seconds:02}" if seconds else "")


def _day(value: date) -> str:
    if isinstance(value, datetime) and value.time() != time():
        text = value.isoformat(" ", "seconds")
        return Rewritten(text, f"the date and time {text}")
    text = f"{value:%Y-%m-%d}"
    return Rewritten(text, f"the date {text}")


def _number(value: float, number_format: str) -> str:
    text = f"{value:.15g}" if isinstance(value, float) else str(value)
    if abs(value) >= _EXACT:
        return Rewritten(text, f"the number {text}, of which a spreadsheet keeps 15 digits")
    if re.fullmatch("0+", number_format) and value == int(value) >= 0:
        return str(int(value)).zfill(len(number_format))
    if found := _PERCENT.fullmatch(number_format):
        return f"{value:.{len(found[1] or '')}%}"
    if _PLAIN_FORMATS.fullmatch(number_format.partition(";")[0]):
        return text
    return Rewritten(text, f"the number {text} in the format {number_format!r}")


def _unguarded(text: str) -> str:
    """A text without the apostrophe that keeps it text in CSV; one of its own stays."""
    return text[1:] if text.startswith("'") and may_be_rewritten(text[1:]) else text


def _escaped(text: str) -> str:
    return _TO_ESCAPE.sub(lambda found: f"_x{ord(found[0]):04X}_", text)


def _damaged(location: str) -> RowError:
    return RowError(
        "not a workbook, or damaged", where=location, fix="save it again as .xlsx, or as CSV in UTF-8"
    )
