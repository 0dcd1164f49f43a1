"""The Hub: files of a dataset repository at a revision that cannot move."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from blend.schemas.errors import BlendError

if TYPE_CHECKING:
    from huggingface_hub import HfApi

_COMMIT = re.compile(r"[0-9a-f]{40}")

TIMEOUT_S = 30.0


class Snapshot(NamedTuple):
    """Files of a repository as they were at a commit."""

    folder: Path
    """Folder in the Hub client's cache that holds them."""
    commit: str
    """The commit, 40 hexadecimal digits."""


def fetch_dataset(
    repo_id: str,
    revision: str | None,
    *,
    patterns: Sequence[str],
    endpoint: str | None = None,
    timeout_s: float = TIMEOUT_S,
) -> Snapshot:
    """Download files of a dataset repository, or find them in the client's cache.

    Args:
        repo_id: ``org/name``.
        revision: A tag, or a commit as 40 hexadecimal digits. A commit that was downloaded before needs no
            connection.
        patterns: Shell patterns of the paths wanted.
        endpoint: Address of the Hub; ``HF_ENDPOINT`` when absent.
        timeout_s: Seconds without an answer after which a request is given up.

    Raises:
        BlendError: If the revision is a branch, absent or unknown, or if the Hub does not give the files.
    """
    from huggingface_hub import HfApi, snapshot_download

    where = hub_name(repo_id)
    with hub_errors(repo_id, revision, timeout_s=timeout_s):
        commit = pinned_commit(HfApi(endpoint=endpoint), repo_id, revision)
        folder = snapshot_download(
            repo_id, repo_type="dataset", revision=commit, allow_patterns=list(patterns), endpoint=endpoint
        )
    if not Path(folder).is_dir():
        wanted = ", ".join(patterns)
        raise BlendError(f"{where}: commit {commit} holds no {wanted}; name the repository that does")
    return Snapshot(Path(folder), commit)


def hub_name(repo_id: str) -> str:
    """What messages call a dataset repository."""
    return f"Hub dataset {repo_id}"


@contextmanager
def hub_errors(repo_id: str, revision: str | None, *, timeout_s: float = TIMEOUT_S) -> Iterator[None]:
    """Ask the Hub inside the block: with a time limit, and with errors that say what to do.

    Args:
        repo_id: ``org/name``, as messages name it.
        revision: Revision asked for, as messages name it.
        timeout_s: Seconds without an answer after which a request is given up.

    Raises:
        BlendError: If the repository or revision is unknown, or if the Hub does not give the files.
    """
    import httpx2
    from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError, RevisionNotFoundError

    where = hub_name(repo_id)
    try:
        with patience(timeout_s):
            yield
    except HFValidationError:
        raise BlendError(f"{where}: no repository id; write org/name, or an existing directory") from None
    except RevisionNotFoundError:
        raise BlendError(f"{where}: no commit {revision}; look up its commits and tags on the Hub") from None
    except RepositoryNotFoundError:
        raise BlendError(
            f"{where}: not found, private or gated; correct the name, or log in with `hf auth login`"
        ) from None
    except (httpx2.HTTPError, OSError) as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise BlendError(f"{where}: the Hub does not give the files ({reason}); try again") from error


def pinned_commit(api: "HfApi", repo_id: str, revision: str | None) -> str:
    """The commit behind a revision that cannot move; a commit is taken at its word.

    Raises:
        BlendError: If the revision is absent, unknown or a branch; lists the tags.
    """
    where = hub_name(repo_id)
    if revision is None:
        raise BlendError(f"{where}: no revision; name a tag or a commit, so that the data cannot change")
    if _COMMIT.fullmatch(revision):
        return revision
    refs = api.list_repo_refs(repo_id, repo_type="dataset")
    tags = {tag.name: tag.target_commit for tag in refs.tags}
    if revision in tags:
        return tags[revision]
    branches = {branch.name: branch.target_commit for branch in refs.branches}
    if revision in branches:
        raise BlendError(
            f"{where}: revision {revision!r} is a branch and can change; "
            f"pin the commit that it names now, {branches[revision]}, or a tag ({listed_tags(tags)})"
        )
    raise BlendError(
        f"{where}: unknown revision {revision!r}; name a tag ({listed_tags(tags)}), or a commit as 40 digits"
    )


def listed_tags(tags: Iterable[str]) -> str:
    """The tags, as messages list them."""
    return ", ".join(sorted(tags)) or "it has none"


@contextmanager
def patience(timeout_s: float) -> Iterator[None]:
    """Give requests of the Hub client a time limit; its own has none, except for downloads."""
    from huggingface_hub import get_session

    client = get_session()
    before = client.timeout
    client.timeout = timeout_s
    try:
        yield
    finally:
        client.timeout = before
