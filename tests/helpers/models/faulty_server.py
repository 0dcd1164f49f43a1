"""A chat server of OpenAI's protocol that answers each prompt with itself, unless a fault says otherwise."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from helpers.models.http_server import DROP, HttpServer, Reply, Request

MUTE = "keep silent"
"""Fault that lasts until the server is `FaultyServer.released`."""

Fault = Callable[["FaultyServer", str, int], Reply | str | None]
"""What becomes of a request, by its prompt and how often that was asked before; null for its answer."""


class FaultyServer(HttpServer):
    """Counts what reaches it."""

    def __init__(self, fault: Fault) -> None:
        self._fault = fault
        self._lock = threading.Lock()
        self._draw = random.Random(0)
        self.under_way = 0
        """Requests that are being answered."""
        self.asked: Counter[str] = Counter()
        """How often each prompt came."""
        self.answered: Counter[str] = Counter()
        """How often it was answered."""
        self.refused = 0
        """Requests that met the fault."""
        self.released = threading.Event()
        super().__init__()

    def mend(self) -> None:
        """From now on there is no fault."""
        self._fault = lambda *_: None
        self.released.set()

    def reply(self, request: Request) -> Reply | str:
        """The prompt itself after a drawn while, or the fault."""
        prompt = request.json()["messages"][-1]["content"]
        with self._lock:
            fault = self._fault(self, prompt, self.asked[prompt])
            self.asked[prompt] += 1
            self.refused += fault is not None
            self.under_way += 1
            delay_s = self._draw.uniform(0.005, 0.05) if fault is None else 0.0
        if fault == MUTE:
            self.released.wait()
            return DROP
        # So replies come in another order than requests.
        time.sleep(delay_s)
        with self._lock:
            self.under_way -= 1
            self.answered[prompt] += fault is None
        return saying(prompt) if fault is None else fault


def saying(text: str | None, finish: str = "stop", **fields: Any) -> Reply:
    """A reply with one answer."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    return Reply({"model": "m", "choices": [choice], **fields})


def refusing(status: int = 429, **headers: str) -> Reply:
    """A reply that says that the request is not served."""
    return Reply({"error": {"message": f"{status} for you"}}, status, headers)


def crowded(most: int) -> Fault:
    """Refuses what comes while so many requests are under way."""
    return lambda server, prompt, n: refusing() if server.under_way >= most else None


def quota(most: int, window_s: float, **headers: str) -> Fault:
    """Refuses what comes after so many requests in a window of time."""
    served: list[float] = []

    def fault(server: FaultyServer, prompt: str, n: int) -> Reply | None:
        now_s = time.monotonic()
        if len([at_s for at_s in served if at_s > now_s - window_s]) >= most:
            return refusing(**headers)
        served.append(now_s)
        return None

    return fault


def at_first(fault: Reply | str, n_times: int, share: int = 3) -> Fault:
    """Has a share of the prompts meet a fault so many times before they are answered."""
    return lambda server, prompt, n: fault if int(prompt.split()[-1]) % share == 0 and n < n_times else None


def always(fault: Reply | str, share: int = 3) -> Fault:
    """Has a share of the prompts meet a fault however often they are asked."""
    return at_first(fault, 10**9, share)


def faulty(fault: Fault) -> AbstractContextManager[FaultyServer]:
    """A running server."""
    return FaultyServer(fault).serving()


class ScriptedServer(HttpServer):
    """Keeps requests and gives the replies of a script; after its end, ``fine`` to everything."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.script: list[Reply | str] = []
        self._lock = threading.Lock()
        super().__init__()

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """What was asked."""
        return [body for _, body in self.requests]

    def reply(self, request: Request) -> Reply | str:
        """The next one of the script."""
        with self._lock:
            self.requests.append((request.path, request.json()))
            return self.script.pop(0) if self.script else saying("fine")


def scripted() -> AbstractContextManager[ScriptedServer]:
    """A running server."""
    return ScriptedServer().serving()
