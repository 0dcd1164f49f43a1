"""A server of a test's own: HTTP in threads, what comes in handed on and what is to be said sent back."""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from typing import Any, Self

DROP = "drop the connection"


class QuietServer(ThreadingHTTPServer):
    """A server to which a client that goes away is no news; anything else is a fault of the server."""

    request_queue_size = 256

    def handle_error(self, request: object, client_address: object) -> None:
        # Clients that are killed or lose patience hang up in the middle.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


@contextmanager
def served(server: HTTPServer) -> Iterator[str]:
    """A server that answers in a thread of its own, as long as the block runs; gives its address."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class Request:
    path: str
    headers: Message
    body: bytes

    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found


@dataclass
class Reply:
    """One HTTP reply: a body as JSON, or as it is."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None

    def content(self) -> bytes:
        return json.dumps(self.body).encode() if self.raw is None else self.raw


class HttpServer:
    """Listens from the beginning, and answers while it is `serving`."""

    def __init__(self) -> None:
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.reply = self.reply
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"

    def reply(self, request: Request) -> Reply | str:
        """What to say to a request, or `DROP`; several are asked at a time."""
        raise NotImplementedError

    @contextmanager
    def serving(self) -> Iterator[Self]:
        with served(self._http):
            yield self


class _Http(QuietServer):
    reply: Callable[[Request], Reply | str]


class _Handler(BaseHTTPRequestHandler):
    server: _Http
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        reply = self.server.reply(Request(self.path, self.headers, body))
        if isinstance(reply, str):
            self.close_connection = True
            return
        content = reply.content()
        self.send_response(reply.status)
        usual = {"Content-Type": "application/json", "Content-Length": str(len(content))}
        for name, value in (usual | reply.headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass
