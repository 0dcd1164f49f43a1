"""How the Hub client is used: which errors pass, how long to wait, and what messages hold."""

import errno
import json
import socket
from collections.abc import Callable

import httpx2
import pytest
from huggingface_hub import HfApi, constants, get_session
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, OfflineModeIsEnabled
from huggingface_hub.utils._runtime import is_xet_available

from blend.loaders.hub import answer_of, hub_client
from blend.loaders.hub.requests import (
    _pause_asked_s,
    is_passing,
    masked,
    reason,
    request_timeouts,
    translate_errors,
    with_retries,
)
from blend.schemas.errors import BlendError, HubError, InputError, StorageError

TOKEN = "hf_aliceMayWriteAliceMayWrite"
URL = "https://hub.example/api/datasets/org/blend"


def answered(status: int, said: str | None = None, **headers: str) -> HfHubHTTPError:
    request = httpx2.Request("GET", f"{URL}?signature=secret")
    response = httpx2.Response(status, headers=headers, request=request)
    return HfHubHTTPError(f"{status} for {request.url}", response=response, server_message=said)


@pytest.mark.parametrize(
    "error",
    [
        answered(400),
        answered(401),
        answered(404),
        answered(412),
        answered(429, **{"Retry-After": "3600"}),
        ValueError("no"),
        OfflineModeIsEnabled("HF_HUB_OFFLINE is set"),
    ],
    ids=repr,
)
def test_errors_that_last(error: Exception):
    assert not is_passing(error)


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
    assert _pause_asked_s(answered(429, **headers).response) == seconds


def test_attempts(monkeypatch: pytest.MonkeyPatch):
    waited: list[float] = []
    monkeypatch.setattr("time.sleep", waited.append)
    assert with_retries(failing(3, answered(503))) == "done"
    assert waited == [1, 2, 4]
    with pytest.raises(HfHubHTTPError):
        with_retries(failing(6, answered(503)))
    with pytest.raises(HfHubHTTPError):
        with_retries(failing(1, answered(404)))


QUESTIONS: dict[str, Callable[[HfApi], object]] = {
    "info": lambda api: api.dataset_info("org/blend"),
    "refs": lambda api: api.list_repo_refs("org/blend", repo_type="dataset"),
    "files": lambda api: list(api.list_repo_tree("org/blend", repo_type="dataset")),
    "commits": lambda api: api.list_repo_commits("org/blend", repo_type="dataset"),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_has_a_time_limit_and_is_repeated_aloud(
    question: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr("time.sleep", lambda _: None)
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        endpoint = f"http://127.0.0.1:{mute.getsockname()[1]}"
        with (
            pytest.raises(HubError) as caught,
            hub_client("org/blend", endpoint=endpoint, timeout_s=0.1) as hub,
        ):
            hub.ask(lambda: QUESTIONS[question](hub.api), attempts=2)
    assert str(caught.value) == (
        "Hub dataset org/blend: the Hub does not do what it is asked (timed out); try again"
    )
    # Once, so the client has not asked again by itself.
    assert caplog.messages == ["timed out: next attempt in 1 s"]


def failing(times: int, error: Exception) -> Callable[[], str]:
    errors = [error] * times

    def call() -> str:
        if errors:
            raise errors.pop()
        return "done"

    return call


@pytest.mark.slow
def test_a_time_limit_for_every_client_that_is_made():
    before = get_session().timeout
    with request_timeouts(7.0):
        assert get_session().timeout == httpx2.Timeout(7.0)
    assert get_session().timeout == before


def test_files_travel_whole_and_only_inside_the_block(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", False)
    with hub_client("org/blend"):
        assert not is_xet_available()
    assert not constants.HF_HUB_DISABLE_XET


def test_reasons_hold_no_secrets():
    assert reason(answered(503)) == "503 Service Unavailable"
    assert reason(answered(403, f"the token {TOKEN} may not")) == "403 the token hf_… may not"
    assert (
        reason(OSError(f"Network error ({URL}?X-Signature=secret), {TOKEN}")) == f"Network error ({URL}), hf_…"
    )
    assert reason(httpx2.ReadTimeout("")) == "ReadTimeout"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("hf_oauth_eyJhbGciOi.eyJzdWIi-_x.c2ln is old", "hf_… is old"),
        ("Authorization: Bearer eyJhbGci.x", "Authorization: Bearer hf_…"),
        ("PUT /large/ab?X-Amz-Signature=5f&Expires=9", "PUT /large/ab?X-Amz-Signature=…&Expires=9"),
        ("'https://cdn.example/x?Policy=a&Signature=b'", "'https://cdn.example/x"),
        ("call hf_hub_download again", "call hf_hub_download again"),
    ],
)
def test_secrets_of_every_form_are_masked(text: str, shown: str):
    assert masked(text) == shown


@pytest.mark.parametrize(
    ("error", "kind", "expected"),
    [
        (
            answered(401),
            HubError,
            "the Hub does not accept the token; log in again with `hf auth login`, or correct HF_TOKEN",
        ),
        (
            answered(403),
            HubError,
            (
                "you may not read this (403 Forbidden); ask its owners for access, then log in with "
                "`hf auth login`"
            ),
        ),
        (
            answered(507),
            HubError,
            (
                "the Hub refuses this (507 Insufficient Storage, GET /api/datasets/org/blend); do what it "
                "says, or make a token with write access to this account or organisation at "
                "https://huggingface.co/settings/tokens, and run the same command again"
            ),
        ),
        (
            answered(429, **{"Retry-After": "3600"}),
            HubError,
            "the Hub is busy (429 Too Many Requests) and asks for time; try again in 60 minutes",
        ),
        (
            answered(503),
            HubError,
            "the Hub does not do what it is asked (503 Service Unavailable); try again",
        ),
        (
            httpx2.ConnectError("[Errno -2] Name or service not known"),
            HubError,
            (
                "the Hub cannot be reached ([Errno -2] Name or service not known); look at the connection and "
                "at HF_ENDPOINT, if that is set, and run the same command again"
            ),
        ),
        (
            OSError(errno.ENOSPC, "No space left on device"),
            StorageError,
            "no space left on the disk; free some, or set HF_HOME to a folder on another one",
        ),
        (
            PermissionError(errno.EACCES, "Permission denied", "/hub/refs"),
            StorageError,
            "/hub/refs: Permission denied; correct this and try again",
        ),
        (HFValidationError("no"), InputError, "not the name of a repository; write org/name"),
    ],
    ids=str,
)
def test_messages(error: Exception, kind: type[BlendError], expected: str):
    with pytest.raises(kind) as caught, translate_errors("Hub dataset org/blend"):
        raise error
    assert str(caught.value) == f"Hub dataset org/blend: {expected}"


@pytest.mark.parametrize("error", [json.JSONDecodeError("no", "<html>", 0), KeyError("sha"), TypeError("list")])
def test_an_answer_that_is_not_the_hubs(error: Exception):
    with pytest.raises(HubError) as caught, translate_errors("Hub dataset org/blend"):
        answer_of(raising(error))
    assert str(caught.value) == (
        "Hub dataset org/blend: the Hub does not do what it is asked (the answer is not one of the Hub, "
        "perhaps of a proxy or of a page to log in at); try again"
    )


def test_an_error_gives_way_to_the_one_behind_it():
    hidden = httpx2.ConnectError("refused")
    force_version = ValueError("Force download failed due to the above error.")
    force_version.__cause__ = hidden
    with pytest.raises(httpx2.ConnectError):
        answer_of(raising(force_version))


def raising(error: Exception) -> Callable[[], None]:
    def call() -> None:
        raise error

    return call
