"""Storage: what the operating system says against writing, as an error that says what to do."""

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from blend.schemas.errors import BlendError, StorageError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FULL_IN_WORDS = re.compile("|".join(re.escape(os.strerror(number)) for number in _FULL))
_ELSEWHERE = "choose another `out` or change the permissions"


def is_disk_full(error: Exception) -> bool:
    """Whether an error says that the disk, or what one may use of it, is full."""
    # polars, Arrow and safetensors tell it in words, in errors of their own.
    return getattr(error, "errno", None) in _FULL or _FULL_IN_WORDS.search(str(error)) is not None


@contextmanager
def storage_errors(location: Path, *, kept: str = "", fix: str = _ELSEWHERE) -> Iterator[None]:
    """Turn an `OSError` or a full disk inside the block, which only writes to one place, into a `StorageError`.

    Args:
        location: What is written.
        kept: What is there after an error, to stand in the message; it ends with a semicolon and a blank.
        fix: What to do where the disk is not full.
    """
    try:
        yield
    except BlendError:
        raise
    except Exception as error:
        if not isinstance(error, OSError) and not is_disk_full(error):
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
    return StorageError(f"{location}: cannot write here ({reason}); {fix}")
