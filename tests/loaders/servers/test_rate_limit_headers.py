"""Rate limits in headers: every spelling in use, and nothing made of what cannot be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.loaders.servers.rate_limit_headers import RateLimits, Remaining, read_rate_limits

NOW_S = 1_795_996_800.0
"""30 November 2026, 0:00 UTC."""


@pytest.mark.parametrize(
    ("headers", "pause_s"),
    [
        ({"Retry-After": "7"}, 7),
        ({"Retry-After": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "Retry-After": "1"}, 0.25),
        ({"Retry-After": "Mon, 30 Nov 2026 00:00:20 GMT"}, 20),
        ({"Retry-After": "Sun, 29 Nov 2026 00:00:20 GMT"}, 0),
        ({"Retry-After": "1m30s"}, 90),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "nan"}, None),
        ({}, None),
    ],
)
def test_pauses(headers: dict[str, str], pause_s: float | None):
    assert read_rate_limits(headers, time_s=NOW_S) == RateLimits(pause_s)


@pytest.mark.parametrize(
    ("remaining", "reset", "reset_s"),
    [
        ("x-ratelimit-remaining-requests", ("x-ratelimit-reset-requests", "6m0s"), 360),
        ("x-ratelimit-remaining-requests", ("x-ratelimit-reset-requests", "1h2m3.5s"), 3723.5),
        ("X-RateLimit-Remaining-Requests", ("X-RateLimit-Reset-Requests", "20ms"), 0.02),
        (
            "anthropic-ratelimit-requests-remaining",
            ("anthropic-ratelimit-requests-reset", "2026-11-30T00:00:09Z"),
            9,
        ),
        ("x-ratelimit-remaining", ("x-ratelimit-reset", "1795996812"), 12),
        ("x-ratelimit-remaining", ("x-ratelimit-reset", "1795996812000"), 12),
        ("ratelimit-remaining", ("ratelimit-reset", "30"), 30),
    ],
)
def test_requests_left(remaining: str, reset: tuple[str, str], reset_s: float):
    limits = read_rate_limits({remaining: "41", reset[0]: reset[1]}, time_s=NOW_S)
    assert limits.requests is not None
    assert (limits.requests.count, limits.requests.reset_s) == (41, pytest.approx(reset_s))
    assert limits.tokens is None


def test_tokens_left():
    openai = {"x-ratelimit-remaining-tokens": "900", "x-ratelimit-reset-tokens": "1s"}
    anthropic = {
        "anthropic-ratelimit-tokens-remaining": "900",
        "anthropic-ratelimit-tokens-reset": "2026-11-30T00:00:01Z",
    }
    for headers in (openai, anthropic):
        assert read_rate_limits(headers, time_s=NOW_S) == RateLimits(tokens=Remaining(900, 1))


def test_a_number_without_a_time_says_nothing():
    assert read_rate_limits({"x-ratelimit-remaining-requests": "0"}, time_s=NOW_S) == RateLimits()


@given(st.text(st.sampled_from("0123456789.:-+eE dhmsTZ,MonNv"), max_size=30))
@pytest.mark.slow
def test_no_value_is_too_strange(text: str):
    names = ("retry-after", "retry-after-ms", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests")
    read_rate_limits(dict.fromkeys(names, text), time_s=NOW_S)
