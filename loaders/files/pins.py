"""Pins: a digest over the files of a source, the same on every machine."""

import hashlib
from collections.abc import Iterable
from io import BufferedReader
from pathlib import Path

from blend.loaders.files.content import location_of, open_content
from blend.schemas.errors import InputError
from blend.schemas.release.manifest import FileInfo


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
