"""The look at the repository: how a release will stand there, what is there, and hence what is to be done."""

import hashlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from blend.builders.publish.plan import (
    Changes,
    PublicationPlan,
    changes_between,
    check_finished,
    check_no_branch,
    check_order,
    check_still_there,
    check_target,
)
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.hub import Refs
from blend.loaders.releases import ReleaseFile, read_manifest, read_release_files
from blend.loaders.releases.repository import ADDRESSED, HubRepository, RemoteFile, addressed_files
from blend.schemas.addresses import newest_version, tag_of
from blend.schemas.errors import ConflictError, InputError
from blend.schemas.manifest import MANIFEST_NAME, ReleaseManifest

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd


_NO_REPOSITORY = Refs(None, {}, {})


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
        return CommitOperationAdd(path, self.contents.get(path) or target.read_bytes())


def _described(path: str, content: bytes) -> ReleaseFile:
    git_id = hashlib.sha1(f"blob {len(content)}\0".encode() + content, usedforsecurity=False).hexdigest()
    return ReleaseFile(path, len(content), hashlib.sha256(content).hexdigest(), git_id)


class _Sight(NamedTuple):
    """Contents of a repository."""

    files: Mapping[str, RemoteFile]
    """The files on ``main``."""
    manifest: ReleaseManifest | None
    """The manifest on ``main``; null if there is none."""
    released: Mapping[str, RemoteFile]
    """The files of the latest version; those on ``main`` if it has none."""
    made: str | None
    """The commit on ``main``, since the latest tag, that holds the release; null if there is none."""


def look(pending: PendingCommit, *, private: bool) -> PublicationPlan:
    """Find out what publishing has to do now, or raise the error that says why it may not.

    Args:
        pending: The release.
        private: Whether only the owners may see it; of an existing repository this is checked.

    Raises:
        ConflictError: If its version is taken, or if somebody else is publishing.
        InputError: If the version is not above the latest, or if the repository holds something else.
    """
    with ThreadPoolExecutor() as requests:
        refs = requests.submit(_refs, pending)
        is_private = pending.repository.is_private()
        if private and is_private is False:
            raise InputError(
                f"{pending.where}: exists and is public, so `private` cannot be kept; make it private in its "
                "settings, or publish to another repository"
            )
        return plan_on(pending, _NO_REPOSITORY if is_private is None else refs.result(), is_private is None)


def plan_on(pending: PendingCommit, refs: Refs, creates: bool = False) -> PublicationPlan:
    """Plan publishing on top of what branches and tags name now; errors as of `look`."""
    manifest, latest = pending.manifest, newest_version(refs.tags)
    check_no_branch(pending.tag, refs.branches, where=pending.where)
    if pending.tag in refs.tags:
        pending.check_tagged(refs.tags[pending.tag])
        return _plan(pending, "nothing", refs, latest=latest, made=refs.tags[pending.tag])
    sight = _sight(pending, refs, latest)
    if sight.made is not None:
        assert refs.head is not None, "a commit on main was found"
        made = pending.repository.files(sight.made)[MANIFEST_NAME]
        check_still_there(sight.made, refs.head, sight.files, made, where=pending.where)
        return _plan(pending, "tag", refs, latest=latest, made=sight.made)
    check_target(manifest, sight.manifest, sight.files, where=pending.where)
    if sight.manifest is not None and refs.head is not None:
        check_finished(sight.manifest, refs.head, refs.tags, repo_id=pending.repository.repo_id)
    check_order(manifest.version, latest, where=pending.where)
    edited = {
        path
        for path in sight.files.keys() | sight.released.keys()
        if sight.files.get(path) != sight.released.get(path)
    }
    return _plan(
        pending,
        "publish",
        refs,
        latest=latest,
        creates=creates,
        changes=changes_between(pending.files, sight.files),
        edited=tuple(sorted(edited)),
    )


def find_commit(pending: PendingCommit, refs: Refs) -> str | None:
    """The commit that holds the release: that of its tag, or one on ``main`` since the latest tag.

    Raises:
        ConflictError: If its tag is on other content.
    """
    if pending.tag in refs.tags:
        pending.check_tagged(refs.tags[pending.tag])
        return refs.tags[pending.tag]
    tagged = set(refs.tags.values())
    if refs.head is None or refs.head in tagged:
        return None
    for commit, title in pending.repository.history(refs.head):
        if commit in tagged:
            return None
        if title == pending.title and not pending.differences(commit):
            return commit
    return None


def _refs(pending: PendingCommit) -> Refs:
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        return pending.repository.refs()
    except RepositoryNotFoundError:
        return _NO_REPOSITORY


def _sight(pending: PendingCommit, refs: Refs, latest: str | None) -> _Sight:
    """Everything that there is to see, asked for at the same time: every answer takes its while."""
    if refs.head is None:
        return _Sight({}, None, {}, None)
    repository, head = pending.repository, refs.head
    tagged = head if latest is None else refs.tags[tag_of(latest)]
    with ThreadPoolExecutor() as requests:
        manifest = requests.submit(repository.find_manifest, head)
        released = None if tagged == head else requests.submit(repository.files, tagged)
        made = requests.submit(find_commit, pending, refs)
        files = repository.files(head)
        return _Sight(files, manifest.result(), files if released is None else released.result(), made.result())


def _plan(
    pending: PendingCommit,
    action: Literal["publish", "tag", "nothing"],
    refs: Refs,
    *,
    latest: str | None,
    creates: bool = False,
    made: str | None = None,
    changes: Changes | None = None,
    edited: tuple[str, ...] = (),
) -> PublicationPlan:
    repo_id, table = pending.repository.repo_id, pending.manifest.tables[0]
    return PublicationPlan(
        repo_id=repo_id,
        version=pending.manifest.version,
        tag=pending.tag,
        action=action,
        creates=creates,
        head=refs.head,
        tags=refs.tags,
        made=made,
        changes=changes or Changes((), (), (), tuple(pending.files)),
        edited=edited,
        previous=latest,
        load=f'load_dataset("{repo_id}", "{table.config}", split="{table.split}", revision="{pending.tag}")',
    )
