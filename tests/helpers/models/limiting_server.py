"""A chat server of OpenAI's protocol that serves only so much, over HTTP, and counts what reaches it."""

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Limits:
    """What a server serves; no limit where one is absent."""

    service_s: float = 0.05
    """Time that a reply takes."""
    workers: int | None = None
    """Requests computed at a time; others wait."""
    at_a_time: int | None = None
    """Requests under way; others are refused."""
    per_window: int | None = None
    """Requests served in a window of time; others are refused until the next one."""
    window_s: float = 1.0
    """Length of such a window."""
    tells: bool = False
    """Whether headers say how many requests a window has left."""
    retry_after: str | None = None
    """What a refusal says about when to come back."""


@dataclass
class Seen:
    """What reached a server."""

    answered: Counter[str] = field(default_factory=Counter)
    """Prompts, and how often each was answered."""
    arrived_s: list[float] = field(default_factory=list)
    """Times of all requests."""
    refused_s: list[float] = field(default_factory=list)
    """Times of those that were refused."""


class LimitingServer:
    """Answers each prompt with itself, within its limits."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.seen = Seen()
        self._lock = threading.Lock()
        self._under_way = 0
        self._window = (0.0, 0)
        self._workers = threading.Semaphore(limits.workers or 10_000)
        self.http = _Http(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"

    def reply(self, body: dict[str, Any]) -> tuple[int, dict[str, str], Any]:
        """Status, headers and content of the reply to a request."""
        prompt = body["messages"][-1]["content"]
        admitted, headers = self._admit()
        if not admitted:
            return 429, headers, {"error": {"message": "slow down"}}
        with self._workers:
            time.sleep(self.limits.service_s)
        with self._lock:
            self._under_way -= 1
            self.seen.answered[prompt] += 1
        choice = {"index": 0, "message": {"role": "assistant", "content": prompt}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 100, "completion_tokens": 400, "total_tokens": 500}
        return 200, headers, {"model": "m", "choices": [choice], "usage": usage}

    def _admit(self) -> tuple[bool, dict[str, str]]:
        limits, now_s = self.limits, time.monotonic()
        with self._lock:
            self.seen.arrived_s.append(now_s)
            began_s, n_served = self._window
            if now_s >= began_s + limits.window_s:
                began_s, n_served = now_s, 0
            full = limits.per_window is not None and n_served >= limits.per_window
            crowded = limits.at_a_time is not None and self._under_way >= limits.at_a_time
            self._window = (began_s, n_served + (not full and not crowded))
            headers = {}
            if limits.tells and limits.per_window is not None:
                headers["x-ratelimit-remaining-requests"] = str(limits.per_window - self._window[1])
                headers["x-ratelimit-reset-requests"] = (
                    f"{int(1000 * (began_s + limits.window_s - now_s)) + 1}ms"
                )
            if not full and not crowded:
                self._under_way += 1
                return True, headers
            self.seen.refused_s.append(now_s)
            return False, headers | ({} if limits.retry_after is None else {"Retry-After": limits.retry_after})


@contextmanager
def limiting(limits: Limits) -> Iterator[LimitingServer]:
    """A running server."""
    server = LimitingServer(limits)
    thread = threading.Thread(target=server.http.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.http.shutdown()
        thread.join()
        server.http.server_close()


class _Http(ThreadingHTTPServer):
    request_queue_size = 256

    def handle_error(self, request: object, client_address: object) -> None:
        pass  # clients that are stopped hang up in the middle


def _handler(server: LimitingServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            status, headers, body = server.reply(
                json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            )
            content = json.dumps(body).encode()
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
