"""Content: the bytes, text or rows of a file that somebody named, or a sentence that says why there are none.

A file of some kilobytes can hold gigabytes: a text in a dictionary to which thousands of rows point, or nulls
by the billion. What it says of its own size leaves out the copies of such texts, so these are counted: the
columns that have some are decoded, a few rows at a time and without making the copies.
"""

import codecs
import errno
import gzip
import hashlib
import json
import os
import re
import stat
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import SEEK_END, BufferedReader
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

from blend.loaders.files.diagnostics import Diagnostics
from blend.schemas.errors import InputError, RowError, beyond_limits
from blend.schemas.manifest import FileInfo
from blend.schemas.texts import pluralise

if TYPE_CHECKING:
    import polars as pl


# Opening a named pipe would otherwise wait until somebody writes into it. Windows has neither.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

MOST_UNPACKED = 4 << 30
"""Bytes that a packed file may hold."""
_CHUNK = 1 << 24

_KINDS = {stat.S_IFIFO: "named pipe", stat.S_IFSOCK: "socket", stat.S_IFCHR: "device", stat.S_IFBLK: "device"}


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
            raise _unreadable(path, error, where or str(path), what) from None


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
        handle = os.open(path, _FLAGS)
    except OSError as error:
        raise _unreadable(path, error, where, what) from None
    except ValueError:
        raise RowError("the path holds a null character", where=repr(where), fix="correct the path") from None
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(handle, "rb")
    os.close(handle)
    if stat.S_ISDIR(mode):
        raise _unreadable(path, IsADirectoryError(errno.EISDIR, ""), where, what)
    kind = _KINDS.get(stat.S_IFMT(mode), "something else")
    fix = "give a regular file" if what == "file" else f"give a {what} that is a regular file"
    raise RowError(f"a {kind}, not a file", where=where, fix=fix)


@contextmanager
def gunzipped(path: Path) -> Iterator[Path]:
    """A file as it is, or what a file that ends in ``.gz`` holds, under its name without that ending.

    Raises:
        RowError: If such a file cannot be read, is damaged, or holds more than `MOST_UNPACKED`.
    """
    if path.suffix.lower() != ".gz":
        yield path
        return
    with TemporaryDirectory() as folder:
        unpacked = Path(folder) / path.stem
        try:
            with open_content(path) as packed, gzip.open(packed) as file, unpacked.open("wb") as out:
                for _ in range(MOST_UNPACKED // _CHUNK):
                    out.write(file.read(_CHUNK))
                is_whole = not file.read(1)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise RowError(f"cannot be unpacked ({error})", where=str(path), fix="copy it again") from None
        if not is_whole:
            raise RowError("more than 4 GiB unpacked", where=str(path), fix="split the file")
        yield unpacked


def parquet_rows(file: BinaryIO, *, where: str, fix: str, columns: Sequence[str] = ()) -> "pl.DataFrame":
    """The rows of an open Parquet file, of some columns if any are named.

    Raises:
        RowError: If it is not one, is cut off or damaged, or takes too much memory once it is unpacked.
    """
    import polars as pl
    import pyarrow as pa

    try:
        check_unpacked_size(file, where=where, columns=columns)
        return pl.read_parquet(file, columns=list(columns) or None)
    except (pl.exceptions.PolarsError, pa.ArrowException, OSError) as error:
        raise RowError("not a Parquet file, or damaged", where=where, fix=fix) from error


def file_identity(path: Path) -> tuple[int, int, int] | None:
    """Return what tells a file from another that takes its name; null where there is none."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns


def is_directory(path: Path) -> bool:
    """Whether the path leads to a directory; false as well for a name that cannot be."""
    return os.path.isdir(path)  # noqa: PTH112 - `Path.is_dir` raises for a name that cannot be


def instead_of_directory(path: Path) -> str:
    """Say in words what stands where a directory was expected."""
    return "is a file" if file_identity(path) else "no such directory"


def instead_of_file(path: Path) -> str:
    """Say in words what stands where a file was expected."""
    return "not a file" if file_identity(path) else "no such file"


_CORRECT = "correct the path"
_UNREADABLE = {
    errno.ENOENT: ("no such {what}", _CORRECT),
    errno.ELOOP: ("a link that leads back to itself", "mend the link"),
    errno.EISDIR: ("a directory", "give the {what} in it"),
    errno.ENOTDIR: ("a part of this path is a file", _CORRECT),
    errno.ENAMETOOLONG: ("the name is longer than the system allows", _CORRECT),
    **dict.fromkeys((errno.EACCES, errno.EPERM), ("you may not read this {what}", "change its permissions")),
}
"""Why a file cannot be opened or read, and what helps, by the error of the system."""


def _unreadable(path: Path, error: OSError, where: str, what: str) -> RowError:
    """The error for a file that cannot be opened or read."""
    if error.errno == errno.ENOENT and path.is_symlink():
        return RowError(f"a link to {path.readlink()}, which is not there", where=where, fix="mend the link")
    other = f"cannot be read ({error.strerror})", "copy it to another place"
    reason, fix = _UNREADABLE.get(error.errno or 0, other)
    return RowError(reason.replace("{what}", what), where=where, fix=fix.replace("{what}", what))


_SAVE_AS = "save the file with the encoding UTF-8 (in a spreadsheet: 'CSV UTF-8')"
_RESTORE = "restore it, or save the whole file again"
_BEGUN = "unexpected end of data"
"""What Python says of bytes that begin a character, with nothing behind them."""


def utf8_text(content: bytes, where: str, *, save_as: str | None = None, can_be_said: bool = False) -> str:
    """The text of UTF-8.

    Args:
        content: All bytes.
        where: What messages call them.
        save_as: What to do about something else; to save it as UTF-8 when absent.
        can_be_said: Whether messages tell the user to say which encoding the file has.

    Raises:
        RowError: If it is something else, or cut off within a character; names the byte and its line.
    """
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{content[error.start]:02X} at offset {error.start} (line {line})"
        n_begun = len(content) - error.start
        # One byte at the end, and none but ASCII before it, may be a letter in another encoding as well.
        if error.reason == _BEGUN and (n_begun > 1 or not content[: error.start].isascii()):
            what = f"cut off within a character, which begins with {byte}"
            raise RowError(what, where=where, fix=save_as or _RESTORE) from None
        fix = save_as or _SAVE_AS + (", or say which one it has (docs/responses.md)" if can_be_said else "")
        raise RowError(f"{byte} is not UTF-8", where=where, fix=fix) from None


def _check_no_nulls(text: str, where: str) -> None:
    """Refuse what a disk or a copy leaves of a text that was not written to its end: null characters in a row.

    A single null within a text stays, since somebody may have typed it.

    Raises:
        RowError: If there are some; says how many and where. Also if the text is UTF-16, and was read as
            something else.
    """
    if "\0" not in text:
        return
    if "\0\0" not in text and 3 * text.count("\0") > len(text):
        raise RowError(
            "every second byte is null, so this is not UTF-8 but UTF-16, or no text",
            where=where,
            fix="save the file with the encoding UTF-8",
        )
    found = re.search(r"\0{2,}|\0\Z", text)
    if found is not None:
        nulls = pluralise(found.end() - found.start(), "null character")
        what = f"{nulls} from line {text.count(chr(10), 0, found.start()) + 1} on, which no text has"
        raise RowError(f"{what}: it was not saved or copied whole", where=where, fix=_RESTORE)


_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UTF_8 = "utf-8"
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How files in UTF-16 begin."""


def read_text(path: Path, root: Path, diagnostics: Diagnostics, *, encoding: str | None = None) -> str:
    """The text of a file; line ends stay as they are.

    Args:
        path: The file.
        root: Folder that places are relative to.
        diagnostics: Takes a finding for a byte order mark, which is left out, and for a file in UTF-8 where
            another encoding is given, which may be that of the files beside it: it is read as UTF-8.
        encoding: Of a file that has no byte order mark; UTF-8 when absent. A mark says UTF-8 or UTF-16.

    Raises:
        RowError: If the file is not in that encoding (names the first wrong byte and its line), has a null
            beside every character, or has nulls in a row, as a file that was not saved to its end.
    """
    location = location_of(path, root)
    return decoded(read_content(path, where=location), location, diagnostics, encoding=encoding)


def decoded(
    content: bytes,
    location: str,
    diagnostics: Diagnostics,
    *,
    encoding: str | None = None,
    can_be_said: bool = False,
) -> str:
    """The text of a file's content; arguments and errors as of `read_text`.

    ``can_be_said`` is whether it is a table, of which messages tell the user to say which encoding it has, and
    whose byte order mark for UTF-8 is what spreadsheets write.
    """
    for mark, name in _MARKS:
        if content.startswith(mark):
            content, encoding = content.removeprefix(mark), name
            if name != _UTF_8 or not can_be_said:
                diagnostics.finding(
                    "byte-order-mark", location, "the file starts with a byte order mark; it is left out"
                )
            break
    else:
        if encoding is not None and _is_utf_8_instead(content, encoding):
            detail = f"the file is UTF-8, not {encoding}; read as UTF-8"
            diagnostics.finding("other-encoding", location, detail)
            encoding = _UTF_8
    text = _decoded(content, encoding or _UTF_8, location, can_be_said=can_be_said)
    _check_no_nulls(text, location)
    return text


def known_encoding(name: str) -> str:
    """The name of an encoding, as given.

    Raises:
        InputError: If nobody knows it, or it is not one of text.
    """
    try:
        if codecs.lookup(name)._is_text_encoding:  # what `bytes.decode` itself asks
            return name
    except (LookupError, ValueError):
        pass
    raise InputError(
        f"unknown encoding {name!r}; write one that Python knows: cp1252 (western Windows), cp1250 (central "
        "European), cp1251 (Cyrillic), cp1254 (Turkish), cp1256 (Arabic), cp932 (Japanese), cp949 (Korean), "
        "gb18030 (Chinese) …"
    )


def _is_utf_8_instead(content: bytes, encoding: str) -> bool:
    """Whether a file is UTF-8 where another encoding is given: read in that one, it would be other letters."""
    if codecs.lookup(encoding).name == _UTF_8 or content.isascii():
        return False
    try:
        content.decode(_UTF_8)
    except UnicodeDecodeError:
        return False
    return True


def _decoded(content: bytes, encoding: str, location: str, *, can_be_said: bool) -> str:
    if encoding == _UTF_8:
        return utf8_text(content, location, can_be_said=can_be_said)
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = (
            f"byte 0x{content[error.start]:02X} at offset {error.start} (line {line}) is not {encoding.upper()}"
        )
        fix = "say which encoding the file has, or save it with UTF-8"
        raise RowError(what, where=location, fix=fix) from None


MOST_BYTES = 64 << 20
"""Bytes of the longest JSON file of a release; that of 132 regions has two million."""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


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
    try:
        return _parsed(text, where, is_file=is_file)
    except (RecursionError, ValueError) as error:
        if isinstance(error, RowError):
            raise
        raise RowError(f"not usable as JSON: {beyond_limits(error)}", where=where, fix="correct it") from None


def read_json_content(path: Path, *, where: str | None = None) -> Any:
    """The value of a JSON file that somebody else may have made.

    Raises:
        RowError: As of `parse_json`; if it cannot be read, is not in UTF-8, or has more than `MOST_BYTES`.
    """
    where = str(path) if where is None else where
    with open_content(path, where=where) as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise RowError(f"more than {MOST_BYTES:,} bytes of JSON", where=where, fix="do not use it")
    return parse_json(utf8_text(content, where), where)


def _parsed(text: str, where: str, *, is_file: bool) -> Any:
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
    except json.JSONDecodeError as error:
        raise _not_json(error, where, is_file=is_file) from None
    if _has_surrogates(text) and not is_encodable(value):
        raise RowError("half of a surrogate pair is escaped", where=where, fix="write the character itself")
    return value


def _not_json(error: json.JSONDecodeError, where: str, *, is_file: bool) -> RowError:
    where += f", line {error.lineno}, column {error.colno}" if is_file else f", character {error.colno}"
    # The decoder points to the start of a text that has no end, and to the end otherwise.
    if error.msg.startswith("Unterminated string") or error.pos >= len(error.doc.rstrip()):
        return RowError("the JSON ends in the middle", where=where, fix="copy or export the file again, whole")
    return RowError(f"not JSON ({error.msg})", where=where, fix="correct the file at this place")


def _has_surrogates(text: str) -> bool:
    # Without the plain search first, the pattern costs more than the parsing of the JSON.
    return "\\" in text and ("\\ud" in text or "\\uD" in text) and _SURROGATE.search(text) is not None


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
    return tuple(sorted((_info(root, file) for file in files), key=lambda info: info.path))


def _info(root: Path, file: Path) -> FileInfo:
    return FileInfo(path=location_of(file, root), size=file.stat().st_size, sha256=file_sha256(file, root))


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


def check_pin(found: str, pinned: str | None, *, where: str) -> None:
    """Compare a source's digest with the one in the recipe, if there is one.

    Raises:
        InputError: If they differ; names both.
    """
    if pinned is not None and found != pinned:
        raise InputError(
            f"{where}: its files have the sha256 {found}, but the recipe says {pinned}; get the files that the "
            f'recipe means, or write sha256 = "{found}" there if these are the right ones'
        )


TABLE_BYTES = 256 << 20
"""Bytes that rows may take which are read together, however small their files."""

TIMES = 100
"""How many times their own size larger files may take; those that builds write take 3 to 13 times theirs."""

_VALUE_BYTES = 16
"""What a value takes at most, without its text."""

_ROWS = 1 << 14
"""Rows that are decoded at a time."""

_FEW_ROWS = 16
"""Rows at a time where texts are written as what differs from the one before, so that each becomes a copy."""

_BY_DIFFERENCE = "DELTA_BYTE_ARRAY"
_FIX = "do not use it, and tell who made it"


def check_unpacked_size(file: Path | BinaryIO, *, where: str, columns: Sequence[str] = ()) -> int:
    """Refuse a Parquet file whose rows would take too much memory.

    Args:
        file: Path, or the file open for reading; it is left at its start.
        where: What messages call it.
        columns: Columns that are then read; all when empty.

    Returns:
        Bytes that the rows take.

    Raises:
        RowError: If they would; names the file, the sizes and the limit.
        OSError: If the file is missing or cannot be read.
        pyarrow.ArrowException: If it is not Parquet, or damaged.
    """
    if isinstance(file, Path):
        with file.open("rb") as opened:
            return check_unpacked_size(opened, where=where, columns=columns)
    n_bytes = file.seek(0, SEEK_END)
    allowed = _allowed(n_bytes)
    size = _unpacked_size(file, allowed, columns)
    if size > allowed:
        what = f"{n_bytes:,} bytes that unpack to {size:,} or more, and more than {allowed:,} is not read"
        raise RowError(f"{what} of a file of this size", where=where, fix=_FIX)
    file.seek(0)
    return size


def check_tables(paths: Iterable[Path], *, fix: str = _FIX) -> None:
    """Refuse what is not Parquet, or takes too much memory, before a library reads it that would just try.

    Args:
        paths: Files whose rows are read together.
        fix: What to do about one that is not Parquet.

    Raises:
        RowError: If one is not Parquet, or if they would take too much, each or together.
    """
    import pyarrow as pa

    sizes: dict[Path, int] = {}
    for path in paths:
        try:
            sizes[path] = check_unpacked_size(path, where=str(path))
        except pa.ArrowException:
            raise RowError("not a Parquet file, or damaged", where=str(path), fix=fix) from None
    allowed = _allowed(sum(path.stat().st_size for path in sizes))
    size = sum(sizes.values())
    if size > allowed:
        largest = max(sizes, key=lambda path: sizes[path])
        what = f"it and the {len(sizes) - 1} files read with it unpack to {size:,} bytes, and more than"
        raise RowError(f"{what} {allowed:,} is not read of files of their size", where=str(largest), fix=_FIX)


def _allowed(n_bytes: int) -> int:
    """Bytes that the rows of files of some size may take."""
    return max(TABLE_BYTES, TIMES * n_bytes)


def _unpacked_size(file: BinaryIO, most: int, columns: Sequence[str]) -> int:
    """Bytes that the rows of a file take; if that is more than ``most``, some number above it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        footer = pq.read_metadata(file)
        chunks = [chunk for chunk in _chunks(footer) if not columns or _top(chunk) in columns]
        claimed = [chunk.num_values * _VALUE_BYTES + chunk.total_uncompressed_size for chunk in chunks]
        size: int = max(sum(claimed), footer.num_rows * _VALUE_BYTES)
        texts = [chunk for chunk in chunks if chunk.physical_type == "BYTE_ARRAY"]
        copied = {chunk.path_in_schema for chunk in texts if _BY_DIFFERENCE in chunk.encodings}
        pointed = {chunk.path_in_schema for chunk in texts if chunk.has_dictionary_page} - copied
        if size > most or not pointed | copied:
            return size
        by_pointer = sorted(pointed)
        with pq.ParquetFile(file, metadata=footer, read_dictionary=by_pointer, pre_buffer=False) as parquet:
            for batch in _batches(parquet, _FEW_ROWS if copied else _ROWS, sorted(pointed | copied)):
                size += sum(_length(texts) for column in batch.columns for texts in _leaves(column))
                if size > most:
                    break
    except OSError as error:  # such as columns in columns, 100 deep
        raise pa.ArrowInvalid(str(error)) from None
    return size


def _batches(parquet: Any, n_rows: int, columns: Sequence[str]) -> Iterator[Any]:
    """Yield some columns, a few rows at a time.

    One row group after the other, since each has dictionaries of its own: Arrow cannot put lists that point to
    different ones into one batch.
    """
    for group in range(parquet.num_row_groups):
        yield from parquet.iter_batches(n_rows, row_groups=[group], columns=columns, use_threads=False)


def _chunks(footer: Any) -> Iterator[Any]:
    """Yield what a footer says of every column of every row group."""
    for group in map(footer.row_group, range(footer.num_row_groups)):
        yield from map(group.column, range(group.num_columns))


def _top(chunk: Any) -> str:
    """The column of the table that a column lies in."""
    return str(chunk.path_in_schema.split(".")[0])


def _length(texts: Any) -> int:
    """Bytes of all texts of a batch."""
    import pyarrow.compute as pc

    # By length in the dictionary, so that no copy of a text is made.
    lengths = pc.binary_length(getattr(texts, "dictionary", texts)).cast("int64")
    each = lengths.take(texts.indices) if hasattr(texts, "indices") else lengths
    return int(pc.sum(each).as_py() or 0)


def _leaves(values: Any) -> Iterator[Any]:
    """Yield what is in lists and objects, however deep."""
    import pyarrow as pa

    if isinstance(values, pa.ExtensionArray):
        values = values.storage
    if not pa.types.is_nested(values.type):
        yield values
        return
    parts = values.flatten()
    for part in parts if isinstance(parts, list) else [parts]:
        yield from _leaves(part)
