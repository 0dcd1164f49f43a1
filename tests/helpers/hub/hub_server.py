"""A Hub of one's own: a real HTTP server that speaks the Hub's protocol, as far as datasets need it.

``Hub(folder)`` serves on two ports of this machine: one is the Hub, the other the storage host to which it
sends clients for the bytes of large files, and which must never see a token. What goes wrong is said by
`hub_faults.Fault`.

To try publishing by hand: ``make hub``, or ``python -m helpers.hub.hub_server FOLDER [PORT]`` in ``tests/``.
"""

import json
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from helpers.hub import hub_api, hub_files
from helpers.hub.hub_faults import Fault
from helpers.hub.hub_store import ALICE, Account, Repository, Store

ROUTES = (*hub_api.ROUTES, *hub_files.ROUTES)


class Hub:
    """A running server, and what tests ask of it and do to it."""

    def __init__(self, root: Path, *, port: int = 0, latency_s: float = 0.0) -> None:
        self.store = Store(root)
        self.latency_s = latency_s
        """Seconds that every request takes at least, as on a way to somewhere far."""
        self.faults: list[Fault] = []
        self.requests: list[str] = []
        """Method and path of every request to the Hub or its storage, in order."""
        self._servers = [_Server(("127.0.0.1", number), partial(Handler, self)) for number in (port, 0)]
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
        """Answer requests while the block runs."""
        threads = [threading.Thread(target=server.serve_forever, args=(0.05,)) for server in self._servers]
        for thread in threads:
            thread.start()
        try:
            yield self
        finally:
            for server, thread in zip(self._servers, threads, strict=True):
                server.shutdown()
                server.server_close()
                thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news; anything else is a fault of this server."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


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
        self._route(url.path)

    def _struck(self, moment: str) -> bool:
        """Let the fault of this request strike if it is its moment; whether that was the end of it."""
        fault = self.fault
        if fault is None or fault.moment != moment:
            return False
        if not self.has_struck:
            self.has_struck = True
            fault.act()
        if fault.status is not None:
            if moment == "before":
                self._read_body()
            self._answer_fault(fault)
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
        self.refuse(404, "not found", code="EntryNotFound")

    @property
    def token(self) -> str | None:
        """The token that the request carries."""
        header = self.headers.get("Authorization")
        return None if header is None else header.removeprefix("Bearer ")

    @property
    def account(self) -> Account | None:
        """Who asks; null for nobody in particular."""
        return None if self.token is None else self.hub.store.accounts.get(self.token)

    def json(self, value: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        """Answer with JSON."""
        self.send(status, json.dumps(value).encode(), {"Content-Type": "application/json"} | (headers or {}))

    def refuse(self, status: int, message: str, *, code: str | None = None, **more: Any) -> None:
        """Answer with an error as the Hub words it."""
        headers = {"X-Error-Message": message} | ({} if code is None else {"X-Error-Code": code})
        self.json({"error": message, **more}, status, headers)

    def send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        """Answer, unless a fault has it otherwise."""
        if self._struck("after"):
            return
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "Content-Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        if self.fault is not None and self.fault.drop_after is not None:
            self.wfile.write(body[: self.fault.drop_after])
            self._cut()
            return
        self.wfile.write(body)

    def _answer_fault(self, fault: Fault) -> None:
        headers = {} if fault.retry_after_s is None else {"Retry-After": str(fault.retry_after_s)}
        if fault.message is not None:
            headers["X-Error-Message"] = fault.message
        body = json.dumps({"error": fault.message or HTTPStatus(fault.status or 500).phrase}).encode()
        self.send_response(fault.status or 500)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
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
            self.has_struck = True
            self.fault.act()
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
