"""Request timeouts: how long the Hub is waited for, and which requests are made again.

Measured with huggingface_hub 2.4 and hf_xet 1.8: the client repeats transfers of file contents by itself, but
no other request; it has no time limit of its own except for downloads; a 429 that asks for an hour is slept
through in silence; files that travel in chunks (Xet) are asked for again for three minutes, one after the
other; and a chunk store that does not answer is waited for without end. `dataset_info` and all listings say "no
limit" with each request, whatever the limit of the client; and listings are repeated by the client as well.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from blend.loaders.hub.hub_errors import (
    NotRepeated,
    NotTheHub,
    masked,
    pause_asked_s,
    reason,
    response_of,
    status_of,
)

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
        return status in _PASSING and pause_asked_s(response_of(error)) <= _LONGEST_WAIT_S
    if isinstance(error, OfflineModeIsEnabled):
        return False
    return isinstance(error, (httpx2.TransportError, ConnectionError, TimeoutError, NotTheHub))


def wait_after(error: Exception, attempt: int, *, on_wait: OnWait | None = None, pause_s: float = 1.0) -> None:
    """Wait before the next attempt, as long as the Hub asks for or twice as long as the last time."""
    seconds = max(pause_asked_s(response_of(error)), pause_s * 2 ** (attempt - 1))
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
    if _is_question(response.request) or pause_asked_s(response) > _LONGEST_WAIT_S:
        response.read()
        hf_raise_for_status(response)


def _is_question(request: "Request") -> bool:
    """Whether a request asks about a repository, and is no transfer of a file, which the client repeats."""
    return request.method == "GET" and request.url.path.startswith("/api/")
