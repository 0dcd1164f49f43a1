"""Files of rows: CSV, JSONL and Parquet as rows that know their place, JSON as one value.

A place is ``file:row``, the file relative to the folder that is read. The row is the one a spreadsheet shows:
the header of a CSV file is row 1, and a record that spans several lines is one row. In JSONL it is the line, in
Parquet the record, both from 1.
"""

import codecs
import csv
import io
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import polars as pl

from blend.loaders.notes import Notes
from blend.schemas.errors import RowError

_LONE_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class Cells:
    """One row of a file: its place and its values by column."""

    place: str
    """``file:row``."""
    values: dict[str, Any]
    """CSV: text, possibly empty; JSONL and Parquet: any value."""


def read_rows(
    path: Path,
    root: Path,
    notes: Notes,
    *,
    required: Collection[str],
    optional: Collection[str] = (),
    ignored: Collection[str] = (),
) -> list[Cells]:
    """The rows of a ``.csv``, ``.jsonl`` or ``.parquet`` file, each with its place.

    Args:
        path: The file.
        root: Folder that places are relative to.
        notes: Takes the problems of single rows, and a finding for a byte order mark. The rows that can be
            read are returned all the same.
        required: Columns that every row has.
        optional: Columns that a row may have.
        ignored: Columns that may be there and are left out.

    Returns:
        Rows in file order, with no other columns than the required and optional ones.

    Raises:
        RowError: If nothing of the file can be read: wrong encoding, missing or unknown columns in the header.
    """
    return list(_READERS[path.suffix](path, root, notes, _Columns(required, optional, ignored)))


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns of a file."""

    required: Collection[str]
    optional: Collection[str]
    ignored: Collection[str]

    def check(self, present: Collection[str], where: str, header: str = "") -> None:
        """Raise for a missing column, or for one that nobody knows and that would be dropped in silence."""
        known = [*self.required, *self.optional]
        for column in self.required:
            if column not in present:
                close = get_close_matches(column, [name for name in present if name not in known], n=1)
                fix = f"rename column {close[0]!r}" if close else "add it"
                raise RowError(
                    f"column {column!r} is missing", where=where, fix=_other_separator(header) or fix
                )
        for column in present:
            if column not in known and column not in self.ignored:
                fix = f"rename or remove it; the columns are {', '.join(known)}"
                raise RowError(f"unknown column {column!r}", where=where, fix=fix)

    def kept(self, values: dict[str, Any]) -> dict[str, Any]:
        """The values without those of ignored columns."""
        return {name: value for name, value in values.items() if name not in self.ignored}


def _other_separator(header: str) -> str | None:
    """What to do when the header holds none of our commas but those of a spreadsheet in another language."""
    found = next((mark for mark in ";\t" if mark in header and "," not in header), None)
    return f"separate the columns with commas, not with {found!r}" if found else None


def place_of(path: Path, root: Path) -> str:
    """The file as named in places: relative to the folder that is read, with forward slashes."""
    return path.relative_to(root).as_posix()


def read_text(path: Path, root: Path, notes: Notes) -> str:
    """The text of a UTF-8 file; a byte order mark is removed and noted, line ends stay as they are.

    Raises:
        RowError: If the file is not UTF-8; names the first wrong byte and its line.
    """
    content, place = path.read_bytes(), place_of(path, root)
    if content.startswith(codecs.BOM_UTF8):
        content = content.removeprefix(codecs.BOM_UTF8)
        notes.finding("byte-order-mark", place, "the file starts with a byte order mark; it is left out")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise RowError(
            f"byte 0x{content[error.start]:02X} at offset {error.start} (line {line}) is not UTF-8",
            where=place,
            fix="save the file with the encoding UTF-8 (in a spreadsheet: 'CSV UTF-8')",
        ) from None


def read_json(path: Path, root: Path, notes: Notes) -> Any:
    """The value of a JSON file.

    Raises:
        RowError: If the file is cut off or otherwise no JSON (names line and column), or if an object holds a
            key twice, of which JSON readers silently keep one.
    """
    return _parsed(read_text(path, root, notes), place_of(path, root))


def _parsed(text: str, place: str, line: int | None = None) -> Any:
    """The value of a JSON text, with ``place`` naming it; ``line`` when the text is one line of a file."""
    repeated: list[str] = []

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) < len(pairs):
            keys = [key for key, _ in pairs]
            repeated.extend(dict.fromkeys(key for key in keys if keys.count(key) > 1))
        return value

    try:
        value = json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        position = f"line {line or error.lineno}, column {error.colno}"
        cut_off = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        what = f"the JSON text ends in the middle ({error.msg})" if cut_off else f"not JSON ({error.msg})"
        fix = "copy or export the file again, whole" if cut_off else "correct the file at this place"
        raise RowError(what, where=f"{place}, {position}", fix=fix) from None
    if repeated:
        keys = ", ".join(map(repr, repeated))
        raise RowError(f"an object holds key {keys} twice", where=place, fix="keep one of the two")
    if _LONE_SURROGATE.search(text) and not _encodable(value):
        raise RowError(
            "half of a surrogate pair is escaped as a character", where=place, fix="escape both or none"
        )
    return value


def _encodable(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _csv_rows(path: Path, root: Path, notes: Notes, columns: _Columns) -> Iterator[Cells]:
    text, place = read_text(path, root, notes), place_of(path, root)
    records = enumerate(_records(text, place), start=1)
    header = next((record for _, record in records), [])
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise RowError(f"column {repeated[0]!r} occurs twice", where=f"{place}:1", fix="remove one of the two")
    columns.check(header, f"{place}:1", text.partition("\n")[0])
    for row, record in records:
        if not record:
            continue
        if len(record) != len(header):
            notes.problem(
                f"{len(record)} cells, but the header has {len(header)}",
                where=f"{place}:{row}",
                fix="put cells that contain commas in double quotes, and leave empty cells empty",
            )
            continue
        yield Cells(f"{place}:{row}", columns.kept(dict(zip(header, record, strict=True))))


def _records(text: str, place: str) -> Iterator[list[str]]:
    """The records of a CSV text; an empty line is an empty record."""
    # newline="" leaves line ends to the csv module; str.splitlines would also split at U+001C and others.
    records = csv.reader(io.StringIO(text, newline=""), strict=True)
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


def _jsonl_rows(path: Path, root: Path, notes: Notes, columns: _Columns) -> list[Cells]:
    text, place = read_text(path, root, notes), place_of(path, root)
    rows: list[Cells] = []
    # Only line feeds part lines; str.splitlines would also split at U+2028 and others inside a string.
    for row, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            with notes.collected():
                rows.append(_jsonl_row(line, place, row, columns))
    return rows


def _jsonl_row(line: str, place: str, row: int, columns: _Columns) -> Cells:
    where = f"{place}:{row}"
    values = _parsed(line, place, row)
    if not isinstance(values, dict):
        raise RowError(f"{line[:40]!r} is no object", where=where, fix='write {"column": value, …}')
    columns.check(values, where)
    return Cells(where, columns.kept(values))


def _parquet_rows(path: Path, root: Path, notes: Notes, columns: _Columns) -> Iterator[Cells]:  # noqa: ARG001
    place = place_of(path, root)
    try:
        rows = pl.read_parquet(path)
    except pl.exceptions.PolarsError as error:
        reason = str(error).partition("\n")[0]
        raise RowError(f"not a Parquet file ({reason})", where=place, fix="write or copy it again") from None
    columns.check(rows.columns, place)
    for row, values in enumerate(rows.iter_rows(named=True), start=1):
        yield Cells(f"{place}:{row}", columns.kept(values))


_Reader = Callable[[Path, Path, Notes, _Columns], Iterable[Cells]]

_READERS: dict[str, _Reader] = {".csv": _csv_rows, ".jsonl": _jsonl_rows, ".parquet": _parquet_rows}

SUFFIXES = tuple(_READERS)
"""File name endings that `read_rows` reads."""
