"""Files of rows: tables that people save, JSONL and Parquet, as rows that know their place.

Tables are CSV, its kin with semicolons or tabs, and workbooks. A place is ``file:row``, in a workbook
``file[sheet]:row``, the file relative to the folder that is read. The row is the one a spreadsheet shows: the
header of a CSV file is row 1, and a record that spans several lines is one row. In JSONL it is the line, in
Parquet the record, both from 1.
"""

import csv
import io
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import polars as pl

from blend.loaders.files.content import (
    location_of,
    open_content,
    parquet_rows,
    parse_json,
    read_content,
    read_text,
    utf8_text,
)
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.workbooks import WORKBOOK, Rewritten, workbook_lines
from blend.schemas.errors import RowError
from blend.schemas.sheets import is_destroyed, left_of_formula
from blend.schemas.texts import pluralise

TEXT_SUFFIXES = (".csv", ".tsv", ".txt")
TABLE_SUFFIXES = (*TEXT_SUFFIXES, WORKBOOK)
"""File name endings of tables."""
SUFFIXES = (*TABLE_SUFFIXES, ".jsonl", ".parquet")
"""File name endings that `read_rows` reads."""

_SHOWN = 6
"""Columns of a file that a message names, at most."""


class Cells(NamedTuple):
    """One row of a file: its place and its values by column."""

    location: str
    """``file:row``."""
    values: dict[str, Any]
    """Tables: text, possibly empty; JSONL and Parquet: any value."""


class Columns(NamedTuple):
    """The columns of a kind of file."""

    required: Collection[str]
    """Columns that every row has."""
    optional: Collection[str] = ()
    """Columns that a row may have."""
    others: bool = False
    """Whether columns that nobody named may be there as well; they are left out."""
    every: bool = False
    """Whether those are there and kept, and what a spreadsheet made of texts in them is left to the caller."""
    typed: bool = False
    """Whether people typed the texts, so that what a spreadsheet leaves of a formula in CSV is none of them."""
    meant: Mapping[str, str] = MappingProxyType({})
    """Optional columns by what they are called elsewhere, in small letters without signs (``finishreason``):
    such a name is refused where the column is missing, which it may well be."""
    returned: bool = False
    """Whether we made the file, and people have worked on it: cells at the end of a row may be left out, and
    nobody is told to add a column that is gone."""
    instead: str = ""
    """Ends the advice where no required column is there: what reads tables of another form."""

    @property
    def known(self) -> list[str]:
        """Columns that a file may have and that mean something."""
        return [*self.required, *self.optional]

    def named(self, header: Sequence[str]) -> list[str]:
        """The columns that a header means.

        Case and blanks around names do not count, and empty cells at its end are no columns.
        """
        folded = {name.casefold(): name for name in self.known}
        cells = [*header]
        while cells and not cells[-1].strip():
            cells.pop()
        return [cell if cell in self.known else folded.get(cell.strip().casefold(), cell) for cell in cells]

    def check(self, present: Collection[str], where: str) -> None:
        """Raise for missing columns, and for one that nobody knows and that would be dropped in silence."""
        strange = [name for name in present if name not in self.known]
        if missing := [name for name in self.required if name not in present]:
            it, columns, are = ("it", "column", "is") if len(missing) == 1 else ("them", "columns", "are")
            strange = [name for name in strange if name.strip()]  # an index has no name
            there = ", ".join(map(repr, strange[:_SHOWN])) + (" …" if len(strange) > _SHOWN else "")
            fix = f"add {it}"
            if self.returned:
                fix = f"bring {it} back as proposed"
            elif there:
                instead = self.instead if set(missing) == set(self.required) else ""
                fix = f"add {it}, or rename what holds {it}: there are {there}{instead}"
            what = f"{columns} {', '.join(map(repr, missing))} {are} missing"
            raise RowError(what, where=where, fix=fix)
        for name in strange:
            meant = self.meant.get(_letters(name))
            if meant is not None and meant not in present:
                fix = f"rename it to {meant!r}, or remove it if it holds something else"
                raise RowError(f"column {name!r} looks like {meant!r}", where=where, fix=fix)
            if not (self.others or self.every):
                fix = f"rename or remove it; the columns are {', '.join(self.known)}"
                raise RowError(f"unknown column {name!r}", where=where, fix=fix)

    def kept(self, values: dict[str, Any]) -> dict[str, Any]:
        """The values without those of columns that are left out."""
        return values if self.every else {name: values[name] for name in values if name in self.known}


def read_rows(path: Path, root: Path, diagnostics: Diagnostics, columns: Columns) -> list[Cells]:
    """The rows of a table, JSON Lines or Parquet file that hold anything, each with its place.

    Args:
        path: The file, with one of `SUFFIXES`.
        root: Folder that places are relative to.
        diagnostics: Takes the problems of single rows, and findings about a workbook. The rows that can be read
            are returned all the same.
        columns: The columns that the file must and may have.

    Returns:
        Rows in file order.

    Raises:
        RowError: If nothing of the file can be read: another kind of file, missing or unknown
            columns in the header.
    """
    suffix, location = path.suffix.lower(), location_of(path, root)
    if suffix == ".jsonl":
        return _jsonl_rows(read_text(path, root), location, diagnostics, columns)
    if suffix == ".parquet":
        return list(_parquet_rows(path, location, columns))
    if suffix not in TABLE_SUFFIXES:
        fix = f"use one of: {', '.join(SUFFIXES)}"
        raise RowError(f"unknown file name ending {path.suffix!r}", where=location, fix=fix)
    return list(_table_rows(_open_table(path, location, diagnostics, columns.known), diagnostics, columns))


def read_table(path: Path) -> list[Cells]:
    """The rows of a table of typed texts with every column that it has, for who finds out what they mean.

    Raises:
        RowError, RowErrors: If it cannot be read.
    """
    diagnostics = Diagnostics()
    rows = read_rows(path, path.parent, diagnostics, Columns((), every=True, typed=True))
    diagnostics.raise_problems()
    return rows


def only_named(path: Path, root: Path, suffixes: Iterable[str], diagnostics: Diagnostics) -> Path | None:
    """The one file of a name with one of the endings, null where there is none; several are a problem."""
    # A folder or a broken link of that name counts as well: reading it says what is wrong with it.
    found = [one for suffix in suffixes if os.path.lexists(one := path.with_name(f"{path.name}{suffix}"))]
    if len(found) > 1:
        what = f"{' and '.join(one.name for one in found)} stand side by side"
        diagnostics.problem(what, where=location_of(path, root), fix="keep one of them")
    return found[0] if found else None


# Tables, as lines and as rows.


class _Table(NamedTuple):
    """A table as it stands in a file."""

    location: str
    """The file, and the sheet of a workbook."""
    lines: Iterator[tuple[int, list[str]]]
    """All lines in file order, each with its row and as many cells as it has."""
    separator: str | None = None
    """What separates the cells; null in a workbook."""
    ends_open: bool = False
    """Whether no line end follows the last line, as where a file was cut off."""


def _open_table(path: Path, location: str, diagnostics: Diagnostics, known: Collection[str]) -> _Table:
    content = read_content(path, where=location)
    if path.suffix.lower() == WORKBOOK:
        location, of_sheet = workbook_lines(content, location, known, diagnostics)
        return _Table(location, iter(of_sheet))
    if content.startswith(b"PK\x03\x04"):
        raise RowError("a workbook, not text", where=location, fix=f"name it {path.stem}{WORKBOOK}")
    text = utf8_text(content, location)
    separator = _separator(text, location, is_tsv=path.suffix.lower() == ".tsv")
    lines = enumerate(csv_records(text, location, separator=separator), start=1)
    return _Table(location, lines, separator, ends_open=not text.endswith(("\n", "\r")))


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
        fix = "close double quotes, and double those inside a cell"
        raise RowError(f"not {kind} ({error})", where=f"{location}:{row}", fix=fix) from None


_SAMPLE = 100
"""Lines by which the separator of cells is known."""


def _separator(text: str, location: str, *, is_tsv: bool) -> str:
    """Find what separates the cells: that by which most lines are as wide as the first."""
    marks = ("\t", ";", ",") if is_tsv else (",", ";", "\t")
    found = dict.fromkeys(marks, (0, 0))
    for mark in marks:
        widths: list[int] = []
        with suppress(RowError):  # told when the lines are read; those above it tell the separator as well
            for cells in islice(csv_records(text, location, separator=mark), _SAMPLE):
                widths += [len(cells)] if cells else []
        if widths and widths[0] > 1:
            found[mark] = widths.count(widths[0]), widths[0]
    return max(marks, key=lambda mark: found[mark])


def _table_rows(table: _Table, diagnostics: Diagnostics, columns: Columns) -> Iterator[Cells]:
    lines = ((f"{table.location}:{row}", cells) for row, cells in table.lines if any(map(str.strip, cells)))
    where, first = next(lines, (f"{table.location}:1", []))
    if not first:
        raise RowError("no header", where=where, fix=f"start it with the columns {', '.join(columns.required)}")
    header = columns.named(first)
    locations = {name: header.index(name) for name in columns.kept(dict.fromkeys(header))}
    repeated = sorted(name for name, times in Counter(header).items() if times > 1 and name in locations)
    if repeated:
        raise RowError(f"column {repeated[0]!r} occurs twice", where=where, fix="remove one of the two")
    columns.check(header, where)
    # Spreadsheets leave out empty cells at the end of some rows; a file that was cut off does so, too.
    needed = max((header.index(name) + 1 for name in columns.required), default=0)
    needed = 0 if columns.returned else len(header) if table.ends_open else needed
    head = [*map(_letters, first)]
    for where, cells in lines:
        if _letters(cells[0]) == head[0] and [*map(_letters, cells)] == head:
            fix = "delete the row; keep one header, in the first row"
            diagnostics.problem("the header once more", where=where, fix=fix)
        elif any(map(str.strip, cells[len(header) :])) or (
            table.separator and not columns.returned and not needed <= len(cells) <= len(first)
        ):
            what = f"{pluralise(len(cells), 'cell')}, but the header has {len(first)}"
            fix = "name the columns on the right as well, or empty the cells there"
            if mark := table.separator:
                # One more cell, even an empty one, is there where a comma without quotes moved all behind it.
                fix = f"put cells that contain {mark!r} in double quotes"
                fix += ", and write missing ones, empty ones as well"
            diagnostics.problem(what, where=where, fix=fix)
        else:
            cells += [""] * (len(header) - len(cells))
            values = {name: cells[at] for name, at in locations.items()}
            if columns.typed:
                values = {name: _marked(cell) for name, cell in values.items()}
            n_before = len(diagnostics.problems)
            for name, cell in values.items():
                if name in columns.known or not cell:
                    refuse_rewritten(cell, f"{where}, column {name}", diagnostics)
            # Whatever else is wrong with a text that nobody typed is no help.
            if not columns.typed or len(diagnostics.problems) == n_before:
                yield Cells(where, values)


@lru_cache(maxsize=4096)
def _letters(name: str) -> str:
    """A name without case, blanks and signs: ``finishreason`` of ``finishReason`` and ``Finish Reason``."""
    return "".join(char for char in name.casefold() if char.isalnum())


_DESTROYED = "question marks in place of letters"
"""What a cell holds whose letters the encoding of a spreadsheet's CSV lacks."""


def _marked(cell: str) -> str:
    """A cell that says so if it holds what is left of a formula or of letters, as one of a workbook does."""
    what = _DESTROYED if is_destroyed(cell) else left_of_formula(cell)
    return cell if what is None else Rewritten(cell, what)


def refuse_rewritten(cell: str, where: str, diagnostics: Diagnostics) -> None:
    """Note as a problem that a cell holds what a spreadsheet made of a text, where nobody can know of which."""
    if (what := getattr(cell, "what", None)) is not None:
        fix = "give the column the format Text, and write again what stood there"
        if what == _DESTROYED:
            fix = (
                "save the original again as .xlsx or 'CSV UTF-8'; if somebody typed question marks, that is no "
                "answer: leave it out, or write why there is none"
            )
        diagnostics.problem(f"the cell holds {what}, made by a spreadsheet", where=where, fix=fix)


# JSON Lines and Parquet.


def _jsonl_rows(text: str, location: str, diagnostics: Diagnostics, columns: Columns) -> list[Cells]:
    rows: list[Cells] = []
    # Only line feeds part lines; str.splitlines would also split at U+2028 and others inside a string.
    for row, line in enumerate(text.split("\n"), start=1):
        where = f"{location}:{row}"
        with diagnostics.collected():
            if line.strip():
                values = parse_json(line, where, is_file=False)
                if not isinstance(values, dict):
                    fix = 'write {"column": value, …}'
                    raise RowError(f"{line[:40]!r} is not an object", where=where, fix=fix)
                columns.check(values, where)
                rows.append(Cells(where, columns.kept(values)))
    return rows


def _parquet_rows(path: Path, location: str, columns: Columns) -> Iterator[Cells]:
    with open_content(path, where=location) as file:
        rows = parquet_rows(file, where=location, fix="write or copy it again")
    columns.check(rows.columns, location)
    # What pandas writes where there is no value, as in a column of texts that are all missing.
    rows = rows.with_columns(pl.selectors.float().fill_nan(None))
    for row, values in enumerate(rows.iter_rows(named=True), start=1):
        yield Cells(f"{location}:{row}", columns.kept(values))
