"""Models on a server: the same answers as of the model itself, and everything that can go wrong on the way."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blend.eval.models import open_model
from blend.eval.models.protocols import Decoding, Generation
from blend.eval.models.server import ServerModel, open_server
from blend.eval.models.server_items import MAX_FAILURES
from blend.eval.models.server_replies import BadReplyError, read_text
from blend.schemas.errors import BlendError, InputError, ServerError
from helpers.models.chat_server import served as another_server
from helpers.models.http_server import DROP, Reply
from helpers.models.model_server import ModelServer, serving

pytestmark = pytest.mark.integration

SECRET = "sk-this-key-is-secret"
AGAIN = "run again: the answers that came are kept and not asked again"
PROMPTS = ["What do people eat?\nA. rice\nB. bread\nAnswer:", "ሰላም እንጀራ", "Which fruit?\nAnswer: "]
OPTIONS = [["A", "B"], ["ዳቦ", "እንጀራ በወጥ", "A"], ["mango", "mangosteen"]]


@pytest.fixture(scope="module")
def running(chat_model: Path) -> Iterator[ModelServer]:
    with serving(chat_model) as server:
        yield server


@pytest.fixture
def server(running: ModelServer, monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    running.reset()
    return running


def asked(server: ModelServer, **options: Any) -> ServerModel:
    # One try, one at a time, short texts.
    options = {"concurrency": 1, "retries": 0, "timeout_s": 60.0, "decoding": Decoding(max_tokens=5), **options}
    return open_server("tiny-chat", server.url, **options)


def test_options_score_as_by_the_model_itself(server: ModelServer, chat_model: Path):
    there = open_model("tiny-chat", server=server.url, asked_for="logprobs").option_logprobs(PROMPTS, OPTIONS)
    here = open_model(str(chat_model), device="cpu", chat=False).option_logprobs(PROMPTS, OPTIONS)
    np.testing.assert_allclose(there.logprobs, here.logprobs, rtol=0, atol=2e-4)
    for name in ("tokens", "n_bytes", "tokens_in", "errors"):
        np.testing.assert_array_equal(getattr(there, name), getattr(here, name))
    assert len(server.requests) == len(PROMPTS)


@pytest.mark.nightly
@pytest.mark.parametrize("chat", [True, False])
def test_texts_are_those_of_the_model_itself(server: ModelServer, chat_model: Path, chat: bool):
    decoding = Decoding(max_tokens=5)
    there = open_model("tiny-chat", server=server.url, chat=chat, decoding=decoding).generate(PROMPTS)
    here = open_model(str(chat_model), device="cpu", chat=chat, decoding=decoding).generate(PROMPTS)
    assert list(there) == list(here)


def test_what_a_server_says_of_its_model(server: ModelServer):
    description = asked(server).describe()
    assert (description.backend, description.id, description.served_as) == ("server", "tiny-chat", "tiny-chat")
    assert (description.server, description.chat) == (server.url, True)
    [(path, body)] = server.requests
    assert (path, body["max_tokens"]) == ("/v1/chat/completions", 1)


def test_draws_have_a_seed_each(server: ModelServer):
    answer = {"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}
    server.script = [Reply(answer)] * 3
    model = asked(server, decoding=Decoding(temperature=0.5, stop=("\n",), seed=3))
    model.generate(["a", "a", "b"], samples=[0, 1, 0])
    bodies = [body for _, body in server.requests]
    assert len({body["seed"] for body in bodies}) == 3
    assert {(body["temperature"], tuple(body["stop"])) for body in bodies} == {(0.5, ("\n",))}


def test_a_server_that_knows_the_limit_by_another_name(server: ModelServer):
    refusal = {"error": {"message": "use max_completion_tokens", "param": "max_tokens", "code": "unsupported"}}
    answer = {"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}
    server.script = [Reply(refusal, 400), Reply(answer), Reply(answer)]
    assert [answer.text for answer in asked(server).generate(["a", "b"])] == ["x", "x"]
    assert ["max_tokens" in body for _, body in server.requests] == [True, False, False]
    assert [body.get("max_completion_tokens") for _, body in server.requests] == [None, 5, 5]


def test_a_model_that_takes_no_temperature_but_its_own(server: ModelServer):
    refusal = {"error": {"message": "only the default (1)", "param": "temperature", "code": "unsupported"}}
    answer = {"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}
    server.script = [Reply(refusal, 400), Reply(answer), Reply(answer)]
    assert [answer.text for answer in asked(server).generate(["a", "b"])] == ["x", "x"]
    assert [body.get("temperature") for _, body in server.requests] == [0, None, None]
    # One that was asked for is not left out.
    server.script = [Reply(refusal, 400)]
    (refused,) = asked(server, decoding=Decoding(temperature=0.5)).generate(["a"])
    assert "only the default (1)" in refused.error


HTML = Reply(raw=b"<html>Hello</html>", headers={"Content-Type": "text/html"})
FAULTS: dict[str, tuple[Reply, str]] = {
    "429": (Reply({"error": {"message": "slow down"}}, 429), f"HTTP 429, 'slow down'; {AGAIN}"),
    "400": (
        Reply({"error": {"message": "at most 256 tokens"}}, 400),
        (
            "HTTP 400, 'at most 256 tokens'; if the request is too long, serve the model with a longer "
            "context, else correct model or `server`"
        ),
    ),
    "500": (Reply({"error": {"message": f"{SECRET}!"}}, 500), f"HTTP 500, '…!'; {AGAIN}"),
    "502": (
        Reply(raw=b"<html>Bad Gateway</html>", status=502, headers={"Content-Type": "text/html"}),
        f"HTTP 502, '<html>Bad Gateway</html>'; {AGAIN}",
    ),
    "html": (HTML, "the reply is not one of an OpenAI-compatible server: '<html>Hello</html>'"),
    "half a line": (
        Reply(raw=b'{"choices": [{"mess'),
        (
            "the reply is not JSON, or half of it is missing "
            "(Unterminated string starting at: line 1 column 15 (char 14))"
        ),
    ),
    "nested deeply": (
        Reply(raw=b"[" * 100_000),
        (
            "the reply is not JSON, or half of it is missing "
            "(maximum recursion depth exceeded while decoding a JSON array from a unicode string)"
        ),
    ),
    "no choice": (Reply({"choices": []}), "the reply holds 0 answers instead of 1"),
    "no text": (
        Reply({"choices": [{"message": {"content": None}, "finish_reason": "stop"}]}),
        "the reply holds no text: \"{'message': {'content': None}, 'finish_reason': 'stop'}\"",
    ),
    "aborted": (
        Reply({"choices": [{"message": {"content": "Half of"}, "finish_reason": "abort"}]}),
        "the server ended the answer with finish_reason 'abort'",
    ),
}


@pytest.mark.parametrize("count", [10**30, 1 << 31, -1])
def test_what_cannot_be_a_count_of_tokens_is_none(count: int):
    usage = {"prompt_tokens": count, "completion_tokens": count}
    reply = {
        "choices": [{"text": "Hi"}],
        "usage": usage | {"completion_tokens_details": {"reasoning_tokens": count}},
    }
    assert read_text(reply) == Generation("Hi", None, None, "stop")


@pytest.mark.sampled
@pytest.mark.parametrize("fault", FAULTS)
def test_an_item_without_an_answer_fails_alone(server: ModelServer, fault: str):
    reply, message = FAULTS[fault]
    server.script = [reply]
    kept: list[tuple[int, Generation]] = []
    first, second = asked(server).generate(
        ["Hi", "Hi"], keep=lambda items, answers: kept.extend(zip(items, answers, strict=True))
    )
    assert first == Generation("", None, None, "error", message)
    assert (second.error, second.tokens_out) == (None, 5)
    assert kept == [(0, first), (1, second)]


def test_a_server_that_answers_nothing_is_not_asked_forever(server: ModelServer):
    server.script = [HTML] * 100
    with pytest.raises(ServerError) as caught:
        asked(server).generate(["Hi"] * 100)
    assert str(caught.value) == (
        f"model tiny-chat at {server.url}: 10 items in a row got no answer, the last because "
        "the reply is not one of an OpenAI-compatible server: '<html>Hello</html>'"
    )
    assert len(server.requests) == MAX_FAILURES


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("max_tokens", "length"),
        (None, "stop"),
        (" ", "stop"),
        ("tool_calls", "tool_calls"),
        ("Repetition\n" + "x" * 200, "Repetition " + "x" * 109),
        ("error", None),
        ("ABORT", None),
        ("insufficient_system_resource", None),
        ("network_error", None),
    ],
)
def test_why_an_answer_ends(said: str | None, meant: str | None):
    reply = {"choices": [{"message": {"content": "B"}, "finish_reason": said}]}
    if meant is None:
        with pytest.raises(BadReplyError) as caught:
            read_text(reply)
        assert str(caught.value) == f"the server ended the answer with finish_reason {said!r}"
    else:
        assert read_text(reply) == Generation("B", None, None, meant)


def test_a_thought_alone_may_be_cut_in_any_provider_s_words():
    reply = {"choices": [{"message": {"content": None}, "finish_reason": "MAX_TOKENS"}]}
    assert read_text(reply) == Generation("", None, None, "length")


FILTERED = [
    Reply({"choices": [{"message": {"content": None}, "finish_reason": "content_filter"}]}),
    Reply({"choices": [{"message": {"content": "A"}, "finish_reason": "content_filter"}]}),
    Reply({"choices": [{"message": {"role": "assistant"}, "finish_reason": "SAFETY"}]}),
    Reply({"choices": [{"finish_reason": "content_filter: PROHIBITED_CONTENT"}]}),
    Reply({"error": {"message": "The response was filtered", "code": "content_filter"}}, 400),
    Reply({"error": {"message": "considered high risk", "type": "content_filter"}}, 400),
]


def test_what_a_content_filter_stops_is_an_answer_however_often(server: ModelServer):
    server.script = FILTERED * 3
    answers = asked(server).generate(["Hi"] * 18)
    assert {(answer.finish_reason, answer.error) for answer in answers} == {("content_filter", None)}
    assert [answer.text for answer in answers] == ["", "A", "", "", "", ""] * 3
    assert len(server.requests) == 18


def test_what_the_server_cannot_serve_now_is_repeated(server: ModelServer):
    server.script = [Reply({}, 429, {"Retry-After": "0.01"}), Reply({}, 503, {"retry-after-ms": "10"}), DROP]
    [answer] = asked(server, retries=5).generate(["Hi"])
    assert answer.error is None
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (DROP, f"no connection, or it broke; start the server or correct `server`, then {AGAIN}"),
        (
            Reply({"error": {"message": f"wrong key {SECRET}"}}, 401),
            "the server refuses the API key (HTTP 401); correct OPENAI_API_KEY",
        ),
        (
            Reply({"error": {"message": "no model tiny-chat"}}, 404),
            "HTTP 404 at /v1/chat/completions, 'no model tiny-chat'; correct model or `server`",
        ),
    ],
    ids=["dropped", "401", "404"],
)
def test_what_no_other_item_would_change_stops_the_asking(server: ModelServer, fault: Any, message: str):
    model = asked(server)
    kept: list[int] = []
    server.script = [Reply({"choices": [{"message": {"content": "x"}}]}), fault]
    with pytest.raises(ServerError) as caught:
        model.generate(["a", "b", "c"], keep=lambda items, _: kept.extend(items))
    assert str(caught.value) == f"model tiny-chat at {server.url}: {message}"
    assert (kept, len(server.requests)) == ([0], 2)


@pytest.mark.parametrize("path", ["logprobs", "text"])
def test_a_server_without_the_route_of_texts_alone(server: ModelServer, path: str):
    server.script = [Reply({"error": {"message": "no such route"}}, 404)]
    model = asked(server, chat=False)
    with pytest.raises(ServerError) as caught:
        model.option_logprobs(PROMPTS, OPTIONS) if path == "logprobs" else model.generate(PROMPTS)
    assert str(caught.value) == (
        f"model tiny-chat at {server.url}: HTTP 404 at /v1/completions, 'no such route'; the likelihood of "
        "options and texts without a chat template are asked for there, so if the server has no such route, "
        "use `style=json` (true-false: `style=written`) or leave `chat=False` out; else correct model or "
        "`server`"
    )
    # A model that is not there is said as ever.
    server.script = [Reply({"error": {"message": "The model `tiny-chat` does not exist."}}, 404)]
    with pytest.raises(ServerError) as caught:
        model.option_logprobs(PROMPTS, OPTIONS)
    assert str(caught.value) == (
        f"model tiny-chat at {server.url}: HTTP 404 at /v1/completions, 'The model `tiny-chat` does not "
        "exist.'; correct model or `server`"
    )


def test_no_server_at_all(chat_model: Path):
    with serving(chat_model) as gone:
        url = gone.url
    with pytest.raises(ServerError) as caught:
        open_server("m", url.replace("http://", "http://user:password@"), retries=0).describe()
    assert str(caught.value) == (
        f"model m at {url}: no connection, or it broke; start the server or correct `server`, then {AGAIN}"
    )


def test_a_server_that_keeps_silent(server: ModelServer):
    held = threading.Event()

    def wait(reply: dict[str, Any]) -> dict[str, Any]:
        held.wait()
        return reply

    server.change = wait
    [answer] = asked(server, timeout_s=0.2).generate(["Hi"])
    held.set()
    assert answer.error == f"the server does not answer in time; {AGAIN}"


def test_a_model_that_changes_stops_the_asking(server: ModelServer):
    model = asked(server)
    model.describe()
    server.change = lambda reply: {**reply, "model": "tiny-chat-2"}
    with pytest.raises(ServerError) as caught:
        model.generate(["Hi"])
    assert str(caught.value) == (
        f"model tiny-chat at {server.url}: the server now answers as 'tiny-chat-2' and no longer as "
        "'tiny-chat', so its model has changed; serve the first one again to go on, or start a new run"
    )


def spoiled(reply: dict[str, Any], **logprobs: Any) -> dict[str, Any]:
    """A reply whose last choice has other log-probabilities."""
    *others, last = reply["choices"]
    return {**reply, "choices": [*others, {**last, "logprobs": {**last["logprobs"], **logprobs}}]}


FEWER: dict[str, tuple[Any, str]] = {
    "choices": (
        lambda reply: {**reply, "choices": reply["choices"][:2]},
        "the reply holds 2 answers instead of 3",
    ),
    "log-probabilities": (
        lambda reply: spoiled(reply, token_logprobs=[None, -1.0]),
        "the reply holds 2 log-probabilities for 25 tokens",
    ),
    "values": (
        lambda reply: spoiled(reply, token_logprobs=[None] * 25),
        "the reply lacks the log-probabilities of some tokens",
    ),
    "repetition": (
        lambda reply: {**reply, "choices": [{**choice, "text": "Yes!"} for choice in reply["choices"]]},
        "the reply does not repeat what was sent but 'Yes!'",
    ),
}


@pytest.mark.parametrize("fault", FEWER)
def test_fewer_log_probabilities_than_asked_for(server: ModelServer, fault: str):
    server.change, message = FEWER[fault]
    scores = asked(server, chat=False).option_logprobs(PROMPTS[:1], OPTIONS[:1])
    assert scores.errors == (message,)
    assert np.isnan(scores.logprobs).all()


def test_a_server_without_log_probabilities(server: ModelServer):
    server.change = lambda reply: {**reply, "choices": [{**c, "logprobs": None} for c in reply["choices"]]}
    with pytest.raises(ServerError) as caught:
        asked(server, chat=False).option_logprobs(PROMPTS, OPTIONS)
    assert str(caught.value) == (
        f"model tiny-chat at {server.url}: the server does not give the log-probabilities of what it is sent "
        "(logprobs with echo), which scoring options needs; use one that does, such as vLLM, load the model "
        "here, or choose a style that reads texts"
    )
    assert len(server.requests) == 1


def test_options_of_a_prompt_that_is_too_long_fail_alone(server: ModelServer):
    # The second request finds out whether the server gives log-probabilities at all; it is refused as well.
    server.script = [Reply({"error": {"message": "at most 256 tokens"}}, 400)] * 2
    scores = asked(server, chat=False).option_logprobs(PROMPTS[:2], OPTIONS[:2])
    assert scores.errors == (FAULTS["400"][1], None)
    assert [body["max_tokens"] for _, body in server.requests] == [0, 1, 0]


def test_options_of_chat_prompts_are_refused(server: ModelServer):
    reason = "a server scores options only of prompts that it is sent as they are, without a chat template"
    with pytest.raises(InputError) as caught:
        asked(server).option_logprobs(PROMPTS, OPTIONS)
    assert str(caught.value) == f"model tiny-chat at {server.url}: {reason}; set `chat` to false"
    with pytest.raises(InputError) as caught:
        open_model("tiny-chat", server=server.url, asked_for="logprobs", chat=True)
    assert str(caught.value) == f"model tiny-chat: {reason}; leave `chat` out"


def test_options_that_do_not_fit():
    with pytest.raises(InputError) as caught:
        open_model("m", server="http://localhost:1/v1", device="cpu")
    assert str(caught.value) == "`device=cpu` makes sense only without `server`; leave one of the two out"
    with pytest.raises(InputError) as caught:
        open_model("m", concurrency=4)
    assert str(caught.value) == "`concurrency=4` makes sense only with `server`; leave it out"
    with pytest.raises(BlendError) as caught:
        open_model("m", server="localhost:8000")
    assert str(caught.value) == (
        "`server` 'localhost:8000' is not the address of a server; "
        "write it in full, for example 'http://localhost:8000/v1'"
    )


@pytest.mark.parametrize("code", [301, 302, 307, 308])
def test_no_prompt_is_sent_on_to_another_host(server: ModelServer, code: int):
    with another_server() as other:
        there = other.url.replace("http://", "http://me:s3cret@")
        server.script = [Reply(status=code, headers={"Location": f"{there}/chat/completions"})] * 2
        with pytest.raises(ServerError) as caught:
            asked(server).generate(["Hi"])
        assert str(caught.value) == (
            f"model tiny-chat at {server.url}: HTTP {code}, it sends on to '{other.url}/chat/completions'; "
            "name that server by `server` if you trust it"
        )
        assert other.requests == []
