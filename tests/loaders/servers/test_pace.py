"""The pace in simulated time: never more than is allowed, close to what the server serves, and few refusals."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blend.loaders.servers.pace import LONGEST_PAUSE_S, MOST, Pace
from blend.loaders.servers.rate_limit_headers import RateLimits, Remaining
from blend.loaders.servers.window import START
from helpers.models.simulated_server import Answer, Asked, Serve, ask, bucket, queueing, refusing


def most_in_a_minute(times_s: list[float]) -> int:
    first, most = 0, 0
    for last, time_s in enumerate(times_s):
        while times_s[first] < time_s - 60:
            first += 1
        most = max(most, last - first + 1)
    return most


SERVERS = st.one_of(
    st.builds(queueing, st.integers(1, 40), st.floats(0.01, 5)),
    st.builds(refusing, st.integers(1, 40), st.floats(0.01, 5), st.none() | st.floats(0, 30)),
    st.builds(
        bucket,
        st.floats(0.5, 50),
        st.integers(1, 60),
        st.floats(0.01, 5),
        pause_s=st.none() | st.floats(0, 30),
        tells=st.booleans(),
    ),
)


@settings(deadline=None, max_examples=40)
@given(SERVERS, st.integers(1, 50), st.none() | st.integers(1, 3000))
@pytest.mark.slow
def test_every_item_is_answered_once_and_no_limit_is_passed(serve: Serve, most: int, rpm: int | None):
    asked = ask(Pace(most=most, rpm=rpm), serve, 150)
    assert len(asked.answered_s) == 150
    assert len(asked.sent_s) == 150 + asked.n_refused
    assert asked.most_under_way <= most
    assert rpm is None or most_in_a_minute(asked.sent_s) <= rpm


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 40), st.floats(0.01, 5), st.floats(0, LONGEST_PAUSE_S))
@pytest.mark.slow
def test_a_pause_is_for_all(above: int, service_s: float, pause_s: float):
    asked = ask(Pace(), refusing(above, service_s, pause_s), 150)
    for refused_s in asked.refused_s:
        assert not [sent_s for sent_s in asked.sent_s if refused_s < sent_s < refused_s + pause_s]


ALLOWED: dict[str, tuple[Serve, float]] = {
    "4 at a time, others wait": (queueing(4, 0.1), 40),
    "64 at a time, others wait": (queueing(64, 1), 64),
    "4 at a time, others refused": (refusing(4, 0.1, 1), 40),
    "16 at a time, others refused": (refusing(16, 0.5, None), 32),
    "64 at a time, others refused": (refusing(64, 0.5, 1), 128),
    "10 a second": (bucket(10, 10, 0.5, pause_s=1, tells=False), 10),
    "10 a second, told": (bucket(10, 10, 0.5, pause_s=1, tells=True), 10),
    "60 a minute, told": (bucket(1, 60, 0.5, pause_s=None, tells=True), 1),
    "50 a second, quick": (bucket(50, 50, 0.05, pause_s=1, tells=False), 50),
}
"""Servers, and what they serve a second."""


@pytest.mark.parametrize("name", ALLOWED)
@pytest.mark.slow
def test_nearly_all_that_a_server_serves_is_used_and_little_refused(name: str):
    serve, per_second = ALLOWED[name]
    n_items = max(1000, int(80 * per_second))
    asked = ask(Pace(), serve, n_items)
    assert asked.per_second >= 0.8 * per_second
    assert asked.n_refused <= (0 if "told" in name or "wait" in name else 0.06) * n_items + START


def test_more_requests_are_not_sent_to_wait_at_the_server():
    pace = Pace()
    ask(pace, queueing(10, 1.0), 3000)
    assert pace.window.limit <= 40


def test_it_begins_low_and_doubles_while_replies_come_as_soon():
    pace, seen = Pace(), list[int]()

    def serve(now_s: float, _: int) -> Answer:
        seen.append(int(pace.window.limit))
        return Answer(now_s + 1)

    asked = ask(pace, serve, 2000)
    assert sorted(set(seen))[:4] == [START, 2 * START, 4 * START, 8 * START]
    assert asked.most_under_way == MOST


def test_a_refusal_halves_once_for_all_that_were_under_way():
    pace = Pace()
    sent = [pace.send(0.0) for _ in range(START)]
    for one in sent:
        pace.refused(one, 1.0, 0.0)
    assert (pace.window.limit, pace.window.under_way) == (START / 2, 0)
    pace.refused(pace.send(2.0), 3.0, 0.0)
    assert pace.window.limit == START / 4


def test_refusals_without_a_pause_wait_longer_each_time_until_a_reply():
    pace, pauses_s = Pace(), list[float]()
    for _ in range(12):
        pace.refused(pace.send(0.0), 0.0)
        pauses_s.append(pace.wait_s(0.0))
        pace._paused_until_s = -math.inf
        pace.window._cut_at_s = -math.inf
    assert pauses_s[:4] == [0.5, 1, 2, 4]
    assert pauses_s[-1] == LONGEST_PAUSE_S


def test_a_quota_of_the_day_is_not_waited_for():
    pace = Pace()
    pace.refused(pace.send(0.0), 1.0, 3600.0)
    assert pace.wait_s(1.0) == 0


def test_what_is_left_is_counted_from_the_request_that_was_told_so():
    pace = Pace()
    first, second = pace.send(0.0), pace.send(0.0)
    pace.send(0.0)
    pace.learn_limits(second, 1.0, RateLimits(requests=Remaining(2, 10.0)))
    # The reply to an earlier request comes later and knows less.
    pace.learn_limits(first, 1.0, RateLimits(requests=Remaining(50, 10.0)))
    assert pace.wait_s(1.0) == 0  # two after the second request: the third, and one more
    pace.send(1.0)
    assert pace.wait_s(1.0) == 10
    assert pace.wait_s(11.0) == 0
    # The server counts anew; that it had two left is all that is known of its limit until it replies.
    pace.send(11.0)
    pace.send(11.0)
    assert pace.wait_s(11.0) == 10


def test_tokens_are_estimated_by_what_replies_took():
    pace = Pace(tpm=60_000)
    # A thousand a second; the estimate counts all that an answer may have.
    sent = pace.send(0.0, 5_000)
    assert pace.wait_s(0.0, 5_000) == pytest.approx(5, abs=0.2)
    pace.answered(sent, 1.0, 500)
    assert pace.wait_s(1.0, 5_000) == 0
    assert pace.send(1.0, 5_000).expected == 500


@settings(deadline=None, max_examples=40)
@given(st.integers(1_000, 1_000_000), st.integers(1, 2_000), st.integers(1, 4_000))
@pytest.mark.slow
def test_tokens_a_minute_are_kept_whatever_was_estimated(tpm: int, used: int, estimate: int):
    pace = Pace(tpm=tpm)
    asked: Asked = ask(pace, queueing(8, 0.5), 120, estimate=float(estimate), used=used)
    # What was under way before the first replies was estimated; a reply corrects what follows it.
    first = START * used
    assert most_in_a_minute(asked.sent_s) * used <= tpm + first + max(used, estimate)


def test_tokens_that_a_server_has_left_are_kept_to():
    pace = Pace()
    sent = pace.send(0.0, 100)
    pace.learn_limits(sent, 0.0, RateLimits(tokens=Remaining(150, 20.0)))
    assert pace.counts_tokens
    assert pace.wait_s(0.0, 100) == 0
    pace.send(0.0, 100)
    assert pace.wait_s(0.0, 100) == 20
