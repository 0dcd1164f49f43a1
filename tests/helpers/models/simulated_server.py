"""A server in simulated time, and somebody who asks it at a pace: thousands of requests without waiting."""

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from blend.loaders.servers.pace import Pace, Sent
from blend.loaders.servers.rate_limit_headers import RateLimits, Remaining


class Answer(NamedTuple):
    """What comes back, and when."""

    at_s: float
    refused: bool = False
    limits: RateLimits = RateLimits()


Serve = Callable[[float, int], Answer]
"""What a server does with a request that comes at a time, while so many are under way at it."""


@dataclass
class Asked:
    """What the server saw."""

    sent_s: list[float] = field(default_factory=list)
    refused_s: list[float] = field(default_factory=list)
    answered_s: list[float] = field(default_factory=list)
    most_under_way: int = 0

    @property
    def n_refused(self) -> int:
        return len(self.refused_s)

    @property
    def per_second(self) -> float:
        return len(self.answered_s) / self.answered_s[-1]


def ask(pace: Pace, serve: Serve, n_items: int, *, estimate: float = 0.0, used: int | None = None) -> Asked:
    """Ask for all items; what is refused is asked again."""
    asked, under_way, now_s, waiting = Asked(), list[tuple[float, int, Answer, Sent]](), 0.0, n_items
    while len(asked.answered_s) < n_items:
        wait_s = pace.wait_s(now_s, estimate) if waiting else math.inf
        if under_way and under_way[0][0] <= now_s + wait_s:
            now_s, _, answer, sent = heapq.heappop(under_way)
            pace.learn_limits(sent, now_s, answer.limits)
            if answer.refused:
                pace.refused(sent, now_s, answer.limits.pause_s)
                asked.refused_s.append(now_s)
                waiting += 1
            else:
                pace.answered(sent, now_s, used)
                asked.answered_s.append(now_s)
            continue
        assert wait_s < math.inf, "nothing is under way, and nothing may be sent"
        if wait_s > 0:
            now_s = math.nextafter(now_s + wait_s, math.inf)
            continue
        answer = serve(now_s, len(under_way))
        heapq.heappush(under_way, (answer.at_s, len(asked.sent_s), answer, pace.send(now_s, estimate)))
        asked.sent_s.append(now_s)
        asked.most_under_way = max(asked.most_under_way, len(under_way))
        waiting -= 1
    return asked


def queueing(workers: int, service_s: float) -> Serve:
    """Serves so many at a time; the others wait there."""
    free_s = [0.0] * workers

    def serve(now_s: float, _: int) -> Answer:
        done_s = max(now_s, heapq.heappop(free_s)) + service_s
        heapq.heappush(free_s, done_s)
        return Answer(done_s)

    return serve


def refusing(above: int, service_s: float, pause_s: float | None) -> Serve:
    """Refuses what is more than so many at a time."""

    def serve(now_s: float, under_way: int) -> Answer:
        if under_way >= above:
            return Answer(now_s + 0.01, True, RateLimits(pause_s))
        return Answer(now_s + service_s)

    return serve


def bucket(per_second: float, size: int, service_s: float, *, pause_s: float | None, tells: bool) -> Serve:
    """Refuses what is more than so many a second; of those not used it keeps some."""
    state = [float(size), 0.0]

    def serve(now_s: float, _: int) -> Answer:
        state[0] = min(size, state[0] + (now_s - state[1]) * per_second)
        state[1] = now_s
        refused = state[0] < 1
        state[0] -= not refused
        left = Remaining(int(state[0]), (size - state[0]) / per_second) if tells else None
        limits = RateLimits(pause_s if refused else None, left)
        return Answer(now_s + (0.01 if refused else service_s), refused, limits)

    return serve
