"""A dataset repository on the Hub, as publishing sees it: its tags, its head, its files by their digests."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from blend.loaders.hub import HubClient, Refs
from blend.loaders.releases import ReleaseFile, document_text, read_manifest
from blend.loaders.releases.references import manifest_folder
from blend.schemas.errors import InputError
from blend.schemas.manifest import (
    CARD_NAME,
    CHANGELOG_NAME,
    CROISSANT_NAME,
    HUB_FILE,
    MANIFEST_NAME,
    ReleaseManifest,
)


class RemoteFile(NamedTuple):
    """A file at a commit, as the Hub lists it."""

    path: str
    """Path in the repository."""
    size: int
    """Length in bytes."""
    git_id: str
    """What git calls the file."""
    sha256: str | None
    """Digest of the content; null for a small file, whose content has only the ``git_id``."""

    def holds(self, file: ReleaseFile) -> bool:
        """Whether the content is that of a local file."""
        if self.size != file.size:
            return False
        return self.git_id == file.git_id if self.sha256 is None else self.sha256 == file.sha256


class HubRepository:
    """A dataset repository; every question to the Hub is repeated after a passing error."""

    def __init__(self, hub: HubClient) -> None:
        self.hub = hub
        self.repo_id = hub.repo_id
        self.where = hub.where
        self.endpoint: str = hub.api.endpoint
        self._files: dict[str, dict[str, RemoteFile]] = {}

    def is_private(self) -> bool | None:
        """Whether only its owners see it; null if there is no such repository."""
        from huggingface_hub.errors import RepositoryNotFoundError

        try:
            info = self.hub.ask(lambda: self.hub.api.dataset_info(self.hub.repo_id))
        except RepositoryNotFoundError:
            return None
        return bool(info.private)

    def refs(self) -> Refs:
        """Return where ``main`` and the tags are now."""
        return self.hub.refs()

    def files(self, commit: str | None) -> dict[str, RemoteFile]:
        """The files at a commit by path, without the Hub's own ``.gitattributes``; asked for once."""
        if commit is None:
            return {}
        if commit not in self._files:  # what a commit holds never changes
            self._files[commit] = self._listed(commit)
        return self._files[commit]

    def _listed(self, commit: str) -> dict[str, RemoteFile]:
        from huggingface_hub.hf_api import RepoFile

        def listed() -> list[RemoteFile]:
            entries = self.hub.api.list_repo_tree(
                self.hub.repo_id, recursive=True, revision=commit, repo_type="dataset"
            )
            return [
                RemoteFile(entry.path, entry.size, entry.blob_id, entry.lfs.sha256 if entry.lfs else None)
                for entry in entries
                if isinstance(entry, RepoFile)
            ]

        return {file.path: file for file in self.hub.ask(listed) if file.path != HUB_FILE}

    def find_manifest(self, commit: str) -> ReleaseManifest | None:
        """The manifest at a commit; null if there is none.

        Raises:
            InputError: If it is not one that this version reads.
        """
        from huggingface_hub.errors import RemoteEntryNotFoundError

        try:
            return read_manifest(manifest_folder(self.hub, commit))
        except RemoteEntryNotFoundError:
            return None

    def holds_elsewhere(self, release: Path, commit: str) -> bool:
        """Whether a commit holds a release in the form that it has in another repository or at another address.

        Args:
            release: Directory of the release.
            commit: A commit that differs from it in files of `ADDRESSED` alone.
        """
        # What is in the cache is not looked at: the answer decides what is said of a published version.
        fetched = [self.hub.fetch(path, commit, anew=True) for path in ADDRESSED & self.files(commit).keys()]
        try:
            return _same_but_for_address(release, fetched[0].parent)
        except InputError:
            return False

    def history(self, commit: str) -> Iterator[tuple[str, str]]:
        """The commits from one back to the first, each with its title."""
        listed = self.hub.ask(
            lambda: self.hub.api.list_repo_commits(self.hub.repo_id, repo_type="dataset", revision=commit)
        )
        return ((entry.commit_id, entry.title) for entry in listed)


# The published form of a release: the few texts that can be finished only when the repository is known.


_NAMED = re.compile(r'(load_(?:dataset|annotations)\(")(?:REPOSITORY|[\w.-]+/[\w.-]+)(?=", )')
_ADDRESS = re.compile(r'(?<="contentUrl": ")https?://[^"]+?/resolve/v[\d.]+/')
_RELATIVE = re.compile(r'(?<="contentUrl": ")(?!https?://)')
_EXPLAINED = "`REPOSITORY` is the name of this repository, as `org/name`. "
_DESPITE = "\nPublished despite errors that `blend validate` reports: "
_REASON = re.compile(rf"{_DESPITE}.*\n")

_HUB = "https://huggingface.co"
_HOSTS_OF_THE_HUB = {"huggingface.co", "www.huggingface.co", "hf.co"}

ADDRESSED = frozenset({CARD_NAME, CROISSANT_NAME, CHANGELOG_NAME, MANIFEST_NAME})
"""The files that can be published with another content than they were built with."""


def addressed_files(
    release: Path, manifest: ReleaseManifest, *, repo_id: str, endpoint: str, allow_errors: str | None = None
) -> dict[str, bytes]:
    """The files of a release that are published with another content than they were built with.

    Args:
        release: Release directory.
        manifest: Its manifest.
        repo_id: ``org/name``, where it is to be published.
        endpoint: Address at which the Hub is reached; it is written only if it is that of the Hub itself.
        allow_errors: Why it is published although it is not sound; told in its changelog.

    Returns:
        Contents by path, among them the manifest, which has their digests; the same for the same arguments, and
        for a release that has been published there and pulled back.
    """
    held = {file.path for file in manifest.files}
    texts = {path: document_text(release / path) for path in ADDRESSED - {MANIFEST_NAME} if path in held}
    changed = {
        path: text.encode()
        for path, text in {
            CARD_NAME: _card(texts.get(CARD_NAME, ""), repo_id),
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


def unaddressed(text: str) -> str:
    """A text as it was before it was published anywhere, and for whatever reason, for comparisons."""
    relative = _ADDRESS.sub("", text)
    return _NAMED.sub(r"\1REPOSITORY", _REASON.sub("", relative).replace(_EXPLAINED, ""))


def _same_but_for_address(one: Path, other: Path) -> bool:
    """Whether directories that differ in files of `ADDRESSED` alone hold the same release.

    Args:
        one: Directory with the manifest of a release, and the files of `ADDRESSED` that it names.
        other: The same of a release that may have been published elsewhere.

    Raises:
        InputError: If a manifest is not one that this version reads, or another file is not UTF-8.
    """
    manifests = read_manifest(one), read_manifest(other)
    if _unaddressed_manifest(manifests[0]) != _unaddressed_manifest(manifests[1]):
        return False
    held = ADDRESSED.intersection(file.path for file in manifests[0].files)
    texts = ([document_text(folder / path) for path in sorted(held)] for folder in (one, other))
    first, second = (list(map(unaddressed, of_folder)) for of_folder in texts)
    return first == second


def _unaddressed_manifest(manifest: ReleaseManifest) -> ReleaseManifest:
    """A manifest without the digests of the files that name a repository; that they are there is kept."""
    infos = (
        file.model_copy(update={"size": 0, "sha256": ""}) if file.path in ADDRESSED else file
        for file in manifest.files
    )
    return manifest.model_copy(update={"files": tuple(infos)})


def _card(text: str, repo_id: str) -> str:
    return _NAMED.sub(rf"\g<1>{repo_id}", text.replace(_EXPLAINED, ""))


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
    return text if note in text else text.replace(heading, note, 1)
