"""The look at the repository: what is there, and hence what publishing a release has to do."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, NamedTuple

from blend.builders.publish.plan import (
    Changes,
    PublicationPlan,
    changes_between,
    check_finished,
    check_no_branch,
    check_order,
    check_place,
    check_still_there,
)
from blend.builders.publish.shipment import Shipment
from blend.loaders.hub.client import Refs
from blend.loaders.releases.repository import RemoteFile
from blend.schemas.errors import InputError
from blend.schemas.layout import MANIFEST_NAME
from blend.schemas.manifest import ReleaseManifest
from blend.schemas.versions import newest_version, tag_of

_NO_REPOSITORY = Refs(None, {}, {})


class Sight(NamedTuple):
    """What a repository holds."""

    files: Mapping[str, RemoteFile]
    """The files on ``main``."""
    manifest: ReleaseManifest | None
    """The manifest on ``main``; null if there is none."""
    released: Mapping[str, RemoteFile]
    """The files of the latest version; those on ``main`` if it has none."""
    made: str | None
    """The commit on ``main``, since the latest tag, that holds the release; null if there is none."""


def look(shipment: Shipment, *, private: bool) -> PublicationPlan:
    """What publishing has to do now, or the error that says why it may not.

    Args:
        shipment: The release.
        private: Whether only the owners may see it; of an existing repository this is checked.

    Raises:
        ConflictError: If its version is taken, or if somebody else is publishing.
        InputError: If the version is not above the latest, or if the repository holds something else.
    """
    with ThreadPoolExecutor() as requests:
        refs = requests.submit(_refs, shipment)
        is_private = shipment.repository.is_private()
        if private and is_private is False:
            raise InputError(
                f"{shipment.where}: exists and is public, so --private cannot be kept; make it private in its "
                "settings, or publish to another repository"
            )
        return plan_on(shipment, _NO_REPOSITORY if is_private is None else refs.result(), is_private is None)


def plan_on(shipment: Shipment, refs: Refs, creates: bool = False) -> PublicationPlan:
    """What publishing has to do on top of what branches and tags name now; errors as of `look`."""
    manifest, latest = shipment.manifest, newest_version(refs.tags)
    if shipment.tag in refs.tags:
        shipment.check_tagged(refs.tags[shipment.tag])
        return _plan(shipment, "nothing", refs, latest=latest, made=refs.tags[shipment.tag])
    check_no_branch(shipment.tag, refs.branches, where=shipment.where)
    sight = _sight(shipment, refs, latest)
    if sight.made is not None:
        assert refs.head is not None, "a commit on main was found"
        made = shipment.repository.files(sight.made)[MANIFEST_NAME]
        check_still_there(sight.made, refs.head, sight.files, made, where=shipment.where)
        return _plan(shipment, "tag", refs, latest=latest, made=sight.made)
    check_place(manifest, sight.manifest, sight.files, where=shipment.where)
    if sight.manifest is not None and refs.head is not None:
        check_finished(sight.manifest, refs.head, refs.tags, repo_id=shipment.repository.repo_id)
    check_order(manifest.version, latest, where=shipment.where)
    edited = {
        path
        for path in sight.files.keys() | sight.released.keys()
        if sight.files.get(path) != sight.released.get(path)
    }
    return _plan(
        shipment,
        "publish",
        refs,
        latest=latest,
        creates=creates,
        changes=changes_between(shipment.files, sight.files),
        edited=tuple(sorted(edited)),
    )


def find_commit(shipment: Shipment, refs: Refs) -> str | None:
    """The commit that holds the release: that of its tag, or one on ``main`` since the latest tag.

    Raises:
        ConflictError: If its tag is on other content.
    """
    if shipment.tag in refs.tags:
        shipment.check_tagged(refs.tags[shipment.tag])
        return refs.tags[shipment.tag]
    tagged = set(refs.tags.values())
    if refs.head is None or refs.head in tagged:
        return None
    for commit, title in shipment.repository.history(refs.head):
        if commit in tagged:
            return None
        if title == shipment.title and not shipment.differences(commit):
            return commit
    return None


def _refs(shipment: Shipment) -> Refs:
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        return shipment.repository.refs()
    except RepositoryNotFoundError:
        return _NO_REPOSITORY


def _sight(shipment: Shipment, refs: Refs, latest: str | None) -> Sight:
    """Everything that there is to see, asked for at the same time: every answer takes its while."""
    if refs.head is None:
        return Sight({}, None, {}, None)
    repository, head = shipment.repository, refs.head
    tagged = head if latest is None else refs.tags[tag_of(latest)]
    with ThreadPoolExecutor() as requests:
        manifest = requests.submit(repository.find_manifest, head)
        released = None if tagged == head else requests.submit(repository.files, tagged)
        made = requests.submit(find_commit, shipment, refs)
        files = repository.files(head)
        return Sight(files, manifest.result(), files if released is None else released.result(), made.result())


def _plan(
    shipment: Shipment,
    action: Literal["publish", "tag", "nothing"],
    refs: Refs,
    *,
    latest: str | None,
    creates: bool = False,
    made: str | None = None,
    changes: Changes | None = None,
    edited: tuple[str, ...] = (),
) -> PublicationPlan:
    repo_id, table = shipment.repository.repo_id, shipment.manifest.tables[0]
    return PublicationPlan(
        repo_id=repo_id,
        version=shipment.manifest.version,
        tag=shipment.tag,
        action=action,
        creates=creates,
        head=refs.head,
        tags=refs.tags,
        made=made,
        changes=changes or Changes((), (), (), tuple(shipment.files)),
        edited=edited,
        previous=latest,
        load=f'load_dataset("{repo_id}", "{table.config}", split="{table.split}", revision="{shipment.tag}")',
    )
