"""Releases: what a release directory says of itself, and whether its files are those; `tables` reads it back.

Reading a manifest loads no library of frames: pulling, and the first look at a repository, need none.
"""

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from pydantic import ValidationError

from blend import __version__
from blend.loaders.files.content import (
    file_sha256,
    instead_of_directory,
    parse_json,
    read_content,
    utf8_text,
)
from blend.schemas.errors import DISTRIBUTION, InputError, RowError
from blend.schemas.manifest import (
    CARD_NAME,
    CHANGELOG_NAME,
    CROISSANT_NAME,
    MANIFEST_NAME,
    ReleaseManifest,
    is_the_hubs,
    leads_out,
)
from blend.schemas.models import first_reason


def read_manifest(release: Path | str) -> ReleaseManifest:
    """The manifest of a release directory; its paths can be followed.

    Raises:
        InputError: If there is none, if it is not one that this version reads, or if it names paths outside the
            release, or tables whose files have no digest.
    """
    release = Path(release)
    path = release / MANIFEST_NAME
    if not release.is_dir():
        raise InputError(f"{release}: {instead_of_directory(release)}; name the directory of a release")
    if not path.exists():
        raise InputError(
            f"{release}: no {MANIFEST_NAME} here, so it is not a release; build one with `blend build`"
        )
    try:
        text = utf8_text(read_content(path, what="manifest"), MANIFEST_NAME)
        parse_json(text, MANIFEST_NAME)  # pydantic would take the last of two equal keys
        manifest = ReleaseManifest.model_validate_json(text)
    except (ValidationError, RowError) as error:
        # Without the advice that the error ends with: the one below is for the whole file.
        reason = first_reason(error) if isinstance(error, ValidationError) else str(error).rpartition("; ")[0]
        raise InputError(
            f"{path}: not a manifest that this version of {DISTRIBUTION} reads ({reason}); "
            "rebuild the release, or read it with the version that built it"
        ) from error
    _check_paths(manifest)
    return manifest


def document_text(path: Path) -> str:
    """The text of a file that a release has for people to read, such as ``CHANGELOG.md``.

    Raises:
        RowError: If it cannot be read, or is not UTF-8.
    """
    return utf8_text(read_content(path), str(path), fix="restore it, or pull or build the release again")


def _check_paths(manifest: ReleaseManifest) -> None:
    """Refuse what would make us read or write elsewhere: a manifest can come from anybody."""
    named = f"{MANIFEST_NAME} of {manifest.name} {manifest.version}"
    advice = "do not use it, and tell who publishes it"
    listed = {file.path for file in manifest.files}
    verdicts = manifest.recipe.mcq.verdicts
    for path in (*listed, *(file for table in manifest.tables for file in table.files), verdicts):
        if path is not None and leads_out(path):
            raise InputError(f"{named} names the path {path!r}, which leads out of the release; {advice}")
    for table in manifest.tables:
        for path in table.files:
            if path not in listed:
                raise InputError(
                    f"{named} names the file {path!r} for {table.config}/{table.split}, and no digest of it; "
                    f"{advice}"
                )


# The files of a release directory, checked against its manifest.


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

    @classmethod
    def of(cls, path: str, content: bytes) -> "ReleaseFile":
        """The file at a path, by what it holds."""
        git = hashlib.sha1(f"blob {len(content)}\0".encode(), usedforsecurity=False)
        git.update(content)
        return cls(path, len(content), hashlib.sha256(content).hexdigest(), git.hexdigest())


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
        # A link that leads nowhere is no file, and yet lies there.
        if (path.is_file() or path.is_symlink()) and not is_the_hubs(path.relative_to(release).as_posix())
    }
    _refuse(release, file_faults(release) | {"not in the manifest": sorted(present - listed)})
    return {path: ReleaseFile.of(path, (release / path).read_bytes()) for path in sorted(present)}


def note_of_checks(release: Path) -> Path:
    """The empty file that is there once this version of the SDK, on this machine, found no error in a release.

    It is named by the digest of the manifest, which holds those of all other files: whoever asks for it has
    compared them. It lies in the user's cache, since a directory that may come from anybody cannot say it.
    """
    from huggingface_hub import constants

    content = __version__.encode() + (release / MANIFEST_NAME).read_bytes()
    return Path(constants.HF_ASSETS_CACHE) / "blend" / "validated" / hashlib.sha256(content).hexdigest()


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


# The published form of a release: the few texts that can be finished only when the repository is known.


# The name in a call that loads: as a build writes it, or as it was published before.
_LOADED = re.compile(r'(load_(?:dataset|annotations)\(")(?:REPOSITORY|[\w.-]+/[\w.-]+)(?=", )')
# Addresses of an earlier publication, and paths that have none yet.
_ADDRESS = re.compile(r'(?<="contentUrl": ")https?://[^"]+?/resolve/v[\d.]+/')
_RELATIVE = re.compile(r'(?<="contentUrl": ")(?!https?://)')
_EXPLAINED = "`REPOSITORY` is the name of this repository, as `org/name`. "
_DESPITE = "\nPublished despite errors that `blend validate` reports: "

_HUB = "https://huggingface.co"
_HOSTS_OF_THE_HUB = {"huggingface.co", "www.huggingface.co", "hf.co"}

_ADDRESSED = (CARD_NAME, CROISSANT_NAME, CHANGELOG_NAME)
"""The files that can be published with another content than they were built with, and so their manifest."""


def addressed_files(
    release: Path, manifest: ReleaseManifest, *, repo_id: str, endpoint: str, allow_errors: str | None = None
) -> dict[str, bytes]:
    """The files of a release that are published with another content than they were built with.

    Args:
        release: Release directory.
        manifest: Its manifest.
        repo_id: ``org/name``, where it is to be published.
        endpoint: Address at which the Hub is reached; it is written only if it is that of the Hub itself.
        allow_errors: Why it is published although it is not valid; told in its changelog.

    Returns:
        Contents by path, among them the manifest, which has their digests; the same for the same arguments, and
        for a release that has been published there and pulled back.
    """
    held = {file.path for file in manifest.files}
    texts = {path: document_text(release / path) for path in _ADDRESSED if path in held}
    changed = {
        path: text.encode()
        for path, text in {
            CARD_NAME: _LOADED.sub(rf"\g<1>{repo_id}", texts.get(CARD_NAME, "").replace(_EXPLAINED, "")),
            CROISSANT_NAME: _croissant(texts.get(CROISSANT_NAME, ""), manifest, repo_id, endpoint),
            CHANGELOG_NAME: _changelog(texts.get(CHANGELOG_NAME, ""), manifest.version, allow_errors),
        }.items()
        if path in texts and text != texts[path]
    }
    if not changed:
        return {}
    infos = tuple(
        file.model_copy(update={"size": len(content), "sha256": hashlib.sha256(content).hexdigest()})
        if (content := changed.get(file.path)) is not None
        else file
        for file in manifest.files
    )
    return {**changed, MANIFEST_NAME: manifest.model_copy(update={"files": infos}).to_json().encode()}


def _croissant(text: str, manifest: ReleaseManifest, repo_id: str, endpoint: str) -> str:
    relative = _ADDRESS.sub("", text)
    if urlsplit(endpoint).hostname not in _HOSTS_OF_THE_HUB:
        return relative
    return _RELATIVE.sub(f"{_HUB}/datasets/{repo_id}/resolve/v{manifest.version}/", relative)


def _changelog(text: str, version: str, allow_errors: str | None) -> str:
    if allow_errors is None:
        return text
    heading = f"## {version}\n"
    note = f"{heading}{_DESPITE}{' '.join(allow_errors.split())}\n"
    # A release that was published so, and pulled back, has the note.
    return text if note in text else text.replace(heading, note, 1)
