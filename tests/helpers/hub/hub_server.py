"""A Hub of one's own: a real HTTP server that speaks the Hub's protocol, as far as datasets need it.

``Hub(folder)`` serves on two ports of this machine: one is the Hub, the other the storage host to which it
sends clients for the bytes of large files, and which must never see a token. What goes wrong is said by
`Fault`.

To try publishing by hand: ``make hub``, or ``python -m helpers.hub.hub_server FOLDER [PORT]`` in ``tests/``.
"""

import json
import re
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qs, unquote, urlsplit

from helpers.hub import hub_api
from helpers.hub.hub_store import ALICE, Account, Repository, Store
from helpers.models.http_server import QuietServer, served

ROUTES = [(method, re.compile(pattern), answer) for method, pattern, answer in hub_api.ROUTES]

Moment = Literal["before", "body", "after"]
"""Before a request is handled, in the middle of its body, or when it is handled but not yet answered."""


@dataclass
class Fault:
    """Something that befalls matching requests.

    Without ``status``, ``drop`` or ``drop_after`` the request goes on after ``action``.
    """

    request: str = ".*"
    """Regular expression that the request's method and path match from their beginning."""
    times: int = 1
    """How many requests it befalls."""
    skip: int = 0
    """How many matching requests pass before."""
    moment: Moment = "before"
    """When it strikes."""
    action: Callable[[], object] | None = None
    """Called when it strikes, for example to kill the client or to let another one in."""
    status: int | None = None
    """Answered instead of the true answer; with ``moment="after"`` the request has its effect none the less."""
    message: str | None = None
    """What the answer says besides its status, as the Hub says it."""
    retry_after_s: int | None = None
    """Value of the answer's ``Retry-After``."""
    drop: bool = False
    """Close the connection without an answer; with ``moment="after"`` an acknowledgement is lost."""
    drop_after: int | None = None
    """Close the connection after so many bytes of the answer's body."""
    struck: int = 0
    """How many requests it befell."""

    def strikes(self, request: str) -> bool:
        """Whether it befalls the request; counts those it lets pass and those it befalls."""
        with _STRIKING:
            if self.struck >= self.times or re.match(self.request, request) is None:
                return False
            if self.skip:
                self.skip -= 1
                return False
            self.struck += 1
            return True


_STRIKING = threading.Lock()


class Hub:
    """A running server, and what tests ask of it and do to it."""

    def __init__(self, root: Path, *, port: int = 0, latency_s: float = 0.0) -> None:
        self.store = Store(root)
        self.latency_s = latency_s
        """Seconds that every request takes at least, as on a way to somewhere far."""
        self.faults: list[Fault] = []
        self.requests: list[str] = []
        """Method and path of every request to the Hub or its storage, in order."""
        self._servers = [QuietServer(("127.0.0.1", number), partial(Handler, self)) for number in (port, 0)]
        self.url, self.storage_url = (f"http://127.0.0.1:{server.server_port}" for server in self._servers)

    def repository(self, repo_id: str) -> Repository:
        """The repository, made without any commit if it is not there."""
        return self.store.repository(repo_id)

    def fail(self, request: str, **how: Any) -> Fault:
        """Let something befall the requests whose method and path match; see `Fault`."""
        self.faults.append(Fault(request, **how))
        return self.faults[-1]

    def environment(self, home: Path, account: Account | None = ALICE) -> dict[str, str]:
        """Environment variables with which a Hub client in another process talks to this Hub."""
        variables = {
            "HF_ENDPOINT": self.url,
            "HF_HOME": str(home),
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "NO_PROXY": "127.0.0.1",
        }
        return variables if account is None else variables | {"HF_TOKEN": account.token}

    @contextmanager
    def serving(self) -> Iterator["Hub"]:
        with ExitStack() as running:
            for server in self._servers:
                running.enter_context(served(server))
            yield self


class Handler(BaseHTTPRequestHandler):
    """Takes requests, lets faults befall them, and passes them on to the function that answers them."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def __init__(self, hub: Hub, *args: Any) -> None:
        self.hub = hub
        super().__init__(*args)

    def do_GET(self) -> None:
        self._take()

    do_HEAD = do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815 - the names that http.server calls

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
        """Keep the test's output clean."""

    def _take(self) -> None:
        url = urlsplit(self.path)
        self.raw_path, self.query = url.path, parse_qs(url.query)
        request = f"{self.command} {unquote(url.path)}"
        self.hub.requests.append(request)
        if self.hub.latency_s:
            time.sleep(self.hub.latency_s)
        self.fault = next((fault for fault in self.hub.faults if fault.strikes(request)), None)
        self.has_struck = False
        if self._struck("before"):
            return
        self.body = self._read_body()
        if self._struck("body"):
            return
        try:
            self._route(url.path)
        except hub_api.Refused as refused:
            headers = {"X-Error-Message": refused.message}
            headers |= {} if refused.code is None else {"X-Error-Code": refused.code}
            self.json({"error": refused.message, **refused.more}, refused.status, headers)

    def _act(self, fault: Fault) -> None:
        """Do what is to be done when a fault strikes."""
        self.has_struck = True
        if fault.action is not None:
            fault.action()

    def _struck(self, moment: str) -> bool:
        """Let the fault of this request strike if it is its moment; whether that was the end of it."""
        fault = self.fault
        if fault is None or fault.moment != moment:
            return False
        if not self.has_struck:
            self._act(fault)
        if fault.status is not None:
            if moment == "before":
                self._read_body()
            self._answer_fault(fault, fault.status)
        if fault.drop:
            self._cut()
        return fault.status is not None or fault.drop

    def _route(self, path: str) -> None:
        for method, pattern, answer in ROUTES:
            match = pattern.fullmatch(path)
            if match and (self.command == method or (self.command == "HEAD" and method == "GET")):
                arguments = {name: unquote(text) for name, text in match.groupdict().items() if text}
                answer(self, **arguments)
                return
        raise hub_api.Refused(404, "not found", "EntryNotFound")

    @property
    def token(self) -> str | None:
        header = self.headers.get("Authorization")
        return None if header is None else header.removeprefix("Bearer ")

    @property
    def account(self) -> Account | None:
        """Who asks; null for nobody in particular."""
        return None if self.token is None else self.hub.store.accounts.get(self.token)

    def json(self, value: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.send(status, json.dumps(value).encode(), {"Content-Type": "application/json"} | (headers or {}))

    def send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        """Answer, unless a fault has it otherwise."""
        if self._struck("after"):
            return
        cut = None if self.fault is None else self.fault.drop_after
        self._write(status, {"Content-Length": str(len(body)), **headers}, body[:cut])
        if cut is not None and self.command != "HEAD":
            self._cut()

    def _answer_fault(self, fault: Fault, status: int) -> None:
        headers = {} if fault.retry_after_s is None else {"Retry-After": str(fault.retry_after_s)}
        headers |= {} if fault.message is None else {"X-Error-Message": fault.message}
        body = json.dumps({"error": fault.message or HTTPStatus(status).phrase}).encode()
        self._write(status, {**headers, "Content-Length": str(len(body))}, body)

    def _write(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _cut(self) -> None:
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)

    def _read_body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            return b"".join(self._read_chunks())
        length = int(self.headers.get("Content-Length") or 0)
        half = self.rfile.read(length // 2)
        if length and self.fault is not None and self.fault.moment == "body":
            self._act(self.fault)
        return half + self.rfile.read(length - len(half))

    def _read_chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline().split(b";")[0], 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()


def main(folder: Path, port: int = 0) -> None:
    """Serve until Ctrl-C, and say how to talk to this Hub."""
    with Hub(folder, port=port).serving() as hub:
        print(f"A Hub on this machine, kept in {folder}; Ctrl-C ends it. In another terminal:\n", flush=True)
        for name, value in hub.environment(folder.absolute() / "home").items():
            print(f"export {name}={value}", flush=True)
        print(f"\nThe token is {ALICE.name}'s, who may write to {' and '.join(ALICE.writes_to)}.", flush=True)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
