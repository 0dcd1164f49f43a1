"""The pace at which a server is asked: how many requests are under way, how many a minute, and when none.

Nothing here waits or looks at a clock: the caller gives times, in seconds of any clock that only goes forward.

References:
    ITU-T I.371 (2004), annex A: the virtual scheduling by which requests a minute are counted.
"""

import math
from dataclasses import dataclass

from blend.loaders.servers.rate_limit_headers import RateLimits, Remaining
from blend.loaders.servers.window import Window

MOST = 256
"""Requests under way at most, where the user does not say."""

LONGEST_PAUSE_S = 120.0
"""Longest pause that is kept. Where the server asks for a longer one (a quota of the day), what is sent
meanwhile is refused, and whoever asks hears of it."""

_FIRST_PAUSE_S = 0.5
"""Pause after a refusal where the server asks for none; doubled with each further one until a reply comes."""

_MINUTE_S = 60.2
"""A minute, longer by the time that sending may be late and make up for, and by as much again: no 60 seconds
hold more than was allowed."""

_LATE_S = 0.1


@dataclass(frozen=True, slots=True)
class Sent:
    """Request that is under way."""

    at_s: float
    """Time at which it was sent."""
    estimate: float
    """Tokens that the caller estimated."""
    expected: float
    """Tokens that are expected, by the estimate and what earlier ones took."""
    totals: dict[str, float]
    """Requests, and tokens expected of them, sent until then, with this one."""


class Pace:
    """Pace of all who ask one server; of each request that is sent, one of the last four methods must hear."""

    def __init__(self, *, most: int | None = None, rpm: int | None = None, tpm: int | None = None) -> None:
        """Begin slowly.

        Args:
            most: Requests under way at most; `MOST` when absent.
            rpm: Requests sent in a minute at most; no limit when absent.
            tpm: Tokens of prompts and answers in a minute at most; no limit when absent.
        """
        self.window = Window(MOST if most is None else most)
        self._per_minute = {"requests": _PerMinute(rpm), "tokens": _PerMinute(tpm)}
        self._quotas: dict[str, _Quota] = {}
        self._largest: dict[str, float] = {}
        self._totals = {"requests": 0.0, "tokens": 0.0}
        self._estimated = self._used = 0.0
        self._paused_until_s = -math.inf
        self._n_refusals = 0

    @property
    def counts_tokens(self) -> bool:
        """Whether somebody limits tokens, so that it matters how many a reply took."""
        return self._per_minute["tokens"].most is not None or "tokens" in self._quotas

    def wait_s(self, now_s: float, estimate: float = 0.0) -> float:
        """Seconds until a request may be sent if nothing happens before: 0 for now, infinity for a reply.

        Args:
            now_s: The time.
            estimate: Tokens of prompt and answer, roughly.
        """
        if self.window.is_full:
            return math.inf
        needs = {"requests": 1.0, "tokens": self._expected(estimate)}
        used_up = [
            quota for kind, quota in self._quotas.items() if quota.left(self._totals[kind]) < needs[kind]
        ]
        until_s = [
            self._paused_until_s,
            *(quota.until_s for quota in used_up),
            *(counter.free_s for counter in self._per_minute.values()),
        ]
        return max(0.0, max(until_s) - now_s)

    def send(self, now_s: float, estimate: float = 0.0) -> Sent:
        """Count a request that is sent now."""
        expected = self._expected(estimate)
        for kind, amount in (("requests", 1.0), ("tokens", expected)):
            self._renew(kind, now_s)
            self._totals[kind] += amount
            self._per_minute[kind].spend(now_s, amount)
        self.window.enter()
        return Sent(now_s, estimate, expected, dict(self._totals))

    def learn_limits(self, sent: Sent, now_s: float, limits: RateLimits) -> None:
        """Take what a reply says of what the server will serve yet, before the reply itself."""
        for kind, remaining in (("requests", limits.requests), ("tokens", limits.tokens)):
            known = self._quotas.get(kind)
            # Replies overtake each other; the request that was sent last knows best.
            if remaining is not None and (known is None or known.total <= sent.totals[kind]):
                self._quotas[kind] = _Quota.of(remaining, sent.totals[kind], now_s)
                self._largest[kind] = max(self._largest.get(kind, 0.0), remaining.count)

    def answered(self, sent: Sent, now_s: float, tokens: int | None = None) -> None:
        """Take a reply to a request, and the tokens of prompt and answer as the server counts them."""
        self.window.answered(sent.at_s, now_s)
        if sent.at_s >= self._paused_until_s:
            self._n_refusals = 0
        if tokens is not None and sent.estimate:
            self._per_minute["tokens"].spend(now_s, tokens - sent.expected)
            self._estimated += sent.estimate
            self._used += tokens

    def refused(self, sent: Sent, now_s: float, pause_s: float | None = None) -> None:
        """Take the word of a server that it is asked too much, and the pause that it wants."""
        if pause_s is None:
            pause_s = min(_FIRST_PAUSE_S * 2.0**self._n_refusals, LONGEST_PAUSE_S)
        elif pause_s > LONGEST_PAUSE_S:
            pause_s = 0.0
        self._paused_until_s = max(self._paused_until_s, now_s + pause_s)
        if self.window.refused(sent.at_s, now_s, pause_s):
            self._n_refusals += 1

    def lost(self, sent: Sent, now_s: float) -> None:
        """Take note that a request has no reply: a connection broke, or it took too long."""
        self.window.refused(sent.at_s, now_s, 0.0)

    def failed(self) -> None:
        """Take note of a reply that says nothing of the pace, such as one to a request that cannot be."""
        self.window.leave()

    def _renew(self, kind: str, now_s: float) -> None:
        """Expect as much as a server had left at most, once it counts anew, until its next reply tells."""
        quota = self._quotas.get(kind)
        if quota is not None and now_s >= quota.until_s and self._largest[kind] > 0:
            self._quotas[kind] = _Quota.of(
                Remaining(self._largest[kind], quota.reset_s), self._totals[kind], now_s
            )

    def _expected(self, estimate: float) -> float:
        return estimate * self._used / self._estimated if self._estimated else estimate


class _PerMinute:
    """Requests or tokens in a minute: each delays the next one by its share of the minute."""

    def __init__(self, most: int | None) -> None:
        self.most = most
        self.free_s = -math.inf

    def spend(self, now_s: float, amount: float) -> None:
        """Count what is sent; an amount below 0 gives back what was expected and not used."""
        if self.most is not None:
            late_s = now_s - _LATE_S if amount > 0 else self.free_s
            self.free_s = max(self.free_s, late_s) + amount * _MINUTE_S / self.most


@dataclass(frozen=True, slots=True)
class _Quota:
    """What a server said that it will serve until a time."""

    remaining: float
    until_s: float
    reset_s: float
    """Seconds until then, when it was said."""
    total: float
    """All that had been sent with the request that it was said to."""

    @classmethod
    def of(cls, remaining: Remaining, total: float, now_s: float) -> "_Quota":
        reset_s = min(remaining.reset_s, LONGEST_PAUSE_S)
        return cls(remaining.count, now_s + reset_s, reset_s, total)

    def left(self, total: float) -> float:
        return self.remaining - (total - self.total)
