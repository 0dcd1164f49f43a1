"""The chat judge against a real server over HTTP: verdicts, their record, and everything that can go wrong."""

import threading
import time
from typing import Any

import pytest

from blend.builders.judges.chat import MAX_UNDECIDED, ChatJudge
from blend.builders.judges.equivalence import Verdict
from blend.loaders.responses.verdicts import GivenVerdict
from blend.schemas.errors import BlendError
from helpers.models.chat_server import SECRET, Chat, ChatReply, answers_in, judge_at, sensible, served
from helpers.models.http_server import DROP

pytestmark = [pytest.mark.integration]

AGAIN = "run again: the verdicts that came are kept and not asked again"
UNREACHABLE = f"start the server or correct `base_url`, then {AGAIN}"


@pytest.mark.nightly
def test_a_verdict_is_the_models_and_is_recorded(chat: Chat):
    kept: list[GivenVerdict] = []
    verdicts = judge_at(chat.url, kept).verdicts([("soccer", "football"), ("apple", "pear")])
    assert verdicts == [Verdict(True, "chat:m1"), Verdict(False, "chat:m1")]
    assert sorted(kept) == [
        GivenVerdict("apple", "differs_from", "they are different", "", other="pear"),
        GivenVerdict("football", "same_as", "they are same", "", other="soccer"),
    ]


@pytest.mark.landing
def test_what_is_sent(chat: Chat):
    judge_at(chat.url).verdicts([("soccer", " foot\nball ")])
    [body] = chat.requests
    assert set(body) == {"model", "messages", "temperature"}
    assert (body["model"], body["temperature"]) == ("m1", 0)
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert answers_in(body) == ("foot ball", "soccer")
    assert chat.keys == [f"Bearer {SECRET}"]


@pytest.mark.landing
def test_each_pair_is_asked_once_whatever_its_order_and_case(chat: Chat):
    judge = judge_at(chat.url)
    first = judge.verdicts([("soccer", "football"), ("Football", "soccer"), ("soccer", "football")])
    second = judge.verdicts([("SOCCER", "football"), ("rice", "Rice")])
    assert [verdict.same for verdict in [*first, *second] if verdict] == [True] * 5
    assert len(chat.requests) == 1


@pytest.mark.landing
def test_requests_go_side_by_side_up_to_the_limit(chat: Chat):
    # Three wait for each other: they pass only if three are under way; a fourth would break the barrier.
    together = threading.Barrier(3)
    under_way: list[int] = []

    def say(body: dict[str, Any]) -> ChatReply:
        under_way.append(together.wait(timeout=30))
        return sensible(body)

    chat.say = say
    judge_at(chat.url, concurrency=3, timeout_s=40.0).verdicts([(f"a{i}", f"b{i}") for i in range(9)])
    assert len(under_way) == 9


@pytest.mark.landing
@pytest.mark.sampled
@pytest.mark.parametrize(
    "fault",
    [
        ChatReply({"message": "slow down"}, 429, {"Retry-After": "0.01"}),
        ChatReply({"message": "slow down"}, 429, {"retry-after-ms": "10"}),
        ChatReply({"message": "oops"}, 500, {"retry-after-ms": "10"}),
        ChatReply({"message": "restarting"}, 503, {"retry-after-ms": "10"}),
        DROP,
    ],
    ids=["429", "429-ms", "500", "503", "dropped"],
)
def test_what_the_server_cannot_serve_is_repeated(chat: Chat, fault: ChatReply | str):
    kept: list[GivenVerdict] = []
    chat.script = [fault, fault]
    assert judge_at(chat.url, kept).verdicts([("soccer", "football")]) == [Verdict(True, "chat:m1")]
    assert len(chat.requests) == 3
    assert len(kept) == 1


MALFORMED = [
    ChatReply("They mean the same."),
    ChatReply('{"verdict": "perhaps"}'),
    ChatReply('{"verdict": "same", "verdict": "different"}'),
    ChatReply(""),
    ChatReply(None),
    ChatReply(raw=b'{"choices": []}'),
    ChatReply(raw=b"[]"),
    ChatReply(raw=b'{"choices": [{"mess'),
    ChatReply(raw=b'{"choices": "\xff"}'),
    ChatReply(raw=b"[" * 100_000),
    ChatReply(raw=b'{"choices": ' + b"9" * 5_000 + b"}"),
    ChatReply(raw=b"<html>hello</html>", headers={"Content-Type": "text/html"}),
]


@pytest.mark.landing
@pytest.mark.sampled
@pytest.mark.parametrize("reply", MALFORMED, ids=lambda reply: repr(reply.content or reply.raw))
def test_a_reply_without_verdict_is_asked_again(chat: Chat, reply: ChatReply):
    chat.script = [reply, reply]
    assert judge_at(chat.url).verdicts([("soccer", "football")]) == [Verdict(True, "chat:m1")]
    first, second, third = chat.requests
    assert [message["role"] for message in first["messages"]] == ["system", "user"]
    assert [message["role"] for message in second["messages"]] == ["system", "user", "assistant", "user"]
    assert second == third


@pytest.mark.landing
def test_a_pair_without_verdict_is_an_error_after_all_others_are_decided(chat: Chat):
    chat.say = lambda body: ChatReply("It depends.") if "gin" in answers_in(body) else sensible(body)
    kept: list[GivenVerdict] = []
    pairs = [("gin", "schnapps"), ("soccer", "football"), ("tonic", "gin"), ("apple", "fruit")]
    with pytest.raises(BlendError) as caught:
        judge_at(chat.url, kept, concurrency=1).verdicts(pairs)
    assert str(caught.value) == (
        "chat:m1: no verdict on 'gin' and 'schnapps' in 3 tries, the last reply was 'It depends.'; "
        "decide the pair yourself in the table of verdicts, or choose another model\n"
        "chat:m1: no verdict on 'gin' and 'tonic' in 3 tries, the last reply was 'It depends.'; "
        "decide the pair yourself in the table of verdicts, or choose another model"
    )
    assert len(kept) == 2


@pytest.mark.landing
def test_a_model_that_never_gives_a_verdict_is_not_asked_forever(chat: Chat):
    chat.say = lambda _: ChatReply("Hello! How can I help you?")
    with pytest.raises(BlendError) as caught:
        judge_at(chat.url, concurrency=1).verdicts([(f"a{i}", f"b{i}") for i in range(100)])
    assert len(str(caught.value).splitlines()) == MAX_UNDECIDED
    assert len(chat.requests) == 3 * MAX_UNDECIDED


@pytest.mark.landing
def test_a_model_that_takes_no_temperature_is_asked_without(chat: Chat):
    refusal = {"message": "Unsupported value: 'temperature'", "param": "temperature", "code": "unsupported"}
    chat.say = lambda body: ChatReply(refusal, 400) if "temperature" in body else sensible(body)
    judge = judge_at(chat.url)
    assert judge.verdicts([("soccer", "football")]) == [Verdict(True, "chat:m1")]
    judge.verdicts([("apple", "fruit")])
    assert ["temperature" in body for body in chat.requests] == [True, False, False]


@pytest.mark.landing
@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (
            ChatReply({"message": f"Incorrect API key provided: {SECRET}"}, 401),
            "the server refuses the API key (HTTP 401); correct OPENAI_API_KEY",
        ),
        (
            ChatReply({"message": f"no model m1 for {SECRET}"}, 404),
            "HTTP 404 at /v1/chat/completions, 'no model m1 for …'; correct model or `base_url`",
        ),
        (
            ChatReply({"message": "You exceeded your quota"}, 429),
            f"HTTP 429, 'You exceeded your quota'; {AGAIN}",
        ),
        (
            ChatReply(status=502, raw=b"<html>Bad Gateway</html>", headers={"Content-Type": "text/html"}),
            f"HTTP 502, '<html>Bad Gateway</html>'; {AGAIN}",
        ),
        (
            DROP,
            f"no connection, or it broke; {UNREACHABLE}",
        ),
    ],
    ids=["401", "404", "429", "502", "dropped"],
)
def test_a_server_that_cannot_be_asked_is_an_error(chat: Chat, fault: ChatReply | str, message: str):
    kept: list[GivenVerdict] = []
    judge = judge_at(chat.url, kept, retries=0, concurrency=1)
    judge.verdicts([("apple", "fruit")])
    chat.script = [fault]
    with pytest.raises(BlendError) as caught:
        judge.verdicts([("soccer", "football"), ("apple", "pear")])
    assert str(caught.value) == f"chat:m1 at {chat.url}: {message}"
    assert [decision.option for decision in kept] == ["apple"]


@pytest.mark.landing
def test_no_server_at_all(monkeypatch: pytest.MonkeyPatch):
    with served() as gone:
        url = gone.url.replace("http://", "http://user:password@")
    with pytest.raises(BlendError) as caught:
        judge_at(url, retries=0).verdicts([("soccer", "football")])
    assert str(caught.value) == (f"chat:m1 at {gone.url}: no connection, or it broke; {UNREACHABLE}")


@pytest.mark.landing
def test_a_server_that_keeps_silent(chat: Chat):
    held = threading.Event()

    def say(body: dict[str, Any]) -> ChatReply:
        held.wait()
        return sensible(body)

    chat.say = say
    with pytest.raises(BlendError) as caught:
        judge_at(chat.url, retries=0, timeout_s=0.1).verdicts([("soccer", "football")])
    held.set()
    assert str(caught.value) == (f"chat:m1 at {chat.url}: the server does not answer in time; {AGAIN}")


@pytest.mark.landing
def test_a_server_of_ones_own_needs_no_key(chat: Chat, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    assert judge_at(chat.url).verdicts([("soccer", "football")]) == [Verdict(True, "chat:m1")]


@pytest.mark.landing
def test_the_address_may_come_from_the_environment(chat: Chat, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_BASE_URL", chat.url)
    judge = ChatJudge("m1", record=lambda _: None)
    assert judge.verdicts([("soccer", "football")]) == [Verdict(True, "chat:m1")]


@pytest.mark.landing
def test_without_key_and_address_nothing_is_sent(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(BlendError) as caught:
        ChatJudge("m1", record=lambda _: None).verdicts([("soccer", "football")])
    assert str(caught.value) == (
        "chat:m1: there is no API key; set OPENAI_API_KEY in the environment, "
        "or give OPENAI_BASE_URL, the address of a server that needs none"
    )


@pytest.mark.nightly
def test_a_pair_that_a_busy_server_refuses_again_and_again_is_decided_while_others_are(chat: Chat):
    refused: list[dict[str, Any]] = []

    def say(body: dict[str, Any]) -> ChatReply:
        if "a0" in answers_in(body) and len(refused) < 6:
            refused.append(body)
            return ChatReply({"message": "slow down"}, 429, {"retry-after-ms": "10"})
        time.sleep(0.02)
        return sensible(body)

    chat.say = say
    judge = judge_at(chat.url, concurrency=2, retries=1)
    assert len(judge.verdicts([(f"a{i}", f"b{i}") for i in range(30)])) == 30
    assert len(refused) == 6
