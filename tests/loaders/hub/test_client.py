"""How the Hub client is used: which errors pass, how long to wait, and what messages hold."""

import errno
from collections.abc import Callable

import httpx2
import pytest
from huggingface_hub import get_session
from huggingface_hub.errors import HfHubHTTPError

from blend.loaders.hub.client import explained, is_passing, patient, pause_asked_s, reason, with_retries
from blend.schemas.errors import BlendError

TOKEN = "hf_aliceMayWriteAliceMayWrite"
URL = "https://hub.example/api/datasets/org/blend"


def answered(status: int, said: str | None = None, **headers: str) -> HfHubHTTPError:
    request = httpx2.Request("GET", f"{URL}?signature=secret")
    response = httpx2.Response(status, headers=headers, request=request)
    return HfHubHTTPError(f"{status} for {request.url}", response=response, server_message=said)


def message_of(error: Exception) -> str:
    with pytest.raises(BlendError) as caught, explained("Hub dataset org/blend"):
        raise error
    return str(caught.value)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_answers_that_pass(status: int):
    assert is_passing(answered(status))


@pytest.mark.parametrize(
    "error",
    [
        answered(400),
        answered(401),
        answered(404),
        answered(412),
        answered(429, **{"Retry-After": "3600"}),
        ValueError("no"),
    ],
    ids=repr,
)
def test_errors_that_last(error: Exception):
    assert not is_passing(error)


@pytest.mark.parametrize(
    "error",
    [
        httpx2.ConnectError("refused"),
        httpx2.ReadTimeout("late"),
        httpx2.RemoteProtocolError("cut"),
        ConnectionResetError("reset"),
    ],
    ids=repr,
)
def test_broken_connections_pass(error: Exception):
    assert is_passing(error)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0),
        ({"Retry-After": "7"}, 7),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}, 0),
        ({"RateLimit": '"api";r=0;t=55', "Retry-After": "7"}, 55),
        ({"RateLimit": '"api";r=3;t=55', "Retry-After": "7"}, 7),
    ],
)
def test_how_long_the_hub_asks_to_wait(headers: dict[str, str], seconds: float):
    assert pause_asked_s(answered(429, **headers)) == seconds


def test_attempts(monkeypatch: pytest.MonkeyPatch):
    waited: list[float] = []
    monkeypatch.setattr("time.sleep", waited.append)
    assert with_retries(failing(3, answered(503))) == "done"
    assert waited == [1, 2, 4]
    with pytest.raises(HfHubHTTPError):
        with_retries(failing(6, answered(503)))
    with pytest.raises(HfHubHTTPError):
        with_retries(failing(1, answered(404)))


def failing(times: int, error: Exception) -> Callable[[], str]:
    errors = [error] * times

    def call() -> str:
        if errors:
            raise errors.pop()
        return "done"

    return call


def test_a_time_limit_for_every_client_that_is_made():
    before = get_session().timeout
    with patient(7.0):
        assert get_session().timeout == httpx2.Timeout(7.0)
    assert get_session().timeout == before


def test_reasons_hold_no_secrets():
    assert reason(answered(503)) == "503 Service Unavailable"
    assert reason(answered(403, f"the token {TOKEN} may not")) == "403 the token hf_… may not"
    assert (
        reason(OSError(f"Network error ({URL}?X-Signature=secret), {TOKEN}")) == f"Network error ({URL}), hf_…"
    )
    assert reason(httpx2.ReadTimeout("")) == "ReadTimeout"


def test_messages():
    assert message_of(answered(401)) == (
        "Hub dataset org/blend: the Hub does not accept the token; log in again with `hf auth login`, "
        "or correct HF_TOKEN"
    )
    assert message_of(answered(503)) == (
        "Hub dataset org/blend: the Hub does not do what it is asked (503 Service Unavailable); try again"
    )
    assert message_of(OSError(errno.ENOSPC, "No space left on device")) == (
        "Hub dataset org/blend: no space left on the disk; free some, or set HF_HOME to a folder on another one"
    )
    assert message_of(PermissionError(errno.EACCES, "Permission denied", "/hub/refs")) == (
        "Hub dataset org/blend: /hub/refs: Permission denied; correct this and try again"
    )
