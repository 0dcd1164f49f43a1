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
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from blend.loaders.files.content import open_content, parquet_rows, place_of, read_content
from blend.loaders.files.notes import Notes
from blend.schemas.errors import RowError, beyond_limits
from blend.schemas.text import counted

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

_KEY_END = re.compile(r'"[ \t\r\n]*:')
"""What ends each key of a JSON text, and may stand in a string: there are no more keys than of these."""


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


def _parsed(text: str, place: str, row: int | None = None) -> Any:
    """The value of a JSON text: a whole file, or the given row of one."""
    where = place if row is None else f"{place}:{row}"
    try:
        value = json.loads(text)
        repeated = None if _keys_in(value) == len(_KEY_END.findall(text)) else _repeated_keys(text)
    except json.JSONDecodeError as error:
        raise _not_json(error, where, whole_file=row is None) from None
    except (RecursionError, ValueError) as error:
        raise RowError(f"not usable as JSON: {beyond_limits(error)}", where=where, fix="correct it") from None
    if repeated:
        path, key = repeated
        within = f"{where}, {path}" if path else where
        raise RowError(f"key {key!r} occurs twice", where=within, fix="keep one of the two")
    if _has_surrogates(text) and not _encodable(value):
        raise RowError("half of a surrogate pair is escaped", where=where, fix="write the character itself")
    return value


def _keys_in(value: Any) -> int:
    """Keys of all objects in a value."""
    keys, waiting = 0, [value]
    while waiting:
        part = waiting.pop()
        if type(part) is dict:
            keys += len(part)
            waiting += part.values()
        elif type(part) is list:
            waiting += part
    return keys


def _repeated_keys(text: str) -> tuple[str | None, str] | None:
    """Where an object holds a key twice, and the key: the last one in a text; null if none does."""
    repeated: list[tuple[dict[str, Any], str]] = []

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) < len(pairs):
            keys = [key for key, _ in pairs]
            repeated.extend((value, key) for key, times in Counter(keys).items() if times > 1)
        return value

    value = json.loads(text, object_pairs_hook=unique)
    if not repeated:
        return None
    holder, key = repeated[-1]
    return _path_to(holder, value), key


def _not_json(error: json.JSONDecodeError, where: str, *, whole_file: bool) -> RowError:
    where += f", line {error.lineno}, column {error.colno}" if whole_file else f", character {error.colno}"
    # The decoder points to the start of a text that has no end, and to the end otherwise.
    if error.msg.startswith("Unterminated string") or error.pos >= len(error.doc.rstrip()):
        return RowError("the JSON ends in the middle", where=where, fix="copy or export the file again, whole")
    return RowError(f"not JSON ({error.msg})", where=where, fix="correct the file at this place")


def _path_to(target: Any, value: Any) -> str | None:
    """Keys and indices that lead from a value to an object inside it; ``None`` when it is not there."""
    if value is target:
        return ""
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = [(f"[{index}]", item) for index, item in enumerate(value)]
    else:
        return None
    for step, item in inner:
        rest = _path_to(target, item)
        if rest is not None:
            return f"{step}{rest}" if rest.startswith("[") or not rest else f"{step}.{rest}"
    return None


def _has_surrogates(text: str) -> bool:
    # Without the plain search first, the pattern costs more than the parsing of the JSON.
    return "\\" in text and ("\\ud" in text or "\\uD" in text) and _SURROGATE.search(text) is not None


def _encodable(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


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
    values = _parsed(line, place, row)
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
