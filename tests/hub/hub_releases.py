"""Releases to publish, and what a test asks of a repository that holds them."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hub_store import Repository

from blend.builders.release import build_release
from blend.loaders.recipes.ready import sample_recipe

FOUR = ("ko-KR", "en-US", "fa-IR", "es-MX")


def make_release(out: Path, version: str, *, locales: Sequence[str] | None = FOUR, **changes: Any) -> Path:
    """A release of the embedded sample."""
    tags = None if locales is None else tuple(locales)
    build_release(sample_recipe().model_copy(update={"version": version, "locales": tags, **changes}), out)
    return out


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file below a folder, by path."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def held(repository: Repository, revision: str = "main") -> dict[str, str]:
    """SHA-256 of every file at a revision by path, without the Hub's own."""
    return {
        path: hashlib.sha256(repository.content(path, revision)).hexdigest()
        for path in repository.files(revision)
        if path != ".gitattributes"
    }
