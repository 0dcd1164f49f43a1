"""The steps of publishing that change the Hub: send contents, commit, tag. Each is safe to repeat."""

import json
import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from blend.builders.publish.plan import find_commit
from blend.builders.publish.repository import PendingCommit
from blend.loaders.hub import MAIN, answer_of
from blend.loaders.hub.requests import (
    ATTEMPTS,
    NotTheHub,
    explanation,
    is_passing,
    masked,
    reason,
    status_of,
    wait_after,
)
from blend.schemas.errors import BlendError, ConflictError, HubError, InputError, StorageError
from blend.schemas.manifest import CARD_NAME

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

_BATCH_FILES = 100
"""Files sent between two words of progress; the Hub is asked once for each batch which of them it has."""

_SENDERS = 32
"""Files that are sent at the same time: most of them are small, and their time is the Hub's answers."""

_IGNORE_NOTHING = "# every file of a release belongs to it\n"


def create_repository(pending: PendingCommit, *, private: bool) -> None:
    """Make the repository, if nobody has made it meanwhile.

    Raises:
        ConflictError: If it was to be private and somebody else has made it public.
    """
    repository = pending.repository
    repository.hub.ask(
        # Without --private, the default of the organisation holds.
        lambda: repository.hub.api.create_repo(
            repository.repo_id, repo_type="dataset", private=private or None, exist_ok=True
        )
    )
    if private and not repository.is_private():
        raise ConflictError(
            f"{pending.where}: somebody else has just made it, and public; publish to another repository"
        )


def send_files(pending: PendingCommit, paths: Sequence[str]) -> "list[CommitOperationAdd]":
    """Send the contents of files. Nobody sees them before a commit names them, and none is sent twice.

    Returns:
        The files as a commit takes them.

    Raises:
        HubError: If they do not arrive.
        ConflictError: If a file changes meanwhile.
    """
    additions = [pending.addition(path) for path in paths]
    for start in range(0, len(additions), _BATCH_FILES):
        pending.on_progress("send files", start, len(additions))
        try:
            answer_of(partial(_send, pending, additions[start : start + _BATCH_FILES]))
        except (RuntimeError, OSError) as error:
            if status_of(error) is not None or isinstance(error, NotTheHub):
                raise
            raise _not_arrived(pending, error) from None
    pending.on_progress("send files", len(additions), len(additions))
    for addition in additions:
        if addition.upload_info.sha256.hex() != pending.files[addition.path_in_repo].sha256:
            raise ConflictError(
                f"{pending.release / addition.path_in_repo}: changed while it was sent; nothing is published; "
                "publish again when the release is whole"
            )
    return additions


def make_commit(
    pending: PendingCommit,
    operations: "Sequence[CommitOperationAdd | CommitOperationDelete]",
    *,
    head: str | None,
    description: str,
) -> str:
    """Make the one commit, on top of the head that was examined, or find out that it exists.

    Returns:
        The commit; it holds exactly the release.

    Raises:
        ConflictError: If somebody else has changed ``main``.
        InputError: If the Hub does not accept the card.
    """
    pending.on_progress("commit", 0, 1)
    commit = _commit(pending, operations, head, description)
    if differences := pending.differences(commit):
        raise HubError(
            f"{pending.where}: commit {commit} does not hold what was sent ({differences.described()}), so it "
            "is not tagged; undo it on the Hub and publish again"
        )
    pending.on_progress("commit", 1, 1)
    return commit


def make_tag(pending: PendingCommit, commit: str) -> str:
    """Tag a commit, or find out that it is tagged.

    Returns:
        The tagged commit.

    Raises:
        ConflictError: If somebody else has given the tag to other content, or a branch has its name.
    """
    import httpx2

    repository = pending.repository
    pending.on_progress("tag", 0, 1)
    try:
        repository.hub.ask(
            lambda: repository.hub.api.create_tag(
                repository.repo_id, tag=pending.tag, revision=commit, repo_type="dataset"
            )
        )
    except (httpx2.HTTPError, OSError):
        tagged = repository.refs().tags.get(pending.tag)
        if tagged is None:
            raise
        pending.check_tagged(tagged)
        commit = tagged
    # Somebody may have made it since the first look.
    if pending.tag in repository.refs().branches:
        raise ConflictError(
            f"{pending.where}: {pending.tag} is published, but somebody has made a branch of the same name "
            "meanwhile, and whoever names it could get either; delete or rename the branch on the Hub"
        )
    pending.on_progress("tag", 1, 1)
    return commit


def _send(pending: PendingCommit, additions: "Sequence[CommitOperationAdd]") -> None:
    pending.repository.hub.api.preupload_lfs_files(
        pending.repository.repo_id,
        additions,
        repo_type="dataset",
        gitignore_content=_IGNORE_NOTHING,
        num_threads=_SENDERS,
    )


def _not_arrived(pending: PendingCommit, error: Exception) -> BlendError:
    """Say why files did not arrive: the client tells the path, and hides the answer."""
    hidden = error.__cause__ if isinstance(error.__cause__, Exception) else error
    named = None if hidden is error else re.search("'(.+)'", str(error))
    where = f"{pending.where}, {named[1]}" if named else pending.where
    meaning = explanation(hidden, where, "write")
    if isinstance(meaning, StorageError) or (status_of(hidden) is not None and not is_passing(hidden)):
        return meaning
    return HubError(
        f"{pending.where}: the files did not arrive ({reason(hidden)}); readers see nothing of them; run the "
        "same command again: what has arrived is not sent twice"
    )


def _commit(
    pending: PendingCommit,
    operations: "Sequence[CommitOperationAdd | CommitOperationDelete]",
    head: str | None,
    description: str,
) -> str:
    import httpx2

    repository = pending.repository
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return answer_of(lambda: _made_commit(pending, operations, head, description))
        except (httpx2.HTTPError, OSError) as error:
            # The error says nothing about whether the commit exists; only the Hub's history does.
            refs = repository.refs()
            if (made := find_commit(pending, refs)) is not None:
                return made
            if refs.head != head:
                raise _conflict(pending, head, refs.head) from error
            # That it is bound to one head makes any repetition harmless.
            if attempt == ATTEMPTS or not (is_passing(error) or status_of(error) in (409, 412)):
                raise
            wait_after(error, attempt, on_wait=repository.hub.on_wait)
    raise AssertionError("the last attempt returns or raises")


def _made_commit(
    pending: PendingCommit,
    operations: "Sequence[CommitOperationAdd | CommitOperationDelete]",
    head: str | None,
    description: str,
) -> str:
    repository = pending.repository
    try:
        return repository.hub.api.create_commit(
            repository.repo_id,
            operations,
            commit_message=pending.title,
            commit_description=description,
            repo_type="dataset",
            revision=MAIN,
            parent_commit=head,
        ).oid
    except json.JSONDecodeError:
        # The client reads an answer that is not JSON (a proxy's error page) before it looks at the status.
        raise
    except ValueError as error:
        raise InputError(
            f"{pending.release / CARD_NAME}: the Hub does not accept it: {masked(str(error))}"
        ) from None


def _conflict(pending: PendingCommit, before: str | None, now: str | None) -> ConflictError:
    return ConflictError(
        f"{pending.where}: conflict: somebody else moved main from {before} to {now} while this release was "
        "sent; nothing of it was published, and nothing of theirs is lost; look at what they did, raise "
        "`version` if need be, and publish again"
    )
