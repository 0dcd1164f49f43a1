"""A chat server of OpenAI's protocol that serves only so much, over HTTP, and counts what reaches it."""

import threading
import time
from collections import Counter
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from helpers.models.http_server import HttpServer, Reply, Request


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


class LimitingServer(HttpServer):
    """Answers each prompt with itself, within its limits."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.seen = Seen()
        self._lock = threading.Lock()
        self._under_way = 0
        self._window = (0.0, 0)
        self._workers = threading.Semaphore(limits.workers or 10_000)
        super().__init__()

    def reply(self, request: Request) -> Reply:
        """The prompt itself, or that there are too many requests."""
        prompt = request.json()["messages"][-1]["content"]
        admitted, headers = self._admit()
        if not admitted:
            return Reply({"error": {"message": "slow down"}}, 429, headers)
        with self._workers:
            time.sleep(self.limits.service_s)
        with self._lock:
            self._under_way -= 1
            self.seen.answered[prompt] += 1
        choice = {"index": 0, "message": {"role": "assistant", "content": prompt}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 100, "completion_tokens": 400, "total_tokens": 500}
        return Reply({"model": "m", "choices": [choice], "usage": usage}, headers=headers)

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


def limiting(limits: Limits) -> AbstractContextManager[LimitingServer]:
    """A running server."""
    return LimitingServer(limits).serving()
