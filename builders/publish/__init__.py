"""Publishing: a release becomes one commit and one tag of a Hub repository, whatever happens on the way.

The order makes it safe. File contents are sent first, which nobody sees; then one commit, on top of exactly the
head that was examined, puts all of them in place; then the commit is compared with the manifest; then it is
tagged. A process that dies leaves either nothing visible, or the whole release on ``main`` without its tag, and
the next run adds the tag. An error of the commit or the tag says nothing about whether it exists, so after each
error the Hub is asked again before anything is decided.
"""

from pathlib import Path
from typing import Literal, NamedTuple

from blend.builders.publish.plan import (
    Changes,
    changes_between,
    check_finished,
    check_order,
    check_place,
    latest_version,
    version_tag,
)
from blend.builders.publish.steps import (
    Shipment,
    check_step,
    create_repository,
    find_commit,
    make_commit,
    make_tag,
    send_files,
)
from blend.loaders.files.progress import Notify, silent
from blend.loaders.hub.client import Refs, hub_client, hub_name
from blend.loaders.hub.patience import TIMEOUT_S, OnWait
from blend.loaders.releases import read_manifest
from blend.loaders.releases.files import read_release_files
from blend.loaders.releases.repository import HubRepository
from blend.schemas.errors import BlendError
from blend.schemas.layout import MANIFEST_NAME
from blend.schemas.manifest import ReleaseManifest


class Publication(NamedTuple):
    """What a publish did, or with ``dry_run`` would do."""

    repo_id: str
    """``org/name``."""
    version: str
    """Version of the release, without ``v``."""
    tag: str
    """Name of the tag."""
    action: Literal["publish", "tag", "nothing"]
    """``publish``: commit and tag. ``tag``: a stopped run made the commit. ``nothing``: all is there."""
    commit: str | None
    """The tagged commit; null where a dry run would make it."""
    creates: bool
    """Whether the repository was not there."""
    changes: Changes
    """What becomes of the files on ``main``."""
    edited: tuple[str, ...]
    """Files that somebody changed on ``main`` by hand since the latest version; the release replaces them."""
    previous: str | None
    """The latest version before this one; null for the first."""
    load: str
    """The line of Python that loads it."""


def publish_release(
    release: Path,
    repo_id: str,
    *,
    private: bool = False,
    forced: str | None = None,
    dry_run: bool = False,
    endpoint: str | None = None,
    timeout_s: float = TIMEOUT_S,
    notify: Notify = silent,
    on_wait: OnWait | None = None,
) -> Publication:
    """Publish a release as one commit and the tag ``vX.Y.Z``.

    Files on ``main`` that the release lacks are removed from it, and stay under the tags that have them.
    Running it again, after whatever interruption, finishes or does nothing. The token is the Hub client's
    (``HF_TOKEN`` or ``hf auth login``).

    Args:
        release: Release directory; its files must be those of its manifest.
        repo_id: ``org/name``; made if it is not there.
        private: Whether only the owners may see it; of an existing repository this is only checked.
        forced: Why to publish under a version that does not follow from the changes; written into the commit.
        dry_run: Whether to look and change nothing.
        endpoint: Address of the Hub; ``HF_ENDPOINT`` when absent.
        timeout_s: Seconds without a byte after which a request is given up, and tried again.
        notify: Told about progress.
        on_wait: Called with a sentence about what is waited for.

    Returns:
        What was done.

    Raises:
        BlendError: If the release is not as its manifest says; if the version is taken by other content, does
            not follow from the changes or is not above the latest; if somebody else publishes at the same time;
            if the repository holds something else; if the Hub refuses or cannot be reached.
    """
    where = hub_name(repo_id)
    if repo_id.count("/") != 1:
        raise BlendError(f"{where}: no repository id; write org/name, where org is an account or organisation")
    files, manifest = read_release_files(release), read_manifest(release)
    with hub_client(repo_id, endpoint=endpoint, purpose="write", timeout_s=timeout_s, on_wait=on_wait) as hub:
        from huggingface_hub import get_token

        if not dry_run and get_token() is None:
            raise BlendError(
                f"{where}: not logged in; run `hf auth login`, or set HF_TOKEN to a token that may write"
            )
        shipment = Shipment(
            repository=HubRepository(hub),
            release=release,
            files=files,
            title=f"Release {manifest.name} {manifest.version}",
            tag=version_tag(manifest.version),
            notify=notify,
        )
        return _publish(shipment, manifest, private=private, forced=forced, dry_run=dry_run)


def _publish(
    shipment: Shipment, manifest: ReleaseManifest, *, private: bool, forced: str | None, dry_run: bool
) -> Publication:
    repository = shipment.repository
    shipment.notify("look at the repository", 0, 1)
    is_private = repository.is_private()
    if private and is_private is False:
        raise BlendError(
            f"{shipment.where}: exists and is public, so --private cannot be kept; make it private in its "
            "settings, or publish to another repository"
        )
    refs = Refs(None, {}, {}) if is_private is None else repository.refs()
    plan = _plan(shipment, manifest, refs, forced)._replace(creates=is_private is None)
    shipment.notify("look at the repository", 1, 1)
    if dry_run or plan.action == "nothing":
        return plan
    if plan.creates:
        create_repository(shipment, private=private)
        refs = repository.refs()
    commit = plan.commit
    if commit is None:
        commit = _send_and_commit(shipment, plan, refs.head, _description(manifest, plan, forced))
    return plan._replace(commit=make_tag(shipment, commit))


def _plan(shipment: Shipment, manifest: ReleaseManifest, refs: Refs, forced: str | None) -> Publication:
    """What is to be done, or the error that says why nothing can."""
    latest = latest_version(refs.tags)
    if shipment.tag in refs.tags:
        shipment.check_tagged(refs.tags[shipment.tag])
        return _publication(shipment, manifest, "nothing", refs.tags[shipment.tag], latest)
    if (made := find_commit(shipment, refs)) is not None:
        return _publication(shipment, manifest, "tag", made, latest)
    repository, head = shipment.repository, refs.head
    remote = repository.files(head)
    there = repository.manifest(head) if head is not None and MANIFEST_NAME in remote else None
    check_place(manifest, there, remote, where=shipment.where)
    if there is not None and head is not None:
        check_finished(there, head, refs.tags, repo_id=repository.hub.repo_id)
    check_order(manifest.version, latest, where=shipment.where)
    edited: set[str] = set()
    if latest is not None:
        if forced is None:
            check_step(shipment, manifest.version, latest)
        released = repository.files(refs.tags[version_tag(latest)])
        edited = {path for path in remote | released if remote.get(path) != released.get(path)}
    plan = _publication(shipment, manifest, "publish", None, latest)
    return plan._replace(changes=changes_between(shipment.files, remote), edited=tuple(sorted(edited)))


def _publication(
    shipment: Shipment,
    manifest: ReleaseManifest,
    action: Literal["publish", "tag", "nothing"],
    commit: str | None,
    latest: str | None,
) -> Publication:
    repo_id, table = shipment.repository.hub.repo_id, manifest.tables[0]
    return Publication(
        repo_id=repo_id,
        version=manifest.version,
        tag=shipment.tag,
        action=action,
        commit=commit,
        creates=False,
        changes=Changes((), (), (), tuple(shipment.files)),
        edited=(),
        previous=latest,
        load=f'load_dataset("{repo_id}", "{table.config}", split="{table.split}", revision="{shipment.tag}")',
    )


def _send_and_commit(shipment: Shipment, plan: Publication, head: str | None, description: str) -> str:
    from huggingface_hub import CommitOperationDelete

    additions = send_files(shipment, (*plan.changes.added, *plan.changes.changed))
    removals = [CommitOperationDelete(path) for path in plan.changes.removed]
    return make_commit(shipment, [*removals, *additions], head=head, description=description)


def _description(manifest: ReleaseManifest, plan: Publication, forced: str | None) -> str:
    rows = sum(table.rows for table in manifest.tables)
    lines = [f"Built by blend-sdk {manifest.sdk_version}: {len(manifest.files) + 1} files, {rows} rows."]
    if plan.previous is not None:
        lines.append(f"Follows {plan.previous}.")
    if forced is not None:
        lines.append(f"Version forced: {forced}")
    return "\n".join(lines)
