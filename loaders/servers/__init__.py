"""Servers of models that speak OpenAI's protocol: requests side by side, repeated, stopped, and explained.

What is asked and what an answer means is for others to say (`blend.builders.judges`, `blend.eval.models`). The
key is the environment's ``OPENAI_API_KEY`` and appears in no message.
"""

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urljoin, urlsplit, urlunsplit

from blend.schemas.errors import BlendError, InputError, MissingExtraError, ServerError, without_passwords
from blend.schemas.texts import clean

if TYPE_CHECKING:
    import openai


T = TypeVar("T")
Done = TypeVar("Done")
Ask = Callable[["openai.AsyncOpenAI", T], Awaitable[Done]]
"""Asks about one item by the client of a server."""

CONCURRENCY = 32
"""Requests under way at a time, where the user does not say."""

SILENCE_S = 30.0
"""Seconds without any reply after which it is told that one is waited for, and again after as many more."""

_CONNECT_S = 30.0
"""Seconds to wait for a connection at most. An answer may take much longer, but none comes from behind a
firewall that drops what is sent."""

_LOG = logging.getLogger(__name__)
_GLANCE_S = 0.1


@dataclass(frozen=True, slots=True)
class Server:
    """Address of a server of models, with its retries and timeouts."""

    name: str
    """Who is asked, as messages say it, for example ``chat:gpt-5``."""
    extra: str
    """The extra that brings the client."""
    base_url: str | None
    """Address, checked by `server_address`; OpenAI's own when absent."""
    concurrency: int = CONCURRENCY
    """Requests under way at a time."""
    retries: int = 5
    """How often a request is repeated that the server could not serve (429, 5xx, no or a broken connection),
    with growing pauses, or with those that the server asks for."""
    timeout_s: float = 60.0
    """Seconds to wait for the answer to one request."""
    kept: str = "the answers that came"
    """What a further run will not ask again, as messages say it."""
    address_name: str = "`base_url`"
    """What the user calls the address: a parameter between backquotes, or a variable of the environment."""

    @property
    def public_url(self) -> str | None:
        """Address without user, password and query."""
        return None if self.base_url is None else public_address(self.base_url)

    @property
    def where(self) -> str:
        """The server, as messages name it."""
        return self.name if self.base_url is None else f"{self.name} at {self.public_url}"


def ask_side_by_side(server: Server, items: Iterable[T], ask: "Ask[T, bool]") -> None:
    """Ask a server about all items, `Server.concurrency` at a time, in their order.

    Args:
        server: The server.
        items: What to ask about; each is taken when its turn comes.
        ask: Asks about one item and does what is to be done with the answer. It runs in another thread, and
            never twice at a time except while it waits. False ends its lane: with as many of them as there are
            lanes, no further item is asked. An error that it raises stops the asking.

    Raises:
        MissingExtraError: If the package ``openai`` is not installed.
        InputError: If there is no API key and no address of a server that may need none.
        ServerError: If the server cannot be asked.
    """
    try:
        from anyio.from_thread import start_blocking_portal
        from openai import OpenAIError
    except ImportError as error:
        raise MissingExtraError(server.name, extra=server.extra) from error
    # An event loop in a thread of its own: it works in notebooks, which have a loop already, and
    # Ctrl-C cancels the requests under way instead of waiting for their answers.
    try:
        with start_blocking_portal() as portal:
            asking = portal.start_task_soon(_in_lanes, server, items, ask)
            # In short waits: polars' handler of Ctrl-C restarts a wait that has no end of its own.
            while not asking.done():
                wait([asking], timeout=_GLANCE_S)
            asking.result()
    except OpenAIError as error:
        raise ServerError(f"{server.where}: {problem(error, server)}") from error


class Persistence:
    """Asks again what a server is too busy for, as long as it answers others."""

    def __init__(self) -> None:
        self.n_answered = 0
        """Items that were answered."""

    async def ask(self, ask: "Ask[T, Done]", client: "openai.AsyncOpenAI", item: T) -> Done:
        """Ask about one item, as often as others are answered while it is refused."""
        from openai import APIStatusError

        while True:
            n_before = self.n_answered
            try:
                found = await ask(client, item)
            except APIStatusError as error:
                if error.status_code not in _BUSY or self.n_answered == n_before:
                    raise
            else:
                self.n_answered += 1
                return found


async def _in_lanes(server: Server, items: Iterable[T], ask: "Ask[T, bool]") -> None:
    waiting, heard_s = iter(items), [time.monotonic()]

    async def hear(_: object) -> None:
        heard_s[0] = time.monotonic()

    async def lane() -> None:
        for item in waiting:
            if not await ask(client, item):
                return

    async with _client(server, hear) as client:
        telling = asyncio.create_task(_tell_of_silence(server, heard_s))
        try:
            await asyncio.gather(*(lane() for _ in range(server.concurrency)))
        finally:
            telling.cancel()


async def _tell_of_silence(server: Server, heard_s: list[float]) -> None:
    """Log every half minute in which a server that is asked does not reply to anything."""
    while True:
        before_s = heard_s[0]
        await asyncio.sleep(SILENCE_S)
        if heard_s[0] == before_s:
            sentence = "%s: no reply for %.0f s; waiting up to %.0f s for each"
            _LOG.warning(sentence, server.name, time.monotonic() - before_s, server.timeout_s)


def _client(server: Server, hear: Callable[[object], Awaitable[None]]) -> "openai.AsyncOpenAI":
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Timeout

    key = os.environ.get("OPENAI_API_KEY") or ("none" if server.base_url else None)
    if key is None:
        raise InputError(
            f"{server.name}: there is no API key; set OPENAI_API_KEY in the environment, "
            f"or give {server.address_name}, the address of a server that needs none"
        )
    return AsyncOpenAI(
        api_key=key,
        base_url=server.base_url,
        max_retries=server.retries,
        timeout=Timeout(server.timeout_s, connect=min(_CONNECT_S, server.timeout_s)),
        # Who sends on to another host would send it every prompt.
        http_client=DefaultAsyncHttpxClient(follow_redirects=False, event_hooks={"response": [hear]}),
    )


REFUSED = (400, 413, 422)
"""Answers to a request that the server understands and does not serve."""

_NO_ROUTE = (404, 405)
"""Answers of a server that has no such route, or, to the first of them, no such model."""

REDIRECTS = (301, 302, 303, 307, 308)
"""Answers of a server that sends on to another address, to which nothing is sent."""

_BUSY = (429, 503, 529)
"""Answers of a server that is asked too much."""

_LATER = (408, 409, *_BUSY)
"""Answers of a server that may serve the same request later."""


def server_address(base_url: str | None, *, where: str) -> str | None:
    """The address of a server: the one given, else the environment's ``OPENAI_BASE_URL``, else none.

    Args:
        base_url: What the user gave.
        where: What the user calls it, for example ``--server``.

    Raises:
        InputError: If it is not a complete address.
    """
    if not base_url:
        base_url, where = os.environ.get("OPENAI_BASE_URL") or None, "OPENAI_BASE_URL"
    if base_url is None:
        return None
    if not is_server_address(base_url):
        raise InputError(
            f"{where} {without_passwords(base_url)!r} is not the address of a server; "
            "write it in full, for example 'http://localhost:8000/v1'"
        )
    return base_url


def is_server_address(text: str) -> bool:
    """Whether a text is the complete address of a web server, with nothing in it that cannot be printed."""
    try:
        parts = urlsplit(text)
        # Reading the port checks it: urlsplit itself takes any.
        named = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return named and parts.scheme in ("http", "https") and text.isprintable() and " " not in text


def public_address(base_url: str) -> str:
    """The address without user, password and query."""
    parts = urlsplit(base_url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query=""))


def problem(error: Exception, server: "Server") -> str:
    """Say what a user can do about an error of a server, without anything secret that it may hold."""
    import openai

    again = f"run again: {server.kept} are kept and not asked again"
    address = server.address_name
    correct = f"correct model or {address}"
    if isinstance(error, BlendError):
        return f"{error}; if others are like it, correct {address}"
    if isinstance(error, openai.APITimeoutError) and not is_unconnected(error):
        return f"the server does not answer in time; {again}"
    if isinstance(error, openai.APIConnectionError):
        return f"no connection, or it broke; start the server or correct {address}, then {again}"
    if not isinstance(error, openai.APIStatusError):
        return f"not the answer of an OpenAI-compatible server; correct {address}"
    code = error.status_code
    if code in REDIRECTS:
        there = public_address(urljoin(str(error.request.url), error.response.headers.get("Location", "")))
        return f"HTTP {code}, it sends on to {there!r}; name that server by {address} if you trust it"
    if code in (401, 403):
        # What servers say here may quote the key.
        return f"the server refuses the API key (HTTP {code}); correct OPENAI_API_KEY"
    if code in _LATER or code >= 500:
        fix = again
    elif code in REFUSED:
        # It is about one request, and the model need not be wrong: most often the request is too long for it.
        fix = f"if the request is too long, serve the model with a longer context, else {correct}"
    else:
        fix = correct
    at = f" at {error.request.url.path}" if code in _NO_ROUTE else ""
    return f"HTTP {code}{at}, {_server_reply(error)!r}; {fix}"


def is_unconnected(error: BaseException) -> bool:
    """Whether an error says that no connection came about in time; its cause is of httpx, or of httpx2."""
    return type(error.__cause__).__name__ == "ConnectTimeout"


def _server_reply(error: "openai.APIStatusError") -> str:
    """Return what the server said, in at most 200 characters."""
    body = error.body
    text = body.get("message") if isinstance(body, dict) else body
    message = clean(str(text or error.message))[:200]
    key = os.environ.get("OPENAI_API_KEY")
    return message.replace(key, "…") if key else message
