"""How many requests are under way at a server: as many as it serves, found by trying.

The number doubles at first, then grows by one at a time; it is halved where the server refuses, and goes back
where more requests only wait for each other.

References:
    Jacobson and Karels (1988), Congestion avoidance and control, sections 1 and 4: slow start, additive
    increase and multiplicative decrease.
"""

import math
from dataclasses import dataclass

START = 8
"""Requests under way in the beginning, at most."""

_SAFE = 0.9
"""Share of the number at which a server refused up to which the number doubles again at most."""

_PAUSES_APART = 10.0
"""Time between two refusals, in pauses: each of them stops all that is under way, so a larger number is tried
so slowly that pauses take a tenth of the time."""

_FURTHER = 1.5
"""Growth of the number after which more replies are expected ..."""

_GAIN = 1.1
"""... by this factor at least; else the requests wait for each other at the server."""


class Window:
    """Requests under way, and how many may be; times as in `pace.Pace`."""

    def __init__(self, most: int) -> None:
        self.most = most
        """Requests under way at most."""
        self.limit = float(min(START, most))
        """Requests that may be under way now; a part of one is waited for."""
        self.under_way = 0
        """Requests that are."""
        self._cut_at_s = -math.inf
        self._doubles_to = float(most)
        self._peak, self._n_refused = self.limit, 0
        self._step_s = 0.0
        self._stepped_at_s = -math.inf
        self._before: _Round | None = None
        self._round = _Round(-math.inf, self.limit)

    @property
    def is_full(self) -> bool:
        """Whether the next request has to wait for a reply."""
        return self.under_way >= int(self.limit)

    def enter(self) -> None:
        """Count a request."""
        self.under_way += 1
        # A number that nobody makes use of says nothing about a larger one.
        self._round.full |= self.is_full

    def leave(self) -> None:
        """Forget a request that says nothing about the number."""
        self.under_way -= 1

    def answered(self, sent_s: float, now_s: float) -> None:
        """Take a reply to a request, which may be the last that was needed to grow."""
        self.under_way -= 1
        if sent_s >= self._round.began_s:
            self._round.n_replies += 1
            self._round.latency_s += now_s - sent_s
            if self._round.n_replies >= int(self.limit):
                self._end_round(now_s)

    def refused(self, sent_s: float, now_s: float, pause_s: float) -> bool:
        """Halve the number, once for all requests that were sent before it was; say whether it was.

        Args:
            sent_s: When the request was sent.
            now_s: When it was refused.
            pause_s: Seconds for which nothing will be sent because of that.
        """
        self.under_way -= 1
        if sent_s < self._cut_at_s:
            # What was under way and was not refused is what the server serves.
            self._n_refused += 1
            self._doubles_to = max(self._peak / 2, min(self._doubles_to, self._peak - self._n_refused))
            return False
        # Not what was under way: a limit of requests a minute keeps that low for a while.
        peak = self._peak = self.limit
        self._n_refused = 1
        self._doubles_to = max(1.0, min(_SAFE * peak, peak - 1))
        self._step_s = _PAUSES_APART * pause_s / max(1.0, peak - self._doubles_to)
        self._cut_at_s = self._stepped_at_s = now_s + pause_s
        self.limit = max(1.0, peak / 2)
        self._before = None
        self._round = _Round(self._cut_at_s, self.limit)
        return True

    def _end_round(self, now_s: float) -> None:
        now, before = self._round, self._before
        if now.full and before is not None and now.limit >= _FURTHER * before.limit:
            if now.rate < _GAIN * before.rate:
                # What was measured before may have been luck, so it is measured again.
                self.limit = self._doubles_to = before.limit
                self._before = None
            else:
                self._before = now
                self._grow(now_s)
        elif now.full:
            self._before = before or now
            self._grow(now_s)
        self._round = _Round(now_s, self.limit)

    def _grow(self, now_s: float) -> None:
        if self.limit < self._doubles_to:
            self.limit = min(2 * self.limit, self._doubles_to)
        elif now_s >= self._stepped_at_s + self._step_s:
            self.limit = min(self.limit + 1, float(self.most))
            self._stepped_at_s = now_s


@dataclass(slots=True)
class _Round:
    """As many replies as requests may be under way, to requests sent in the meantime."""

    began_s: float
    limit: float
    n_replies: int = 0
    latency_s: float = 0.0
    full: bool = False

    @property
    def rate(self) -> float:
        """Replies a second, by Little's law."""
        return int(self.limit) * self.n_replies / max(self.latency_s, 1e-9)
