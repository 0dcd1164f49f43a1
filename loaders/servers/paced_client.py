"""The HTTP client under the openai package: every request waits for its turn, and its reply sets the pace.

Repeated requests come through here as well, so nothing reaches the server besides the pace.
"""

import asyncio
import json
import math
import time
from contextlib import suppress
from typing import Any

from openai import DefaultAsyncHttpxClient

from blend.loaders.servers.pace import Pace, Sent
from blend.loaders.servers.rate_limit_headers import read_rate_limits

_OVERLOADED = (429, 502, 503, 504, 529)
"""Answers of a server, or of what stands before it, that is asked too much (529: Anthropic)."""

_UNREACHED_S = 180.0
"""Seconds without a connection after which none is waited for: requests that wait for their turn, each with its
repeats, would take hours to find that out one by one."""

_BYTES_PER_TOKEN = 4
"""Of a request, roughly; what replies took corrects it."""


class PacedClient(DefaultAsyncHttpxClient):
    """Client that sends requests in their order, when the pace allows."""

    def __init__(self, pace: Pace, **options: Any) -> None:
        super().__init__(**options)
        self._pace = pace
        self._turn = asyncio.Lock()
        self._changed = asyncio.Event()
        self._unreached: BaseException | None = None
        self._unreached_since_s = math.inf
        self._n_under_way = 0
        self._heard_s = 0.0

    def silent_s(self) -> float:
        """Seconds since the last reply, or since the first request that waits for one; 0 while none does."""
        return time.monotonic() - self._heard_s if self._n_under_way else 0.0

    async def send(self, request: Any, **options: Any) -> Any:
        """Send a request in its turn; see httpx."""
        is_counted = self._pace.counts_tokens and not _is_upload(request)
        sent = await self._sent(_estimated_tokens(request.content) if is_counted else 0.0)
        began_s = time.monotonic()
        if not self._n_under_way:
            self._heard_s = began_s
        self._n_under_way += 1
        try:
            if self._unreached is not None and began_s - self._unreached_since_s > _UNREACHED_S:
                raise self._unreached
            response = await super().send(request, **options)
        except BaseException as error:
            if is_unconnected(error):
                self._unreached, self._unreached_since_s = error, min(began_s, self._unreached_since_s)
            self._pace.lost(sent, time.monotonic())
            raise
        else:
            self._unreached, self._unreached_since_s = None, math.inf
            self._heard_s = time.monotonic()
            self._heed(sent, response)
            return response
        finally:
            self._n_under_way -= 1
            self._changed.set()

    async def _sent(self, estimate: float) -> Sent:
        async with self._turn:
            while (wait_s := self._pace.wait_s(time.monotonic(), estimate)) > 0:
                self._changed.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(None if math.isinf(wait_s) else wait_s):
                        await self._changed.wait()
            return self._pace.send(time.monotonic(), estimate)

    def _heed(self, sent: Sent, response: Any) -> None:
        now_s, pace = time.monotonic(), self._pace
        limits = read_rate_limits(response.headers, time_s=time.time())
        pace.learn_limits(sent, now_s, limits)
        if response.status_code in _OVERLOADED:
            pace.refused(sent, now_s, limits.pause_s)
        elif response.is_success:
            pace.answered(sent, now_s, _used_tokens(response.content) if pace.counts_tokens else None)
        else:
            pace.failed()


def is_unconnected(error: BaseException | None) -> bool:
    """Whether an error says that no connection came about in time; its class is of httpx, or of httpx2."""
    return type(error).__name__ == "ConnectTimeout"


def _is_upload(request: Any) -> bool:
    """Whether a request sends a file, which is not in memory and takes no tokens."""
    return str(request.headers.get("Content-Type", "")).startswith("multipart/")


def _estimated_tokens(body: bytes) -> float:
    fields = _object(body)
    longest = fields.get("max_completion_tokens", fields.get("max_tokens"))
    return len(body) / _BYTES_PER_TOKEN + (longest if isinstance(longest, int) else 0)


def _used_tokens(body: bytes) -> int | None:
    match _object(body):
        case {"usage": {"total_tokens": int(tokens)}}:
            return tokens
        case {"usage": {"prompt_tokens": int(tokens_in), "completion_tokens": int(tokens_out)}}:
            return tokens_in + tokens_out
        case _:
            return None


def _object(body: bytes) -> dict[str, Any]:
    try:
        read = json.loads(body)
    except (ValueError, RecursionError):  # not JSON, not UTF-8, or nested too deeply
        return {}
    return read if isinstance(read, dict) else {}
