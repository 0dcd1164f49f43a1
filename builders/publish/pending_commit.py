"""The shipment: a release as it will stand in its repository, and how it compares with what stands there."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from blend.builders.publish.plan import Changes, changes_between
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.releases import read_manifest
from blend.loaders.releases.addressed import ADDRESSED, addressed_files
from blend.loaders.releases.files import ReleaseFile, read_release_files
from blend.loaders.releases.repository import HubRepository
from blend.schemas.addresses import tag_of
from blend.schemas.errors import ConflictError
from blend.schemas.manifest import ReleaseManifest

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd


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
        changed = {path: _described(path, content) for path, content in contents.items()}
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
        """List what would have to change at a commit for it to hold the release.

        Nothing where only its texts give the repository another name or address, as `blend diff` says too.
        """
        found = changes_between(self.files, self.repository.files(commit))
        is_same = found.changed and not (found.added or found.removed) and ADDRESSED.issuperset(found.changed)
        if is_same and self.repository.holds_elsewhere(self.release, commit):
            return Changes((), (), (), tuple(sorted(self.files)))
        return found

    def check_tagged(self, commit: str) -> None:
        """Refuse other content under a tag: a tag never moves.

        Raises:
            ConflictError: If the tagged commit does not hold the release.
        """
        if differences := self.differences(commit):
            raise ConflictError(
                f"{self.where}: {self.tag} is published with other content and never changes "
                f"({differences.described()}); see "
                f"`blend diff {self.repository.repo_id}@{self.tag} {self.release}`, "
                "raise `version` in the recipe and build again"
            )

    def addition(self, path: str) -> "CommitOperationAdd":
        """A file as a commit takes it."""
        from huggingface_hub import CommitOperationAdd

        target = self.release / path
        # Tables are large and sent from the disk; the rest is held, so that what was checked is what is sent.
        if target.suffix == ".parquet":
            return CommitOperationAdd(path, str(target))
        return CommitOperationAdd(path, self.contents.get(path) or target.read_bytes())


def _described(path: str, content: bytes) -> ReleaseFile:
    git_id = hashlib.sha1(f"blob {len(content)}\0".encode() + content, usedforsecurity=False).hexdigest()
    return ReleaseFile(path, len(content), hashlib.sha256(content).hexdigest(), git_id)
