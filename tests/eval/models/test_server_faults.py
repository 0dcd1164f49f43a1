"""Servers that refuse, break off or keep silent: no answer lost, none doubled, no wrong one kept, no hang."""

import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from blend.eval.models.protocols import Decoding, ModelDescription, StopAsking
from blend.eval.models.server import TRIES, open_server
from blend.eval.runs.ask_model import ask_model
from blend.eval.runs.run_directory import opened
from blend.loaders import servers
from blend.schemas.errors import ServerError
from helpers.kill_points import asked
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
from helpers.tiers import rest_nightly

pytestmark = [pytest.mark.integration]

SOON = {"retry-after-ms": "10"}
OTHER_HALF = Reply(raw=b'{"choices": [{"mess')


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


N_ITEMS = 60
ASKED = ModelDescription(backend="server", id="m", chat=True, delimiter=" ")

HTML = Reply(raw=b"<html>", headers={"Content-Type": "text/html"})
OTHER_NAME = saying("another model's", model="else")
A_PICTURE = Reply({"choices": [{"message": {"content": [{"type": "image_url", "image_url": "x"}]}}]})


def from_item(first: int, fault: Reply) -> Fault:
    return lambda _, prompt, __: fault if int(prompt.split()[-1]) >= first else None


def far_too_long(_: FaultyServer, prompt: str, __: int) -> Reply | None:
    return saying(prompt + "x" * (16 << 20)) if int(prompt.rsplit(maxsplit=1)[-1]) % 20 == 0 else None


ONE = {"concurrency": 1}
FAULTS: dict[str, tuple[Fault, dict[str, Any], str | None]] = {
    # Behind these, every item is answered in the end.
    "twelve at a time": (crowded(12), {}, None),
    "far fewer at a time than asked": (crowded(3), {"concurrency": 64}, None),
    "forty a second": (quota(40, 1.0), {}, None),
    "forty a second, and says when": (quota(40, 1.0, **{"Retry-After": "0.5"}), {"concurrency": 64}, None),
    "429 at first": (at_first(refusing(429, **SOON), 4), {}, None),
    "503 at first": (at_first(refusing(503, **SOON), 4), {}, None),
    "busy for longer than requests are repeated": (at_first(refusing(503, **SOON), 9), {}, None),
    "500 at first": (at_first(refusing(500, **SOON), 4), {}, None),
    "dropped at first": (at_first(DROP, 1, share=20), {}, None),
    "not JSON at first": (at_first(OTHER_HALF, TRIES - 1), {}, None),
    "HTML at first": (at_first(HTML, TRIES - 1), {}, None),
    "no choices at first": (at_first(Reply({"choices": []}), TRIES - 1), {}, None),
    "aborted at first": (at_first(saying("Half", "abort"), TRIES - 1), {}, None),
    "16 MiB": (far_too_long, {}, None),
    # Of these, the items that meet them fail alone.
    "refused": (always(refusing(400)), {}, "HTTP 400"),
    "too large": (always(refusing(413)), {}, "HTTP 413"),
    "not understood": (always(refusing(422)), {}, "HTTP 422"),
    "fails": (always(refusing(500, **SOON)), {"retries": 1}, "HTTP 500"),
    "a bad gateway": (always(refusing(502, **SOON)), {"retries": 1}, "HTTP 502"),
    "half a body": (always(OTHER_HALF), ONE, "the reply is not JSON"),
    "nested deeply": (always(Reply(raw=b"[" * 100_000)), ONE, "the reply is not JSON"),
    "HTML": (always(HTML), ONE, "the reply is not one of an OpenAI-compatible server"),
    "no choices": (always(Reply({"choices": []})), ONE, "the reply holds 0 answers"),
    "no text": (always(saying(None)), ONE, "the reply holds no text"),
    "a picture": (always(A_PICTURE), ONE, "the reply holds a part that is no text"),
    "aborted": (always(saying("Half", "abort")), ONE, "the server ended the answer with"),
    "mute": (always(MUTE, 20), {"timeout_s": 1.0, "retries": 0}, "the server does not answer in time"),
    "refuses all": (from_item(0, refusing(400)), {}, "HTTP 400"),
    # These stop the asking.
    "another name": (from_item(20, OTHER_NAME), ONE, "the server now answers as 'else'"),
    "no key": (from_item(20, refusing(401)), ONE, "HTTP 401"),
    "no such model": (from_item(20, refusing(404)), ONE, "HTTP 404"),
    "a redirect": (from_item(20, refusing(302, Location="http://localhost:1/v1")), ONE, "HTTP 302"),
    "HTML for all": (from_item(20, HTML), ONE, "10 items in a row got no answer"),
    "hours of rest": (from_item(20, refusing(429, **{"Retry-After": "3600"})), ONE, "10 items in a row"),
}
"""Faults, how the server is asked, and part of what is said; nothing where all is answered."""


def ask(out: Path, server: FaultyServer, **options: Any) -> str | None:
    """Ask what has no answer yet; returns what is said of the first item that fails, or of why all stops."""
    model = open_server("m", server.url, **options)
    with opened(out, asked(n_items=N_ITEMS), ASKED, Decoding()) as run:
        try:
            return ask_model(run, model).first_error
        except ServerError as error:
            return str(error)


def answered(out: Path) -> list[str]:
    """The items that have an answer, each of them its own."""
    lines = (out / "answers" / "main.jsonl").read_text(encoding="utf-8").splitlines()
    answers = [line for line in map(json.loads, lines) if "error" not in line]
    for one in answers:
        prompt = f"prompt {one['item_id'][1:]}\n"
        assert one["text"].startswith(prompt)
        assert one["text"] == prompt or (one["finish_reason"], len(one["text"])) == ("length", 1 << 20)
    return [one["item_id"] for one in answers]


@pytest.mark.parametrize("fault", rest_nightly(FAULTS, "429 at first", "half a body", "another name"))
def test_no_fault_loses_doubles_or_spoils_an_answer(fault: str, tmp_path: Path):
    how, options, message = FAULTS[fault]
    started = time.monotonic()
    with faulty(how) as server:
        said = ask(tmp_path / "run", server, **options)
        assert server.refused
        assert said is None if message is None else message in str(said)
        answered(tmp_path / "run")
        server.mend()
        assert ask(tmp_path / "run", server) is None
        assert max(server.answered.values()) == 1
    assert sorted(answered(tmp_path / "run")) == sorted(f"i{number}" for number in range(N_ITEMS))
    assert time.monotonic() - started < 120


def test_there_are_as_many_faults_as_are_promised():
    assert len(FAULTS) == 34


@pytest.mark.nightly
def test_refused_prompts_in_front_of_others_fail_alone():
    # Refusals come back before the first answer does.
    with faulty(lambda _, prompt, __: refusing(400) if int(prompt.split()[-1]) < 25 else None) as server:
        answers = open_server("m", server.url).generate([f"item {number}" for number in range(60)])
    assert [bool(one.error) for one in answers] == [number < 25 for number in range(60)]


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
