"""The Hub: files of a dataset repository at a revision that cannot move.

`client` is the one way to ask the Hub anything, `request_timeouts` says how long it is waited for, and
`hub_errors` what its errors mean. The package knows nothing of releases.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from blend.loaders.hub.client import hub_client
from blend.loaders.hub.request_timeouts import TIMEOUT_S
from blend.schemas.errors import HubError


class _Snapshot(NamedTuple):
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
) -> _Snapshot:
    """Download files of a dataset repository, or find them in the client's cache.

    Args:
        repo_id: ``org/name``.
        revision: A tag, or a commit as 40 hexadecimal digits. A commit that was downloaded before needs no
            connection.
        patterns: Shell patterns of the paths wanted.
        endpoint: Address of the Hub; ``HF_ENDPOINT`` when absent.
        timeout_s: Seconds without a byte after which a request is given up, and made again.

    Raises:
        InputError: If the revision is a branch, absent or unknown.
        HubError: If the Hub does not give the files.
    """
    with hub_client(repo_id, endpoint=endpoint, timeout_s=timeout_s) as hub:
        commit = hub.pinned_commit(revision)
        folder = hub.fetch_matching(commit, patterns)
    if not folder.is_dir():
        wanted = ", ".join(patterns)
        raise HubError(f"{hub.where}: commit {commit} holds no {wanted}; name the repository that does")
    return _Snapshot(folder, commit)
