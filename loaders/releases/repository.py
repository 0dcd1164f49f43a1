"""A dataset repository on the Hub, as publishing sees it: its tags, its head, its files by their digests."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from blend.loaders.hub.client import OnWait, with_retries
from blend.loaders.releases import read_manifest
from blend.loaders.releases.files import ReleaseFile
from blend.schemas.layout import HUB_FILE, MANIFEST_NAME
from blend.schemas.manifest import ReleaseManifest

if TYPE_CHECKING:
    from huggingface_hub import HfApi

MAIN = "main"
"""The branch that readers get who name no revision."""


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


class Refs(NamedTuple):
    """Names of commits."""

    head: str | None
    """The commit of ``main``; null in a repository without commits."""
    tags: Mapping[str, str]
    """Commits by tag."""


class HubRepository:
    """A dataset repository; every question to the Hub is repeated after a passing error."""

    def __init__(self, api: "HfApi", repo_id: str, *, on_wait: OnWait | None = None) -> None:
        self.api = api
        self.repo_id = repo_id
        self.on_wait = on_wait

    def is_private(self) -> bool | None:
        """Whether only its owners see it; null if there is no such repository."""
        from huggingface_hub.errors import RepositoryNotFoundError

        try:
            info = with_retries(lambda: self.api.dataset_info(self.repo_id), on_wait=self.on_wait)
        except RepositoryNotFoundError:
            return None
        return bool(info.private)

    def refs(self) -> Refs:
        """Where ``main`` and the tags are now."""
        refs = with_retries(
            lambda: self.api.list_repo_refs(self.repo_id, repo_type="dataset"), on_wait=self.on_wait
        )
        heads = {branch.name: branch.target_commit for branch in refs.branches}
        return Refs(heads.get(MAIN), {tag.name: tag.target_commit for tag in refs.tags})

    def files(self, commit: str | None) -> dict[str, RemoteFile]:
        """The files at a commit by path, without the Hub's own ``.gitattributes``."""
        from huggingface_hub.hf_api import RepoFile

        if commit is None:
            return {}

        def listed() -> list[RemoteFile]:
            entries = self.api.list_repo_tree(
                self.repo_id, recursive=True, revision=commit, repo_type="dataset"
            )
            return [
                RemoteFile(entry.path, entry.size, entry.blob_id, entry.lfs.sha256 if entry.lfs else None)
                for entry in entries
                if isinstance(entry, RepoFile)
            ]

        return {file.path: file for file in with_retries(listed, on_wait=self.on_wait) if file.path != HUB_FILE}

    def manifest(self, commit: str) -> ReleaseManifest:
        """The manifest at a commit.

        Raises:
            BlendError: If it is not one that this version reads.
        """
        path = with_retries(
            lambda: self.api.hf_hub_download(self.repo_id, MANIFEST_NAME, repo_type="dataset", revision=commit),
            on_wait=self.on_wait,
        )
        return read_manifest(Path(path).parent)

    def history(self, commit: str) -> Iterator[tuple[str, str]]:
        """The commits from one back to the first, each with its title."""
        listed = with_retries(
            lambda: self.api.list_repo_commits(self.repo_id, repo_type="dataset", revision=commit),
            on_wait=self.on_wait,
        )
        return ((entry.commit_id, entry.title) for entry in listed)
