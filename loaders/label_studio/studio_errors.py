"""Explanations: what the client of Label Studio raises, as messages that say what to do and hold no secret."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from blend.schemas.errors import BlendError, ConflictError, ServerError
from blend.schemas.texts import clean, escape_controls

if TYPE_CHECKING:
    from label_studio_sdk.core.api_error import ApiError

KEY_VARIABLE = "LABEL_STUDIO_API_KEY"
"""Environment variable that holds the access token."""

_SECRETS = (
    (re.compile(r"eyJ[\w-]+(\.[\w-]+)*"), "…"),  # a token that says who, until when
    (re.compile(r"\b[0-9a-fA-F]{32,}\b"), "…"),  # a token of the old kind, a session
    (re.compile(r"(?i)\b(sessionid|csrftoken|token|bearer|password)\b[=:]?\s*\S+"), r"\1 …"),
    (re.compile(r"(?<![^\s@<>'\"])[^\s@<>'\"]+@[^\s@<>'\"]+"), "…@…"),
)
_SAID_CHARACTERS = 200


class GoneError(ConflictError):
    """Something that was asked for is not on the server any more."""


@contextmanager
def translate_errors(where: str) -> Iterator[None]:
    """Turn what the client raises into a message that says what to do, without tokens, cookies or addresses.

    Args:
        where: The server, as messages call it, for example ``Label Studio at http://localhost:8080``.

    Raises:
        ServerError: If the server cannot be reached, refuses, or answers something else.
        GoneError: If what was asked for is not there.
    """
    import httpx
    from label_studio_sdk.core.api_error import ApiError

    try:
        yield
    except BlendError:
        raise
    except ApiError as error:
        # What it was raised from shows headers, and with them the session.
        raise _refusal(error, where) from None
    except httpx.TimeoutException:
        raise ServerError(f"{where}: does not answer in time; look whether it is busy, and try again") from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ServerError(
            f"{where}: cannot be reached ({masked(str(error)) or type(error).__name__}); start it, or correct "
            "key server.url of the project file"
        ) from None
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        # What the SDK makes of a login page, of a proxy's words and of JSON of another form.
        raise another_program(where) from None


def another_program(where: str) -> ServerError:
    """The error for a server that is not a Label Studio."""
    return ServerError(
        f"{where}: the answer is not one of Label Studio, perhaps of a proxy or of another program; correct "
        "key server.url of the project file"
    )


def masked(text: str) -> str:
    """Return what a server said, in one line, without tokens, sessions and addresses of people."""
    text = clean(escape_controls(text))
    for secret, shown in _SECRETS:
        text = secret.sub(shown, text)
    return f"{text[:_SAID_CHARACTERS]}…" if len(text) > _SAID_CHARACTERS else text


_THERE = f"(Account & Settings), and set {KEY_VARIABLE} to it"
_REFUSALS = {
    401: f"does not accept the token; copy it anew {_THERE}",
    403: (
        "the account of the token may not do this; use the token of an account that made the projects or "
        "administers the server"
    ),
    404: "what was asked for is not there, perhaps deleted by hand just now; run the command again",
    413: "takes nothing so large (413); raise the limit of the server or of the proxy before it",
}
"""What a status says, and what to do about it."""


def _refusal(error: "ApiError", where: str) -> BlendError:
    status, reply = error.status_code or 0, _reply(error.body)
    if 0 < status < 300:
        return another_program(where)
    detail = f"{status or None}: {reply}" if reply else str(status or None)
    what = _REFUSALS.get(status, f"does not do what it is asked ({detail}); look at its log, and try again")
    if status == 401 and "legacy" in reply:
        what = f"tokens of this kind are switched off there; make a personal access token {_THERE}"
    elif status == 401 and "expired" in reply.casefold():
        what = f"the token has expired; make a new one {_THERE}"
    elif 300 <= status < 400:
        what = f"sends elsewhere ({status}); correct key server.url of the project file, perhaps https"
    return (GoneError if status == 404 else ServerError)(f"{where}: {what}")


def _reply(body: Any) -> str:
    """Return what the server says of an error."""
    if isinstance(body, dict):
        detail = body.get("validation_errors") or body.get("detail") or ""
        return masked(str(detail))
    # A page of a proxy: its markup says nothing.
    return "" if isinstance(body, str) and "<" in body else masked(str(body or ""))
