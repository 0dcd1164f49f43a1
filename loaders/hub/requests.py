"""Requests to the Hub: how long it is waited for, which are made again, and what its errors mean.

A message says what to do and holds no secret. Measured with huggingface_hub 2.4 and hf_xet 1.8: the client
repeats transfers of file contents by itself, but no other request; it has no time limit of its own except for
downloads; a 429 that asks for an hour is slept through in silence; files that travel in chunks (Xet) are asked
for again for three minutes, one after the other; and a chunk store that does not answer is waited for without
end. `dataset_info` and all listings say "no limit" with each request, whatever the limit of the client; and
listings are repeated by the client as well.
"""

import errno
import logging
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from blend.schemas.errors import BlendError, HubError, InputError, StorageError

if TYPE_CHECKING:
    from httpx2 import Client, Request, Response

T = TypeVar("T")

TIMEOUT_S = 60.0
"""Seconds without a byte after which a request is given up."""

ATTEMPTS = 6
"""How often a request is made before a passing error is taken for a lasting one."""

_LONGEST_WAIT_S = 300.0
"""Seconds that a Hub may ask us to wait before the next attempt; beyond it we stop instead."""

OnWait = Callable[[str], None]
"""Called with a sentence about what is waited for."""

_PASSING = {408, 429, 500, 502, 503, 504}
"""Answers after which the same request may well succeed."""


@contextmanager
def request_timeouts(timeout_s: float = TIMEOUT_S) -> Iterator["Requests"]:
    """Give every request of the client in this block a time limit; its bars and secrets stay off the terminal.

    Args:
        timeout_s: Seconds without a byte after which a request is given up.

    Yields:
        What ends all requests that are still to come.
    """
    from huggingface_hub import constants, set_client_factory
    from huggingface_hub.utils import _http
    from huggingface_hub.utils.tqdm import (
        are_progress_bars_disabled,
        disable_progress_bars,
        enable_progress_bars,
    )

    # Files travel whole, not in chunks (Xet): whether chunks make progress, nobody but their store's client can
    # tell, and it waits for the store without end.
    had_chunks_off = constants.HF_HUB_DISABLE_XET
    constants.HF_HUB_DISABLE_XET = True
    # The client makes itself anew after some errors, so the limit has to stand where it is made; and only the
    # private name tells which factory to put back.
    made_before = _http._GLOBAL_CLIENT_FACTORY
    requests = Requests()

    def limited(request: "Request") -> None:
        given = request.extensions.get("timeout", {})
        named = {name: given.get(name) for name in ("connect", "read", "write", "pool")}
        request.extensions["timeout"] = {
            name: timeout_s if seconds is None else seconds for name, seconds in named.items()
        }

    def make() -> "Client":
        client = made_before()
        client.timeout = timeout_s
        client.send = partial(_sent_once, client.send)  # type: ignore[method-assign]
        hooks = client.event_hooks
        client.event_hooks = {
            "request": [requests.refuse_if_ended, limited, *hooks.get("request", [])],
            "response": [*hooks.get("response", []), _refuse_to_wait],
        }
        return client

    had_bars = not are_progress_bars_disabled()
    set_client_factory(make)
    disable_progress_bars()
    # The client tells of every transfer that it repeats, with its whole address.
    told_by = logging.getLogger("huggingface_hub").handlers
    for handler in told_by:
        handler.addFilter(_without_secrets)
    try:
        yield requests
    finally:
        constants.HF_HUB_DISABLE_XET = had_chunks_off
        for handler in told_by:
            handler.removeFilter(_without_secrets)
        set_client_factory(made_before)
        if had_bars:
            enable_progress_bars()


class Requests:
    """The requests of a `request_timeouts` block."""

    def __init__(self) -> None:
        self.ended = False
        """Whether no more of them are made."""

    def refuse_if_ended(self, _request: object) -> None:
        """Raise instead of making another request that nobody waits for any more."""
        if self.ended:
            raise ConnectionAbortedError("given up")


def with_retries(
    call: Callable[[], T], *, on_wait: OnWait | None = None, attempts: int = ATTEMPTS, pause_s: float = 1.0
) -> T:
    """Make a request that may be made twice, again after every passing error.

    Args:
        call: Makes the request; asking the Hub, or changing it in a way that a second time changes nothing.
        on_wait: Called with a sentence about what is waited for.
        attempts: How often to make it.
        pause_s: Seconds before the second attempt, doubled for every further one, unless the Hub says how long
            to wait.

    Raises:
        Exception: What the last attempt raised.
    """
    import httpx2

    for attempt in range(1, attempts + 1):
        try:
            return call()
        except (httpx2.HTTPError, OSError) as error:
            if attempt == attempts or not is_passing(error):
                raise
            wait_after(error, attempt, on_wait=on_wait, pause_s=pause_s)
    raise AssertionError("the last attempt returns or raises")


def is_passing(error: Exception) -> bool:
    """Whether the same request may succeed later: the Hub is busy, or the connection broke."""
    import httpx2
    from huggingface_hub.errors import OfflineModeIsEnabled

    if (status := status_of(error)) is not None:
        return status in _PASSING and _pause_asked_s(_response_of(error)) <= _LONGEST_WAIT_S
    if isinstance(error, OfflineModeIsEnabled):
        return False
    return isinstance(error, (httpx2.TransportError, ConnectionError, TimeoutError, NotTheHub))


def wait_after(error: Exception, attempt: int, *, on_wait: OnWait | None = None, pause_s: float = 1.0) -> None:
    """Wait before the next attempt, as long as the Hub asks for or twice as long as the last time."""
    seconds = max(_pause_asked_s(_response_of(error)), pause_s * 2 ** (attempt - 1))
    if on_wait is not None:
        on_wait(f"{reason(error)}: next attempt in {seconds:.0f} s")
    time.sleep(seconds)


def _without_secrets(record: logging.LogRecord) -> bool:
    """Take tokens and signatures of addresses out of what the client logs."""
    record.msg, record.args = masked(record.getMessage()), ()
    return True


def _sent_once(send: "Callable[..., Response]", request: "Request", **options: Any) -> "Response":
    """Send a request; the client does not repeat a question in silence, since `with_retries` does it aloud."""
    import httpx2

    try:
        return send(request, **options)
    except httpx2.TransportError as error:
        if not _is_question(request):
            raise
        raise NotRepeated(error) from error


def _refuse_to_wait(response: "Response") -> None:
    """Raise what the Hub says where the client would sleep: at a question, or for longer than anybody waits."""
    from huggingface_hub.utils import hf_raise_for_status

    if response.status_code not in _PASSING:
        return
    if _is_question(response.request) or _pause_asked_s(response) > _LONGEST_WAIT_S:
        response.read()
        hf_raise_for_status(response)


def _is_question(request: "Request") -> bool:
    """Whether a request asks about a repository, and is no transfer of a file, which the client repeats."""
    return request.method == "GET" and request.url.path.startswith("/api/")


# Errors: what the client raises, as a message that says what to do and holds no secret.

Purpose = Literal["read", "write"]
"""What the Hub is asked for; a refusal means something else for each."""


_TOKEN = re.compile(r"hf_[A-Za-z0-9]{8,}|hf_(?:oauth|jwt)_[\w.-]+|(?<=Bearer )\S+")
_QUERY = re.compile(r"(https?://[^\s?]+)\?[^\s)]*")
_SIGNATURE = re.compile(
    r"((?:X-(?:Amz|Xet)-)?(?:Signature|Credential|Security-Token|Key-Pair-Id|Policy|token)=)[^&\s'\")]+",
    re.IGNORECASE,
)

_FULL = (errno.ENOSPC, errno.EDQUOT)


class NotRepeated(Exception):
    """Covers an error after which the client would make a request again by itself."""

    def __init__(self, covered: Exception) -> None:
        super().__init__(str(covered))
        self.covered = covered


class NotTheHub(OSError):
    """An answer that is not what the Hub answers: an error page of a proxy, or of a portal to log in at."""


@contextmanager
def translate_errors(where: str, *, purpose: Purpose = "read") -> Iterator[None]:
    """Turn what the client raises into a message that says what to do, and that holds no token.

    Args:
        where: What was asked for, for example ``Hub dataset org/blend``.
        purpose: What it was asked for to do.

    Raises:
        InputError: If the name is not one of a repository.
        StorageError: If the disk is full, or a folder cannot be written.
        HubError: If the Hub refuses, fails, or does not hold what it is asked for.
    """
    import httpx2
    from huggingface_hub.errors import HFValidationError, RevisionResolutionError

    try:
        yield
    except BlendError:
        raise
    except (HFValidationError, RevisionResolutionError, httpx2.HTTPError, OSError) as error:
        # What it was raised from holds addresses with signatures; the message has what can be told.
        raise explanation(error, where, purpose) from None


def explanation(error: Exception, where: str, purpose: Purpose = "read") -> BlendError:
    """The error that tells a user what an error of the client means."""
    import httpx2
    from huggingface_hub.errors import (
        HFValidationError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    if isinstance(error, HFValidationError):
        return InputError(f"{where}: not the name of a repository; write org/name")
    # The client's own classes first: they are answers with a status as well, of which the status says less.
    if isinstance(error, RevisionNotFoundError):
        return HubError(f"{where}: no such revision; look up its commits and tags on the Hub")
    if isinstance(error, RepositoryNotFoundError):
        return HubError(
            f"{where}: not found, private or gated; correct the name, or log in with `hf auth login`"
        )
    if isinstance(error, OSError) and error.errno in _FULL:
        what = "no space left on the disk; free some, or set HF_HOME to a folder on another one"
        return StorageError(f"{where}: {what}")
    if isinstance(error, OSError) and error.errno is not None and error.filename is not None:
        return StorageError(f"{where}: {error.filename}: {error.strerror}; correct this and try again")
    if isinstance(error, OfflineModeIsEnabled):
        return HubError(
            f"{where}: HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE forbids to ask the Hub; unset it and run the "
            "same command again"
        )
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        return HubError(
            f"{where}: the Hub cannot be reached ({reason(error)}); look at the connection and at HF_ENDPOINT, "
            "if that is set, and run the same command again"
        )
    return HubError(f"{where}: {_refusal(error, purpose)}")


def _refusal(error: Exception, purpose: Purpose) -> str:
    """Say what the Hub's answer, or its silence, means."""
    status, reply = status_of(error), reason(error)
    if status == 401:
        return "the Hub does not accept the token; log in again with `hf auth login`, or correct HF_TOKEN"
    if status == 403 and purpose == "read":
        return f"you may not read this ({reply}); ask its owners for access, then log in with `hf auth login`"
    response = _response_of(error)
    if response is not None and status in (402, 403, 413, 507):
        # Quotas, rules of a repository, roles and rights of a token: only the Hub's own words tell which.
        return (
            f"the Hub refuses this ({reply}, {response.request.method} {response.request.url.path}); do what "
            "it says, or make a token with write access to this account or organisation at "
            "https://huggingface.co/settings/tokens, and run the same command again"
        )
    if (seconds := _pause_asked_s(response)) > 0:
        minutes = round(seconds / 60)
        pause = f"{seconds:.0f} seconds" if minutes < 2 else f"{minutes} minutes"
        return f"the Hub is busy ({reply}) and asks for time; try again in {pause}"
    return f"the Hub does not do what it is asked ({reply}); try again"


def reason(error: BaseException) -> str:
    """Say in one line what went wrong, without tokens and signatures of addresses."""
    response = _response_of(error)
    if response is None:
        text = str(error).partition("\n")[0] or type(error).__name__
    else:
        reply = getattr(error, "server_message", None) or response.reason_phrase
        text = f"{response.status_code} {reply}".partition("\n")[0]
    return masked(text)


def masked(text: str) -> str:
    """A text without what gives access: tokens, and the signatures of addresses."""
    return _SIGNATURE.sub(r"\1…", _TOKEN.sub("hf_…", _QUERY.sub(r"\1", text)))


def status_of(error: BaseException) -> int | None:
    """The HTTP status behind an error; null if there was no answer."""
    response = _response_of(error)
    return None if response is None else response.status_code


def _response_of(error: BaseException) -> "Response | None":
    """The answer behind an error; null if there was none."""
    from huggingface_hub.errors import HfHubHTTPError

    return error.response if isinstance(error, HfHubHTTPError) else None


def _pause_asked_s(response: "Response | None") -> float:
    """Seconds that the Hub asks to wait before the next attempt; 0 if it does not say."""
    from huggingface_hub.utils._http import parse_ratelimit_headers

    if response is None:
        return 0.0
    limit = parse_ratelimit_headers(response.headers)
    if response.status_code == 429 and limit is not None and limit.remaining == 0:
        return float(limit.reset_in_seconds)
    asked = response.headers.get("Retry-After", "").strip()
    return float(asked) if asked.isdecimal() else 0.0
