"""The Hub: the one client that asks about a dataset repository, and its files at a revision that cannot move.

Every request has a time limit, is made again after a passing error, and fails with a message that says what to
do, see `requests`. The package knows nothing of releases.
"""

import logging
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from blend import __version__
from blend.loaders.hub.requests import (
    TIMEOUT_S,
    NotRepeated,
    NotTheHub,
    OnWait,
    Purpose,
    Requests,
    request_timeouts,
    translate_errors,
    with_retries,
)
from blend.schemas.errors import DISTRIBUTION, BlendError, HubError, InputError

if TYPE_CHECKING:
    from huggingface_hub import HfApi

T = TypeVar("T")

MAIN = "main"
"""The branch that readers get who name no revision."""

_COMMIT = re.compile(r"[0-9a-f]{40}")
_DOWNLOADS = 32
"""Files that are downloaded at the same time: most of them are small, and their time is the Hub's answers."""


class Refs(NamedTuple):
    """Names of commits."""

    head: str | None
    """The commit of ``main``; null in a repository without commits."""
    tags: Mapping[str, str]
    """Commits by tag."""
    branches: Mapping[str, str]
    """Commits by branch."""


class HubClient:
    """A dataset repository on the Hub, asked with patience; made by `hub_client`."""

    def __init__(self, api: "HfApi", repo_id: str, *, requests: Requests, on_wait: OnWait) -> None:
        self.api = api
        self.repo_id = repo_id
        self.on_wait = on_wait
        self._requests = requests

    @property
    def where(self) -> str:
        """The repository, as messages call it."""
        return hub_name(self.repo_id)

    def ask(self, call: Callable[[], T], *, attempts: int | None = None) -> T:
        """Make a request that may be made twice.

        Args:
            call: One call of the client.
            attempts: How often to make it at most; as often as is usual when absent.

        Raises:
            Exception: What the last attempt raised; `translate_errors` turns it into a message.
        """
        options = {} if attempts is None else {"attempts": attempts}
        return with_retries(lambda: answer_of(call), on_wait=self.on_wait, **options)

    def refs(self, *, attempts: int | None = None) -> Refs:
        """Return where branches and tags are now."""
        refs = self.ask(lambda: self.api.list_repo_refs(self.repo_id, repo_type="dataset"), attempts=attempts)
        branches = {branch.name: branch.target_commit for branch in refs.branches}
        return Refs(branches.get(MAIN), {tag.name: tag.target_commit for tag in refs.tags}, branches)

    def pinned_commit(self, revision: str | None, *, attempts: int | None = None) -> str:
        """The commit behind a revision that cannot move; a commit is taken at its word.

        Raises:
            InputError: If the revision is absent, unknown or a branch; lists the tags.
        """
        if revision is None:
            tags = _listed_tags(self.refs(attempts=attempts).tags)
            raise InputError(f"{self.where}: no revision; write {self.repo_id}@ and a tag ({tags}) or a commit")
        if _COMMIT.fullmatch(revision):
            return revision
        refs = self.refs(attempts=attempts)
        if revision in refs.tags:
            return refs.tags[revision]
        if revision in refs.branches:
            raise InputError(
                f"{self.where}: revision {revision!r} is a branch and can change; pin the commit that it names "
                f"now, {refs.branches[revision]}, or a tag ({_listed_tags(refs.tags)})"
            )
        raise InputError(
            f"{self.where}: unknown revision {revision!r}; name a tag ({_listed_tags(refs.tags)}), "
            "or a commit as 40 digits"
        )

    def fetch(self, path: str, commit: str, *, anew: bool = False) -> Path:
        """A file at a commit, in the client's cache.

        Args:
            path: Path in the repository.
            commit: The commit.
            anew: Whether to download it although it is there.

        Raises:
            huggingface_hub.errors.RemoteEntryNotFoundError: If the commit does not hold it.
        """
        return Path(self.ask(lambda: self._download(path, commit, anew=anew)))

    def fetch_files(self, commit: str, paths: Collection[str]) -> None:
        """Bring files at a commit into the client's cache; what has arrived there is not fetched again.

        Args:
            commit: The commit.
            paths: Paths in the repository.

        Raises:
            huggingface_hub.errors.RemoteEntryNotFoundError: If the commit does not hold one of them.
        """

        def download() -> None:
            try:
                with ThreadPoolExecutor(_DOWNLOADS) as pool:
                    waiting = [pool.submit(self._download, path, commit) for path in paths]
                    try:
                        for arrived in as_completed(waiting):
                            arrived.result()
                    except BaseException:
                        # The others would each be tried again, one after the other, before anybody hears of it.
                        pool.shutdown(wait=False, cancel_futures=True)
                        self._requests.ended = True
                        raise
            finally:
                # The client goes on to be used, by the next attempt or the next call.
                self._requests.ended = False

        self.ask(download)

    def fetch_matching(self, commit: str, patterns: Collection[str]) -> Path:
        """Files at a commit, in the client's cache; what has arrived there is not fetched again.

        Args:
            commit: The commit.
            patterns: Shell patterns of the paths wanted.
        """

        def download() -> str:
            return self.api.snapshot_download(
                self.repo_id,
                repo_type="dataset",
                revision=commit,
                allow_patterns=sorted(patterns),
                max_workers=_DOWNLOADS,
            )

        return Path(self.ask(download))

    def _download(self, path: str, commit: str, *, anew: bool = False) -> str:
        return self.api.hf_hub_download(
            self.repo_id, path, repo_type="dataset", revision=commit, force_download=anew
        )


@contextmanager
def hub_client(
    repo_id: str,
    *,
    endpoint: str | None = None,
    purpose: Purpose = "read",
    timeout_s: float = TIMEOUT_S,
    on_wait: OnWait | None = None,
) -> Iterator[HubClient]:
    """A client for a dataset repository; errors in the block become messages that say what to do.

    Args:
        repo_id: ``org/name``.
        endpoint: Address of the Hub; ``HF_ENDPOINT`` when absent.
        purpose: What the Hub will be asked for.
        timeout_s: Seconds without a byte after which a request is given up, and made again.
        on_wait: Called with a sentence about what is waited for; it is logged when absent.

    Raises:
        BlendError: As `translate_errors` says.
    """
    with (
        request_timeouts(timeout_s) as requests,
        translate_errors(hub_name(repo_id), purpose=purpose),
    ):
        from huggingface_hub import HfApi

        api = HfApi(endpoint=endpoint, library_name=DISTRIBUTION, library_version=__version__)
        yield HubClient(api, repo_id, requests=requests, on_wait=on_wait or _logged)


def _logged(sentence: str) -> None:
    # Without settings of a caller, Python shows it on standard error.
    logging.getLogger(__name__).warning("%s", sentence)


def hub_name(repo_id: str) -> str:
    """Return what messages call a dataset repository."""
    return f"Hub dataset {repo_id}"


def _listed_tags(tags: Iterable[str]) -> str:
    """The tags, as messages list them."""
    return ", ".join(sorted(tags)) or "it has none"


def answer_of(call: Callable[[], T]) -> T:
    """Return what a call of the client gives; an error that hides another one gives way to it.

    Raises:
        NotTheHub: If the answer is not one of the Hub: the client reads answers without looking at them first.
        Exception: What else the call raises.
    """
    import httpx2
    from huggingface_hub.errors import (
        HFValidationError,
        LocalEntryNotFoundError,
        RevisionResolutionError,
    )

    try:
        return call()
    except NotRepeated as cover:
        raise cover.covered from None
    except (BlendError, HFValidationError, httpx2.HTTPError):
        raise
    except (LocalEntryNotFoundError, RevisionResolutionError, ValueError) as error:
        # "Not in the cache", or "cannot be forced", and before that what kept it from asking the Hub.
        if isinstance(error.__cause__, (httpx2.HTTPError, OSError)):
            raise error.__cause__ from None
        if isinstance(error, ValueError):
            raise NotTheHub(_NOT_THE_HUB) from error
        raise
    except (KeyError, TypeError, AttributeError, AssertionError) as error:
        raise NotTheHub(_NOT_THE_HUB) from error


_NOT_THE_HUB = "the answer is not one of the Hub, perhaps of a proxy or of a page to log in at"


def fetch_dataset(
    repo_id: str,
    revision: str | None,
    *,
    patterns: Sequence[str],
    endpoint: str | None = None,
    timeout_s: float = TIMEOUT_S,
) -> tuple[Path, str]:
    """Download files of a dataset repository, or find them in the client's cache.

    Args:
        repo_id: ``org/name``.
        revision: A tag, or a commit as 40 hexadecimal digits. A commit that was downloaded before needs no
            connection.
        patterns: Shell patterns of the paths wanted.
        endpoint: Address of the Hub; ``HF_ENDPOINT`` when absent.
        timeout_s: Seconds without a byte after which a request is given up, and made again.

    Returns:
        The folder in the client's cache that holds them, and the commit, 40 hexadecimal digits.

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
    return folder, commit
