"""Rate limits as servers tell them in the headers of a reply, in the spellings that are in use.

| who | remaining | reset |
|---|---|---|
| OpenAI, Azure, Groq, Together, vLLM's routers | ``x-ratelimit-remaining-requests``, ``-tokens`` | ``6m0s`` |
| Anthropic | ``anthropic-ratelimit-requests-remaining``, ``-tokens-`` | ``2026-11-30T12:00:00Z`` |
| OpenRouter, GitHub, Hugging Face | ``x-ratelimit-remaining`` | seconds, or a time since 1970 |
| RateLimit header fields (IETF draft, version 6) | ``ratelimit-remaining`` | seconds |
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_REQUESTS = (
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
    ("ratelimit-remaining", "ratelimit-reset"),
)
_TOKENS = (
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
)

_UNITS_S = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|[dhms]))+")
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|[dhms])")

_LEAST_EPOCH_S = 1e9
"""A number from here on is a time since 1970 and no duration, from a thousand times it in milliseconds."""


@dataclass(frozen=True, slots=True)
class Remaining:
    """Requests or tokens that a server will serve until it counts anew."""

    count: float
    """How many."""
    reset_s: float
    """Seconds until then."""


@dataclass(frozen=True, slots=True)
class RateLimits:
    """What one reply says."""

    pause_s: float | None = None
    """Seconds that the server wants to be left alone; null where it does not say."""
    requests: Remaining | None = None
    """Requests; null where it does not say, or in words that are not known."""
    tokens: Remaining | None = None
    """Tokens, likewise."""


def read_rate_limits(headers: Mapping[str, str], *, time_s: float) -> RateLimits:
    """Read what the headers of a reply say; what cannot be read counts as not said.

    Args:
        headers: The headers, whatever the case of their names.
        time_s: The time of day, in seconds since 1970.
    """
    found = {name.lower(): value.strip() for name, value in headers.items()}
    in_ms = _first(found.get("retry-after-ms"), (_number,), time_s)
    pause = in_ms / 1000 if in_ms is not None else _seconds(found.get("retry-after"), time_s)
    return RateLimits(pause, _remaining(found, _REQUESTS, time_s), _remaining(found, _TOKENS, time_s))


def _remaining(
    headers: Mapping[str, str], names: tuple[tuple[str, str], ...], time_s: float
) -> Remaining | None:
    for remaining, reset in names:
        count = _first(headers.get(remaining), (_number,), time_s)
        until = _seconds(headers.get(reset), time_s)
        if count is not None and until is not None:
            return Remaining(count, until)
    return None


def _seconds(text: str | None, time_s: float) -> float | None:
    """Seconds from now, however it is written."""
    return _first(text, (_duration, _time, _date), time_s)


def _first(
    text: str | None, readers: tuple[Callable[[str, float], float | None], ...], time_s: float
) -> float | None:
    values = (None if text is None else reader(text, time_s) for reader in readers)
    return next((max(0.0, value) for value in values if value is not None), None)


def _number(text: str, _: float) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _duration(text: str, time_s: float) -> float | None:
    if _DURATION.fullmatch(text):
        return sum(float(number) * _UNITS_S[unit] for number, unit in _PART.findall(text))
    value = _number(text, time_s)
    if value is None or value < _LEAST_EPOCH_S:
        return value
    return (value / 1000 if value >= 1000 * _LEAST_EPOCH_S else value) - time_s


def _time(text: str, time_s: float) -> float | None:
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (read if read.tzinfo is not None else read.replace(tzinfo=UTC)).timestamp() - time_s


def _date(text: str, time_s: float) -> float | None:
    try:
        read = parsedate_to_datetime(text)
    except ValueError:
        return None
    return (read if read.tzinfo is not None else read.replace(tzinfo=UTC)).timestamp() - time_s
