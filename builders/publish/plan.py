"""What publishing a release would change in a repository, and whether it may: by a look at what is there."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from blend.builders.publish.repository import Changes, PendingCommit, RemoteFile, changes_between
from blend.loaders.hub import Refs, hub_name
from blend.loaders.releases import some_of
from blend.schemas.errors import ConflictError, InputError
from blend.schemas.manifest import MANIFEST_NAME, ReleaseManifest, newest_version, numbers_of, tag_of


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


def look(pending: PendingCommit, *, private: bool) -> PublicationPlan:
    """Find out what publishing has to do now, or raise the error that says why it may not.

    Args:
        pending: The release.
        private: Whether only the owners may see it; of an existing repository this is checked.

    Raises:
        ConflictError: If its version is taken, or if somebody else is publishing.
        InputError: If the version is not above the latest, or if the repository holds something else.
    """
    is_private = pending.repository.is_private()
    if private and is_private is False:
        raise InputError(
            f"{pending.where}: exists and is public, so `private` cannot be kept; make it private in its "
            "settings, or publish to another repository"
        )
    # There is no repository yet.
    if is_private is None:
        return plan_on(pending, Refs(None, {}, {}), creates=True)
    return plan_on(pending, pending.repository.refs())


def plan_on(pending: PendingCommit, refs: Refs, *, creates: bool = False) -> PublicationPlan:
    """Plan publishing on top of what branches and tags name now; errors as of `look`."""
    manifest, repository, latest = pending.manifest, pending.repository, newest_version(refs.tags)
    where = pending.where
    table = manifest.tables[0]
    plan = PublicationPlan(
        repo_id=repository.repo_id,
        version=manifest.version,
        tag=pending.tag,
        action="nothing",
        creates=creates,
        head=refs.head,
        tags=refs.tags,
        made=refs.tags.get(pending.tag),
        changes=Changes((), (), (), tuple(pending.files)),
        edited=(),
        previous=latest,
        load=f'load_dataset("{repository.repo_id}", "{table.config}", split="{table.split}", '
        f'revision="{pending.tag}")',
    )
    _check_no_branch(pending.tag, refs.branches, where=where)
    if pending.tag in refs.tags:
        pending.check_tagged(refs.tags[pending.tag])
        return plan
    files = repository.files(refs.head)
    if refs.head is not None and (made := find_commit(pending, refs)) is not None:
        _check_still_there(made, refs.head, files, repository.files(made)[MANIFEST_NAME], where=where)
        return plan._replace(action="tag", made=made)
    there = None if refs.head is None else repository.find_manifest(refs.head)
    _check_target(manifest, there, files, where=where)
    if there is not None and refs.head is not None:
        _check_finished(there, refs.head, refs.tags, repo_id=repository.repo_id)
    _check_order(manifest.version, latest, where=where)
    released = files if latest is None else repository.files(refs.tags[tag_of(latest)])
    # `main` beside the latest version, not beside this one: what differs there was changed by hand.
    edited = {path for path in files.keys() | released.keys() if files.get(path) != released.get(path)}
    return plan._replace(
        action="publish", changes=changes_between(pending.files, files), edited=tuple(sorted(edited))
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
        # No further back than to a tagged commit: before it are versions that were finished.
        if commit in tagged:
            return None
        if title == pending.title and not pending.differences(commit):
            return commit
    return None


def _check_order(version: str, latest: str | None, *, where: str) -> None:
    """Refuse a version that is not above the latest one: readers of ``main`` would go back.

    Raises:
        InputError: If it is not above it.
    """
    if latest is not None and numbers_of(version) <= numbers_of(latest):
        raise InputError(
            f"{where}: version {version} is not above {latest}, the latest one there; "
            "raise `version` in the recipe and build again"
        )


def _check_no_branch(tag: str, branches: Mapping[str, str], *, where: str) -> None:
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


def _check_target(
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


def _check_finished(there: ReleaseManifest, head: str, tags: Mapping[str, str], *, repo_id: str) -> None:
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


def _check_still_there(
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
