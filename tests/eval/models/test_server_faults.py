"""Servers that refuse, break off or keep silent: no answer lost, none doubled, no wrong one kept, no hang."""

import signal
import socket
import subprocess
import sys
import time
from typing import Any

import pytest

from blend.eval.models.protocols import Generation, StopAsking
from blend.eval.models.server import TRIES, open_server
from blend.eval.models.server_items import MAX_FAILURES
from blend.loaders import servers
from blend.schemas.errors import ServerError
from helpers.models.faulty_server import (
    MUTE,
    Fault,
    FaultyServer,
    always,
    at_first,
    crowded,
    faulty,
    quota,
    refusing,
    saying,
)
from helpers.models.http_server import DROP, Reply

pytestmark = [pytest.mark.integration]

SOON = {"retry-after-ms": "10"}
OTHER_HALF = Reply(raw=b'{"choices": [{"mess')


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def ask(server: FaultyServer, n_items: int, **options: Any) -> list[Generation]:
    """Ask about all items; an answer is the one to its prompt, and each item is kept once."""
    model = open_server("m", server.url, **options)
    kept: list[int] = []
    prompts = [f"item {number}" for number in range(n_items)]
    answers = model.generate(prompts, keep=lambda positions, _: kept.extend(positions))
    given = [prompt for prompt, answer in zip(prompts, answers, strict=True) if answer.error is None]
    assert [answer.text for answer in answers if answer.error is None] == given
    assert sorted(kept) == list(range(n_items))
    assert max(server.answered.values()) == 1
    return list(answers)


PASSING: dict[str, tuple[Fault, dict[str, Any]]] = {
    "twelve at a time": (crowded(12), {}),
    "far fewer at a time than asked": (crowded(3), {"concurrency": 64}),
    "forty a second": (quota(40, 1.0), {}),
    "forty a second, and says when": (quota(40, 1.0, **{"Retry-After": "0.5"}), {"concurrency": 64}),
    "429 at first": (at_first(refusing(429, **SOON), 4), {}),
    "503 at first": (at_first(refusing(503, **SOON), 4), {}),
    "busy for longer than requests are repeated": (at_first(refusing(503, **SOON), 9), {}),
    "500 at first": (at_first(refusing(500, **SOON), 4), {}),
    "dropped at first": (at_first(DROP, 1, share=20), {}),
    "not JSON at first": (at_first(OTHER_HALF, TRIES - 1), {}),
    "HTML at first": (at_first(Reply(raw=b"<html>", headers={"Content-Type": "text/html"}), TRIES - 1), {}),
    "no choices at first": (at_first(Reply({"choices": []}), TRIES - 1), {}),
    "aborted at first": (at_first(saying("Half", "abort"), TRIES - 1), {}),
}
"""Faults behind which every item is answered in the end."""


@pytest.mark.nightly
@pytest.mark.parametrize("fault", PASSING)
def test_what_passes_loses_and_doubles_nothing(fault: str):
    how, options = PASSING[fault]
    with faulty(how) as server:
        assert not [one.error for one in ask(server, 120, **options) if one.error]
        assert server.refused


LASTING: dict[str, tuple[Fault, str]] = {
    "refused": (always(refusing(400)), "HTTP 400"),
    "too large": (always(refusing(413)), "HTTP 413"),
    "fails": (always(refusing(500, **SOON)), "HTTP 500"),
    "not JSON": (always(OTHER_HALF), "the reply is not JSON"),
    "no text": (always(saying(None)), "the reply holds no text"),
}
"""Faults of some prompts, and what is said of them."""


@pytest.mark.nightly
@pytest.mark.parametrize("fault", LASTING)
def test_prompts_that_always_fail_do_so_alone(fault: str):
    how, message = LASTING[fault]
    with faulty(how) as server:
        answers = ask(server, 60, concurrency=4, retries=1)
    assert [bool(one.error) for one in answers] == [number % 3 == 0 for number in range(60)]
    assert all(one.error.startswith(message) for one in answers if one.error)


@pytest.mark.nightly
def test_refused_prompts_in_front_of_others_fail_alone():
    # Refusals come back before the first answer does.
    with faulty(lambda _, prompt, __: refusing(400) if int(prompt.split()[-1]) < 25 else None) as server:
        assert [bool(one.error) for one in ask(server, 60)] == [number < 25 for number in range(60)]


def test_refused_prompts_alone_are_not_asked_forever():
    with faulty(always(refusing(400), share=1)) as server:
        model = open_server("m", server.url, concurrency=1)
        with pytest.raises(ServerError, match=r"10 items in a row got no answer.*; run again to have others"):
            model.generate([f"item {number}" for number in range(50)])
        assert server.refused == MAX_FAILURES
        assert all(one.error for one in model.bearing_refusals().generate([f"item {n}" for n in range(50)]))


def test_a_large_answer_is_read_whole():
    # Runs keep the first million characters (`eval.runs`).
    text = "x" * (16 << 20)
    with faulty(lambda _, prompt, __: saying(text)) as server:
        (answer,) = open_server("m", server.url).generate(["item 0"])
    assert answer.text == text


def test_a_server_that_wants_hours_of_rest_is_not_waited_for():
    with faulty(always(refusing(429, **{"Retry-After": "3600"}), share=1)) as server:
        with pytest.raises(ServerError) as caught:
            open_server("m", server.url, concurrency=1).generate(["item 0"] * 100)
        assert str(caught.value) == (
            f"model m at {server.url}: 10 items in a row got no answer, the last because HTTP 429, "
            "'429 for you'; run again: the answers that came are kept and not asked again"
        )
        assert server.refused == MAX_FAILURES


def test_a_mute_server_is_told_and_not_waited_for_forever(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(servers, "SILENCE_S", 0.2)
    with faulty(lambda _, prompt, __: MUTE if prompt == "item 1" else None) as server:
        model = open_server("m", server.url, timeout_s=1.0, retries=0)
        first, second = model.generate(["item 0", "item 1"])
        server.released.set()
    again = "run again: the answers that came are kept and not asked again"
    assert (first.text, second.error) == ("item 0", f"the server does not answer in time; {again}")
    assert "model m: no reply for 0 s; waiting up to 1 s for each" in caplog.messages


def test_no_connection_at_all_stops_the_asking(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(servers, "_CONNECT_S", 0.2)
    # The kernel answers nobody else while one connection waits to be accepted, as if nothing had come.
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        address = full.getsockname()
        with socket.create_connection(address), pytest.raises(ServerError) as caught:
            open_server("m", f"http://127.0.0.1:{address[1]}/v1", retries=1).generate(["Hi"] * 100)
    assert str(caught.value).startswith(
        f"model m at http://127.0.0.1:{address[1]}/v1: no connection, or it broke; start the server or correct"
    )


def test_what_is_under_way_is_kept_when_the_asking_is_to_stop():
    kept: list[int] = []

    def keep(positions: Any, _: Any) -> None:
        kept.extend(positions)
        if len(kept) == 3:
            raise StopAsking

    with faulty(lambda *_: None) as server:
        with pytest.raises(StopAsking):
            open_server("m", server.url, concurrency=8).generate([f"item {n}" for n in range(100)], keep=keep)
        assert len(kept) == len(server.asked) < 100


ASKING = """
import sys
from blend.eval.models.server import open_server
try:
    open_server("m", sys.argv[1]).generate([f"item {number}" for number in range(100)])
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_a_pause_can_be_interrupted():
    with faulty(quota(10, 3600, **{"Retry-After": "100"})) as server:
        process = subprocess.Popen([sys.executable, "-c", ASKING, server.url])
        while not server.refused:
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
    assert server.answered.total() == 10
