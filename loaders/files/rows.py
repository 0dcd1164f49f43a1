"""Files of rows: tables that people save, JSONL and Parquet as rows that know their place, JSON as one value.

A place is ``file:row``, in a workbook ``file[sheet]:row``, the file relative to the folder that is read. The
row is the one a spreadsheet shows: the header of a CSV file is row 1, and a record that spans several lines is
one row. In JSONL it is the line, in Parquet the record, both from 1.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.loaders.files.content import location_of, open_content, parquet_rows, parse_json, read_text
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.tables import (
    DESTROYED,
    OTHER_WORKBOOKS,
    TABLE_SUFFIXES,
    Line,
    Rewritten,
    Table,
    open_table,
    refuse_rewritten,
)
from blend.schemas.errors import RowError, closest
from blend.schemas.sheets import is_destroyed, left_of_formula
from blend.schemas.texts import pluralise

_SHOWN = 6
"""Columns of a file that a message names, at most."""


class Cells(NamedTuple):
    """One row of a file: its place and its values by column."""

    location: str
    """``file:row``."""
    values: dict[str, Any]
    """Tables: text, possibly empty; JSONL and Parquet: any value."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a kind of file."""

    required: Collection[str]
    """Columns that every row has."""
    optional: Collection[str] = ()
    """Columns that a row may have."""
    ignored: Collection[str] = ()
    """Columns that may be there and are left out."""
    others: bool = False
    """Whether columns that nobody named may be there as well; they are left out."""
    every: bool = False
    """Whether those are kept, and what a spreadsheet made of texts in them is left to the caller."""
    rewritten: Collection[str] = ()
    """Columns in which dates and errors that a spreadsheet made of texts are passed on as it shows them, for a
    caller who can tell what was there; in others they are problems."""
    typed: bool = False
    """Whether people typed the texts, so that what a spreadsheet leaves of a formula in CSV is none of them."""
    other_names: Mapping[str, Collection[str]] = field(default_factory=dict)
    """By optional column, what it is called elsewhere: where it is missing, one of these is refused, and so is
    its own name in another spelling (``finishReason``)."""
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
        exact = {*self.known, *self.ignored}
        folded = {name.casefold(): name for name in exact}
        cells = [*header]
        while cells and not cells[-1].strip():
            cells.pop()
        return [cell if cell in exact else folded.get(cell.strip().casefold(), cell) for cell in cells]

    def check(self, present: Collection[str], where: str) -> None:
        """Raise for missing columns, and for one that nobody knows and that would be dropped in silence."""
        strange = [name for name in present if name not in (*self.known, *self.ignored)]
        missing = [name for name in self.required if name not in present]
        if missing:
            parts = missing[0].split("_")  # id, where template_id is wanted
            same = next((name for name in strange if name.strip().casefold() in parts), None)
            close = None if self.returned else closest(missing[0], strange) or same
            one = len(missing) == 1
            fix = f"rename column {close!r}" if close else "add it" if one else "add them"
            # Hardly a table of this kind, or one whose header somebody has written in other words.
            if set(missing) == set(self.required) and strange and not close:
                there = ", ".join(map(repr, strange[:_SHOWN])) + (" …" if len(strange) > _SHOWN else "")
                fix = f"rename the columns that hold {'it' if one else 'them'}: there are {there}{self.instead}"
            if self.returned:
                fix = f"bring {'it' if one else 'them'} back as proposed"
            names = ", ".join(map(repr, missing))
            what = f"column {names} is missing" if one else f"columns {names} are missing"
            raise RowError(what, where=where, fix=fix)
        for name, others in self.other_names.items():
            meant = {_letters(other) for other in (name, *others)}
            also = None if name in present else next((one for one in strange if _letters(one) in meant), None)
            if also is not None:
                fix = f"rename it to {name!r}, or remove it if it holds something else"
                raise RowError(f"column {also!r} looks like {name!r}", where=where, fix=fix)
        for column in () if self.others else strange:
            fix = f"rename or remove it; the columns are {', '.join(self.known)}"
            raise RowError(f"unknown column {column!r}", where=where, fix=fix)

    def kept(self, values: dict[str, Any]) -> dict[str, Any]:
        """The values without those of columns that are left out."""
        if self.others and not self.every:
            return {name: value for name, value in values.items() if name in self.known}
        return {name: value for name, value in values.items() if name not in self.ignored}


def read_rows(path: Path, root: Path, diagnostics: Diagnostics, columns: Columns) -> list[Cells]:
    """The rows of a table, JSON Lines or Parquet file that hold anything, each with its place.

    Args:
        path: The file, with one of `SUFFIXES`.
        root: Folder that places are relative to.
        diagnostics: Takes the problems of single rows, and a finding for a byte order mark. The rows that can
            be read are returned all the same.
        columns: The columns that the file must and may have.

    Returns:
        Rows in file order, without the ignored columns.

    Raises:
        RowError: If nothing of the file can be read: another kind of file, missing or unknown
            columns in the header.
    """
    suffix = path.suffix.lower()
    if suffix == ".jsonl":
        return _jsonl_rows(path, root, diagnostics, columns)
    if suffix == ".parquet":
        return list(_parquet_rows(path, root, columns))
    if suffix not in TABLE_SUFFIXES:
        raise _unknown_kind(path, where=location_of(path, root))
    table = open_table(path, root, diagnostics, known=columns.known)
    return list(_table_rows(table, diagnostics, columns))


def read_table(path: Path) -> list[Cells]:
    """The rows of a table of typed texts with every column that it has, for who finds out what they mean.

    Raises:
        RowError, RowErrors: If it cannot be read.
    """
    diagnostics = Diagnostics()
    rows = read_rows(path, path.parent, diagnostics, Columns((), others=True, every=True, typed=True))
    diagnostics.raise_problems()
    return rows


def text_of(value: object) -> str:
    """A value of JSON Lines or Parquet as the text that stands for it: ``18`` also of the number 18.0."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _unknown_kind(path: Path, *, where: str) -> RowError:
    """The error for a file whose name does not end in one of `SUFFIXES`."""
    if path.suffix.lower() in OTHER_WORKBOOKS:
        return RowError(
            "another spreadsheet's own format", where=where, fix="save it as .xlsx, or as CSV in UTF-8"
        )
    what = f"unknown file name ending {path.suffix!r}"
    return RowError(what, where=where, fix=f"use one of: {', '.join(SUFFIXES)}")


def _letters(name: str) -> str:
    """A name without case, blanks and signs: ``finishreason`` of ``finishReason`` and ``Finish Reason``."""
    return "".join(char for char in name.casefold() if char.isalnum())


def _table_rows(table: Table, diagnostics: Diagnostics, columns: Columns) -> Iterator[Cells]:
    lines = (line for line in table.lines if not line.is_blank)
    first = next(lines, None)
    if first is None:
        fix = f"start it with the columns {', '.join(columns.required)}"
        raise RowError("no header", where=f"{table.location}:1", fix=fix)
    header = columns.named(first.cells)
    counts = Counter(name for name in header if columns.every or not columns.others or name in columns.known)
    repeated = sorted(name for name, times in counts.items() if times > 1)
    if repeated:
        raise RowError(
            f"column {repeated[0]!r} occurs twice", where=first.location, fix="remove one of the two"
        )
    columns.check(header, first.location)
    locations = {name: header.index(name) for name in columns.kept(dict.fromkeys(header))}
    # Spreadsheets leave out empty cells at the end of some rows; a file that was cut off does so, too.
    needed = None
    if not columns.returned:
        needed = (
            len(header)
            if table.ends_open
            else 1 + max((locations[name] for name in columns.required), default=-1)
        )
    start = _letters(first.cells[0])
    for line in lines:
        if _letters(line.cells[0]) == start and [*map(_letters, line.cells)] == [*map(_letters, first.cells)]:
            fix = "delete the row; keep one header, in the first row"
            diagnostics.problem("the header once more", where=line.location, fix=fix)
            continue
        problem = _ragged(line, first, len(header), needed, table)
        if problem is not None:
            diagnostics.problems.append(problem)
            continue
        cells = [*line.cells, *[""] * (len(header) - len(line.cells))]
        if columns.typed:
            cells = [_marked(cell) for cell in cells]
        values = {name: cells[at] for name, at in locations.items()}
        n_before = len(diagnostics.problems)
        for name, cell in values.items():
            is_ours = name in columns.known and name not in columns.rewritten
            if is_ours or not cell:
                refuse_rewritten(cell, f"{line.location}, column {name}", diagnostics)
        # Whatever else is wrong with a text that nobody typed is no help.
        if not columns.typed or len(diagnostics.problems) == n_before:
            yield Cells(line.location, values)


def _marked(cell: str) -> str:
    """A cell that says so if it holds what is left of a formula or of letters, as one of a workbook does."""
    what = DESTROYED if is_destroyed(cell) else left_of_formula(cell)
    return cell if what is None else Rewritten(cell, what)


def _ragged(line: Line, header: Line, width: int, needed: int | None, table: Table) -> RowError | None:
    """The problem of a row with more cells than the header, or without some that it needs.

    ``width`` is how many cells of the header are columns, ``needed`` null where rows may be of any length.
    """
    what = f"{pluralise(len(line.cells), 'cell')}, but the header has {len(header.cells)}"
    # Empty ones as well: a comma without quotes moves all cells behind it to the right.
    too_many = needed is not None and table.separator is not None and len(line.cells) > len(header.cells)
    if too_many or any(cell.strip() for cell in line.cells[width:]):
        if table.separator is None:
            fix = "name the columns on the right as well, or empty them"
            return RowError("a cell to the right of the last column", where=line.location, fix=fix)
        fix = (
            f"put cells that contain {table.separator!r} in double quotes, and move what stands to the right "
            "of the last column"
        )
        return RowError(what, where=line.location, fix=fix)
    if needed is not None and len(line.cells) < needed and table.separator is not None:
        fix = f"write the missing ones, empty ones as well, with {table.separator!r} between them"
        return RowError(what, where=line.location, fix=fix)
    return None


def _jsonl_rows(path: Path, root: Path, diagnostics: Diagnostics, columns: Columns) -> list[Cells]:
    text, location = read_text(path, root), location_of(path, root)
    rows: list[Cells] = []
    # Only line feeds part lines; str.splitlines would also split at U+2028 and others inside a string.
    for row, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            with diagnostics.collected():
                rows.append(_jsonl_row(line, location, row, columns))
    return rows


def _jsonl_row(line: str, location: str, row: int, columns: Columns) -> Cells:
    where = f"{location}:{row}"
    values = parse_json(line, where, is_file=False)
    if not isinstance(values, dict):
        raise RowError(f"{line[:40]!r} is not an object", where=where, fix='write {"column": value, …}')
    columns.check(values, where)
    return Cells(where, columns.kept(values))


def _parquet_rows(path: Path, root: Path, columns: Columns) -> Iterator[Cells]:
    location = location_of(path, root)
    with open_content(path, where=location) as file:
        rows = parquet_rows(file, where=location, fix="write or copy it again")
    columns.check(rows.columns, location)
    # What pandas writes where there is no value, as in a column of texts that are all missing.
    rows = rows.with_columns(pl.selectors.float().fill_nan(None))
    for row, values in enumerate(rows.iter_rows(named=True), start=1):
        yield Cells(f"{location}:{row}", columns.kept(values))


SUFFIXES = (*TABLE_SUFFIXES, ".jsonl", ".parquet")
"""File name endings that `read_rows` reads."""
