"""The files of a release directory, checked against its manifest."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from blend.loaders.files.content import file_sha256
from blend.loaders.releases import read_manifest
from blend.schemas.errors import InputError
from blend.schemas.manifest import MANIFEST_NAME, is_the_hubs

_CHUNK_BYTES = 1 << 20
_NAMED = 5
"""Files named in a message before the rest is counted."""


class ReleaseFile(NamedTuple):
    """A file of a release, with the digests by which a Hub may know it."""

    path: str
    """Path in the release, with forward slashes."""
    size: int
    """Length in bytes."""
    sha256: str
    """SHA-256 of the content."""
    git_id: str
    """What git calls the content: SHA-1 over its length and bytes."""


def read_release_files(release: Path) -> dict[str, ReleaseFile]:
    """Every file of a release by path, the manifest included, without what git and the Hub's tools put there.

    Raises:
        InputError: If the directory is not a release, or if a file differs from what the manifest says, is
            missing or is not in it.
    """
    listed = {MANIFEST_NAME, *(file.path for file in read_manifest(release).files)}
    present = {
        path.relative_to(release).as_posix()
        for path in sorted(release.rglob("*"))
        if (path.is_file() or path.is_symlink()) and not is_the_hubs(path.relative_to(release).as_posix())
    }
    _refuse(release, file_faults(release) | {"not in the manifest": sorted(present - listed)})
    return {path: _digested(release, path) for path in sorted(present)}


def check_complete(release: Path, paths: Collection[str] | None = None) -> None:
    """Check that files are there and are what the manifest says, before anything is told from them.

    Args:
        release: Directory of the release.
        paths: Files to look at; all of them when absent.

    Raises:
        InputError: If one is missing or another; names the first few.
    """
    _refuse(release, file_faults(release, paths))


def file_faults(release: Path, paths: Collection[str] | None = None) -> dict[str, list[str]]:
    """The files of a release that are ``missing``, or ``changed``: whose bytes the manifest does not record.

    Args:
        release: Directory of the release.
        paths: Files to look at; all of them when absent.

    Raises:
        BlendError: If the directory holds no manifest that can be read.
    """
    faults: dict[str, list[str]] = {"missing": [], "changed": []}
    for file in read_manifest(release).files:
        path = release / file.path
        if paths is not None and file.path not in paths:
            continue
        if not path.is_file():
            faults["missing"].append(file.path)
        elif path.stat().st_size != file.size or file_sha256(path) != file.sha256:
            faults["changed"].append(file.path)
    return faults


def _refuse(release: Path, faults: Mapping[str, Sequence[str]]) -> None:
    found = [f"{some_of(paths)} ({what})" for what, paths in faults.items() if paths]
    if found:
        raise InputError(
            f"{release}: the files are not those of {MANIFEST_NAME}: {', '.join(found)}; "
            "copy or build the release again, and keep other files elsewhere"
        )


def some_of(paths: Sequence[str]) -> str:
    """The first paths, and how many more there are."""
    more = len(paths) - _NAMED
    return ", ".join(paths[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _digested(release: Path, path: str) -> ReleaseFile:
    size = (release / path).stat().st_size
    sha256, git = hashlib.sha256(), hashlib.sha1(f"blob {size}\0".encode(), usedforsecurity=False)
    with (release / path).open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            sha256.update(chunk)
            git.update(chunk)
    return ReleaseFile(path, size, sha256.hexdigest(), git.hexdigest())
