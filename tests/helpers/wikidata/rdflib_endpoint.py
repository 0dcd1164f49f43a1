"""A second SPARQL endpoint on loopback, of another engine than ``wikidata_endpoint.py``: rdflib."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import parse_qs

from rdflib import Graph

from helpers.served import served


@dataclass
class Restricted:
    """The server: its data and what it does not do."""

    graph: Graph
    kind: str = "application/n-triples"
    """Media type of all answers; of one that rdflib does not write they are N-Triples all the same."""
    most_triples: int | None = None
    """Triples of an answer; all others are left out."""
    url: str = ""
    n_asked: int = 0


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

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        # Before the answer goes out: a test may look as soon as it has the last byte.
        self.endpoint.n_asked += 1
        answer = self.triples_of(parse_qs(body)["query"][0])
        self.send_response(200)
        self.send_header("Content-Type", self.endpoint.kind)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def triples_of(self, query: str) -> bytes:
        endpoint = self.endpoint
        graph = endpoint.graph.query(query).graph
        assert graph is not None
        for triple in list(graph)[endpoint.most_triples :] if endpoint.most_triples is not None else ():
            graph.remove(triple)
        names = {"text/turtle": "turtle", "application/rdf+xml": "xml"}
        return graph.serialize(format=names.get(endpoint.kind, "nt")).encode()

    def log_message(self, *arguments: Any) -> None:
        pass
