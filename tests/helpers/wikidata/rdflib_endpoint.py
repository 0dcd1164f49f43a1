"""A second SPARQL endpoint on loopback, of another engine than ``wikidata_endpoint.py``: rdflib.

It can be told to speak less of the protocol than it should.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from rdflib import Graph

from helpers.served import served


@dataclass
class Restricted:
    """The server: its data and what it does not do."""

    graph: Graph
    ways: tuple[str, ...] = ("form", "direct", "get")
    """Ways to ask that it takes."""
    kind: str = "application/n-triples"
    """Media type of all answers; of one that rdflib does not write they are N-Triples all the same."""
    lacks: str = ""
    """Pattern of what it does not understand in a query."""
    most_triples: int | None = None
    """Triples of an answer; all others are left out."""
    replaces: tuple[str, str] = ("", "")
    """What it changes in its answers."""
    url: str = ""
    asked: list[str] = field(default_factory=list)
    """The ways in which it was asked, in order."""


@contextmanager
def serve(triples: str, **restrictions: Any) -> Iterator[Restricted]:
    """An endpoint with these N-Triples, as long as the block runs."""
    endpoint = Restricted(Graph().parse(data=triples, format="nt"), **restrictions)
    server = HTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"endpoint": endpoint}))
    with served(server) as address:
        endpoint.url = f"{address}/sparql"
        yield endpoint


class _Handler(BaseHTTPRequestHandler):
    endpoint: Restricted

    def do_GET(self) -> None:
        self.answer("get", parse_qs(urlsplit(self.path).query)["query"][0])

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.headers.get_content_type() == "application/sparql-query":
            self.answer("direct", body)
        else:
            self.answer("form", parse_qs(body)["query"][0])

    def answer(self, way: str, query: str) -> None:
        endpoint = self.endpoint
        # Before the answer goes out: a test may look as soon as it has the last byte.
        endpoint.asked.append(way)
        if way not in endpoint.ways:
            self.reply(405, b"Method Not Allowed")
        elif endpoint.lacks and re.search(endpoint.lacks, query):
            self.reply(400, b"Parse error")
        else:
            self.reply(200, self.triples_of(query))

    def triples_of(self, query: str) -> bytes:
        endpoint = self.endpoint
        graph = endpoint.graph.query(query).graph
        assert graph is not None
        for triple in list(graph)[endpoint.most_triples :] if endpoint.most_triples is not None else ():
            graph.remove(triple)
        names = {"text/turtle": "turtle", "application/rdf+xml": "xml"}
        return graph.serialize(format=names.get(endpoint.kind, "nt")).replace(*endpoint.replaces).encode()

    def reply(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", self.endpoint.kind if status == 200 else "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: Any) -> None:
        pass
