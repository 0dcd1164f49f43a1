"""The chat judge against a real server over HTTP: verdicts, their record, and everything that can go wrong."""

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from blend.builders.judges import make_judges
from blend.builders.judges.chat import MAX_UNDECIDED, ChatJudge
from blend.builders.judges.equivalence import Verdict
from blend.builders.mcq import build_mcq
from blend.loaders.responses.decisions import Decision, append_decisions, read_decisions
from blend.loaders.upstream.blend import BlendTables
from blend.schemas.errors import BlendError
from blend.schemas.recipe import JudgeOptions, McqOptions

pytestmark = pytest.mark.integration

SECRET = "sk-this-key-is-secret"
DROP = "drop the connection"
AGAIN = "run again: the verdicts that came are kept and not asked again"
UNREACHABLE = f"start the server or correct base_url, then {AGAIN}"
SAME = {frozenset({"football", "soccer"}), frozenset({"apple", "fruit"})}


@dataclass
class Reply:
    """One HTTP reply; as content a chat completion holds it."""

    content: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None

    def body(self) -> bytes:
        if self.raw is not None:
            return self.raw
        if self.status != 200:
            return json.dumps({"error": self.content}).encode()
        message = {"role": "assistant", "content": self.content}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        completion = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
        return json.dumps(completion).encode()


def answers_in(body: dict[str, Any]) -> tuple[str, str]:
    asked = json.loads(body["messages"][1]["content"])
    return asked["answer 1"], asked["answer 2"]


def sensible(body: dict[str, Any]) -> Reply:
    """What a good model says."""
    verdict = "same" if frozenset(answers_in(body)) in SAME else "different"
    return Reply(json.dumps({"verdict": verdict, "reason": f"they are {verdict}"}))


class Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        # Clients that are killed or lose patience hang up in the middle.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class Chat:
    """A chat server whose next replies can be scripted; afterwards it is sensible."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.script: list[Reply | str] = []
        self.say: Callable[[dict[str, Any]], Reply] = sensible
        self._lock = threading.Lock()
        chat = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                reply = chat.reply(self.path, body, self.headers["Authorization"])
                if isinstance(reply, str):
                    self.close_connection = True
                    return
                content = reply.body()
                self.send_response(reply.status)
                headers = {"Content-Type": "application/json", **reply.headers}
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def reply(self, path: str, body: dict[str, Any], key: str | None) -> Reply | str:
        with self._lock:
            assert path == "/v1/chat/completions"
            self.requests.append(body)
            self.keys.append(key)
            if self.script:
                return self.script.pop(0)
        return self.say(body)


@contextmanager
def served() -> Iterator[Chat]:
    chat = Chat()
    thread = threading.Thread(target=chat.server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield chat
    finally:
        chat.server.shutdown()
        thread.join()
        chat.server.server_close()


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[Chat]:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with served() as chat:
        yield chat


def judge_at(url: str, kept: list[Decision] | None = None, **options: Any) -> ChatJudge:
    record = (lambda _: None) if kept is None else kept.extend
    options = {"model": "m1", "timeout_s": 5.0, "today": lambda: date(2026, 11, 30), **options}
    return ChatJudge(record=record, base_url=url, **options)


def test_a_verdict_is_the_models_and_is_recorded(chat: Chat):
    kept: list[Decision] = []
    verdicts = judge_at(chat.url, kept).verdicts([("soccer", "football"), ("apple", "pear")])
    assert verdicts == [Verdict(True, "chat:m1"), Verdict(False, "chat:m1")]
    common = {"who": "chat:m1", "when": date(2026, 11, 30)}
    assert sorted(kept, key=lambda decision: decision.answer_a) == [
        Decision(answer_a="apple", answer_b="pear", verdict="different", why="they are different", **common),
        Decision(answer_a="football", answer_b="soccer", verdict="same", why="they are same", **common),
    ]


def test_what_is_sent(chat: Chat):
    judge_at(chat.url).verdicts([("soccer", " foot\nball ")])
    [body] = chat.requests
    assert set(body) == {"model", "messages", "temperature"}
    assert (body["model"], body["temperature"]) == ("m1", 0)
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert answers_in(body) == ("foot ball", "soccer")
    assert chat.keys == [f"Bearer {SECRET}"]


def test_each_pair_is_asked_once_whatever_its_order_and_case(chat: Chat):
    judge = judge_at(chat.url)
    first = judge.verdicts([("soccer", "football"), ("Football", "soccer"), ("soccer", "football")])
    second = judge.verdicts([("SOCCER", "football"), ("rice", "Rice")])
    assert [verdict.same for verdict in [*first, *second] if verdict] == [True] * 5
    assert len(chat.requests) == 1


def test_no_pair_no_request(chat: Chat):
    assert judge_at(chat.url).verdicts([]) == []
    assert chat.requests == []


def test_requests_go_side_by_side_up_to_the_limit(chat: Chat):
    # Three wait for each other: they pass only if three are under way; a fourth would break the barrier.
    together = threading.Barrier(3)
    under_way: list[int] = []

    def say(body: dict[str, Any]) -> Reply:
        under_way.append(together.wait(timeout=30))
        return sensible(body)

    chat.say = say
    judge_at(chat.url, concurrency=3, timeout_s=40.0).verdicts([(f"a{i}", f"b{i}") for i in range(9)])
    assert len(under_way) == 9


@pytest.mark.parametrize(
    "fault",
    [
        Reply({"message": "slow down"}, 429, {"Retry-After": "0.01"}),
        Reply({"message": "slow down"}, 429, {"retry-after-ms": "10"}),
        Reply({"message": "oops"}, 500, {"retry-after-ms": "10"}),
        Reply({"message": "restarting"}, 503, {"retry-after-ms": "10"}),
        DROP,
    ],
    ids=["429", "429-ms", "500", "503", "dropped"],
)
def test_what_the_server_cannot_serve_is_repeated(chat: Chat, fault: Reply | str):
    kept: list[Decision] = []
    chat.script = [fault, fault]
    assert judge_at(chat.url, kept).verdicts([("soccer", "football")]) == [Verdict(True, "chat:m1")]
    assert len(chat.requests) == 3
    assert len(kept) == 1


def test_the_servers_pause_is_kept(chat: Chat):
    chat.script = [Reply({"message": "slow down"}, 429, {"Retry-After": "1"})]
    started = time.monotonic()
    judge_at(chat.url).verdicts([("soccer", "football")])
    assert time.monotonic() - started >= 1


MALFORMED = [
    Reply("They mean the same."),
    Reply('{"verdict": "perhaps"}'),
    Reply('{"verdict": "same", "verdict": "different"}'),
    Reply(""),
    Reply(None),
    Reply(raw=b'{"choices": []}'),
    Reply(raw=b"[]"),
    Reply(raw=b'{"choices": [{"mess'),
    Reply(raw=b'{"choices": "\xff"}'),
    Reply(raw=b"<html>hello</html>", headers={"Content-Type": "text/html"}),
]


@pytest.mark.parametrize("reply", MALFORMED, ids=lambda reply: repr(reply.content or reply.raw))
def test_a_reply_without_verdict_is_asked_again(chat: Chat, reply: Reply):
    chat.script = [reply, reply]
    assert judge_at(chat.url).verdicts([("soccer", "football")]) == [Verdict(True, "chat:m1")]
    first, second, third = chat.requests
    assert [message["role"] for message in first["messages"]] == ["system", "user"]
    assert [message["role"] for message in second["messages"]] == ["system", "user", "assistant", "user"]
    assert second == third


def test_a_pair_without_verdict_is_an_error_after_all_others_are_decided(chat: Chat):
    chat.say = lambda body: Reply("It depends.") if "gin" in answers_in(body) else sensible(body)
    kept: list[Decision] = []
    pairs = [("gin", "schnapps"), ("soccer", "football"), ("tonic", "gin"), ("apple", "fruit")]
    with pytest.raises(BlendError) as caught:
        judge_at(chat.url, kept, concurrency=1).verdicts(pairs)
    assert str(caught.value) == (
        "chat:m1: no verdict on 'gin' and 'schnapps' in 3 tries, the last reply was 'It depends.'; "
        "decide the pair yourself in the file of decisions, or choose another model\n"
        "chat:m1: no verdict on 'gin' and 'tonic' in 3 tries, the last reply was 'It depends.'; "
        "decide the pair yourself in the file of decisions, or choose another model"
    )
    assert len(kept) == 2


def test_a_model_that_never_gives_a_verdict_is_not_asked_forever(chat: Chat):
    chat.say = lambda _: Reply("Hello! How can I help you?")
    with pytest.raises(BlendError) as caught:
        judge_at(chat.url, concurrency=1).verdicts([(f"a{i}", f"b{i}") for i in range(100)])
    assert len(str(caught.value).splitlines()) == MAX_UNDECIDED
    assert len(chat.requests) == 3 * MAX_UNDECIDED


def test_a_model_that_takes_no_temperature_is_asked_without(chat: Chat):
    refusal = {"message": "Unsupported value: 'temperature'", "param": "temperature", "code": "unsupported"}
    chat.say = lambda body: Reply(refusal, 400) if "temperature" in body else sensible(body)
    judge = judge_at(chat.url)
    assert judge.verdicts([("soccer", "football")]) == [Verdict(True, "chat:m1")]
    judge.verdicts([("apple", "fruit")])
    assert ["temperature" in body for body in chat.requests] == [True, False, False]


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (
            Reply({"message": f"Incorrect API key provided: {SECRET}"}, 401),
            "the server refuses the API key (HTTP 401); correct OPENAI_API_KEY",
        ),
        (
            Reply({"message": f"no model m1 for {SECRET}"}, 404),
            "HTTP 404, 'no model m1 for …'; correct model or base_url",
        ),
        (
            Reply({"message": "You exceeded your quota"}, 429),
            f"HTTP 429, 'You exceeded your quota'; {AGAIN}",
        ),
        (
            Reply(status=502, raw=b"<html>Bad Gateway</html>", headers={"Content-Type": "text/html"}),
            f"HTTP 502, '<html>Bad Gateway</html>'; {AGAIN}",
        ),
        (
            DROP,
            f"no connection, or it broke; {UNREACHABLE}",
        ),
    ],
    ids=["401", "404", "429", "502", "dropped"],
)
def test_a_server_that_cannot_be_asked_is_an_error(chat: Chat, fault: Reply | str, message: str):
    kept: list[Decision] = []
    judge = judge_at(chat.url, kept, retries=0, concurrency=1)
    judge.verdicts([("apple", "fruit")])
    chat.script = [fault]
    with pytest.raises(BlendError) as caught:
        judge.verdicts([("soccer", "football"), ("apple", "pear")])
    assert str(caught.value) == f"chat:m1 at {chat.url}: {message}"
    assert [decision.answer_a for decision in kept] == ["apple"]


def test_no_server_at_all(monkeypatch: pytest.MonkeyPatch):
    with served() as gone:
        url = gone.url.replace("http://", "http://user:password@")
    with pytest.raises(BlendError) as caught:
        judge_at(url, retries=0).verdicts([("soccer", "football")])
    assert str(caught.value) == (f"chat:m1 at {gone.url}: no connection, or it broke; {UNREACHABLE}")


def test_a_server_that_keeps_silent(chat: Chat):
    held = threading.Event()

    def say(body: dict[str, Any]) -> Reply:
        held.wait()
        return sensible(body)

    chat.say = say
    with pytest.raises(BlendError) as caught:
        judge_at(chat.url, retries=0, timeout_s=0.1).verdicts([("soccer", "football")])
    held.set()
    assert str(caught.value) == (f"chat:m1 at {chat.url}: the server does not answer in time; {AGAIN}")


def test_a_server_of_ones_own_needs_no_key(chat: Chat, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    assert judge_at(chat.url).verdicts([("soccer", "football")]) == [Verdict(True, "chat:m1")]


def test_the_address_may_come_from_the_environment(chat: Chat, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_BASE_URL", chat.url)
    judge = ChatJudge("m1", record=lambda _: None)
    assert judge.verdicts([("soccer", "football")]) == [Verdict(True, "chat:m1")]


def test_without_key_and_address_nothing_is_sent(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(BlendError) as caught:
        ChatJudge("m1", record=lambda _: None).verdicts([("soccer", "football")])
    assert str(caught.value) == (
        "chat:m1: there is no API key; set OPENAI_API_KEY in the environment, "
        "or give base_url, the address of a server that needs none"
    )


def test_an_error_while_recording_stops_the_asking(chat: Chat, tmp_path: Path):
    folder = tmp_path / "decisions.tsv"
    folder.mkdir()
    judge = ChatJudge("m1", record=partial(append_decisions, folder), base_url=chat.url, concurrency=1)
    with pytest.raises(IsADirectoryError):
        judge.verdicts([(f"a{i}", f"b{i}") for i in range(20)])
    assert len(chat.requests) == 1


PAIRS = [("soccer", "football"), ("apple", "fruit"), ("apple", "pear"), ("Football", "basketball")]


def test_a_second_run_asks_nothing_and_decides_the_same(chat: Chat, tmp_path: Path):
    path = tmp_path / "decisions.tsv"
    options = JudgeOptions(kind="chat", model="m1", base_url=chat.url, decisions=str(path))

    def run() -> list[Verdict | None]:
        decisions = read_decisions(path, missing_ok=True)
        judges = make_judges(options, decisions=decisions, record=partial(append_decisions, path))
        decided: dict[tuple[str, str], Verdict] = {}
        for judge in judges:
            open_pairs = [pair for pair in PAIRS if pair not in decided]
            verdicts = zip(open_pairs, judge.verdicts(open_pairs), strict=True)
            decided.update({pair: verdict for pair, verdict in verdicts if verdict is not None})
        return [decided.get(pair) for pair in PAIRS]

    first = run()
    content, asked = path.read_bytes(), len(chat.requests)
    assert run() == first
    assert [verdict.same for verdict in first if verdict] == [True, True, False, False]
    assert len(chat.requests) == asked == 4
    assert path.read_bytes() == content
    assert SECRET.encode() not in content


def test_a_rebuild_of_real_questions_asks_nothing_and_makes_the_same(
    chat: Chat, tmp_path: Path, clean_tables: BlendTables
):
    path = tmp_path / "decisions.tsv"
    options = JudgeOptions(kind="chat", model="m1", base_url=chat.url, decisions=str(path))
    templates = clean_tables.annotations["template_id"].unique().sort()[::50]
    annotations = clean_tables.annotations.filter(pl.col("template_id").is_in(templates.implode()))

    def build() -> list[pl.DataFrame]:
        decisions = read_decisions(path, missing_ok=True)
        judges = make_judges(options, decisions=decisions, record=partial(append_decisions, path))
        built = build_mcq(clean_tables.questions, annotations, options=McqOptions(), seed=0, judges=judges)
        return [*built.core(), built.deciders, built.dropped, built.summary]

    # The server breaks down in the middle; the next build asks what is missing only.
    chat.say = lambda body: sensible(body) if len(chat.requests) <= 500 else Reply({"message": "no"}, 400)
    with pytest.raises(BlendError, match="HTTP 400, 'no'"):
        build()
    kept = len(read_decisions(path))
    assert 500 - 16 <= kept <= 500
    chat.requests.clear()
    chat.say = sensible
    first = build()
    assert len(read_decisions(path)) == kept + len(chat.requests)
    assert len(chat.requests) > 500
    chat.requests.clear()
    for again, before in zip(build(), first, strict=True):
        assert_frame_equal(again, before)
    assert chat.requests == []
    assert "chat:m1" in first[-3]["judge"].to_list()


ASKING = """
import signal, sys
from functools import partial
from pathlib import Path
from blend.builders.judges.chat import ChatJudge
from blend.loaders.responses.decisions import append_decisions
record = partial(append_decisions, Path(sys.argv[2]))
judge = ChatJudge("m1", record=record, base_url=sys.argv[1], concurrency=2)
try:
    judge.verdicts([(f"a{i}", f"b{i}") for i in range(20)])
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize(
    ("signal_number", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)], ids=["kill", "ctrl-c"]
)
def test_a_run_that_is_stopped_keeps_every_verdict_it_got(
    chat: Chat, tmp_path: Path, signal_number: int, code: int
):
    path = tmp_path / "decisions.tsv"
    stuck, held = threading.Semaphore(0), threading.Event()
    served_first = iter(range(6))

    def say(body: dict[str, Any]) -> Reply:
        if next(served_first, None) is None:
            stuck.release()
            held.wait()
        return sensible(body)

    chat.say = say
    process = subprocess.Popen([sys.executable, "-c", ASKING, chat.url, str(path)])
    # Both lanes wait for a reply now, so the six verdicts before have been recorded.
    stuck.acquire()
    stuck.acquire()
    process.send_signal(signal_number)
    assert process.wait() == code
    held.set()
    got = read_decisions(path)
    assert len(got) == 6
    chat.requests.clear()
    rest = {(f"a{i}", f"b{i}") for i in range(20)} - {(row.answer_a, row.answer_b) for row in got}
    judge = ChatJudge("m1", record=partial(append_decisions, path), base_url=chat.url)
    judge.verdicts(sorted(rest))
    assert len(chat.requests) == 14
    assert len(read_decisions(path)) == 20
