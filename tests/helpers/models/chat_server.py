"""A chat server of a test's own: it decides about pairs of answers, or does what the test wrote for it."""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from blend.builders.judges.chat import ChatJudge
from blend.loaders.responses.decisions import Decision

SECRET = "sk-this-key-is-secret"
DROP = "drop the connection"
SAME = {frozenset({"football", "soccer"}), frozenset({"apple", "fruit"})}


@dataclass
class Reply:
    """One HTTP reply; as content a chat completion holds it."""

    content: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None

    def body(self) -> bytes:
        if self.raw is not None:
            return self.raw
        if self.status != 200:
            return json.dumps({"error": self.content}).encode()
        message = {"role": "assistant", "content": self.content}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        completion = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
        return json.dumps(completion).encode()


def answers_in(body: dict[str, Any]) -> tuple[str, str]:
    asked = json.loads(body["messages"][1]["content"])
    return asked["answer 1"], asked["answer 2"]


def sensible(body: dict[str, Any]) -> Reply:
    """What a good model says."""
    verdict = "same" if frozenset(answers_in(body)) in SAME else "different"
    return Reply(json.dumps({"verdict": verdict, "reason": f"they are {verdict}"}))


class Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        # Clients that are killed or lose patience hang up in the middle.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class Chat:
    """A chat server whose next replies can be scripted; afterwards it is sensible."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.script: list[Reply | str] = []
        self.say: Callable[[dict[str, Any]], Reply] = sensible
        self._lock = threading.Lock()
        chat = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                reply = chat.reply(self.path, body, self.headers["Authorization"])
                if isinstance(reply, str):
                    self.close_connection = True
                    return
                content = reply.body()
                self.send_response(reply.status)
                headers = {"Content-Type": "application/json", **reply.headers}
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def reply(self, path: str, body: dict[str, Any], key: str | None) -> Reply | str:
        with self._lock:
            assert path == "/v1/chat/completions"
            self.requests.append(body)
            self.keys.append(key)
            if self.script:
                return self.script.pop(0)
        return self.say(body)


@contextmanager
def served() -> Iterator[Chat]:
    chat = Chat()
    thread = threading.Thread(target=chat.server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield chat
    finally:
        chat.server.shutdown()
        thread.join()
        chat.server.server_close()


def judge_at(url: str, kept: list[Decision] | None = None, **options: Any) -> ChatJudge:
    record = (lambda _: None) if kept is None else kept.extend
    options = {"model": "m1", "timeout_s": 5.0, "today": lambda: date(2026, 11, 30), **options}
    return ChatJudge(record=record, base_url=url, **options)
