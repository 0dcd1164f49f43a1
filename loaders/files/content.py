"""Content: the bytes of a file that somebody named, or one sentence that says why there are none."""

import errno
import gzip
import os
import re
import stat
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO

from blend.schemas.errors import RowError
from blend.schemas.language.text_comparison import pluralise

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
        raise _directory(where, what)
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

    from blend.loaders.files.unpacked import check_unpacked_size

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


def _directory(where: str, what: str) -> RowError:
    return RowError("a directory", where=where, fix=f"give the {what} in it")


def _unreadable(path: Path, error: OSError, where: str, what: str) -> RowError:
    """Say in words why a file cannot be opened or read, and what helps."""
    if error.errno == errno.ENOENT and path.is_symlink():
        return RowError(f"a link to {path.readlink()}, which is not there", where=where, fix="mend the link")
    if error.errno == errno.ENOENT:
        return RowError(f"no such {what}", where=where, fix="correct the path")
    if error.errno == errno.ELOOP:
        return RowError("a link that leads back to itself", where=where, fix="mend the link")
    if error.errno == errno.EISDIR:
        return _directory(where, what)
    if error.errno == errno.ENOTDIR:
        return RowError("a part of this path is a file", where=where, fix="correct the path")
    if error.errno == errno.ENAMETOOLONG:
        return RowError("the name is longer than the system allows", where=where, fix="correct the path")
    if error.errno in (errno.EACCES, errno.EPERM):
        return RowError(f"you may not read this {what}", where=where, fix="change its permissions")
    return RowError(f"cannot be read ({error.strerror})", where=where, fix="copy it to another place")


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
        fix = save_as or _SAVE_AS + (", or say which one it has (docs/tables.md)" if can_be_said else "")
        raise RowError(f"{byte} is not UTF-8", where=where, fix=fix) from None


def check_no_nulls(text: str, where: str) -> None:
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
