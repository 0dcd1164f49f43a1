"""Servers that are not as they should be: the whole message for each, without tokens, cookies or addresses."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from socket import socket
from typing import Any

import pytest

from blend.loaders.label_studio.client import Studio
from blend.loaders.label_studio.connection import label_studio
from blend.loaders.label_studio.studio_errors import GoneError
from blend.schemas.errors import ConflictError, InputError, MissingExtraError, ServerError, how_to_install
from helpers.served import served

VARIABLE = "LABEL_STUDIO_API_KEY"
TOKEN = "0123456789abcdef0123456789abcdef01234567"
EXPIRED = (
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ0b2tlbl90eXBlIjoicmVmcmVzaCIsImV4cCI6MTAwMDAwMDAwMCwiaWF0Ijo5MDAwMDAwMDAsImp0aSI6IngiLCJ1c2VyX2lkIjoiMSJ9."
    "c2lnbmF0dXJl"
)  # fmt: skip
"""A personal access token whose time ended in 2001."""

VERSION = {"release": "1.23.2"}
WHO = {"id": 1, "email": "lead@example.org", "username": "lead"}


NOT_ONE = (
    "the answer is not one of Label Studio, perhaps of a proxy or of another program; correct key server.url "
    "of the project file"
)
SWITCHED_OFF = (
    "tokens of this kind are switched off there; make a personal access token (Account & Settings), and set "
    "LABEL_STUDIO_API_KEY to it"
)
TOO_OLD = "is version 1.12.0, and 1.23 or later is needed; update it with `pip install --upgrade label-studio`"
NO_VERSION = "does not say its version, so it is not a Label Studio; correct key server.url of the project file"
GONE = "what was asked for is not there, perhaps deleted by hand just now; run the command again"
TOO_LARGE = "takes nothing so large (413); raise the limit of the server or of the proxy before it"
FORBIDDEN = (
    "the account of the token may not do this; use the token of an account that made the projects or "
    "administers the server"
)
REFUSED = (
    "does not do what it is asked (500: sessionid … …@… has token … …\\x1b[31m); look at its log, and try again"
)


Answers = tuple[int, Any] | list[tuple[int, Any]]


class _Handler(BaseHTTPRequestHandler):
    answers: dict[str, Answers]

    def do_GET(self) -> None:
        found = next(answer for part, answer in self.answers.items() if part in self.path)
        status, body = found.pop(0) if isinstance(found, list) else found
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        kind = "text/html" if isinstance(body, bytes) else "application/json"
        for name, value in (("Content-Type", kind), ("Set-Cookie", "sessionid=s3cr3ts3ss10n; Path=/")):
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_PATCH = do_DELETE = do_GET  # noqa: N815 - the names that http.server calls

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
        pass


@contextmanager
def answering(**answers: Answers) -> Iterator[str]:
    """A server with fixed answers by a part of the path; a Label Studio in what is not said otherwise.

    Of several answers in a list, each is given once.
    """
    usual: dict[str, Answers] = {"version": (200, VERSION), "whoami": (200, WHO)}
    handler = type("Handler", (_Handler,), {"answers": usual | answers})
    with served(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as address:
        yield address


@contextmanager
def connected(url: str) -> Iterator[Studio]:
    with label_studio(url, variable=VARIABLE) as studio:
        yield studio


@pytest.fixture(autouse=True)
def _token(monkeypatch: pytest.MonkeyPatch, missing: Callable[[str], None]) -> None:
    if find_spec("label_studio_sdk") is None:
        missing("the package label-studio-sdk")
    monkeypatch.setenv(VARIABLE, TOKEN)


def message_of(url: str, kind: type[Exception] = ServerError) -> str:
    """What connecting to an address says."""
    with pytest.raises(kind) as raised, connected(url):
        pass
    return str(raised.value).removeprefix(f"Label Studio at {url}: ")


@pytest.mark.slow
def test_no_server(unused: int):
    assert message_of(f"http://127.0.0.1:{unused}") == (
        "cannot be reached ([Errno 111] Connection refused); start it, or correct key server.url of the "
        "project file"
    )


@pytest.fixture
def unused() -> int:
    with socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def test_no_token(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(VARIABLE)
    with answering() as url:
        assert message_of(url, InputError) == (
            "there is no access token; copy yours from that page (Account & Settings), and set "
            "LABEL_STUDIO_API_KEY to it"
        )


def test_an_expired_token(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(VARIABLE, EXPIRED)
    with answering() as url:
        assert message_of(url) == (
            "the token has expired; make a new one (Account & Settings), and set LABEL_STUDIO_API_KEY to it"
        )


@pytest.mark.parametrize(
    ("detail", "message"),
    [
        (
            "Invalid token.",
            "does not accept the token; copy it anew (Account & Settings), and set LABEL_STUDIO_API_KEY to it",
        ),
        (
            "Authentication token no longer valid: legacy token authentication has been disabled",
            SWITCHED_OFF,
        ),
    ],
)
def test_a_token_that_is_refused(detail: str, message: str):
    with answering(whoami=(401, {"detail": detail})) as url:
        assert message_of(url) == message


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            (200, {"release": "1.12.0"}),
            TOO_OLD,
        ),
        (
            (200, {"name": "another program"}),
            NO_VERSION,
        ),
        (
            (200, b"<html><title>Log in to the wireless network</title></html>"),
            NOT_ONE,
        ),
        (
            (404, b"<html>nothing here</html>"),
            NOT_ONE,
        ),
        (
            (302, b""),
            "sends elsewhere (302); correct key server.url of the project file, perhaps https",
        ),
    ],
)
def test_another_server(answer: tuple[int, Any], message: str):
    with answering(version=answer) as url:
        assert message_of(url) == message


@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        (
            (403, {"detail": "You do not have permission to perform this action."}),
            ServerError,
            FORBIDDEN,
        ),
        (
            (404, {"detail": "Not found."}),
            ConflictError,
            GONE,
        ),
        (
            (413, b"<html>Request Entity Too Large</html>"),
            ServerError,
            TOO_LARGE,
        ),
        (
            (500, {"detail": f"sessionid=abc; lead@example.org has token {TOKEN}, {EXPIRED}\x1b[31m"}),
            ServerError,
            REFUSED,
        ),
        (
            (502, b"<html>Bad Gateway</html>"),
            ServerError,
            "does not do what it is asked (502); look at its log, and try again",
        ),
    ],
)
def test_a_request_that_is_refused(answer: tuple[int, Any], kind: type[Exception], message: str):
    with answering(projects=answer) as url, connected(url) as studio:
        with pytest.raises(kind) as raised:
            studio.projects()
        assert str(raised.value) == f"Label Studio at {url}: {message}"
        for secret in ("s3cr3ts3ss10n", TOKEN, EXPIRED, "example.org"):
            assert secret not in str(raised.value)


NO_PROJECT = (500, {"detail": "Project matching query does not exist."})
EMPTIED = (200, {"tasks": [], "total": 2, "total_annotations": 0, "total_predictions": 0})
TASKS = (200, {**EMPTIED[1], "tasks": [{"id": 2, "data": {}}, {"id": 1, "data": {}}]})
REMOVED = (404, {"detail": "Not found."})


@pytest.mark.slow  # between two looks it waits
@pytest.mark.parametrize("meanwhile", [[EMPTIED], [EMPTIED, EMPTIED], [NO_PROJECT], [NO_PROJECT, EMPTIED]])
def test_tasks_are_listed_again_while_a_project_is_being_removed(meanwhile: list[tuple[int, Any]]):
    with answering(tasks=[*meanwhile, TASKS]) as url, connected(url) as studio:
        assert [task.id for task in studio.tasks(7)] == [1, 2]
    with answering(tasks=[*meanwhile, REMOVED]) as url, connected(url) as studio, pytest.raises(GoneError):
        studio.tasks(7)


@pytest.mark.slow
def test_tasks_that_change_whenever_they_are_listed():
    with answering(tasks=EMPTIED) as url, connected(url) as studio:
        with pytest.raises(ConflictError) as raised:
            studio.tasks(7)
        assert str(raised.value) == (
            f"Label Studio at {url}: the tasks of project 7 change while they are listed; run the command again"
        )


LOGIN_PAGE = b"<html><form action='/user/login'>Log in</form></html>"
REFRESH_TOKEN = (
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ0b2tlbl90eXBlIjoicmVmcmVzaCIsImV4cCI6NDEwMjQ0NDgwMCwiaWF0IjoxLCJqdGkiOiJ4IiwidXNlcl9pZCI6IjEifQ."
    "c2lnbmF0dXJl"
)  # fmt: skip
"""A personal access token whose time ends in 2100; it is first exchanged for another one."""

IN_ITS_PLACE: list[tuple[int, Any]] = [
    *((200, body) for body in (LOGIN_PAGE, b"", [], "login", None, 3, {}, b"[" * 100_000)),
    *((status, LOGIN_PAGE) for status in (204, 302, 407, 502, 511)),
]
"""Answers of a login page, a proxy, or another program."""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # the SDK's own, where it exchanges a token
@pytest.mark.parametrize("token", [TOKEN, REFRESH_TOKEN], ids=["legacy", "personal"])
@pytest.mark.parametrize("answer", IN_ITS_PLACE, ids=lambda answer: f"{answer[0]}-{str(answer[1])[:9]}")
def test_what_answers_in_its_place_is_told(
    answer: tuple[int, Any], token: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(VARIABLE, token)
    with answering(version=answer, api=answer) as url, pytest.raises(ServerError) as raised, connected(url):
        pass
    assert str(raised.value).startswith(f"Label Studio at {url}: ")


@pytest.mark.parametrize("answer", IN_ITS_PLACE, ids=lambda answer: f"{answer[0]}-{str(answer[1])[:9]}")
def test_what_answers_in_its_place_later_is_told(answer: tuple[int, Any]):
    with answering(api=answer) as url, connected(url) as studio:
        for ask in (
            lambda: studio.create(title="a"),
            lambda: studio.tasks(1),
        ):
            with pytest.raises(ServerError):
                ask()


@pytest.mark.slow
def test_no_answer_in_time():
    with socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        with pytest.raises(ServerError) as raised, label_studio(url, variable=VARIABLE, timeout_s=0.2):
            pass
    assert str(raised.value) == (
        f"Label Studio at {url}: does not answer in time; look whether it is busy, and try again"
    )


def test_the_token_goes_to_another_machine_only_if_the_user_names_it(monkeypatch: pytest.MonkeyPatch):
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


def test_a_password_in_the_address_is_not_shown(unused: int):
    with pytest.raises(ServerError) as raised, connected(f"http://lead:s3cret@127.0.0.1:{unused}"):
        pass
    assert "s3cret" not in str(raised.value)


def test_without_the_sdk(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "label_studio_sdk", None)
    with pytest.raises(MissingExtraError) as raised, connected("http://127.0.0.1:1"):
        pass
    assert str(raised.value) == (
        "annotation with Label Studio needs an optional dependency; " + how_to_install("annotate")
    )
