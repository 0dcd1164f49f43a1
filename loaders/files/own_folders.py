"""Folders and files to write to: nobody's own files get company, and none is replaced."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

from blend.schemas.distribution import DISTRIBUTION
from blend.schemas.errors import InputError

PAGE_MARK = f'<meta name="generator" content="{DISTRIBUTION}'.encode()
"""Bytes by which a page that we wrote is known."""

_NAMED = 3
_BEGINNING = 4096


def check_regular(path: Path) -> None:
    """Refuse to replace what is neither a regular file nor a directory: a link, a device, a named pipe.

    Raises:
        InputError: If the path is one of these; a rename would put a file in its place.
    """
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISLNK(mode):
        raise InputError(f"{path}: is a link to {path.readlink()}; name that file itself, or remove the link")
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise InputError(f"{path}: is a device or pipe, which a file would replace; name a file")


def check_own_file(path: Path, *, mark: bytes, what: str, parameter: str = "out") -> None:
    """Refuse to replace a file that we did not write; an empty one is nobody's work.

    Args:
        path: File to write; it may be absent.
        mark: Bytes by which a file of ours is known, near its beginning.
        what: What such a file is, with its article.
        parameter: What the caller calls the file, for the messages.

    Raises:
        InputError: If something else is there.
        OSError: If it cannot be read.
    """
    check_regular(path)
    if not path.exists():
        return
    with path.open("rb") as file:
        beginning = file.read(_BEGINNING)
    if beginning and mark not in beginning:
        raise InputError(
            f"{path}: is not {what} that blend wrote, so it is not replaced; choose another `{parameter}` or "
            "move it away"
        )


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
