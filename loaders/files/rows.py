"""Files of rows: CSV, JSONL and Parquet as rows that know their place, JSON as one value.

A place is ``file:row``, the file relative to the folder that is read. The row is the one a spreadsheet shows:
the header of a CSV file is row 1, and a record that spans several lines is one row. In JSONL it is the line, in
Parquet the record, both from 1.
"""

import codecs
import csv
import io
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from blend.loaders.files.content import open_content, parquet_rows, place_of, read_content
from blend.loaders.files.json_text import decoded, parse_json
from blend.loaders.files.notes import Notes
from blend.schemas.errors import RowError
from blend.schemas.text import counted


@dataclass(frozen=True, slots=True)
class Cells:
    """One row of a file: its place and its values by column."""

    place: str
    """``file:row``."""
    values: dict[str, Any]
    """CSV: text, possibly empty; JSONL and Parquet: any value."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a kind of file."""

    required: Collection[str]
    """Columns that every row has."""
    optional: Collection[str] = ()
    """Columns that a row may have."""
    tolerated: Collection[str] = ()
    """Columns that a row may have and that no message recommends."""
    ignored: Collection[str] = ()
    """Columns that may be there and are left out."""
    others: bool = False
    """Whether columns that nobody named may be there as well; they are left out."""

    def check(self, present: Collection[str], where: str, header: str = "") -> None:
        """Raise for a missing column, or for one that nobody knows and that would be dropped in silence."""
        known = [*self.required, *self.optional]
        strange = [name for name in present if name not in (*known, *self.tolerated, *self.ignored)]
        for column in self.required:
            if column not in present:
                close = get_close_matches(column, strange, n=1)
                fix = f"rename column {close[0]!r}" if close else "add it"
                fix = _other_separator(header) or fix
                raise RowError(f"column {column!r} is missing", where=where, fix=fix)
        for column in () if self.others else strange:
            fix = f"rename or remove it; the columns are {', '.join(known)}"
            raise RowError(f"unknown column {column!r}", where=where, fix=fix)

    def kept(self, values: dict[str, Any]) -> dict[str, Any]:
        """The values without those of columns that are left out."""
        if self.others:
            known = (*self.required, *self.optional, *self.tolerated)
            return {name: value for name, value in values.items() if name in known}
        return {name: value for name, value in values.items() if name not in self.ignored}


def read_rows(path: Path, root: Path, notes: Notes, columns: Columns) -> list[Cells]:
    """The rows of a ``.csv``, ``.jsonl`` or ``.parquet`` file, each with its place.

    Args:
        path: The file.
        root: Folder that places are relative to.
        notes: Takes the problems of single rows, and a finding for a byte order mark. The rows that can be
            read are returned all the same.
        columns: The columns that the file must and may have.

    Returns:
        Rows in file order, without the ignored columns.

    Raises:
        RowError: If nothing of the file can be read: wrong encoding, missing or unknown columns in the header.
    """
    return list(_READERS[path.suffix](path, root, notes, columns))


def _other_separator(header: str) -> str | None:
    """What to do when the header holds none of our commas but those of a spreadsheet in another language."""
    found = next((mark for mark in ";\t" if mark in header and "," not in header), None)
    return f"separate the columns with commas, not with {found!r}" if found else None


def read_text(path: Path, root: Path, notes: Notes) -> str:
    """The text of a UTF-8 file; a byte order mark is removed and noted, line ends stay as they are.

    Raises:
        RowError: If the file is not UTF-8; names the first wrong byte and its line.
    """
    place = place_of(path, root)
    content = read_content(path, where=place)
    if content.startswith(codecs.BOM_UTF8):
        content = content.removeprefix(codecs.BOM_UTF8)
        notes.finding("byte-order-mark", place, "the file starts with a byte order mark; it is left out")
    # Somebody may have typed one; what is in UTF-16 without a mark has one beside every Latin letter.
    if content.count(b"\0") > len(content) // 10:
        raise RowError(
            "every second byte is null, so this is not UTF-8 but UTF-16, or no text",
            where=place,
            fix="save the file with the encoding UTF-8",
        )
    return decoded(content, place)


def read_json(path: Path, root: Path, notes: Notes) -> Any:
    """The value of a JSON file.

    Raises:
        RowError: If the file is cut off or otherwise no JSON (names line and column), or if an object holds a
            key twice, of which JSON readers silently keep one.
    """
    return parse_json(read_text(path, root, notes), place_of(path, root))


def _csv_rows(path: Path, root: Path, notes: Notes, columns: Columns) -> Iterator[Cells]:
    text, place = read_text(path, root, notes), place_of(path, root)
    records = enumerate(csv_records(text, place), start=1)
    header = next((record for _, record in records), [])
    if not header:
        fix = f"start it with the columns {', '.join(columns.required)}"
        raise RowError("no header", where=f"{place}:1", fix=fix)
    repeated = sorted(name for name, times in Counter(header).items() if times > 1)
    if repeated:
        raise RowError(f"column {repeated[0]!r} occurs twice", where=f"{place}:1", fix="remove one of the two")
    columns.check(header, f"{place}:1", text.partition("\n")[0])
    names = list(columns.kept(dict.fromkeys(header)))
    cells = [header.index(name) for name in names]
    for row, record in records:
        if not record:
            continue
        if len(record) != len(header):
            notes.problem(
                f"{counted(len(record), 'cell')}, but the header has {len(header)}",
                where=f"{place}:{row}",
                fix="put cells that contain commas in double quotes, and leave empty cells empty",
            )
            continue
        yield Cells(f"{place}:{row}", dict(zip(names, [record[cell] for cell in cells], strict=True)))


def csv_records(text: str, place: str, *, separator: str = ",") -> Iterator[list[str]]:
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
        raise RowError(
            f"not CSV ({error})",
            where=f"{place}:{row}",
            fix="close double quotes, and double those inside a cell",
        ) from None


def _jsonl_rows(path: Path, root: Path, notes: Notes, columns: Columns) -> list[Cells]:
    text, place = read_text(path, root, notes), place_of(path, root)
    rows: list[Cells] = []
    # Only line feeds part lines; str.splitlines would also split at U+2028 and others inside a string.
    for row, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            with notes.collected():
                rows.append(_jsonl_row(line, place, row, columns))
    return rows


def _jsonl_row(line: str, place: str, row: int, columns: Columns) -> Cells:
    where = f"{place}:{row}"
    values = parse_json(line, where, whole_file=False)
    if not isinstance(values, dict):
        raise RowError(f"{line[:40]!r} is not an object", where=where, fix='write {"column": value, …}')
    columns.check(values, where)
    return Cells(where, columns.kept(values))


def _parquet_rows(path: Path, root: Path, _: Notes, columns: Columns) -> Iterator[Cells]:
    place = place_of(path, root)
    with open_content(path, where=place) as file:
        rows = parquet_rows(file, where=place, fix="write or copy it again")
    columns.check(rows.columns, place)
    for row, values in enumerate(rows.iter_rows(named=True), start=1):
        yield Cells(f"{place}:{row}", columns.kept(values))


_Reader = Callable[[Path, Path, Notes, Columns], Iterable[Cells]]

_READERS: dict[str, _Reader] = {".csv": _csv_rows, ".jsonl": _jsonl_rows, ".parquet": _parquet_rows}

SUFFIXES = tuple(_READERS)
"""File name endings that `read_rows` reads."""
