"""Label Studio: the open-source server on which people annotate; brings tasks there and annotations back.

In come projects as they should be (`push`), out go annotations as the server exports them (`client`), and what
was seen of each of them (`events`). What a task asks and what an annotation means is for others to say
(`blend.builders.annotation`). Here connections are made that raise our errors: what to do, without token,
cookie or address.
"""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from blend.loaders.servers import is_server_address, public_address
from blend.schemas.errors import BlendError, ConflictError, InputError, MissingExtraError, ServerError
from blend.schemas.texts import clean, escape_controls

if TYPE_CHECKING:
    import httpx
    from label_studio_sdk.core.client_wrapper import SyncClientWrapper

_KEY_VARIABLE = "LABEL_STUDIO_API_KEY"
"""Environment variable that holds the access token."""

_ADDRESS_VARIABLE = "LABEL_STUDIO_URL"
"""Environment variable by which a user allows that the token goes to another machine."""

_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")


class GoneError(ConflictError):
    """Something that was asked for is not on the server any more."""


class FailedError(ServerError):
    """The server itself failed; another moment may be better."""


@contextmanager
def connected(url: str, timeout_s: float) -> Iterator[tuple["SyncClientWrapper", str]]:
    """The SDK's client of a server, which was not asked for anything yet, and what messages call the server.

    Raises:
        MissingExtraError: If the SDK is not installed.
        InputError: If there is no token, or if the server is on another machine and ``LABEL_STUDIO_URL`` in the
            environment does not name it.
    """
    where = f"Label Studio at {public_address(url)}"
    token = os.environ.get(_KEY_VARIABLE, "").strip()
    if not token:
        raise InputError(f"{where}: there is no access token; copy yours from that page {_COPY_IT}")
    # The address stands in a file that may come from somebody else: their server would get the token.
    named = os.environ.get(_ADDRESS_VARIABLE, "").strip()
    is_trusted = is_server_address(named) and _is_same_origin(url, named)
    if urlsplit(url).hostname not in _THIS_MACHINE and not is_trusted:
        raise InputError(
            f"{where}: the project file names this server; your token goes to no other machine unless you "
            f"name it as well; set {_ADDRESS_VARIABLE} to {public_address(url)} if you trust it"
        )
    if is_server_address(named) and not _is_same_origin(url, named):
        where += f" (key server.url; {_ADDRESS_VARIABLE} names {public_address(named)})"
    try:
        from label_studio_sdk.core.api_error import ApiError
        from label_studio_sdk.core.client_wrapper import SyncClientWrapper
    except ImportError as error:
        raise MissingExtraError("annotation with Label Studio", extra="annotate") from error
    with _connections(where, timeout_s) as client:
        try:
            # Never repeated: what makes something must not make it twice.
            yield SyncClientWrapper(base_url=url, api_key=token, httpx_client=client, max_retries=0), where
        except ApiError as error:
            # What the SDK says by itself of a token.
            raise _refusal(error.status_code or 0, str(error.body), where) from None


def _is_same_origin(one: str, other: str) -> bool:
    """Whether two addresses have one scheme, host and port."""
    first, second = urlsplit(one), urlsplit(other)
    return (first.scheme, first.hostname, first.port) == (second.scheme, second.hostname, second.port)


def _connections(where: str, timeout_s: float) -> "httpx.Client":
    """Connections that raise our errors in place of those of httpx and of refusals."""
    import httpx

    class Connections(httpx.Client):  # type: ignore[misc]  # to mypy httpx is Any, as pyproject.toml says
        def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
            try:
                answer = super().send(request, **options)
                answer.read()
            except httpx.TimeoutException:
                what = "does not answer in time; look whether it is busy, and try again"
                raise ServerError(f"{where}: {what}") from None
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise ServerError(
                    f"{where}: cannot be reached ({_masked(str(error)) or type(error).__name__}); start it, or "
                    "correct key server.url of the project file"
                ) from None
            if answer.status_code >= 300:
                raise _refusal(answer.status_code, answer.text, where)
            if "html" in answer.headers.get("Content-Type", ""):
                raise another_program(where)
            return answer

    return Connections(timeout=timeout_s)


_COPY_IT = f"(Account & Settings), and set {_KEY_VARIABLE} to it"
_REFUSALS = {
    401: f"does not accept the token; copy it anew, or make a new one {_COPY_IT}",
    403: (
        "the account of the token may not do this; use the token of an account that made the projects or "
        "administers the server"
    ),
    404: "what was asked for is not there, perhaps deleted by hand just now; run the command again",
    413: "takes nothing so large (413); raise the limit of the server or of the proxy before it",
}
"""What a status says, and what to do about it."""


def _refusal(status: int, body: str, where: str) -> BlendError:
    """The error for an answer that is not what was asked for."""
    if 0 < status < 300:
        return another_program(where)
    reply = _reply(body)
    detail = f"{status or None}: {reply}" if reply else str(status or None)
    what = _REFUSALS.get(status, f"does not do what it is asked ({detail}); look at its log, and try again")
    if status == 401 and "legacy" in reply:
        what = f"tokens of this kind are switched off there; make a personal access token {_COPY_IT}"
    elif 300 <= status < 400:
        what = f"sends elsewhere ({status}); correct key server.url of the project file, perhaps https"
    kind = GoneError if status == 404 else FailedError if status >= 500 else ServerError
    return kind(f"{where}: {what}")


def _reply(body: str) -> str:
    """Return what the server says of an error."""
    with suppress(ValueError, RecursionError):
        error = json.loads(body)
        if isinstance(error, dict):
            return _masked(str(error.get("validation_errors") or error.get("detail") or ""))
    # A page of a proxy: its markup says nothing.
    return "" if "<" in body else _masked(body)


def another_program(where: str) -> ServerError:
    """The error for an answer that no Label Studio gives."""
    return ServerError(
        f"{where}: the answer is not one of Label Studio, perhaps of a proxy or of another program; correct "
        "key server.url of the project file"
    )


_SECRETS = (
    (re.compile(r"eyJ[\w-]+(\.[\w-]+)*"), "…"),  # a token that says who, until when
    (re.compile(r"\b[0-9a-fA-F]{32,}\b"), "…"),  # a token of the old kind, a session
    (re.compile(r"(?i)\b(sessionid|csrftoken|token|bearer|password)\b[=:]?\s*\S+"), r"\1 …"),
    (re.compile(r"(?<![^\s@<>'\"])[^\s@<>'\"]+@[^\s@<>'\"]+"), "…@…"),
)
_SAID_CHARACTERS = 200


def _masked(text: str) -> str:
    """Return what a server said, in one line, without tokens, sessions and addresses of people."""
    text = clean(escape_controls(text))
    for secret, shown in _SECRETS:
        text = secret.sub(shown, text)
    return f"{text[:_SAID_CHARACTERS]}…" if len(text) > _SAID_CHARACTERS else text
