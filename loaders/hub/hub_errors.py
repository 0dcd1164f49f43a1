"""Explanations: what the Hub's client raises, as a message that says what to do and holds no secret."""

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from blend.schemas.errors import BlendError, HubError, InputError, StorageError

if TYPE_CHECKING:
    from httpx2 import Response

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


class HubNotReached(HubError):
    """No request of ours arrived: the client is told to stay offline, or nothing answers at the address."""


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
    from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError, RevisionNotFoundError

    if isinstance(error, HFValidationError):
        return InputError(f"{where}: not the name of a repository; write org/name")
    # The client's own classes first: they are answers with a status as well, of which the status says less.
    if isinstance(error, RevisionNotFoundError):
        return HubError(f"{where}: no such revision; look up its commits and tags on the Hub")
    if isinstance(error, RepositoryNotFoundError):
        return HubError(
            f"{where}: not found, private or gated; correct the name, or log in with `hf auth login`"
        )
    if (here := _wrong_here(error)) is not None:
        return StorageError(f"{where}: {here}")
    if (why := _why_not_reached(error)) is not None:
        return HubNotReached(f"{where}: {why}")
    return HubError(f"{where}: {_refusal(error, purpose)}")


def _why_not_reached(error: Exception) -> str | None:
    """Say why the Hub was not even asked; null if it was."""
    import httpx2
    from huggingface_hub.errors import OfflineModeIsEnabled

    if isinstance(error, OfflineModeIsEnabled):
        return (
            "HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE forbids to ask the Hub; unset it and run the same command "
            "again"
        )
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        return (
            f"the Hub cannot be reached ({reason(error)}); look at the connection and at HF_ENDPOINT, if that "
            "is set, and run the same command again"
        )
    return None


def _refusal(error: Exception, purpose: Purpose) -> str:
    """Say what the Hub's answer, or its silence, means."""
    status, reply = status_of(error), reason(error)
    if status == 401:
        return "the Hub does not accept the token; log in again with `hf auth login`, or correct HF_TOKEN"
    if status == 403 and purpose == "read":
        return f"you may not read this ({reply}); ask its owners for access, then log in with `hf auth login`"
    if status in (402, 403, 413, 507):
        # Quotas, rules of a repository, roles and rights of a token: only the Hub's own words tell which.
        return (
            f"the Hub refuses this ({reply}, {_asked(error)}); do what it says, or make a token with write "
            "access to this account or organisation at https://huggingface.co/settings/tokens, and run the "
            "same command again"
        )
    if (seconds := pause_asked_s(response_of(error))) > 0:
        return f"the Hub is busy ({reply}) and asks for time; try again in {_duration(seconds)}"
    return f"the Hub does not do what it is asked ({reply}); try again"


def reason(error: BaseException) -> str:
    """Say in one line what went wrong, without tokens and signatures of addresses."""
    response = response_of(error)
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
    response = response_of(error)
    return None if response is None else response.status_code


def response_of(error: BaseException) -> "Response | None":
    """The answer behind an error; null if there was none."""
    from huggingface_hub.errors import HfHubHTTPError

    return error.response if isinstance(error, HfHubHTTPError) else None


def pause_asked_s(response: "Response | None") -> float:
    """Seconds that the Hub asks to wait before the next attempt; 0 if it does not say."""
    from huggingface_hub.utils._http import parse_ratelimit_headers

    if response is None:
        return 0.0
    limit = parse_ratelimit_headers(response.headers)
    if response.status_code == 429 and limit is not None and limit.remaining == 0:
        return float(limit.reset_in_seconds)
    asked = response.headers.get("Retry-After", "").strip()
    return float(asked) if asked.isdecimal() else 0.0


def _wrong_here(error: Exception) -> str | None:
    """Say what is wrong on this machine rather than with the Hub; null if nothing is."""
    if not isinstance(error, OSError):
        return None
    if error.errno in _FULL:
        return "no space left on the disk; free some, or set HF_HOME to a folder on another one"
    if error.errno is not None and error.filename is not None:
        return f"{error.filename}: {error.strerror}; correct this and try again"
    return None


def _asked(error: Exception) -> str:
    """The request that was refused, by method and path."""
    response = response_of(error)
    assert response is not None, "only an answer has a status"
    return f"{response.request.method} {response.request.url.path}"


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{seconds:.0f} seconds" if minutes < 2 else f"{minutes} minutes"
