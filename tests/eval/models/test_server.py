"""Models on a server: what they are sent, how replies are read, and what is said of those without an answer."""

from typing import Any

import pytest

from blend.eval.models.protocols import ChatOptions, Decoding
from blend.eval.models.server import GREETING_TOKENS, ServerModel, open_server
from helpers.models.faulty_server import ScriptedServer, saying
from helpers.models.http_server import Reply

pytestmark = pytest.mark.integration


def asked(server: ScriptedServer, **options: Any) -> ServerModel:
    # One try, one at a time, short texts.
    options = {"concurrency": 1, "retries": 0, "timeout_s": 60.0, "decoding": Decoding(max_tokens=5), **options}
    return open_server("m", server.url, **options)


def test_what_a_server_says_of_its_model(server: ScriptedServer):
    model = asked(server)
    description = model.describe()
    assert (description.backend, description.id, description.served_as) == ("server", "m", "m")
    assert (description.server, description.chat) == (server.url, True)
    [(path, body)] = server.requests
    assert (path, body["max_tokens"]) == ("/v1/chat/completions", 1)
    # What was learned is known to copies as well.
    assert model.with_decoding(Decoding()).describe().served_as == "m"
    assert len(server.requests) == 1


def test_draws_have_a_seed_each(server: ScriptedServer):
    model = asked(server, decoding=Decoding(temperature=0.5, stop=("\n",), seed=3))
    model.generate(["a", "a", "b"], samples=[0, 1, 0])
    assert len({body["seed"] for body in server.bodies}) == 3
    assert {(body["temperature"], tuple(body["stop"])) for body in server.bodies} == {(0.5, ("\n",))}


def refused(field: str) -> Reply:
    return Reply({"error": {"message": f"no {field}", "param": field, "code": "unsupported"}}, 400)


def test_a_server_that_knows_the_limit_by_another_name(server: ScriptedServer):
    server.script = [refused("max_tokens")]
    assert [answer.text for answer in asked(server).generate(["a", "b"])] == ["fine", "fine"]
    assert ["max_tokens" in body for body in server.bodies] == [True, False, False]
    assert [body.get("max_completion_tokens") for body in server.bodies] == [None, 5, 5]


def test_a_model_that_takes_no_temperature_but_its_own(server: ScriptedServer):
    server.script = [refused("temperature")]
    assert [answer.text for answer in asked(server).generate(["a", "b"])] == ["fine", "fine"]
    assert [body.get("temperature") for body in server.bodies] == [0, None, None]
    # One that was asked for is not left out.
    server.script = [refused("temperature")]
    (failed,) = asked(server, decoding=Decoding(temperature=0.5)).generate(["a"])
    assert failed.error is not None
    assert "no temperature" in failed.error


def test_what_a_content_filter_stops_is_an_answer_however_often(server: ScriptedServer):
    refused = Reply({"error": {"message": "The response was filtered", "code": "content_filter"}}, 400)
    server.script = [refused, saying("A", "content_filter")] * 9
    answers = asked(server).generate(["Hi"] * 18)
    assert {(answer.finish_reason, answer.error) for answer in answers} == {("content_filter", None)}
    assert [answer.text for answer in answers] == ["", "A"] * 9
    assert len(server.requests) == 18


# Models that think: how one is told to, and how it shows that it does.


def thinking(server: ScriptedServer, **options: Any) -> ServerModel:
    return asked(server, options=ChatOptions(**options))


def reply(message: dict[str, Any], finish: str = "stop", **usage: Any) -> Reply:
    return Reply({"choices": [{"message": message, "finish_reason": finish}], "usage": usage})


def test_what_a_server_is_told(server: ScriptedServer):
    server.script = [reply({"content": "x"})] * 2
    thinking(server, system="Be short.", thinking="off", reasoning_effort="low").generate(["Hi"])
    thinking(server, thinking="on", extra_body={"top_k": 20, "chat_template_kwargs": {"budget": 9}}).generate(
        ["Hi"]
    )
    (_, first), (_, second) = server.requests
    assert first["messages"] == [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "Hi"},
    ]
    assert first["chat_template_kwargs"] == {"enable_thinking": False, "thinking": False}
    assert first["reasoning_effort"] == "low"
    assert (second["top_k"], "reasoning_effort" in second) == (20, False)
    assert second["chat_template_kwargs"] == {"enable_thinking": True, "thinking": True, "budget": 9}


def test_nothing_more_is_sent_than_is_asked_for(server: ScriptedServer):
    server.script = [reply({"content": "x"})]
    asked(server).generate(["Hi"])
    [(_, body)] = server.requests
    assert body.keys() == {"model", "messages", "max_tokens", "temperature"}


@pytest.mark.parametrize(
    ("found", "thinks"),
    [
        (reply({"content": None, "reasoning": "Okay"}, "length"), True),
        (reply({"content": ""}, "length", completion_tokens_details={"reasoning_tokens": 32}), True),
        (reply({"content": "Hello!"}, completion_tokens_details={"reasoning_tokens": 0}), False),
    ],
)
def test_the_first_reply_shows_whether_a_model_thinks(server: ScriptedServer, found: Reply, thinks: bool):
    server.script = [found]
    assert asked(server).thinks() == thinks
    [(path, body)] = server.requests
    assert (path, body["max_tokens"]) == ("/v1/chat/completions", GREETING_TOKENS)


def test_nobody_is_asked_what_the_options_say(server: ScriptedServer):
    assert thinking(server, thinking="on").thinks()
    assert not thinking(server, thinking="off").thinks()
    assert thinking(server, reasoning_effort="high").thinks()
    assert server.requests == []
