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

KEY = "sk-secret"
SOON = {"retry-after-ms": "10"}
OTHER_HALF = Reply(raw=b'{"choices": [{"mess')


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


N_ITEMS = 60
ASKED = ModelDescription(backend="server", id="m", chat=True, delimiter=" ")

HTML = Reply(raw=b"<html>", headers={"Content-Type": "text/html"})
OTHER_NAME = saying("another model's", model="else")
# What a server says may quote the key.
TELLING = Reply({"error": {"message": f"{KEY}!"}}, 500, SOON)
GATEWAY = Reply(raw=b"<html>Bad Gateway</html>", status=502, headers={"Content-Type": "text/html", **SOON})
A_PICTURE = Reply({"choices": [{"message": {"content": [{"type": "image_url", "image_url": "x"}]}}]})


def from_item(first: int, fault: Reply) -> Fault:
    return lambda _, prompt, __: fault if int(prompt.split()[-1]) >= first else None


def far_too_long(_: FaultyServer, prompt: str, __: int) -> Reply | None:
    return saying(prompt + "x" * (16 << 20)) if int(prompt.rsplit(maxsplit=1)[-1]) % 20 == 0 else None


ONE = {"concurrency": 1}
AGAIN = "run again: the answers that came are kept and not asked again"
NOT_OURS = "; if others are like it, correct `server`"
TOO_LONG = "if the request is too long, serve the model with a longer context, else correct model or `server`"
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
    "refused": (always(refusing(400)), {}, f"HTTP 400, '400 for you'; {TOO_LONG}"),
    "too large": (always(refusing(413)), {}, f"HTTP 413, '413 for you'; {TOO_LONG}"),
    "not understood": (always(refusing(422)), {}, f"HTTP 422, '422 for you'; {TOO_LONG}"),
    "fails": (always(TELLING), ONE | {"retries": 1}, f"HTTP 500, '…!'; {AGAIN}"),
    "a bad gateway": (always(GATEWAY), ONE | {"retries": 1}, f"HTTP 502, '<html>Bad Gateway</html>'; {AGAIN}"),
    "half a body": (
        always(OTHER_HALF),
        ONE,
        (
            "the reply is not JSON, or half of it is missing "
            f"(Unterminated string starting at: line 1 column 15 (char 14)){NOT_OURS}"
        ),
    ),
    "nested deeply": (
        always(Reply(raw=b"[" * 100_000)),
        ONE,
        (
            "the reply is not JSON, or half of it is missing (maximum recursion depth exceeded while decoding "
            f"a JSON array from a unicode string){NOT_OURS}"
        ),
    ),
    "HTML": (always(HTML), ONE, f"the reply is not one of an OpenAI-compatible server: '<html>'{NOT_OURS}"),
    "no choices": (always(Reply({"choices": []})), ONE, f"the reply holds 0 answers instead of 1{NOT_OURS}"),
    "no text": (
        always(saying(None)),
        ONE,
        (
            "the reply holds no text: \"{'index': 0, 'message': {'role': 'assistant', 'content': None}, "
            f"'finish_reason': 'stop'}}\"{NOT_OURS}"
        ),
    ),
    "a picture": (
        always(A_PICTURE),
        ONE,
        f"the reply holds a part that is no text: \"{{'type': 'image_url', 'image_url': 'x'}}\"{NOT_OURS}",
    ),
    "aborted": (
        always(saying("Half", "abort")),
        ONE,
        f"the server ended the answer with finish_reason 'abort'{NOT_OURS}",
    ),
    "mute": (
        always(MUTE, 20),
        {"timeout_s": 1.0, "retries": 0},
        f"the server does not answer in time; {AGAIN}",
    ),
    "refuses all": (from_item(0, refusing(400)), {}, f"HTTP 400, '400 for you'; {TOO_LONG}"),
    # These stop the asking.
    "another name": (
        from_item(20, OTHER_NAME),
        ONE,
        (
            "model m at URL: the server now answers as 'else' and no longer as 'm', so its model has changed; "
            "serve the first one again to go on, or start a new run"
        ),
    ),
    "no key": (
        from_item(20, refusing(401)),
        ONE,
        "model m at URL: the server refuses the API key (HTTP 401); correct OPENAI_API_KEY",
    ),
    "no such model": (
        from_item(20, refusing(404)),
        ONE,
        "model m at URL: HTTP 404 at /v1/chat/completions, '404 for you'; correct model or `server`",
    ),
    # To another host nothing is sent, and its password is not told.
    "a redirect": (
        from_item(20, refusing(302, Location="http://me:s3cret@localhost:1/v1")),
        ONE,
        (
            "model m at URL: HTTP 302, it sends on to 'http://localhost:1/v1'; name that server by `server` if "
            "you trust it"
        ),
    ),
    "HTML for all": (
        from_item(20, HTML),
        ONE,
        (
            "model m at URL: 10 items in a row got no answer, the last because the reply is not one of an "
            f"OpenAI-compatible server: '<html>'{NOT_OURS}"
        ),
    ),
    "hours of rest": (
        from_item(20, refusing(429, **{"Retry-After": "3600"})),
        ONE,
        f"model m at URL: 10 items in a row got no answer, the last because HTTP 429, '429 for you'; {AGAIN}",
    ),
}
"""Faults, how the server is asked, and what is said; nothing where all is answered."""


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


@pytest.mark.parametrize(
    "fault", rest_nightly(FAULTS, "429 at first", "half a body", "another name", "a redirect")
)
def test_no_fault_loses_doubles_or_spoils_an_answer(fault: str, tmp_path: Path):
    how, options, message = FAULTS[fault]
    started = time.monotonic()
    with faulty(how) as server:
        said = ask(tmp_path / "run", server, **options)
        assert server.refused
        assert (said and said.replace(server.url, "URL")) == message
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
