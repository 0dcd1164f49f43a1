"""Validated releases: which checks a release has passed on this machine, remembered by its content.

The memory lies in the user's cache and not beside the release: nothing in a directory that may come from
anybody can claim that a check was passed, and nothing has to be kept out of what is published. It is found by
the digests of all files and the version of the SDK; with one byte changed, nothing is remembered.
"""

import hashlib
import json
import os
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

from blend.loaders.files.atomic import atomic_write
from blend.loaders.releases.files import ReleaseFile
from blend.version import __version__


def content_key(files: Iterable[ReleaseFile]) -> str:
    """Return what a release is remembered by.

    Args:
        files: All its files, as `read_release_files` finds them.
    """
    lines = sorted(json.dumps([file.path, file.size, file.sha256]) for file in files)
    return hashlib.sha256("\n".join([__version__, *lines]).encode()).hexdigest()


def checks_left(key: str) -> frozenset[str] | None:
    """The checks that a release has not passed on this machine; null where none of it is remembered."""
    try:
        left = json.loads(_location(key).read_bytes())["left"]
        return frozenset(map(str, left))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def remember_passed(key: str, passed: Collection[str], *, of: Collection[str]) -> None:
    """Remember which checks a release has passed, beside those that it passed before.

    A cache that cannot be written is no reason to stop: the release is checked again next time.

    Args:
        key: What it is remembered by.
        passed: Names of checks that found no error.
        of: Names of all checks.
    """
    before = checks_left(key)
    left = sorted(set(of if before is None else before) - set(passed))
    with suppress(OSError):
        location = _location(key)
        location.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        atomic_write(location, json.dumps({"left": left}) + "\n", mode=0o600)


def _location(key: str) -> Path:
    own = os.environ.get("BLEND_CACHE")
    folder = Path(own) if own else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "blend"
    return folder / "validated" / f"{key}.json"
