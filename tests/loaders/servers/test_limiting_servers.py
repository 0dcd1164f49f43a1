"""Servers over HTTP that refuse, tell their limits, or are slow: none lost, doubled or sent in a pause."""

import signal
import socket
import subprocess
import sys
import time
from itertools import pairwise
from typing import Any

import pytest

from blend.eval.models.protocols import Decoding, Generation
from blend.eval.models.server import open_server
from blend.eval.models.server_items import MAX_FAILURES
from blend.loaders import servers
from blend.loaders.servers import paced_client
from blend.schemas.errors import ServerError
from helpers.models.limiting_server import LimitingServer, Limits, limiting

pytestmark = [pytest.mark.integration, pytest.mark.nightly]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def ask(server: LimitingServer, n_items: int, **options: Any) -> list[Generation]:
    """Ask about all items, and check that each has its own answer, which the server gave once."""
    model = open_server("m", server.url, decoding=Decoding(max_tokens=500), **options)
    kept: list[int] = []
    prompts = [f"item {number}" for number in range(n_items)]
    answers = model.generate(prompts, keep=lambda positions, _: kept.extend(positions))
    assert [answer.text for answer in answers] == prompts
    assert sorted(kept) == list(range(n_items))
    assert server.seen.answered == dict.fromkeys(prompts, 1)
    return list(answers)


@pytest.mark.parametrize(
    ("limits", "most_refused"),
    [
        # Fewer than these in simulated time (test_pace.py); a busy machine adds some.
        (Limits(at_a_time=6, retry_after="0.2"), 50),
        (Limits(at_a_time=6), 50),
        (Limits(per_window=40, window_s=0.5, tells=True), 50),
        (Limits(workers=4), 0),
    ],
    ids=["refuses", "refuses without a pause", "tells", "slow"],
)
def test_each_item_is_answered_once_and_little_refused(limits: Limits, most_refused: int):
    with limiting(limits) as server:
        ask(server, 200)
        assert len(server.seen.refused_s) <= most_refused


def test_a_pause_is_for_all_that_wait():
    with limiting(Limits(per_window=20, window_s=2, retry_after="2", service_s=0.01)) as server:
        ask(server, 40)
    seen = server.seen
    first = seen.refused_s[0]
    # What was under way when the refusal came is not taken back; it arrives soon.
    assert not [time_s for time_s in seen.arrived_s if first + 1 < time_s < first + 2]


def test_requests_and_tokens_a_minute_are_kept():
    for options, apart_s in (({"rpm": 400}, 0.15), ({"tpm": 200_000}, 0.15)):
        with limiting(Limits(service_s=0.01)) as server:
            ask(server, 20, **options)
        # The first tokens are estimated, and what is late may hurry a little.
        times = server.seen.arrived_s[8:]
        assert times[-1] - times[0] >= 0.6 * apart_s * len(list(pairwise(times)))


def test_a_server_that_wants_hours_of_rest_is_not_waited_for():
    with limiting(Limits(per_window=3, window_s=3600, retry_after="3600")) as server:
        model = open_server("m", server.url, concurrency=1, retries=0)
        with pytest.raises(ServerError) as caught:
            model.generate(["Hi"] * 100)
    assert str(caught.value) == (
        f"model m at {server.url}: 10 items in a row got no answer, the last because HTTP 429, 'slow down'; "
        "run again: the answers that came are kept and not asked again"
    )
    assert len(server.seen.refused_s) == MAX_FAILURES


def test_a_server_behind_a_firewall_that_drops_connections_is_not_waited_for_item_by_item(
    monkeypatch: pytest.MonkeyPatch,
):
    sent: list[bool] = []
    send = paced_client.DefaultAsyncHttpxClient.send

    async def counted(self: Any, *request: Any, **options: Any) -> Any:
        sent.append(True)
        return await send(self, *request, **options)

    monkeypatch.setattr(paced_client.DefaultAsyncHttpxClient, "send", counted)
    monkeypatch.setattr(servers, "_CONNECT_S", 0.2)
    monkeypatch.setattr(paced_client, "_UNREACHED_S", 0.0)
    # The kernel answers nobody else while one connection waits to be accepted, as if nothing had come.
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        address = full.getsockname()
        with socket.create_connection(address), pytest.raises(ServerError) as caught:
            open_server("m", f"http://127.0.0.1:{address[1]}/v1", retries=1).generate(["Hi"] * 100)
    assert str(caught.value).startswith(
        f"model m at http://127.0.0.1:{address[1]}/v1: 10 items in a row got no answer, the last because no "
        "connection, or it broke; start the server or correct `server`"
    )
    # The first ones, side by side.
    assert len(sent) < MAX_FAILURES


ASKING = """
import sys
from blend.eval.models.server import open_server
try:
    open_server("m", sys.argv[1]).generate([str(number) for number in range(100)])
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_a_pause_can_be_interrupted():
    with limiting(Limits(per_window=10, window_s=3600, retry_after="100", service_s=0.01)) as server:
        process = subprocess.Popen([sys.executable, "-c", ASKING, server.url])
        while not server.seen.refused_s:
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
    assert sum(server.seen.answered.values()) == 10
