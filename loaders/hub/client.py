"""The Hub client as we use it: with time limits, with further attempts, without its own progress bars.

Measured with huggingface_hub 2.4: it repeats transfers of file contents by itself (5 times), but no other
request; it has no time limit of its own except for downloads; and what it raises says nothing about whether the
Hub has done what it was asked.
"""

import errno
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from blend.schemas.errors import BlendError

if TYPE_CHECKING:
    from httpx2 import Client, Response

T = TypeVar("T")

TIMEOUT_S = 60.0
"""Seconds without a byte after which a request is given up."""

ATTEMPTS = 6
"""How often a request is made before a passing error is taken for a lasting one."""

LONGEST_WAIT_S = 300.0
"""Seconds that a Hub may ask us to wait before the next attempt; beyond it we stop instead."""

_PASSING = {408, 429, 500, 502, 503, 504}
"""Answers after which the same request may well succeed."""

_TOKEN = re.compile(r"hf_[A-Za-z0-9]{8,}")
_QUERY = re.compile(r"(https?://[^\s?]+)\?[^\s)]*")

OnWait = Callable[[str], None]
"""Called with a sentence about what is waited for."""


@contextmanager
def patient(timeout_s: float = TIMEOUT_S) -> Iterator[None]:
    """Give every request of the client in this block a time limit, and keep its progress bars off the terminal.

    Args:
        timeout_s: Seconds without a byte after which a request is given up.
    """
    from huggingface_hub import set_client_factory
    from huggingface_hub.utils import _http
    from huggingface_hub.utils.tqdm import (
        are_progress_bars_disabled,
        disable_progress_bars,
        enable_progress_bars,
    )

    # The client makes itself anew after some errors, so the limit has to stand where it is made; and only the
    # private name tells which factory to put back.
    made_before = _http._GLOBAL_CLIENT_FACTORY

    def make() -> "Client":
        client = made_before()
        client.timeout = timeout_s
        return client

    had_bars = not are_progress_bars_disabled()
    set_client_factory(make)
    disable_progress_bars()
    try:
        yield
    finally:
        set_client_factory(made_before)
        if had_bars:
            enable_progress_bars()


@contextmanager
def explained(where: str) -> Iterator[None]:
    """Turn what the client raises into a message that says what to do, and that holds no token.

    Args:
        where: What was asked for, for example ``Hub dataset org/blend``.
    """
    import httpx2
    from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError, RevisionNotFoundError

    try:
        yield
    except HFValidationError:
        raise BlendError(f"{where}: no repository id; write org/name") from None
    except RevisionNotFoundError as error:
        raise BlendError(f"{where}: no such revision; look up its commits and tags on the Hub") from error
    except RepositoryNotFoundError:
        raise BlendError(
            f"{where}: not found, private or gated; correct the name, or log in with `hf auth login`"
        ) from None
    except (httpx2.HTTPError, OSError) as error:
        if isinstance(error, OSError) and (here := _wrong_here(error)) is not None:
            raise BlendError(f"{where}: {here}") from error
        status = status_of(error)
        if status == 401:
            raise BlendError(
                f"{where}: the Hub does not accept the token; log in again with `hf auth login`, "
                "or correct HF_TOKEN"
            ) from None
        if status == 403:
            raise BlendError(
                f"{where}: the token may not do this ({reason(error)}); "
                "make one with write access to this account or organisation at https://huggingface.co/settings/tokens"
            ) from None
        raise BlendError(
            f"{where}: the Hub does not do what it is asked ({reason(error)}); try again"
        ) from error


def _wrong_here(error: OSError) -> str | None:
    """What is wrong on this machine rather than with the Hub; null if nothing is."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "no space left on the disk; free some, or set HF_HOME to a folder on another one"
    if error.errno is not None and error.filename is not None:
        return f"{error.filename}: {error.strerror}; correct this and try again"
    return None


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

    if (status := status_of(error)) is not None:
        return status in _PASSING and pause_asked_s(error) <= LONGEST_WAIT_S
    return isinstance(error, (httpx2.TransportError, ConnectionError, TimeoutError))


def wait_after(error: Exception, attempt: int, *, on_wait: OnWait | None = None, pause_s: float = 1.0) -> None:
    """Wait before the next attempt, as long as the Hub asks for or twice as long as the last time."""
    seconds = max(pause_asked_s(error), pause_s * 2 ** (attempt - 1))
    if on_wait is not None:
        on_wait(f"{reason(error)}: next attempt in {seconds:.0f} s")
    time.sleep(seconds)


def pause_asked_s(error: Exception) -> float:
    """Seconds that the Hub asks to wait before the next attempt; 0 if it does not say."""
    from huggingface_hub.utils._http import parse_ratelimit_headers

    response = _response(error)
    if response is None:
        return 0.0
    limit = parse_ratelimit_headers(response.headers)
    if response.status_code == 429 and limit is not None and limit.remaining == 0:
        return float(limit.reset_in_seconds)
    asked = response.headers.get("Retry-After", "").strip()
    return float(asked) if asked.isdecimal() else 0.0


def status_of(error: Exception) -> int | None:
    """The HTTP status behind an error; null if there was no answer."""
    response = _response(error)
    return None if response is None else response.status_code


def reason(error: Exception) -> str:
    """What went wrong in one line, without tokens and signatures of addresses."""
    response = _response(error)
    if response is None:
        text = str(error).partition("\n")[0] or type(error).__name__
    else:
        said = getattr(error, "server_message", None) or response.reason_phrase
        text = f"{response.status_code} {said}".partition("\n")[0]
    return _TOKEN.sub("hf_…", _QUERY.sub(r"\1", text))


def _response(error: Exception) -> "Response | None":
    from huggingface_hub.errors import HfHubHTTPError

    return error.response if isinstance(error, HfHubHTTPError) else None
