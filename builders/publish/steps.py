"""The steps of publishing that change the Hub: send contents, commit, tag. Each is safe to repeat."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from blend.builders.diff import diff_releases
from blend.builders.diff.version_step import accepted_versions, version_step
from blend.builders.publish.plan import Changes, changes_between, version_tag
from blend.loaders.files.progress import Notify
from blend.loaders.hub.client import MAIN, Refs, hub_name
from blend.loaders.hub.explained import reason, status_of
from blend.loaders.hub.patience import ATTEMPTS, is_passing, wait_after
from blend.loaders.releases.files import ReleaseFile
from blend.loaders.releases.references import fetch_release
from blend.loaders.releases.repository import HubRepository
from blend.schemas.errors import BlendError

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

BATCH_FILES = 8
"""Files sent between two words of progress."""

_IGNORE_NOTHING = "# every file of a release belongs to it\n"


@dataclass(frozen=True, slots=True)
class Shipment:
    """A release on its way into a repository."""

    repository: HubRepository
    """Where it goes."""
    release: Path
    """Directory in which it lies."""
    files: Mapping[str, ReleaseFile]
    """Its files, by path."""
    title: str
    """First line of its commit; the same for every attempt."""
    tag: str
    """Tag of its version."""
    notify: Notify
    """Told about progress."""

    @property
    def where(self) -> str:
        """The repository, for messages."""
        return hub_name(self.repository.hub.repo_id)

    def differences(self, commit: str) -> Changes:
        """What would have to change at a commit for it to hold exactly the release."""
        return changes_between(self.files, self.repository.files(commit))

    def check_tagged(self, commit: str) -> None:
        """Refuse other content under a tag: a tag never moves.

        Raises:
            BlendError: If the tagged commit does not hold the release.
        """
        if differences := self.differences(commit):
            raise BlendError(
                f"{self.where}: {self.tag} is published with other content and never changes "
                f"({differences.described()}); see "
                f"`blend diff {self.repository.hub.repo_id}@{self.tag} {self.release}`, "
                "raise `version` in the recipe and build again"
            )


def find_commit(shipment: Shipment, refs: Refs) -> str | None:
    """The commit on ``main``, since the latest tag, that holds exactly the release; null if there is none."""
    if refs.head is None:
        return None
    tagged = set(refs.tags.values())
    for commit, title in shipment.repository.history(refs.head):
        if commit in tagged:
            return None
        if title == shipment.title and not shipment.differences(commit):
            return commit
    return None


def check_step(shipment: Shipment, version: str, latest: str) -> None:
    """Refuse a version that promises less change than there is since the latest one.

    Raises:
        BlendError: If the version is not among those that may follow.
    """
    repo_id, tag = shipment.repository.hub.repo_id, version_tag(latest)
    shipment.notify(f"compare with {latest}", 0, 1)
    released = fetch_release(repo_id, tag, endpoint=shipment.repository.hub.api.endpoint)
    step = version_step(diff_releases(released, shipment.release))
    shipment.notify(f"compare with {latest}", 1, 1)
    accepted = accepted_versions(latest, step.step)
    if version not in accepted:
        reasons = "; ".join(reason.text for reason in step.reasons if reason.step == step.step)
        raise BlendError(
            f"{shipment.where}: version {version} does not follow from what changed since {latest} "
            f"({step.step}: {reasons}); build it as {' or '.join(accepted)}, or give a reason with "
            f"--force-version; see `blend diff {repo_id}@{tag} {shipment.release}`"
        )


def create_repository(shipment: Shipment, *, private: bool) -> None:
    """Make the repository, if nobody has made it meanwhile.

    Raises:
        BlendError: If it was to be private and somebody else has made it public.
    """
    repository = shipment.repository
    repository.hub.ask(
        # Without --private, the default of the organisation holds.
        lambda: repository.hub.api.create_repo(
            repository.hub.repo_id, repo_type="dataset", private=private or None, exist_ok=True
        )
    )
    if private and not repository.is_private():
        raise BlendError(
            f"{shipment.where}: somebody else has just made it, and public; publish to another repository"
        )


def send_files(shipment: Shipment, paths: Sequence[str]) -> "list[CommitOperationAdd]":
    """Send the contents of files. Nobody sees them before a commit names them, and none is sent twice.

    Returns:
        The files as a commit takes them.

    Raises:
        BlendError: If they do not arrive, or if a file changes meanwhile.
    """
    repository = shipment.repository
    additions = [_addition(shipment.release, path) for path in paths]
    for start in range(0, len(additions), BATCH_FILES):
        shipment.notify("send files", start, len(additions))
        try:
            repository.hub.api.preupload_lfs_files(
                repository.hub.repo_id,
                additions[start : start + BATCH_FILES],
                repo_type="dataset",
                gitignore_content=_IGNORE_NOTHING,
            )
        except (RuntimeError, OSError) as error:
            if status_of(error) is not None:
                raise
            cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
            raise BlendError(
                f"{shipment.where}: the files did not arrive ({reason(cause)}); readers see nothing of them; "
                "run the same command again: what has arrived is not sent twice"
            ) from error
    shipment.notify("send files", len(additions), len(additions))
    for addition in additions:
        if addition.upload_info.sha256.hex() != shipment.files[addition.path_in_repo].sha256:
            raise BlendError(
                f"{shipment.release / addition.path_in_repo}: changed while it was sent; nothing is published; "
                "publish again when the release is whole"
            )
    return additions


def make_commit(
    shipment: Shipment,
    operations: "Sequence[CommitOperationAdd | CommitOperationDelete]",
    *,
    head: str | None,
    description: str,
) -> str:
    """Make the one commit, on top of the head that was examined, or find out that it exists.

    Returns:
        The commit; it holds exactly the release.

    Raises:
        BlendError: If somebody else has changed ``main``, or if the Hub does not accept the card.
    """
    shipment.notify("commit", 0, 1)
    commit = _commit(shipment, operations, head, description)
    if differences := shipment.differences(commit):
        raise BlendError(
            f"{shipment.where}: commit {commit} does not hold what was sent ({differences.described()}), so it "
            "is not tagged; undo it on the Hub and publish again"
        )
    shipment.notify("commit", 1, 1)
    return commit


def make_tag(shipment: Shipment, commit: str) -> str:
    """Tag a commit, or find out that it is tagged.

    Returns:
        The tagged commit.

    Raises:
        BlendError: If somebody else has given the tag to other content.
    """
    import httpx2

    repository = shipment.repository
    shipment.notify("tag", 0, 1)
    try:
        repository.hub.ask(
            lambda: repository.hub.api.create_tag(
                repository.hub.repo_id, tag=shipment.tag, revision=commit, repo_type="dataset"
            )
        )
    except (httpx2.HTTPError, OSError):
        tagged = repository.refs().tags.get(shipment.tag)
        if tagged is None:
            raise
        shipment.check_tagged(tagged)
        commit = tagged
    shipment.notify("tag", 1, 1)
    return commit


def _addition(release: Path, path: str) -> "CommitOperationAdd":
    from huggingface_hub import CommitOperationAdd

    place = release / path
    # Tables are large and sent from the disk; the rest is held, so that what was checked is what is sent.
    return CommitOperationAdd(path, str(place) if place.suffix == ".parquet" else place.read_bytes())


def _commit(
    shipment: Shipment,
    operations: "Sequence[CommitOperationAdd | CommitOperationDelete]",
    head: str | None,
    description: str,
) -> str:
    import httpx2

    repository = shipment.repository
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return repository.hub.api.create_commit(
                repository.hub.repo_id,
                operations,
                commit_message=shipment.title,
                commit_description=description,
                repo_type="dataset",
                revision=MAIN,
                parent_commit=head,
            ).oid
        except (httpx2.HTTPError, OSError, json.JSONDecodeError) as error:
            # The error says nothing about whether the commit exists; only the Hub's history does.
            refs = repository.refs()
            if (made := find_commit(shipment, refs)) is not None:
                return made
            if refs.head != head:
                raise _conflict(shipment, head, refs.head) from error
            if attempt == ATTEMPTS or not _may_pass(error):
                raise
            wait_after(error, attempt, on_wait=repository.hub.on_wait)
        except ValueError as error:
            raise BlendError(
                f"{shipment.release / 'README.md'}: the Hub does not accept it: {error}"
            ) from error
    raise AssertionError("the last attempt returns or raises")


def _may_pass(error: Exception) -> bool:
    """Whether to try the commit again; that it is bound to one head makes any repetition harmless."""
    # The client reads an answer that is not JSON (a proxy's error page) before it looks at the status.
    return is_passing(error) or isinstance(error, json.JSONDecodeError) or status_of(error) in (409, 412)


def _conflict(shipment: Shipment, before: str | None, now: str | None) -> BlendError:
    return BlendError(
        f"{shipment.where}: conflict: somebody else moved main from {before} to {now} while this release was "
        "sent; nothing of it was published, and nothing of theirs is lost; look at what they did, raise "
        "`version` if need be, and publish again"
    )
