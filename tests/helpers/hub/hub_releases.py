"""Releases to publish, and what a test asks of a repository that holds them."""

import hashlib
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from blend.builders.release import build_release
from blend.loaders.files.content import file_infos
from blend.loaders.releases import addressed_files, read_manifest
from blend.schemas.manifest import MANIFEST_NAME
from helpers.hub.hub_server import Hub
from helpers.hub.hub_store import Repository
from helpers.mini_release import FOUR, mini_recipe

REPO = "org/blend"
FIRST, SECOND = "1.0.0", "1.1.0"


def make_release(
    out: Path,
    version: str,
    *,
    locales: Sequence[str] | None = FOUR,
    after: Path | None = None,
    **changes: Any,
) -> Path:
    """A release of the embedded sample, on top of another one."""
    tags = None if locales is None else tuple(locales)
    previous = None if after is None else "the one before"
    recipe = mini_recipe(version=version, locales=tags, previous=previous, **changes)
    build_release(recipe, out, source_paths={} if after is None else {"the one before": after})
    return out


def altered(release: Path, out: Path, path: str, change: Callable[[bytes], bytes]) -> Path:
    """A copy of a release with another content of one file, which its manifest calls right."""
    shutil.copytree(release, out)
    (out / path).write_bytes(change((out / path).read_bytes()))
    manifest = read_manifest(out)
    files = file_infos(out, [out / file.path for file in manifest.files])
    (out / MANIFEST_NAME).write_text(manifest.model_copy(update={"files": files}).to_json())
    return out


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file below a folder, by path."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def published(folder: Path, hub_url: str, repo_id: str = "org/blend") -> dict[str, str]:
    """SHA-256 of every file by path, as a release stands in a repository: with its addresses there."""
    contents = addressed_files(folder, read_manifest(folder), repo_id=repo_id, endpoint=hub_url)
    assert set(contents) == {"README.md", "release.json"}  # no address of this Hub gets into a release
    return digests(folder) | {path: hashlib.sha256(content).hexdigest() for path, content in contents.items()}


def held(repository: Repository, revision: str = "main") -> dict[str, str]:
    """SHA-256 of every file at a revision by path, without the Hub's own."""
    return {
        path: hashlib.sha256(repository.content(path, revision)).hexdigest()
        for path in repository.files(revision)
        if path != ".gitattributes"
    }


def writes(hub: Hub) -> list[str]:
    """The requests that change what readers see."""
    parts = ("/repos/create", "/commit/", "/tag/", "/settings", "/branch/")
    return [
        request
        for request in hub.requests
        if not request.startswith(("GET", "HEAD")) and any(part in request for part in parts)
    ]
