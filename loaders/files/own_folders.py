"""Folders to write into: made, empty, or holding what is written there; nobody's own files get company."""

import os
from collections.abc import Callable
from pathlib import Path

from blend.schemas.errors import InputError

_NAMED = 3


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
