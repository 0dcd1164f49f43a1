"""Content: the bytes of a file that somebody named, or one sentence that says why there are none."""

import errno
import os
import stat
from collections.abc import Sequence
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from blend.schemas.errors import RowError

if TYPE_CHECKING:
    import polars as pl

# Opening a named pipe would otherwise wait until somebody writes into it. Windows has neither.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

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


def utf8_text(content: bytes, where: str, *, save_as: str = _SAVE_AS) -> str:
    """The text of UTF-8; ``save_as`` is what to do about something else.

    Raises:
        RowError: If it is something else; names the first wrong byte and its line.
    """
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise RowError(
            f"byte 0x{content[error.start]:02X} at offset {error.start} (line {line}) is not UTF-8",
            where=where,
            fix=save_as,
        ) from None
