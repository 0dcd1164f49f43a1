"""A dataset repository on the Hub, as publishing sees it: its tags, its head, its files by their digests."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from blend.loaders.hub.client import HubClient, Refs
from blend.loaders.releases import read_manifest
from blend.loaders.releases.addressed import ADDRESSED, same_but_for_address
from blend.loaders.releases.files import ReleaseFile
from blend.loaders.releases.references import manifest_folder
from blend.schemas.errors import InputError
from blend.schemas.manifest import HUB_FILE, ReleaseManifest


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
            return same_but_for_address(release, fetched[0].parent)
        except InputError:
            return False

    def history(self, commit: str) -> Iterator[tuple[str, str]]:
        """The commits from one back to the first, each with its title."""
        listed = self.hub.ask(
            lambda: self.hub.api.list_repo_commits(self.hub.repo_id, repo_type="dataset", revision=commit)
        )
        return ((entry.commit_id, entry.title) for entry in listed)
