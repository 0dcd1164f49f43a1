"""Content: the bytes, text or rows of a file that somebody named, or a sentence that says why not."""

import codecs
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from io import SEEK_END, BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

from blend.schemas.errors import RowError, beyond_limits
from blend.schemas.manifest import FileInfo

if TYPE_CHECKING:
    import polars as pl


def location_of(path: Path, root: Path) -> str:
    """The file as named in places: relative to the folder that is read, with forward slashes.

    Raises:
        RowError: If the name is not UTF-8, so that no report or release could name the file.
    """
    name = path.relative_to(root).as_posix()
    try:
        name.encode()
    except UnicodeEncodeError:
        raise RowError("the file's name is not UTF-8", where=repr(name), fix="rename it") from None
    return name


def read_content(path: Path, *, where: str | None = None, what: str = "file") -> bytes:
    """The whole content of a file; arguments and errors as of `open_content`."""
    with open_content(path, where=where, what=what) as file:
        try:
            return file.read()
        except OSError as error:
            raise _unreadable(error, where or str(path), what) from None


def open_content(path: Path, *, where: str | None = None, what: str = "file") -> BufferedReader:
    """A file, open for reading from its start, whatever the name turns out to lead to.

    Args:
        path: What the user named. Links are followed. A named pipe or a device is refused and never waited for.
        where: What messages call it; the path when absent.
        what: The kind of file that is expected, for the messages, for example ``recipe``.

    Raises:
        RowError: If there is no such file, if it is not a regular file, or if it cannot be read.
    """
    where = str(path) if where is None else where
    try:
        # Asked first: opening a named pipe would wait until somebody writes into it.
        if path.is_file() or not path.exists():
            return path.open("rb")
    except (OSError, ValueError) as error:
        raise _unreadable(error, where, what) from None
    if path.is_dir():
        raise RowError("a directory", where=where, fix=f"give the {what} in it")
    raise RowError("not a regular file", where=where, fix=f"give a {what} that is one")


def parquet_rows(file: BinaryIO, *, where: str, fix: str, columns: Sequence[str] = ()) -> "pl.DataFrame":
    """The rows of an open Parquet file, of some columns if any are named.

    Raises:
        RowError: If it is not one, is cut off or damaged, or takes too much memory once it is unpacked.
    """
    import polars as pl
    import pyarrow as pa

    try:
        check_unpacked_size(file, where=where)
        return pl.read_parquet(file, columns=list(columns) or None)
    except (pl.exceptions.PolarsError, pa.ArrowException, OSError) as error:
        raise RowError("not a Parquet file, or damaged", where=where, fix=fix) from error


def instead_of_directory(path: Path) -> str:
    """Say in words what stands where a directory was expected."""
    return "is a file" if path.exists() else "no such directory"


def instead_of_file(path: Path) -> str:
    """Say in words what stands where a file was expected."""
    return "not a file" if path.exists() else "no such file"


def _unreadable(error: OSError | ValueError, where: str, what: str) -> RowError:
    """The error for a file that cannot be opened or read."""
    if isinstance(error, FileNotFoundError):
        return RowError(f"no such {what}", where=where, fix="correct the path")
    reason = getattr(error, "strerror", None) or error
    return RowError(f"cannot be read ({reason})", where=where, fix="correct the path or its permissions")


UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How files in UTF-16 begin."""
_SAVE_AS = "save it again as UTF-8 (in a spreadsheet: .xlsx or 'CSV UTF-8')"
_RESTORE = "restore it, or save the whole file again"


def utf8_text(content: bytes, where: str, *, fix: str = _SAVE_AS) -> str:
    """The text of a file's content: UTF-8, or UTF-16 where a byte order mark says so; the mark is left out.

    Args:
        content: All bytes.
        where: What messages call them.
        fix: What to do about anything else.

    Raises:
        RowError: If it is in another encoding, or was not saved to its end; names the line.
    """
    is_utf_16 = content.startswith(UTF_16)
    try:
        text = content.decode("utf-16" if is_utf_16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{content[error.start]:02X} in line {line}"
        raise RowError(f"{byte} is not UTF-{16 if is_utf_16 else 8}", where=where, fix=fix) from None
    if "\0\0" not in text and 3 * text.count("\0") > len(text):  # UTF-16 without a mark
        raise RowError("every second byte is null, so this is not UTF-8", where=where, fix=fix)
    # What a disk or a copy leaves of a text that was not written to its end; somebody may have typed one alone.
    if found := re.search(r"\0{2,}|\0\Z", text):
        line = text.count("\n", 0, found.start()) + 1
        what = f"null characters from line {line} on: it was not saved or copied whole"
        raise RowError(what, where=where, fix=_RESTORE)
    return text


def read_text(path: Path, root: Path | None = None) -> str:
    """The text of a file; line ends stay as they are.

    Args:
        path: The file.
        root: Folder that locations are relative to; that of the file when absent.

    Raises:
        RowError: If the file cannot be read; or as `utf8_text`.
    """
    location = location_of(path, path.parent if root is None else root)
    return utf8_text(read_content(path, where=location), location)


def parse_json(text: str, where: str, *, is_file: bool = True) -> Any:
    """The value of a JSON text.

    Args:
        text: A whole file, or a line of one.
        where: What messages call it.
        is_file: Whether it is a whole file: then messages name lines.

    Raises:
        RowError: If it is cut off or otherwise not JSON, nested too deeply, or holds a key twice in one object,
            half a surrogate pair, or what JSON does not have (``NaN``); names the place.
    """

    def constant(name: str) -> NoReturn:
        raise RowError(f"{name} is not JSON", where=where, fix="write a number, or null")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) < len(pairs):
            key = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
            raise RowError(f"key {key!r} occurs twice", where=where, fix="keep one of the two")
        return value

    try:
        value = json.loads(text, parse_constant=constant, object_pairs_hook=unique)
        if "\\u" in text and not is_encodable(value):
            raise RowError("half of a surrogate pair is escaped", where=where, fix="write the character itself")
    except json.JSONDecodeError as error:
        raise _not_json(error, where, is_file=is_file) from None
    except RowError:
        raise
    except (RecursionError, ValueError) as error:
        raise RowError(f"not usable as JSON: {beyond_limits(error)}", where=where, fix="correct it") from None
    return value


def read_json(path: Path, *, where: str | None = None) -> Any:
    """The value of a JSON file; ``where`` is what messages call it, the path when absent.

    Raises:
        RowError: If it cannot be read, or is not in UTF-8; or as `parse_json`.
    """
    where = str(path) if where is None else where
    return parse_json(utf8_text(read_content(path, where=where), where), where)


def _not_json(error: json.JSONDecodeError, where: str, *, is_file: bool) -> RowError:
    where += f", line {error.lineno}, column {error.colno}" if is_file else f", character {error.colno}"
    # The decoder points to the start of a text that has no end, and to the end otherwise.
    if error.msg.startswith("Unterminated string") or error.pos >= len(error.doc.rstrip()):
        return RowError("the JSON ends in the middle", where=where, fix="copy or export the file again, whole")
    return RowError(f"not JSON ({error.msg})", where=where, fix="correct the file at this place")


def is_encodable(value: Any) -> bool:
    """Whether all texts in a value can be written in UTF-8: none holds half of a surrogate pair."""
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return False
    return True


def file_infos(root: Path, files: Iterable[Path]) -> tuple[FileInfo, ...]:
    """Path, size and SHA-256 of files below a folder, ordered by path in code-point order.

    Raises:
        RowError: If one cannot be read, or has a name that is not UTF-8.
    """
    infos = (
        FileInfo(path=location_of(file, root), size=file.stat().st_size, sha256=file_sha256(file, root))
        for file in files
    )
    return tuple(sorted(infos, key=lambda info: info.path))


def file_sha256(path: Path, root: Path | None = None) -> str:
    """SHA-256 of a file's bytes, in hexadecimal; messages name the file relative to ``root``.

    Raises:
        RowError: If the file cannot be read.
    """
    with open_content(path, where=None if root is None else location_of(path, root)) as content:
        return open_sha256(content)


def open_sha256(content: BufferedReader) -> str:
    """SHA-256 of what an open file still holds, in hexadecimal."""
    return hashlib.file_digest(content, "sha256").hexdigest()


def directory_digest(files: Iterable[FileInfo]) -> str:
    """The SHA-256 over the files' digests and relative paths, in hexadecimal.

    It is what ``sha256sum`` prints of its own output for the files, named relative to the folder in code-point
    order: ``LC_ALL=C sha256sum responses/*.csv templates.csv | sha256sum``.
    """
    lines = [f"{file.sha256}  {file.path}\n" for file in sorted(files, key=lambda file: file.path)]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


TABLE_BYTES = 256 << 20
"""Bytes that rows may take which are read together, however small their files."""
TIMES = 100
"""How many times their own size larger files may take; those that builds write take 3 to 13 times theirs."""
_VALUE_BYTES = 16
"""What a value takes at most, without its text."""
_FIX = "do not use it, and tell who made it"


def check_unpacked_size(file: BinaryIO, *, where: str) -> None:
    """Refuse a Parquet file that says itself that its rows take too much memory, as nulls by the billion do.

    Args:
        file: Open for reading; it is left at its start.
        where: What messages call it.

    Raises:
        RowError: If they would; names the file, the sizes and the limit.
        OSError, pyarrow.ArrowException: If it is not Parquet, or damaged.
    """
    import pyarrow.parquet as pq

    n_bytes = file.seek(0, SEEK_END)
    footer = pq.read_metadata(file)
    groups = [footer.row_group(at) for at in range(footer.num_row_groups)]
    columns = [group.column(at) for group in groups for at in range(group.num_columns)]
    n_values = max(footer.num_rows, sum(column.num_values for column in columns))
    size = n_values * _VALUE_BYTES + sum(column.total_uncompressed_size for column in columns)
    allowed = max(TABLE_BYTES, TIMES * n_bytes)
    if size > allowed:
        what = f"{n_bytes:,} bytes that unpack to {size:,} or more, and more than {allowed:,} is not read"
        raise RowError(f"{what} of a file of this size", where=where, fix=_FIX)
    file.seek(0)


def check_tables(paths: Iterable[Path], *, fix: str = _FIX) -> None:
    """Refuse what is not Parquet, or takes too much memory, before a library reads it that would just try.

    Args:
        paths: Files.
        fix: What to do about one that is not Parquet.

    Raises:
        RowError: If one cannot be read, is not Parquet, or would take too much.
    """
    import pyarrow as pa

    for path in paths:
        with open_content(path) as file:
            try:
                check_unpacked_size(file, where=str(path))
            except (pa.ArrowException, OSError):
                raise RowError("not a Parquet file, or damaged", where=str(path), fix=fix) from None
