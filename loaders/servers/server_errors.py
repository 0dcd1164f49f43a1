"""Problems with a server of models, in words that say what to do and hold no key and no password."""

import os
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit, urlunsplit

from blend.schemas.addresses import is_server_address, without_passwords
from blend.schemas.errors import BlendError, InputError, ServerError
from blend.schemas.texts import clean

if TYPE_CHECKING:
    import openai

    from blend.loaders.servers import Server

REFUSED = (400, 413, 422)
"""Answers to a request that the server understands and does not serve."""

_NO_ROUTE = (404, 405)
"""Answers of a server that has no such route, or, to the first of them, no such model."""

REDIRECTS = (301, 302, 303, 307, 308)
"""Answers of a server that sends on to another address, to which nothing is sent."""

BUSY = (429, 503, 529)
"""Answers of a server that is asked too much."""

_LATER = (408, 409, *BUSY)
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


def public_address(base_url: str) -> str:
    """The address without user, password and query."""
    parts = urlsplit(base_url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query=""))


def translated_error(error: "openai.OpenAIError", server: "Server") -> ServerError:
    """Say what a user can do about an error of the server, without anything secret that it may hold."""
    return ServerError(f"{server.where}: {problem(error, server)}")


def problem(error: Exception, server: "Server") -> str:
    """The same without saying where."""
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
