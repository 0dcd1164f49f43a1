"""The chat judge against a real server over HTTP: what it asks, what it reads, and what can go wrong."""

import json
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.builders.judges import Verdict
from blend.builders.judges.chat import PROMPT_VERSION, AskedOptions, ChatJudge, OptionReader
from blend.loaders.responses.verdicts import GivenVerdict
from helpers.messages import wrong
from helpers.models.chat_server import SECRET, Chat, ChatReply, answers_in, judge_at, sensible

AGAIN = "run again: the verdicts that came are kept and not asked again"

JUDGE = ChatJudge("m1", record=lambda _: None)
PAIR = ("a", "b")
STATED = {
    '{"verdict": "same", "reason": "one sport"}': (True, "one sport"),
    '  {"reason": "one\\n\\tsport", "verdict": " Same "}\n': (True, "one sport"),
    '{"verdict": "same", "reason": null, "score": 0.9}': (True, ""),
    '{"verdict": "same", "reason": "half \\ud83d"}': (True, "half"),
    '```json\n{"verdict": "same", "reason": "x"}\n```': (True, "x"),
    "```\ndifferent\n```": (False, ""),
    "Different.": (False, ""),
    "**Same**": (True, ""),
    '<think>They look the same, but {"verdict": "same"}?</think>\n\ndifferent': (False, ""),
}
UNSTATED = [
    *("", "not the same", "same different", "The answer is: same", "{}", "<think>same", "[" * 100_000),
    *('{"verdict": true}', '{"verdict": "same or different"}', '{"verdict": ["same"]}'),
    *('{"verdict": "same", "verdict": "different"}', '{"Verdict": "same"}', '[{"verdict": "same"}]'),
    *('{"verdict": "same"} {"verdict": "different"}', 'Sure! {"verdict": "same"}'),
    '{"verdict": "same", "reason": "cut o',
]


def opinion(reply: str) -> tuple[bool, str]:
    [given] = JUDGE.read_reply(PAIR, reply) or ()
    return given.verdict == "same_as", given.why


def test_an_opinion_is_read_where_it_is_stated_beyond_doubt():
    assert {reply: opinion(reply) for reply in STATED} == STATED
    assert [reply[:40] for reply in UNSTATED if JUDGE.read_reply(PAIR, reply) is not None] == []


@given(st.sampled_from(["same", "different"]), st.text())
def test_a_reason_is_one_short_line(verdict: str, reason: str):
    same, line = opinion(json.dumps({"verdict": verdict, "reason": reason}))
    assert same == (verdict == "same")
    assert len(line) <= 200
    assert line == " ".join(line.split())
    line.encode()


@pytest.mark.landing
@pytest.mark.integration
def test_what_is_sent(chat: Chat):
    judge_at(chat.url).verdicts([("soccer", " foot\nball ")])
    [body] = chat.requests
    assert set(body) == {"model", "messages", "temperature"}
    assert (body["model"], body["temperature"]) == ("m1", 0)
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert answers_in(body) == ("foot ball", "soccer")
    assert chat.keys == [f"Bearer {SECRET}"]


@pytest.mark.landing
@pytest.mark.integration
def test_each_pair_is_asked_once_whatever_its_order_and_case(chat: Chat):
    judge = judge_at(chat.url)
    first = judge.verdicts([("soccer", "football"), ("Football", "soccer"), ("soccer", "football")])
    second = judge.verdicts([("SOCCER", "football"), ("rice", "Rice")])
    assert [verdict.same for verdict in [*first, *second] if verdict] == [True] * 5
    assert len(chat.requests) == 1


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
@pytest.mark.integration
def test_a_reply_without_verdict_is_asked_again_and_shown(chat: Chat):
    judge = judge_at(chat.url)
    for number, reply in enumerate(MALFORMED):
        chat.requests.clear()
        chat.script = [reply, reply]
        assert judge.verdicts([("fruit", f"apple {number}")]) == [Verdict(False, "chat:m1")]
        first, second, third = chat.requests
        assert [message["role"] for message in first["messages"]] == ["system", "user"]
        assert [message["role"] for message in second["messages"]] == ["system", "user", "assistant", "user"]
        assert second == third


@pytest.mark.landing
@pytest.mark.integration
def test_a_pair_without_verdict_is_an_error_after_all_others_are_decided(chat: Chat):
    chat.say = lambda body: ChatReply("It depends.") if "gin" in answers_in(body) else sensible(body)
    kept: list[GivenVerdict] = []
    pairs = [("gin", "schnapps"), ("soccer", "football"), ("tonic", "gin"), ("apple", "fruit")]
    assert wrong(lambda: judge_at(chat.url, kept, concurrency=1).verdicts(pairs)) == (
        "chat:m1: no verdict in 3 tries on 'gin' and 'schnapps', 'gin' and 'tonic'; the last reply was 'It "
        "depends.'; have people decide, or choose another model"
    )
    assert len(kept) == 2


@pytest.mark.landing
@pytest.mark.integration
def test_a_model_that_takes_no_temperature_is_asked_without(chat: Chat):
    refusal = {"message": "Unsupported value: 'temperature'", "param": "temperature", "code": "unsupported"}
    chat.say = lambda body: ChatReply(refusal, 400) if "temperature" in body else sensible(body)
    judge = judge_at(chat.url)
    assert judge.verdicts([("soccer", "football")]) == [Verdict(True, "chat:m1")]
    judge.verdicts([("apple", "fruit")])
    assert ["temperature" in body for body in chat.requests] == [True, False, False]


@pytest.mark.landing
@pytest.mark.integration
def test_a_server_that_cannot_be_asked_is_an_error_and_keeps_what_came(chat: Chat):
    kept: list[GivenVerdict] = []
    judge = judge_at(chat.url, kept, retries=0, concurrency=1)
    judge.verdicts([("apple", "fruit")])
    chat.script = [ChatReply({"message": "You exceeded your quota"}, 429)]
    told = wrong(lambda: judge.verdicts([("soccer", "football"), ("apple", "pear")]))
    assert told == f"chat:m1 at {chat.url}: HTTP 429, 'You exceeded your quota'; {AGAIN}"
    assert kept == [GivenVerdict("apple", "same_as", "they are same", "", other="fruit")]


@pytest.mark.landing
@pytest.mark.integration
def test_a_server_of_ones_own_needs_no_key(chat: Chat, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    assert judge_at(chat.url).verdicts([("soccer", "football")]) == [Verdict(True, "chat:m1")]


@pytest.mark.landing
@pytest.mark.integration
def test_without_key_and_address_nothing_is_sent(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert wrong(lambda: ChatJudge("m1", record=lambda _: None).verdicts([("soccer", "football")])) == (
        "chat:m1: there is no API key; set OPENAI_API_KEY in the environment, "
        "or give OPENAI_BASE_URL, the address of a server that needs none"
    )


# The words in which a model is asked about options, and the strict reading of what it replies.

ASKED = AskedOptions("T-1", "en-GB", "What is lunch?", "the UK", (("tea", "key"), ('a "b"\n', "distractor")))
READER = OptionReader("m1", record=lambda _: None)
GOOD = {
    "1": {"verdict": "ok", "confidence": 1, "why": "of\ncourse"},
    "2": {"verdict": "Silly", "confidence": 0.25},
}


def test_other_words_have_another_number():
    # A verdict is kept under the number of the words that brought it: change both.
    digests = {1: "48cbfcd2cf01"}
    assert sha256(OptionReader.instruction.encode()).hexdigest()[:12] == digests[PROMPT_VERSION]


def test_question_region_and_options_are_shown():
    assert READER.shown(ASKED._replace(known_keys=("soup",))) == {
        "question": "What is lunch?",
        "region": "the UK",
        "correct answers": ("soup",),
        "options": {"1": {"role": "key", "option": "tea"}, "2": {"role": "distractor", "option": 'a "b"\n'}},
    }


@pytest.mark.parametrize(
    "reply", ["{}", "```json\n{}\n```", "<think>perhaps silly</think>\n{}"], ids=["plain", "fenced", "thought"]
)
def test_a_reply_is_an_opinion_on_each(reply: str):
    given = READER.read_reply(ASKED, reply.replace("{}", json.dumps(GOOD))) or ()
    opinions = [(one.verdict, one.confidence, one.why) for one in given]
    assert opinions == [("ok", 1.0, "of course"), ("silly", 0.25, "")]


UNCLEAR = [
    "All fine.",
    '{"1": 1, "1": 2}',
    json.dumps({**GOOD, "3": {}}),
    json.dumps({"1": GOOD["1"]}),
    json.dumps({**GOOD, "2": "ok"}),
    json.dumps({**GOOD, "2": {**GOOD["2"], "verdict": "wrong"}}),
    *(
        json.dumps({**GOOD, "2": {"verdict": "ok", "confidence": sure}})
        for sure in (True, "0.9", None, 1.1, -0.1, float("nan"))
    ),
]


def test_what_is_not_stated_beyond_doubt_is_no_opinion():
    assert [reply for reply in UNCLEAR if READER.read_reply(ASKED, reply) is not None] == []
