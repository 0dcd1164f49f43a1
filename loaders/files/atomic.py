"""Atomic writes: files and directories appear complete under their names, or not at all, whatever happens."""

import errno
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from socket import gethostname

from filelock import FileLock, Timeout

from blend.loaders.files.own_folders import check_own_file, check_own_folder, check_regular
from blend.loaders.files.storage import is_disk_full, storage_error, storage_errors
from blend.schemas.errors import ConflictError, InputError
from blend.schemas.release.release_layout import MANIFEST_NAME
from blend.stopping import raise_if_stopped


def atomic_write(path: Path, content: str | bytes, *, mode: int | None = None) -> None:
    """Write a file that appears complete under its name or not at all.

    Args:
        path: Of the file; a regular file that is there is replaced.
        content: All of it; text is written in UTF-8.
        mode: Permissions that the file has from its first byte on; those of any new file when absent.

    Raises:
        InputError: As `own_folders.check_regular`.
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
        mark: Bytes by which a file of ours is known (`own_folders.check_own_file`).
        what: What such a file is, with its article.
        parameter: What the caller calls the file, for the messages.

    Raises:
        InputError: If something else is there.
        StorageError: If it cannot be written.
    """
    with storage_errors(out, fix=f"choose another `{parameter}` or change the permissions"):
        check_own_file(out, mark=mark, what=what, parameter=parameter)
        out.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(out, content)


@contextmanager
def atomic_file(path: Path, *, mode: int | None = None) -> Iterator[Path]:
    """A path to write a file to, for libraries that want one; the file takes its name when the block ends well.

    After an error nothing is left; after a kill perhaps a hidden file (`is_left_over`), until the next write.

    Raises:
        InputError: As `own_folders.check_regular`.
    """
    check_regular(path)
    beside = fresh_file(path, mode=mode)
    try:
        yield beside
        # Before the rename: after a crash a name must not stand for contents that never reached the disk.
        with beside.open("r+b") as file:
            os.fsync(file.fileno())
        check_regular(path)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    sync_directory(path.parent)


def fresh_file(path: Path, *, mode: int | None = None) -> Path:
    """Make an empty hidden file beside a path, whose name nothing else has had: no file, no link, no writer.

    What killed processes of this machine have left beside the path is removed.
    """
    machine = sha256(gethostname().encode()).hexdigest()[:8]
    beside = path.with_name(f".{path.name}.{machine}-{os.getpid()}-{secrets.token_hex(4)}.tmp")
    os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode))
    for left, writer in _left_over(path, machine):
        if not _is_running(writer):
            left.unlink(missing_ok=True)
    return beside


def _left_over(path: Path, machine: str) -> list[tuple[Path, int]]:
    """The files of `fresh_file` beside a path, each with the process of this machine that made it."""
    name = re.compile(rf"\.{re.escape(path.name)}\.{machine}-(\d+)-[0-9a-f]+\.tmp")
    found = [(entry, name.fullmatch(entry.name)) for entry in path.parent.iterdir()]
    return [(entry, int(match[1])) for entry, match in found if match]


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
    """Whether a name is one of `fresh_file`: a file of it that stays is half of what a killed process wrote."""
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
        InputError: If ``out`` is a file, a link back to itself, or holds something else than a release.
        StorageError: If it cannot be written, or if the disk is full.
        ConflictError: If another process is writing it.
    """
    with _translate_errors(out):
        out = _followed(out.absolute())
    if not out.name:
        raise InputError(f"{out}: the root of the file system; `out` names the directory to make")
    beside = out.with_name(f".{out.name}.partial")
    previous = out.with_name(f".{out.name}.previous")
    with _translate_errors(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        with _locked(out):
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
def _translate_errors(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if not _is_about(error, out) and not is_disk_full(error):
            raise
        if error.errno == errno.ENAMETOOLONG:
            raise InputError(f"{out}: the name is too long; choose a shorter `out`") from error
        if error.errno in (errno.ENOTDIR, errno.EEXIST):
            raise InputError(f"{out}: a part of this path is a file; choose another `out`") from error
        raise storage_error(out, error, kept="nothing was changed; ") from error


def _is_about(error: OSError, out: Path) -> bool:
    """Whether an error is of the directory to make, of what stands beside it for its sake, or of one above it.

    An input that cannot be read inside the block is not the fault of the place to write to.
    """
    if error.filename is None:
        return True
    path = Path(os.fsdecode(error.filename))
    ours = (out, *(out.with_name(f".{out.name}.{part}") for part in ("partial", "previous", "lock")))
    return out.is_relative_to(path) or any(path.is_relative_to(location) for location in ours)


@contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Let processes that add to one file wait for each other."""
    with FileLock(path.with_name(f".{path.name}.lock")) as lock:
        try:
            yield
        finally:
            # While it is still held: afterwards it may be another process's.
            Path(lock.lock_file).unlink(missing_ok=True)


@contextmanager
def _locked(out: Path) -> Iterator[None]:
    lock = FileLock(out.with_name(f".{out.name}.lock"))
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise ConflictError(
            f"{out}: another process is writing this release; wait for it or choose another `out`"
        ) from None
    try:
        yield
    finally:
        # While it is still held: afterwards it may be another process's.
        Path(lock.lock_file).unlink(missing_ok=True)
        lock.release()


def _followed(out: Path) -> Path:
    """The directory that a link leads to, so that the link stays; anything else as it is."""
    if not out.is_symlink():
        return out
    try:
        target = out.resolve()
    except RuntimeError:  # a loop, before Python 3.13
        target = out
    if target.is_symlink():
        raise InputError(f"{out}: is a link that leads back to itself; choose another `out`")
    return target


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
        sync_directory(out.parent)
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
        sync_directory(Path(folder))


def sync_directory(directory: Path) -> None:
    """Make the names in a directory as durable as the files under them."""
    if os.name != "posix":  # Windows has no way to sync a directory
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
