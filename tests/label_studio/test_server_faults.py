"""Servers that are not as they should be: the whole message for each, without tokens, cookies or addresses."""

import json
import re
import tomllib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from socket import socket
from typing import Any

import httpx
import pytest

from blend.loaders.label_studio import GoneError
from blend.loaders.label_studio.client import label_studio
from blend.schemas.errors import ConflictError, InputError, ServerError

pytestmark = pytest.mark.slow

VARIABLE = "LABEL_STUDIO_API_KEY"
TOKEN = "0123456789abcdef0123456789abcdef01234567"
URL = "http://127.0.0.1:8080"


@pytest.fixture(autouse=True)
def _token(monkeypatch: pytest.MonkeyPatch, missing: Callable[[str], None]) -> None:
    if find_spec("label_studio_sdk") is None:
        missing("the package label-studio-sdk")
    monkeypatch.setenv(VARIABLE, TOKEN)


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Has a server give answers by a part of the path, in turn, and those of a Label Studio elsewhere."""

    def answer(**answers: Any) -> None:
        def handled(_: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
            usual = {"version": (200, {"release": "1.23.2"}), "whoami": (200, {"id": 1})}
            found = next(one for part, one in {**usual, **answers}.items() if part in request.url.path)
            status, body = found.pop(0) if isinstance(found, list) else found
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            kind = "text/html" if isinstance(body, bytes) else "application/json"
            headers = {"Content-Type": kind, "Set-Cookie": "sessionid=s3cr3ts3ss10n; Path=/"}
            return httpx.Response(status, content=content, headers=headers)

        monkeypatch.setattr(httpx.HTTPTransport, "handle_request", handled)

    return answer


def message_of(url: str = URL, kind: type[Exception] = ServerError) -> str:
    """What connecting to an address, and listing its projects, says."""
    with pytest.raises(kind) as raised, label_studio(url) as studio:
        studio.projects()
    return str(raised.value).removeprefix(f"Label Studio at {url}: ")


REFUSALS = Path(__file__).with_name("server_refusals.toml")


@pytest.mark.parametrize("case", tomllib.loads(REFUSALS.read_text("utf-8"))["cases"])
def test_what_a_server_refuses_is_told(case: dict[str, Any], answering: Callable[..., None]):
    body = case["json"] if "json" in case else case["page"].encode()
    answering(**{case["part"]: (case["status"], body)})
    assert message_of(kind=GoneError if case["status"] == 404 else ServerError) == case["told"]


EMPTIED = (200, {"tasks": [], "total": 2, "total_annotations": 0, "total_predictions": 0})
NO_PROJECT = (500, {"detail": "Project matching query does not exist."})
TASKS = (200, {**EMPTIED[1], "tasks": [{"id": 2, "data": {}}, {"id": 1, "data": {}}]})


def test_tasks_are_listed_again_while_a_project_is_being_removed(answering: Callable[..., None]):
    answering(tasks=[NO_PROJECT, EMPTIED, TASKS])
    with label_studio(URL) as studio:
        assert [task.id for task in studio.tasks(7)] == [1, 2]
    answering(tasks=[NO_PROJECT, EMPTIED, (404, {"detail": "Not found."})])
    with label_studio(URL) as studio, pytest.raises(GoneError):
        studio.tasks(7)
    answering(tasks=EMPTIED)
    told = f"Label Studio at {URL}: the tasks of project 7 change while they are listed; run the command again"
    with label_studio(URL) as studio, pytest.raises(ConflictError, match=f"^{re.escape(told)}$"):
        studio.tasks(7)


REFRESH_TOKEN = (
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ0b2tlbl90eXBlIjoicmVmcmVzaCIsImV4cCI6NDEwMjQ0NDgwMCwiaWF0IjoxLCJqdGkiOiJ4IiwidXNlcl9pZCI6IjEifQ."
    "c2lnbmF0dXJl"
)  # fmt: skip
"""A personal access token whose time ends in 2100; it is first exchanged for another one."""

LOGIN_PAGE = b"<html><form action='/user/login'>Log in</form></html>"
IN_ITS_PLACE: list[tuple[int, Any]] = [
    *((200, body) for body in (LOGIN_PAGE, b"", [], "login", None, 3, {}, b"[" * 100_000)),
    *((status, LOGIN_PAGE) for status in (204, 302, 407, 502, 511)),
]
"""Answers of a login page, a proxy, or another program."""


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # the SDK's own, where it exchanges a token
@pytest.mark.parametrize("token", [TOKEN, REFRESH_TOKEN], ids=["legacy", "personal"])
def test_what_answers_in_its_place_is_told(
    token: str, answering: Callable[..., None], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(VARIABLE, token)
    for answer in IN_ITS_PLACE:
        answering(version=answer, api=answer)
        assert message_of()


def test_no_server_and_no_answer_in_time(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("LABEL_STUDIO_URL", raising=False)
    assert message_of("http://127.0.0.1:1") == (
        "cannot be reached ([Errno 111] Connection refused); start it, or correct key server.url of the "
        "project file"
    )
    # A password in the address is not shown.
    assert "s3cret" not in message_of("http://lead:s3cret@127.0.0.1:1")
    with socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        with pytest.raises(ServerError) as raised, label_studio(url, timeout_s=0.2):
            pass
    assert str(raised.value) == (
        f"Label Studio at {url}: does not answer in time; look whether it is busy, and try again"
    )
    # The address that was asked is that of the project file.
    monkeypatch.setenv("LABEL_STUDIO_URL", "http://127.0.0.1:2/")
    told = message_of("http://127.0.0.1:1")
    assert " (key server.url; LABEL_STUDIO_URL names http://127.0.0.1:2/): cannot be reached" in told


def test_there_is_a_token_and_it_goes_to_another_machine_only_if_the_user_names_it(
    monkeypatch: pytest.MonkeyPatch,
):
    url = "https://studio.invalid"
    refused = (
        "the project file names this server; your token goes to no other machine unless you name it as well; "
        f"set LABEL_STUDIO_URL to {url} if you trust it"
    )
    monkeypatch.delenv("LABEL_STUDIO_URL", raising=False)
    assert message_of(url, InputError) == refused
    for other in ("https://studio.invalid.example", "http://studio.invalid", "studio.invalid"):
        monkeypatch.setenv("LABEL_STUDIO_URL", other)
        assert message_of(url, InputError) == refused
    monkeypatch.setenv("LABEL_STUDIO_URL", f"{url}/")
    assert message_of(url, ServerError).startswith("cannot be reached")
    monkeypatch.delenv(VARIABLE)
    told = (
        "there is no access token; copy yours from that page (Account & Settings), and set LABEL_STUDIO_API_KEY"
    )
    assert message_of(kind=InputError) == f"{told} to it"
