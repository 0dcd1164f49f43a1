"""What publishing a release would change in a repository, and whether it may."""

from collections.abc import Mapping
from typing import NamedTuple

from blend.loaders.hub.client import hub_name
from blend.loaders.releases.files import ReleaseFile, some_of
from blend.loaders.releases.repository import RemoteFile
from blend.schemas.errors import BlendError
from blend.schemas.layout import MANIFEST_NAME
from blend.schemas.manifest import ReleaseManifest


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
    """What has to change in a repository for it to hold exactly a release.

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


def version_tag(version: str) -> str:
    """The tag of a version: ``v1.2.0``."""
    return f"v{version}"


def latest_version(tags: Mapping[str, str]) -> str | None:
    """The highest version among the tags of a repository; null if there is none."""
    versions = [tag.removeprefix("v") for tag in tags if _is_version(tag)]
    return max(versions, key=version_numbers, default=None)


def version_numbers(version: str) -> tuple[int, ...]:
    """A version as numbers that compare as versions do."""
    return tuple(int(number) for number in version.split("."))


def check_order(version: str, latest: str | None, *, where: str) -> None:
    """Refuse a version that is not above the latest one: readers of ``main`` would go back.

    Raises:
        BlendError: If it is not above it.
    """
    if latest is not None and version_numbers(version) <= version_numbers(latest):
        raise BlendError(
            f"{where}: version {version} is not above {latest}, the latest one there; "
            "raise `version` in the recipe and build again"
        )


def check_place(
    manifest: ReleaseManifest, there: ReleaseManifest | None, remote: Mapping[str, RemoteFile], *, where: str
) -> None:
    """Refuse to replace what is no release, or another dataset's.

    Args:
        manifest: The release to publish.
        there: The manifest on ``main``; null if there is none.
        remote: The files on ``main``.
        where: The repository, for messages.

    Raises:
        BlendError: If ``main`` holds other files than a card and no manifest, or a manifest of another name.
    """
    foreign = sorted(remote.keys() - {"README.md"})
    if there is None and foreign:
        raise BlendError(
            f"{where}: holds files but no {MANIFEST_NAME} ({some_of(foreign)}), so it is no release and is not "
            "replaced; publish to another repository, or remove these files yourself"
        )
    if there is not None and there.name != manifest.name:
        raise BlendError(
            f"{where}: holds the dataset {there.name!r}, and this release is of {manifest.name!r}; "
            "publish to another repository, or correct `name` in the recipe"
        )


def check_finished(there: ReleaseManifest, head: str, tags: Mapping[str, str], *, repo_id: str) -> None:
    """Refuse to go on from a version that is on ``main`` without its tag.

    Somebody publishes it at this moment, or was stopped between commit and tag. Readers of ``main`` have seen
    it, so it is not overwritten but finished first.

    Raises:
        BlendError: If the version on ``main`` has no tag.
    """
    if version_tag(there.version) not in tags:
        raise BlendError(
            f"{hub_name(repo_id)}: conflict: version {there.version} is on main but not tagged, so another "
            "publish is under way or was stopped; nothing was changed; wait a minute and try again, or finish "
            f"it: blend pull {repo_id}@{head} DIR && blend publish DIR {repo_id}"
        )


def _is_version(tag: str) -> bool:
    numbers = tag.removeprefix("v").split(".")
    return tag.startswith("v") and len(numbers) == 3 and all(n.isdecimal() and n.isascii() for n in numbers)
