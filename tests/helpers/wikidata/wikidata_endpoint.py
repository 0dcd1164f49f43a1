"""A SPARQL endpoint on loopback: a real engine over HTTP, with faults to order and a log of what it was asked.

The fixture ``serve`` (``wikidata_fixtures.py``) serves facts in shorthand.
"""

import gzip
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import parse_qs

from pyoxigraph import RdfFormat, Store

from blend.loaders.wikidata.sparql import RequestPolicy
from helpers.models.http_server import DROP, HttpServer, Reply, Request

QUICK = RequestPolicy(agent="tests", pause_s=0, first_wait_s=0, tries=3, sleep=lambda seconds: None)
"""Asks a server of tests, and waits for nothing."""


Fault = Callable[[bytes], Reply | str]
"""A wrong reply to a request, given the right one."""


@dataclass
class Asked:
    """A request as the log keeps it."""

    query: str
    agent: str
    answered: bool
    """Whether the whole right answer was sent."""


class Endpoint(HttpServer):
    """The server: its data, the faults still to happen, and the log."""

    def __init__(self, triples: bytes) -> None:
        super().__init__()
        self.store = Store()
        self.store.bulk_load(triples, RdfFormat.N_TRIPLES)
        self.faults: dict[int, Fault] = {}
        """Fault by number of the request, from 0."""
        self.log: list[Asked] = []
        """Questions about the data, in order."""
        self.active = 0
        self.most_active = 0
        """Most requests at the same time."""
        self._lock = threading.Lock()

    def answered(self) -> list[str]:
        """The queries whose right answer was sent, in order."""
        return [asked.query for asked in self.log if asked.answered]

    def renew(self) -> None:
        self.log.clear()
        self.faults.clear()

    def reply(self, request: Request) -> Reply | str:
        """The triples that a query asks for, unless a fault is to happen."""
        query = parse_qs(request.body.decode())["query"][0]
        with self._lock:
            number = len(self.log)
            asked = Asked(query, request.headers["User-Agent"], answered=False)
            self.log.append(asked)
            self.active += 1
            self.most_active = max(self.most_active, self.active)
        try:
            body = self.store.query(query).serialize(format=RdfFormat.N_TRIPLES)
        finally:
            # Before the answer goes out: a client may ask again as soon as it has the last byte.
            with self._lock:
                self.active -= 1
        if (fault := self.faults.pop(number, None)) is not None:
            return fault(body)
        asked.answered = True
        return answer(body)


@contextmanager
def serve(triples: bytes) -> Iterator[Endpoint]:
    """An endpoint with these N-Triples, as long as the block runs."""
    with Endpoint(triples).serving() as endpoint:
        yield endpoint


def answer(body: bytes, status: int = 200, kind: str = "application/n-triples", **headers: str) -> Reply:
    """A reply; names of headers have underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=status, headers={"Content-Type": kind, **named}, raw=body)


def status(code: int, text: str = "", **headers: str) -> Fault:
    """Answer with a status, a text and headers."""
    return lambda _: answer(text.encode(), code, "text/plain", **headers)


PAGE = "<!DOCTYPE html><html><body>Down for maintenance</body></html>"
HALF = '{"results": {"bindings": [{"s": {"type": "uri", "val'
TIMEOUT = b"\njava.util.concurrent.TimeoutException\n\tat java.base/FutureTask.get\n"


def _half(body: bytes) -> bytes:
    return body[: len(body) // 2]


def _cut_between_triples(body: bytes) -> Reply:
    lines = body.splitlines(keepends=True)
    return answer(b"".join(sorted(lines, reverse=True)[: len(lines) // 2 + 1]))


FAULTS: dict[str, Fault] = {
    "html": lambda _: answer(PAGE.encode(), kind="text/html"),
    "json_cut": lambda _: answer(HALF.encode(), kind="application/sparql-results+json"),
    # The whole answer is promised.
    "cut": lambda body: answer(_half(body), Content_Length=str(len(body))),
    # Half of it as if it were all: nothing in the answer's form tells.
    "cut_between_triples": _cut_between_triples,
    "cut_in_a_triple": lambda body: answer(_half(body)),
    "zipped_cut": lambda body: answer(gzip.compress(body)[:-12], Content_Encoding="gzip"),
    # It begins with 200 and ends with the trace of a timeout, as the public service's does.
    "timeout_inside": lambda body: answer(_half(body) + TIMEOUT),
    "hang_up": lambda _: DROP,
}
"""What is wrong with an answer whose status says that it is right, by name."""
