"""Atomic writes: files and directories appear complete under their names, or not at all, whatever happens."""

import errno
import mmap
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from socket import gethostname

from filelock import FileLock, Timeout

from blend.schemas.errors import DISTRIBUTION, BlendError, ConflictError, InputError, StorageError
from blend.schemas.manifest import MANIFEST_NAME
from blend.stopping import raise_if_stopped

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FULL_IN_WORDS = re.compile("|".join(re.escape(os.strerror(number)) for number in _FULL))
_ELSEWHERE = "choose another `out` or change the permissions"


def is_disk_full(error: Exception) -> bool:
    """Whether an error says that the disk, or what one may use of it, is full."""
    # polars, Arrow and safetensors tell it in words, in errors of their own.
    return getattr(error, "errno", None) in _FULL or _FULL_IN_WORDS.search(str(error)) is not None


@contextmanager
def storage_errors(
    location: Path, *, kept: str = "", fix: str = _ELSEWHERE, within: Path | None = None
) -> Iterator[None]:
    """Turn an `OSError` or a full disk inside the block, which writes to one place, into a `StorageError`.

    Args:
        location: What is written.
        kept: What is there after an error, to stand in the message; it ends with a semicolon and a blank.
        fix: What to do where the disk is not full.
        within: Folder with all that is written; what happens to files elsewhere, as to inputs that are read in
            the block, is raised as it is. Null where nothing else is touched.
    """
    try:
        yield
    except BlendError:
        raise
    except Exception as error:
        name = getattr(error, "filename", None)
        path = Path(os.fsdecode(name)) if isinstance(name, str | bytes) else location
        is_elsewhere = within is not None and not (path.is_relative_to(within) or within.is_relative_to(path))
        if not is_disk_full(error) and (is_elsewhere or not isinstance(error, OSError)):
            raise
        raise storage_error(location, error, kept=kept, fix=fix) from error


def storage_error(
    location: Path | str, error: Exception, *, kept: str = "", fix: str = _ELSEWHERE
) -> StorageError:
    """The error for one of the operating system; see `storage_errors`."""
    if is_disk_full(error):
        return StorageError(
            f"{location}: no space left on the disk; {kept}free some space and run the same again"
        )
    reason = getattr(error, "strerror", None) or error
    if isinstance(error, FileExistsError | NotADirectoryError):
        reason = "a part of this path is a file"
    return StorageError(f"{location}: cannot write here ({reason}); {fix}")


PAGE_MARK = f'<meta name="generator" content="{DISTRIBUTION}'.encode()
"""Bytes by which a page that we wrote is known."""

_NAMED = 3
_BEGINNING = 4096


def check_regular(path: Path) -> None:
    """Refuse to put a file in place of what is not one: a link, a folder, a device, a named pipe.

    Raises:
        InputError: If the path is one of these.
    """
    if path.is_symlink():
        raise InputError(f"{path}: is a link to {path.readlink()}; name that file itself, or remove the link")
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: is not a regular file; move it away, or name a file")


def check_own_folder(
    folder: Path, *, parameter: str = "out", what: str = "empty", is_ours: Callable[[str], bool] | None = None
) -> None:
    """Refuse a folder in which somebody keeps something else.

    Names that begin with a dot do not count where files are only added, so that a repository can be begun in.

    Args:
        folder: Where a command is to write; it may be absent.
        parameter: What the caller calls the folder, for the messages.
        what: What the folder must be otherwise, to follow "is not".
        is_ours: Whether a name in it is one that the command writes; none is when absent.

    Raises:
        InputError: If it is not a folder, cannot be read, or holds another name; lists the first ones.
    """
    if not os.path.lexists(folder):
        return
    try:
        names = sorted(path.name for path in folder.iterdir())
    except NotADirectoryError:
        raise InputError(f"{folder}: is not a folder; choose another `{parameter}`") from None
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror}); choose another `{parameter}`") from None
    foreign = [name for name in names if not (name.startswith(".") if is_ours is None else is_ours(name))]
    if foreign:
        more = f" and {len(foreign) - _NAMED} more" if len(foreign) > _NAMED else ""
        raise InputError(
            f"{folder}: holds {', '.join(map(repr, foreign[:_NAMED]))}{more} and is not {what}, so nothing is "
            f"written there; choose another `{parameter}` or empty it yourself"
        )


def atomic_write(path: Path, content: str | bytes, *, mode: int | None = None) -> None:
    """Write a file that appears complete under its name or not at all.

    Args:
        path: Of the file; a regular file that is there is replaced.
        content: All of it; text is written in UTF-8.
        mode: Permissions that the file has from its first byte on; those of any new file when absent.

    Raises:
        InputError: If a link, a device or a pipe is there.
    """
    with atomic_file(path, mode=mode) as beside:
        beside.write_bytes(content.encode() if isinstance(content, str) else content)


def replace_own_file(
    out: Path, content: str | bytes, *, mark: bytes, what: str, parameter: str = "out"
) -> None:
    """Write a file that a user named, in place of none or of an older one of ours.

    Args:
        out: The file; its folder is made.
        content: All of it, with the mark.
        mark: Bytes by which a file of ours is known, near its beginning; an empty one is nobody's work.
        what: What such a file is, with its article.
        parameter: What the caller calls the file, for the messages.

    Raises:
        InputError: If something else is there.
        StorageError: If it cannot be written.
    """
    with storage_errors(out, fix=f"choose another `{parameter}` or change the permissions"):
        check_regular(out)
        out.parent.mkdir(parents=True, exist_ok=True)
        beginning = b""
        with suppress(FileNotFoundError), out.open("rb") as file:
            beginning = file.read(_BEGINNING)
        if beginning and mark not in beginning:
            raise InputError(
                f"{out}: is not {what} that blend wrote, so it is not replaced; choose another `{parameter}` "
                "or move it away"
            )
        atomic_write(out, content)


@contextmanager
def atomic_file(path: Path, *, mode: int | None = None) -> Iterator[Path]:
    """A path to write a file to, for libraries that want one; the file takes its name when the block ends well.

    After an error nothing is left; after a kill perhaps a hidden file (`is_left_over`), until the next write.

    Raises:
        InputError: If a link, a device or a pipe is there.
    """
    check_regular(path)
    beside = _fresh_file(path, mode=mode)
    try:
        yield beside
        # Before the rename: after a crash a name must not stand for contents that never reached the disk.
        with beside.open("r+b") as file:
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    _sync_directory(path.parent)


def _fresh_file(path: Path, *, mode: int | None = None) -> Path:
    """Make an empty hidden file beside a path, whose name nothing else has had: no file, no link, no writer.

    What killed processes of this machine have left beside the path is removed.
    """
    machine = sha256(gethostname().encode()).hexdigest()[:8]
    beside = path.with_name(f".{path.name}.{machine}-{os.getpid()}-{secrets.token_hex(4)}.tmp")
    os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode))
    name = re.compile(rf"\.{re.escape(path.name)}\.{machine}-(\d+)-[0-9a-f]+\.tmp")
    for left in path.parent.iterdir():
        if (made := name.fullmatch(left.name)) and not _is_running(int(made[1])):
            left.unlink(missing_ok=True)
    return beside


def _is_running(process: int) -> bool:
    if os.name != "posix":  # asking is sending Ctrl-C on Windows
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def is_left_over(name: str) -> bool:
    """Whether a name is one of `_fresh_file`; a file that stays is half of what a killed process wrote."""
    return name.startswith(".") and name.endswith(".tmp")


@contextmanager
def atomic_directory(out: Path, *, check: Callable[[Path], None] | None = None) -> Iterator[Path]:
    """A new directory beside ``out`` that takes its place when the block ends well.

    Whatever happens inside the block (an error, Ctrl-C, kill -9, a full disk), ``out`` is either as it was
    before or complete: readers never see a part. What a killed run left behind is removed by the next one.

    Args:
        out: The directory to make; of a link, the directory that it leads to. An existing release or empty
            directory is replaced.
        check: Raises if an existing release must not be replaced. Asked before anything is done, and again
            before the swap, since a block can take long.

    Yields:
        The directory to write into.

    Raises:
        InputError: If ``out`` is a file, or holds something else than a release.
        StorageError: If it cannot be written, or if the disk is full.
        ConflictError: If another process is writing it.
    """
    # Of a link the directory that it leads to, so that the link stays; of one to itself the link, told below.
    out = Path(os.path.realpath(out)) if out.is_symlink() else out.absolute()
    if not out.name:
        raise InputError(f"{out}: the root of the file system; `out` names the directory to make")
    beside = out.with_name(f".{out.name}.partial")
    previous = out.with_name(f".{out.name}.previous")
    with storage_errors(out, kept="nothing was changed; ", within=out.parent):
        out.parent.mkdir(parents=True, exist_ok=True)
        busy = f"{out}: another process is writing this release; wait for it or choose another `out`"
        with one_at_a_time(out, busy=busy):
            _restore(out, previous)
            _refuse_foreign(out, check)
            _remove(beside)
            try:
                beside.mkdir()  # inside: Ctrl-C can come as soon as it is there
                yield beside
                _sync(beside)
                _refuse_foreign(out, check)
                raise_if_stopped()
                _swap(beside, out, previous)
            finally:
                _remove(beside)


@contextmanager
def one_at_a_time(path: Path, *, busy: str = "") -> Iterator[None]:
    """Let processes that write one thing wait for each other.

    Raises:
        ConflictError: If another one is writing it, with ``busy`` as its message; without one it is waited for.
    """
    lock = FileLock(path.with_name(f".{path.name}.lock"))
    try:
        lock.acquire(blocking=not busy)
    except Timeout:
        raise ConflictError(busy) from None
    try:
        yield
    finally:
        # While it is still held: afterwards it may be another process's.
        Path(lock.lock_file).unlink(missing_ok=True)
        lock.release()


def _refuse_foreign(out: Path, check: Callable[[Path], None] | None) -> None:
    is_release = (out / MANIFEST_NAME).is_file()
    # What is in a release's own directory is for `check` to say.
    check_own_folder(out, what="a release", is_ours=lambda _: is_release)
    if is_release and check is not None:
        check(out)


def _swap(new: Path, out: Path, previous: Path) -> None:
    # Between the renames only `previous` exists. `_restore` brings it back; after a kill, the next run does.
    try:
        if out.exists():
            out.rename(previous)
        new.rename(out)
        _sync_directory(out.parent)
    finally:
        _restore(out, previous)


def _restore(out: Path, previous: Path) -> None:
    if previous.exists() and not out.exists():
        previous.rename(out)
    _remove(previous)


def _remove(directory: Path) -> None:
    if directory.exists():
        shutil.rmtree(directory)


def _sync(directory: Path) -> None:
    for folder, _, names in os.walk(directory):
        for name in names:
            with (Path(folder) / name).open("rb") as file:
                os.fsync(file.fileno())
        _sync_directory(Path(folder))


def _sync_directory(directory: Path) -> None:
    """Make the names in a directory as durable as the files under them."""
    if os.name != "posix":  # Windows has no way to sync a directory
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def complete_rows(content: bytes, is_complete: Callable[[bytes], bool]) -> bytes:
    """The complete rows of a file's content, without one that was cut off at the end.

    Args:
        content: The content.
        is_complete: Whether a last line without line feed has all its cells: editors leave the line feed out.
    """
    start = content.rfind(b"\n") + 1
    tail = content[start:]
    return content if tail and is_complete(tail) else content[:start]


def append_rows(path: Path, rows: bytes, is_complete: Callable[[bytes], bool]) -> None:
    """Add rows behind the complete ones of a file, in place of one that was cut off while it was written.

    They are on the disk when the function returns. If the process dies before, they are there or not, or one
    of them is cut off. Let nobody else write the file meanwhile (`loaders.files.atomic.one_at_a_time`).

    Args:
        path: The file, which is there.
        rows: Lines, each with its line feed; none, and only a row that was cut off is taken away.
        is_complete: As `complete_rows`.

    Raises:
        OSError: If the file cannot be written; then its complete rows are as before.
    """
    # Unbuffered: one call writes all rows, so that half a row is rare, and nothing is written later.
    with path.open("r+b", buffering=0) as file:
        end = os.fstat(file.fileno()).st_size
        if end:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                tail = content[content.rfind(b"\n") + 1 :]
            if not tail or not is_complete(tail):
                end -= len(tail)
            elif rows:
                rows = b"\n" + rows
        try:
            file.truncate(end)
            file.seek(end)
            while rows:
                rows = rows[file.write(rows) or 0 :]
            os.fsync(file.fileno())
        except OSError:
            file.truncate(end)
            raise
