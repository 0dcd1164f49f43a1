"""Connections to a Label Studio, which raise our errors: what to do, without token, cookie or address."""

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from blend.schemas.errors import BlendError, ConflictError, ServerError
from blend.schemas.texts import clean, escape_controls

if TYPE_CHECKING:
    import httpx

KEY_VARIABLE = "LABEL_STUDIO_API_KEY"
"""Environment variable that holds the access token."""


class GoneError(ConflictError):
    """Something that was asked for is not on the server any more."""


class FailedError(ServerError):
    """The server itself failed; another moment may be better."""


def connections(where: str, timeout_s: float) -> "httpx.Client":
    """Connections that raise our errors in place of those of httpx and of refusals."""
    import httpx

    class Connections(httpx.Client):  # type: ignore[misc]
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
                raise refusal(answer.status_code, answer.text, where)
            if "html" in answer.headers.get("Content-Type", ""):
                raise another_program(where)
            return answer

    return Connections(timeout=timeout_s)


COPY_IT = f"(Account & Settings), and set {KEY_VARIABLE} to it"
_REFUSALS = {
    401: f"does not accept the token; copy it anew {COPY_IT}",
    403: (
        "the account of the token may not do this; use the token of an account that made the projects or "
        "administers the server"
    ),
    404: "what was asked for is not there, perhaps deleted by hand just now; run the command again",
    413: "takes nothing so large (413); raise the limit of the server or of the proxy before it",
}
"""What a status says, and what to do about it."""


def refusal(status: int, body: str, where: str) -> BlendError:
    """The error for an answer that is not what was asked for."""
    if 0 < status < 300:
        return another_program(where)
    reply = _reply(body)
    detail = f"{status or None}: {reply}" if reply else str(status or None)
    what = _REFUSALS.get(status, f"does not do what it is asked ({detail}); look at its log, and try again")
    if status == 401 and "legacy" in reply:
        what = f"tokens of this kind are switched off there; make a personal access token {COPY_IT}"
    elif status == 401 and "expired" in reply.casefold():
        what = f"the token has expired; make a new one {COPY_IT}"
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
