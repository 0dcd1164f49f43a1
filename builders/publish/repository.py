"""A dataset repository on the Hub, as publishing sees it, and a release on its way there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from blend.loaders.files.progress import ProgressCallback
from blend.loaders.hub import HubClient, Refs
from blend.loaders.releases import ReleaseFile, addressed_files, read_manifest, read_release_files, some_of
from blend.loaders.releases.references import manifest_folder
from blend.schemas.errors import ConflictError
from blend.schemas.manifest import HUB_FILE, ReleaseManifest, tag_of

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd


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
            info = self.hub.ask(lambda: self.hub.api.dataset_info(self.repo_id))
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
                self.repo_id, recursive=True, revision=commit, repo_type="dataset"
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

    def history(self, commit: str) -> Iterator[tuple[str, str]]:
        """The commits from one back to the first, each with its title."""
        listed = self.hub.ask(
            lambda: self.hub.api.list_repo_commits(self.repo_id, repo_type="dataset", revision=commit)
        )
        return ((entry.commit_id, entry.title) for entry in listed)


class Changes(NamedTuple):
    """Paths by what becomes of them on ``main``."""

    added: tuple[str, ...]
    """In the release only."""
    changed: tuple[str, ...]
    """In both, with other content."""
    removed: tuple[str, ...]
    """In the repository only; they stay under the tags that have them."""
    unchanged: tuple[str, ...]
    """In both, with the same content."""

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)

    def described(self) -> str:
        """The changes in words, the first paths by name."""
        kinds = (("added", self.added), ("changed", self.changed), ("removed", self.removed))
        return "; ".join(f"{kind}: {some_of(list(paths))}" for kind, paths in kinds if paths)


def changes_between(files: Mapping[str, ReleaseFile], remote: Mapping[str, RemoteFile]) -> Changes:
    """List what has to change in a repository for it to hold exactly a release.

    Args:
        files: The release, by path.
        remote: The repository's files, by path.

    Returns:
        Paths in text order.
    """
    shared = sorted(files.keys() & remote.keys())
    same = {path for path in shared if remote[path].holds(files[path])}
    return Changes(
        added=tuple(sorted(files.keys() - remote.keys())),
        changed=tuple(path for path in shared if path not in same),
        removed=tuple(sorted(remote.keys() - files.keys())),
        unchanged=tuple(path for path in shared if path in same),
    )


@dataclass(frozen=True, slots=True)
class PendingCommit:
    """A release on its way into a repository."""

    repository: HubRepository
    """Where it goes."""
    release: Path
    """Directory in which it lies."""
    manifest: ReleaseManifest
    """Its manifest, as it lies there."""
    files: Mapping[str, ReleaseFile]
    """Its files as they are published, by path."""
    contents: Mapping[str, bytes]
    """The files that are published with another content than they have in the directory, by path."""
    on_progress: ProgressCallback
    """Told about progress."""

    @classmethod
    def of(
        cls,
        release: Path,
        repository: HubRepository,
        *,
        allow_errors: str | None,
        on_progress: ProgressCallback,
    ) -> "PendingCommit":
        """The release in a directory, for a repository.

        Raises:
            InputError: If the directory is not as its manifest says.
        """
        files, manifest = read_release_files(release), read_manifest(release)
        contents = addressed_files(
            release,
            manifest,
            repo_id=repository.repo_id,
            endpoint=repository.endpoint,
            allow_errors=allow_errors,
        )
        changed = {path: ReleaseFile.of(path, content) for path, content in contents.items()}
        return cls(repository, release, manifest, {**files, **changed}, contents, on_progress)

    @property
    def title(self) -> str:
        """First line of its commit; the same for every attempt."""
        return f"Release {self.manifest.name} {self.manifest.version}"

    @property
    def tag(self) -> str:
        """Tag of its version."""
        return tag_of(self.manifest.version)

    @property
    def where(self) -> str:
        """The repository, for messages."""
        return self.repository.where

    def differences(self, commit: str) -> Changes:
        """List what would have to change at a commit for it to hold the release."""
        return changes_between(self.files, self.repository.files(commit))

    def check_tagged(self, commit: str) -> None:
        """Refuse other content under a tag: a tag never moves.

        Raises:
            ConflictError: If the tagged commit does not hold the release.
        """
        if differences := self.differences(commit):
            raise ConflictError(
                f"{self.where}: {self.tag} is published with other content and never changes "
                f"({differences.described()}); see `blend diff {self.repository.repo_id}@{self.tag} "
                f"{self.release}`, raise `version` in the recipe and build again"
            )

    def addition(self, path: str) -> "CommitOperationAdd":
        """A file as a commit takes it."""
        from huggingface_hub import CommitOperationAdd

        target = self.release / path
        # Tables are large and sent from the disk; the rest is held, so that what was checked is what is sent.
        if target.suffix == ".parquet":
            return CommitOperationAdd(path, str(target))
        return CommitOperationAdd(path, self.contents[path] if path in self.contents else target.read_bytes())
