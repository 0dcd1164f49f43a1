"""Servers that are not as they should be: the whole message for each, without tokens, cookies or addresses."""

import json
import re
from collections.abc import Callable
from importlib.util import find_spec
from socket import socket
from typing import Any

import httpx
import pytest

from blend.loaders.label_studio.client import label_studio
from blend.loaders.label_studio.connection import GoneError
from blend.schemas.errors import ConflictError, InputError, ServerError

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


AND_SET = "(Account & Settings), and set LABEL_STUDIO_API_KEY to it"
NOT_ONE = (
    "the answer is not one of Label Studio, perhaps of a proxy or of another program; correct key server.url "
    "of the project file"
)
FORBIDDEN = (
    "the account of the token may not do this; use the token of an account that made the projects or "
    "administers the server"
)
TOLD: list[tuple[str, int, Any, str]] = [
    ("whoami", 401, {"detail": "Invalid token."}, f"does not accept the token; copy it anew {AND_SET}"),
    (
        "whoami", 401, {"detail": "legacy token authentication has been disabled"},
        f"tokens of this kind are switched off there; make a personal access token {AND_SET}",
    ),
    ("whoami", 401, {"detail": "Token is expired"}, f"the token has expired; make a new one {AND_SET}"),
    (
        "version", 200, {"release": "1.12.0"},
        "is version 1.12, and 1.23 or later is needed; update it with `pip install --upgrade label-studio`",
    ),
    ("version", 200, b"<html><title>Log in to the wireless network</title></html>", NOT_ONE),
    ("version", 302, b"", "sends elsewhere (302); correct key server.url of the project file, perhaps https"),
    ("projects", 403, {"detail": "You do not have permission to perform this action."}, FORBIDDEN),
    (
        "projects", 413, b"<html>Request Entity Too Large</html>",
        "takes nothing so large (413); raise the limit of the server or of the proxy before it",
    ),
    (
        "projects", 404, {"detail": "Not found."},
        "what was asked for is not there, perhaps deleted by hand just now; run the command again",
    ),
    (
        "projects", 500, {"detail": f"sessionid=abc; lead@example.org has token {TOKEN}\x1b[31m"},
        "does not do what it is asked (500: sessionid … …@… has token …); look at its log, and try again",
    ),
    (
        "projects", 502, b"<html>Bad Gateway</html>",
        "does not do what it is asked (502); look at its log, and try again",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("part", "status", "body", "told"), TOLD)
def test_what_a_server_refuses_is_told(
    part: str, status: int, body: Any, told: str, answering: Callable[..., None]
):
    answering(**{part: (status, body)})
    assert message_of(kind=GoneError if status == 404 else ServerError) == told


EMPTIED = (200, {"tasks": [], "total": 2, "total_annotations": 0, "total_predictions": 0})
NO_PROJECT = (500, {"detail": "Project matching query does not exist."})
TASKS = (200, {**EMPTIED[1], "tasks": [{"id": 2, "data": {}}, {"id": 1, "data": {}}]})


@pytest.mark.slow  # between two looks it waits
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


@pytest.mark.slow
def test_no_server_and_no_answer_in_time():
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
    told = f"there is no access token; copy yours from that page {AND_SET}"
    assert message_of(kind=InputError) == told
