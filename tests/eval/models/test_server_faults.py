"""Servers that refuse, break off or keep silent: no answer lost, none doubled, no wrong one kept, no hang."""

import json
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blend.eval.models import Decoding, ModelDescription, StopAsking
from blend.eval.models.server import TRIES, open_server
from blend.eval.runs.ask_model import ask_model
from blend.eval.runs.run_directory import open_run
from blend.loaders import servers
from blend.schemas.errors import ServerError
from helpers.kill_points import asked
from helpers.models.http_server import DROP, HttpServer, Reply, Request
from helpers.models.model_servers import prompt_of, refusing, saying
from helpers.tiers import rest_nightly

pytestmark = [pytest.mark.integration]

KEY = "sk-secret"
N_ITEMS = 60
ASKED = ModelDescription(backend="server", id="m", chat=True, delimiter=" ")

MUTE = "keep silent"
"""Fault that lasts until the server is mended."""

Fault = Callable[["FaultyServer", str, int], Reply | str | None]
"""What becomes of a request, by its prompt and how often that was asked before; null for its answer."""


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


class FaultyServer(HttpServer):
    """Answers each prompt with itself, unless a fault says otherwise, and counts what reaches it."""

    def __init__(self, fault: Fault = lambda *_: None) -> None:
        super().__init__()
        self._fault = fault
        self._lock = threading.Lock()
        self._draw = random.Random(0)
        self._mended = threading.Event()
        self.under_way = 0
        """Requests that are being answered."""
        self.asked: Counter[str] = Counter()
        """How often each prompt came."""
        self.answered: Counter[str] = Counter()
        """How often it was answered."""
        self.refused = 0
        """Requests that met the fault."""

    def mend(self) -> None:
        """From now on there is no fault."""
        self._fault = lambda *_: None
        self._mended.set()

    def reply(self, request: Request) -> Reply | str:
        """The prompt itself after a drawn while, or the fault."""
        prompt = prompt_of(request.json())
        with self._lock:
            fault = self._fault(self, prompt, self.asked[prompt])
            self.asked[prompt] += 1
            self.refused += fault is not None
            self.under_way += 1
            delay_s = self._draw.uniform(0.005, 0.05) if fault is None else 0.0
        if fault == MUTE:
            self._mended.wait()
            return DROP
        # So replies come in another order than requests.
        time.sleep(delay_s)
        with self._lock:
            self.under_way -= 1
            self.answered[prompt] += fault is None
        return saying(prompt) if fault is None else fault


def crowded(most: int) -> Fault:
    """Refuses what comes while so many requests are under way."""
    return lambda server, _, __: refusing() if server.under_way >= most else None


def quota(most: int, window_s: float, **headers: str) -> Fault:
    """Refuses what comes after so many requests in a window of time."""
    served: list[float] = []

    def fault(*_: object) -> Reply | None:
        now_s = time.monotonic()
        if len([at_s for at_s in served if at_s > now_s - window_s]) >= most:
            return refusing(**headers)
        served.append(now_s)
        return None

    return fault


def at_first(fault: Reply | str, n_times: int, share: int = 3) -> Fault:
    """Has a share of the prompts meet a fault so many times before they are answered."""
    return lambda _, prompt, n: fault if int(prompt.split()[-1]) % share == 0 and n < n_times else None


def always(fault: Reply | str, share: int = 3) -> Fault:
    """Has a share of the prompts meet a fault however often they are asked."""
    return at_first(fault, 10**9, share)


def from_item(first: int, fault: Reply) -> Fault:
    """Has all prompts from one on meet a fault."""
    return lambda _, prompt, __: fault if int(prompt.split()[-1]) >= first else None


def far_too_long(_: FaultyServer, prompt: str, __: int) -> Reply | None:
    return saying(prompt + "x" * (16 << 20)) if int(prompt.rsplit(maxsplit=1)[-1]) % 20 == 0 else None


SOON = {"retry-after-ms": "10"}
OTHER_HALF = Reply(raw=b'{"choices": [{"mess')
HTML = Reply(raw=b"<html>", headers={"Content-Type": "text/html"})
# What a server says may quote the key.
TELLING = Reply({"error": {"message": f"{KEY}!"}}, 500, SOON)
GATEWAY = Reply(raw=b"<html>Bad Gateway</html>", status=502, headers={"Content-Type": "text/html", **SOON})
A_PICTURE = Reply({"choices": [{"message": {"content": [{"type": "image_url", "image_url": "x"}]}}]})

ONE_AT_A_TIME = {"concurrency": 1, "retries": 1}
AGAIN = "run again: the answers that came are kept and not asked again"
SILENCE = f"the server does not answer in time; {AGAIN}"
NOT_OURS = "; if others are like it, correct `server`"
TOO_LONG = "if the request is too long, serve the model with a longer context, else correct model or `server`"
NOT_JSON = "the reply is not JSON, or half of it is missing"
TOO_DEEP = "maximum recursion depth exceeded while decoding a JSON array from a unicode string"
NOT_OPENAI = "the reply is not one of an OpenAI-compatible server: '<html>'"
PICTURE = "{'type': 'image_url', 'image_url': 'x'}"
SILENT = "{'index': 0, 'message': {'role': 'assistant', 'content': None}, 'finish_reason': 'stop'}"
NEW_RUN = "serve the first one again to go on, or start a new run"
IN_A_ROW = "10 items in a row got no answer, the last because"

MENDED: dict[str, tuple[Fault, dict[str, Any]]] = {
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
    "HTML at first": (at_first(HTML, TRIES - 1), {}),
    "no choices at first": (at_first(Reply({"choices": []}), TRIES - 1), {}),
    "aborted at first": (at_first(saying("Half", "abort"), TRIES - 1), {}),
    "16 MiB": (far_too_long, {}),
}
"""Behind these, every item is answered in the end."""
FAILING: dict[str, tuple[Reply, str]] = {
    "refused": (refusing(400), f"HTTP 400, '400 for you'; {TOO_LONG}"),
    "too large": (refusing(413), f"HTTP 413, '413 for you'; {TOO_LONG}"),
    "not understood": (refusing(422), f"HTTP 422, '422 for you'; {TOO_LONG}"),
    "fails": (TELLING, f"HTTP 500, '…!'; {AGAIN}"),
    "a bad gateway": (GATEWAY, f"HTTP 502, '<html>Bad Gateway</html>'; {AGAIN}"),
    "half a body": (
        OTHER_HALF,
        f"{NOT_JSON} (Unterminated string starting at: line 1 column 15 (char 14)){NOT_OURS}",
    ),
    "nested deeply": (Reply(raw=b"[" * 100_000), f"{NOT_JSON} ({TOO_DEEP}){NOT_OURS}"),
    "HTML": (HTML, f"{NOT_OPENAI}{NOT_OURS}"),
    "no choices": (Reply({"choices": []}), f"the reply holds 0 answers instead of 1{NOT_OURS}"),
    "no text": (saying(None), f'the reply holds no text: "{SILENT}"{NOT_OURS}'),
    "a picture": (A_PICTURE, f'the reply holds a part that is no text: "{PICTURE}"{NOT_OURS}'),
    "aborted": (saying("Half", "abort"), f"the server ended the answer with finish_reason 'abort'{NOT_OURS}"),
}
"""Of these, the items that meet them fail alone."""
STOPPING: dict[str, tuple[Reply, str]] = {
    "another name": (
        saying("another model's", model="else"),
        f"the server now answers as 'else' and no longer as 'm', so its model has changed; {NEW_RUN}",
    ),
    "no key": (refusing(401), "the server refuses the API key (HTTP 401); correct OPENAI_API_KEY"),
    "no such model": (
        refusing(404),
        "HTTP 404 at /v1/chat/completions, '404 for you'; correct model or `server`",
    ),
    # To another host nothing is sent, and its password is not told.
    "a redirect": (
        refusing(302, Location="http://me:s3cret@localhost:1/v1"),
        "HTTP 302, it sends on to 'http://localhost:1/v1'; name that server by `server` if you trust it",
    ),
    "HTML for all": (HTML, f"{IN_A_ROW} {NOT_OPENAI}{NOT_OURS}"),
    "hours of rest": (refusing(429, **{"Retry-After": "3600"}), f"{IN_A_ROW} HTTP 429, '429 for you'; {AGAIN}"),
}
"""These stop the asking, from an item in the middle on."""
FAULTS: dict[str, tuple[Fault, dict[str, Any], str | None]] = {
    **{name: (fault, options, None) for name, (fault, options) in MENDED.items()},
    **{name: (always(reply), ONE_AT_A_TIME, said) for name, (reply, said) in FAILING.items()},
    "mute": (always(MUTE, 20), {"timeout_s": 1.0, "retries": 0}, SILENCE),
    "refuses all": (from_item(0, refusing(400)), {}, f"HTTP 400, '400 for you'; {TOO_LONG}"),
    **{
        name: (from_item(20, reply), ONE_AT_A_TIME, f"model m at URL: {said}")
        for name, (reply, said) in STOPPING.items()
    },
}
"""Faults, how the server is asked, and what is said; nothing where all is answered."""


def ask(out: Path, server: FaultyServer, **options: Any) -> str | None:
    """Ask what has no answer yet; returns what is said of the first item that fails, or of why all stops."""
    model = open_server("m", server.url, **options)
    run = open_run(out, asked(n_items=N_ITEMS), ASKED, Decoding())
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
        assert one["text"].removeprefix(prompt).strip("x") == ""
    return [one["item_id"] for one in answers]


@pytest.mark.parametrize(
    "fault", rest_nightly(FAULTS, "429 at first", "half a body", "another name", "a redirect")
)
def test_no_fault_loses_doubles_or_spoils_an_answer(fault: str, tmp_path: Path):
    how, options, message = FAULTS[fault]
    started = time.monotonic()
    with FaultyServer(how).serving() as server:
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


def test_a_mute_server_is_told_and_not_waited_for_forever(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(servers, "SILENCE_S", 0.2)
    with FaultyServer(lambda _, prompt, __: MUTE if prompt == "item 1" else None).serving() as server:
        model = open_server("m", server.url, timeout_s=1.0, retries=0)
        first, second = model.generate(["item 0", "item 1"])
        server.mend()
    assert (first.text, second.error) == ("item 0", SILENCE)
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

    with FaultyServer().serving() as server:
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
    with FaultyServer(quota(10, 3600, **{"Retry-After": "100"})).serving() as server:
        process = subprocess.Popen([sys.executable, "-c", ASKING, server.url])
        while not server.refused:
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
    assert server.answered.total() == 10
