"""A SPARQL endpoint on loopback: a real engine over HTTP, with faults to order and a log of what it was asked.

Run as a module of the tests' own: ``wikidata_fixtures.py`` offers it as the fixture ``sparql``.
"""

import gzip
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs

from pyoxigraph import RdfFormat, Store

from blend.loaders.wikidata.sparql import RequestPolicy
from helpers.models.http_server import QuietServer, served

QUICK = RequestPolicy(agent="tests", pause_s=0, first_wait_s=0, tries=3, sleep=lambda seconds: None)
"""Asks a server of tests, and waits for nothing."""

Fault = Callable[["_Handler", bytes], None]
"""Answers a request in a wrong way, given the handler and the right answer."""


@dataclass
class Asked:
    """A request as the log keeps it."""

    query: str
    agent: str
    answered: bool
    """Whether the whole right answer was sent."""


@dataclass
class Endpoint:
    """The server: its data, the faults still to happen, and the log."""

    store: Store
    url: str = ""
    faults: dict[int, Fault] = field(default_factory=dict)
    """Fault by number of the request, from 0."""
    log: list[Asked] = field(default_factory=list)
    """Questions about the data, in order."""
    active: int = 0
    most_active: int = 0
    """Most requests at the same time."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answered(self) -> list[str]:
        """The queries whose right answer was sent, in order."""
        return [asked.query for asked in self.log if asked.answered]

    def renew(self) -> None:
        """Forget the log and the faults."""
        self.log.clear()
        self.faults.clear()


@contextmanager
def serve(triples: bytes) -> Iterator[Endpoint]:
    """An endpoint with these N-Triples, as long as the block runs."""
    store = Store()
    store.bulk_load(triples, RdfFormat.N_TRIPLES)
    endpoint = Endpoint(store)
    handler = type("Handler", (_Handler,), {"endpoint": endpoint})
    with served(QuietServer(("127.0.0.1", 0), handler)) as address:
        endpoint.url = f"{address}/sparql"
        yield endpoint


class _Handler(BaseHTTPRequestHandler):
    endpoint: Endpoint
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        endpoint = self.endpoint
        length = int(self.headers["Content-Length"])
        query = parse_qs(self.rfile.read(length).decode())["query"][0]
        with endpoint.lock:
            number = len(endpoint.log)
            asked = Asked(query, self.headers["User-Agent"], answered=False)
            endpoint.log.append(asked)
            endpoint.active += 1
            endpoint.most_active = max(endpoint.most_active, endpoint.active)
        try:
            body = endpoint.store.query(query).serialize(format=RdfFormat.N_TRIPLES)
        finally:
            # Before the answer goes out: a client may ask again as soon as it has the last byte.
            with endpoint.lock:
                endpoint.active -= 1
        try:
            fault = endpoint.faults.pop(number, None)
            if fault is not None:
                fault(self, body)
            else:
                asked.answered = True
                self.reply(200, body)
        except OSError:
            self.close_connection = True

    def reply(self, status: int, body: bytes, kind: str = "application/n-triples", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if "Content_Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def log_message(self, *arguments: Any) -> None:
        pass


def status(code: int, text: str = "", **headers: str) -> Fault:
    """Answer with a status, a text and headers."""
    return lambda handler, body: handler.reply(code, text.encode(), "text/plain", **headers)


PAGE = "<!DOCTYPE html><html><body>Down for maintenance</body></html>"
HALF = '{"results": {"bindings": [{"s": {"type": "uri", "val'
TIMEOUT = b"\njava.util.concurrent.TimeoutException\n\tat java.base/FutureTask.get\n"


def _half(body: bytes) -> bytes:
    return body[: len(body) // 2]


def _cut_between_triples(handler: _Handler, body: bytes) -> None:
    lines = body.splitlines(keepends=True)
    handler.reply(200, b"".join(sorted(lines, reverse=True)[: len(lines) // 2 + 1]))


FAULTS: dict[str, Fault] = {
    "html": lambda handler, body: handler.reply(200, PAGE.encode(), "text/html"),
    "json_cut": lambda handler, body: handler.reply(200, HALF.encode(), "application/sparql-results+json"),
    # The whole answer is promised.
    "cut": lambda handler, body: handler.reply(200, _half(body), Content_Length=str(len(body))),
    # Half of it as if it were all: nothing in the answer's form tells.
    "cut_between_triples": _cut_between_triples,
    "cut_in_a_triple": lambda handler, body: handler.reply(200, _half(body)),
    "zipped_cut": lambda handler, body: handler.reply(200, gzip.compress(body)[:-12], Content_Encoding="gzip"),
    # It begins with 200 and ends with the trace of a timeout, as the public service's does.
    "timeout_inside": lambda handler, body: handler.reply(200, _half(body) + TIMEOUT),
    "hang_up": lambda handler, body: setattr(handler, "close_connection", True),
}
"""What is wrong with an answer whose status says that it is right, by name."""


def killing(pid: Callable[[], int]) -> Fault:
    """Kill the process that asked, before it gets its answer."""

    def kill(handler: _Handler, body: bytes) -> None:
        os.kill(pid(), signal.SIGKILL)
        handler.close_connection = True

    return kill
