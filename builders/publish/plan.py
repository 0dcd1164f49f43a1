"""What publishing a release would change in a repository, and whether it may."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from blend.loaders.hub import hub_name
from blend.loaders.releases import ReleaseFile, some_of
from blend.loaders.releases.repository import RemoteFile
from blend.schemas.addresses import numbers_of, tag_of
from blend.schemas.errors import ConflictError, InputError
from blend.schemas.manifest import MANIFEST_NAME, ReleaseManifest


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


class PublicationPlan(NamedTuple):
    """Plan of publishing a release."""

    repo_id: str
    """``org/name``."""
    version: str
    """Version of the release, without ``v``."""
    tag: str
    """Name of the tag."""
    action: Literal["publish", "tag", "nothing"]
    """``publish``: commit and tag. ``tag``: a stopped run made the commit. ``nothing``: all is there."""
    creates: bool
    """Whether the repository is not there."""
    head: str | None
    """The commit of ``main`` that was examined, and on top of which the release goes; null without one."""
    tags: Mapping[str, str]
    """Commits by tag, as they were then."""
    made: str | None
    """The commit that holds the release already; null where it is still to be made."""
    changes: Changes
    """What becomes of the files on ``main``."""
    edited: tuple[str, ...]
    """Files that somebody changed on ``main`` by hand since the latest version; the release replaces them."""
    previous: str | None
    """The latest version before this one; null for the first."""
    load: str
    """The line of Python that loads it."""


class Publication(NamedTuple):
    """A release that is published."""

    plan: PublicationPlan
    """What was to be done, and was."""
    commit: str
    """The tagged commit."""
    new_repository: bool
    """Whether the repository was made for it."""


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


def check_order(version: str, latest: str | None, *, where: str) -> None:
    """Refuse a version that is not above the latest one: readers of ``main`` would go back.

    Raises:
        InputError: If it is not above it.
    """
    if latest is not None and numbers_of(version) <= numbers_of(latest):
        raise InputError(
            f"{where}: version {version} is not above {latest}, the latest one there; "
            "raise `version` in the recipe and build again"
        )


def check_no_branch(tag: str, branches: Mapping[str, str], *, where: str) -> None:
    """Refuse a tag that a branch has the name of: readers who name it could get either.

    Raises:
        InputError: If there is such a branch.
    """
    if tag in branches:
        raise InputError(
            f"{where}: has a branch {tag}, which is at {branches[tag]}; the tag of this version would have the "
            "same name, and whoever names it could get either; nothing was changed; delete or rename the "
            "branch on the Hub, or raise `version` in the recipe and build again"
        )


def check_target(
    manifest: ReleaseManifest, there: ReleaseManifest | None, remote: Mapping[str, RemoteFile], *, where: str
) -> None:
    """Refuse to replace what is not a release, or another dataset's.

    Args:
        manifest: The release to publish.
        there: The manifest on ``main``; null if there is none.
        remote: The files on ``main``.
        where: The repository, for messages.

    Raises:
        InputError: If ``main`` holds other files than a card and no manifest, or a manifest of another name.
    """
    foreign = sorted(remote.keys() - {"README.md"})
    if there is None and foreign:
        raise InputError(
            f"{where}: holds files but no {MANIFEST_NAME} ({some_of(foreign)}), so it is not a release and is "
            "not replaced; publish to another repository, or remove these files yourself"
        )
    if there is not None and there.name != manifest.name:
        raise InputError(
            f"{where}: holds the dataset {there.name!r}, and this release is of {manifest.name!r}; "
            "publish to another repository, or correct `name` in the recipe"
        )


def check_finished(there: ReleaseManifest, head: str, tags: Mapping[str, str], *, repo_id: str) -> None:
    """Refuse to go on from a version that is on ``main`` without its tag.

    Somebody publishes it at this moment, or was stopped between commit and tag. Readers of ``main`` have seen
    it, so it is not overwritten but finished first.

    Raises:
        ConflictError: If the version on ``main`` has no tag.
    """
    if tag_of(there.version) not in tags:
        raise ConflictError(
            f"{hub_name(repo_id)}: conflict: version {there.version} is on main but not tagged, so another "
            "publish is under way or was stopped; nothing was changed; wait a minute and try again, or finish "
            f"it: blend pull {repo_id}@{head} DIR && blend publish DIR {repo_id}"
        )


def check_still_there(
    commit: str, head: str, remote: Mapping[str, RemoteFile], manifest: RemoteFile, *, where: str
) -> None:
    """Refuse to tag a commit whose release has been taken off ``main`` since; its readers would not find it.

    Args:
        commit: The commit that a stopped run made.
        head: The commit of ``main``.
        remote: The files on ``main``.
        manifest: The manifest at the commit.
        where: The repository, for messages.

    Raises:
        ConflictError: If ``main`` holds another manifest, or none.
    """
    if remote.get(manifest.path) != manifest:
        raise ConflictError(
            f"{where}: commit {commit} put this release on main, without its tag, and somebody has taken it "
            f"back since (main is at {head}); nothing was changed; ask them why, raise `version` in the recipe "
            "if it is to come back, build it again and publish that"
        )
