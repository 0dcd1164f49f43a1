"""Models on a server: what they are sent, how replies are read, and what is said of those without an answer."""

from typing import Any

import pytest

from blend.eval.models import ChatOptions, Decoding
from blend.eval.models.server import GREETING_TOKENS, ServerModel, open_server
from helpers.models.http_server import Reply
from helpers.models.model_servers import ModelServer, saying

pytestmark = pytest.mark.integration


def asked(server: ModelServer, *, of_chat: dict[str, Any] | None = None, **options: Any) -> ServerModel:
    # One try, one at a time, short texts.
    options = {"concurrency": 1, "retries": 0, "timeout_s": 60.0, "decoding": Decoding(max_tokens=5), **options}
    return open_server("m", server.url, options=ChatOptions(**of_chat or {}), **options)


def refused(field: str) -> Reply:
    return Reply({"error": {"message": f"no {field}", "param": field, "code": "unsupported"}}, 400)


def test_what_a_server_says_of_its_model(server: ModelServer):
    model = asked(server)
    description = model.describe()
    assert (description.backend, description.id, description.served_as) == ("server", "m", "m")
    assert (description.server, description.chat) == (server.url, True)
    [(path, body)] = server.requests
    assert (path, body["max_tokens"]) == ("/v1/chat/completions", 1)
    # What was learned is known to copies as well.
    assert model.with_decoding(Decoding()).describe().served_as == "m"
    assert len(server.requests) == 1


def test_draws_have_a_seed_each(server: ModelServer):
    model = asked(server, decoding=Decoding(temperature=0.5, stop=("\n",), seed=3))
    model.generate(["a", "a", "b"], samples=[0, 1, 0])
    assert len({body["seed"] for body in server.bodies}) == 3
    assert {(body["temperature"], tuple(body["stop"])) for body in server.bodies} == {(0.5, ("\n",))}


@pytest.mark.parametrize(
    ("field", "sent"),
    [
        # The same limit by its other name, and the model's own temperature in place of 0.
        ("max_tokens", [(5, None, 0), (None, 5, 0), (None, 5, 0)]),
        ("temperature", [(5, None, 0), (5, None, None), (5, None, None)]),
    ],
)
def test_a_server_that_takes_a_field_otherwise(server: ModelServer, field: str, sent: list[tuple[Any, ...]]):
    server.script = [refused(field)]
    assert [answer.text for answer in asked(server).generate(["a", "b"])] == ["fine", "fine"]
    names = ("max_tokens", "max_completion_tokens", "temperature")
    assert [tuple(body.get(name) for name in names) for body in server.bodies] == sent


def test_a_temperature_that_was_asked_for_is_not_left_out(server: ModelServer):
    server.script = [refused("temperature")]
    (failed,) = asked(server, decoding=Decoding(temperature=0.5)).generate(["a"])
    assert "no temperature" in failed.error


def test_what_a_content_filter_stops_is_an_answer_however_often(server: ModelServer):
    filtered = Reply({"error": {"message": "The response was filtered", "code": "content_filter"}}, 400)
    server.script = [filtered, saying("A", "content_filter")] * 9
    answers = asked(server).generate(["Hi"] * 18)
    assert {(answer.finish_reason, answer.error) for answer in answers} == {("content_filter", None)}
    assert [answer.text for answer in answers] == ["", "A"] * 9
    assert len(server.requests) == 18


def test_what_a_server_is_told_and_nothing_more(server: ModelServer):
    extra_body = {"top_k": 20, "chat_template_kwargs": {"budget": 9}}
    for of_chat in (
        {},
        {"system": "Be short.", "thinking": "off", "reasoning_effort": "low"},
        {"thinking": "on", "extra_body": extra_body},
    ):
        asked(server, of_chat=of_chat).generate(["Hi"])
    user = {"role": "user", "content": "Hi"}
    plain = {"model": "m", "messages": [user], "max_tokens": 5, "temperature": 0}
    assert server.bodies == [
        plain,
        plain
        | {"messages": [{"role": "system", "content": "Be short."}, user], "reasoning_effort": "low"}
        | {"chat_template_kwargs": {"enable_thinking": False, "thinking": False}},
        plain | {"top_k": 20, "chat_template_kwargs": {"enable_thinking": True, "thinking": True, "budget": 9}},
    ]


def first_reply(message: dict[str, Any], finish: str = "stop", **usage: Any) -> Reply:
    return Reply({"choices": [{"message": message, "finish_reason": finish}], "usage": usage})


@pytest.mark.parametrize(
    ("found", "thinks"),
    [
        (first_reply({"content": None, "reasoning": "Okay"}, "length"), True),
        (first_reply({"content": ""}, "length", completion_tokens_details={"reasoning_tokens": 32}), True),
        (first_reply({"content": "Hello!"}, completion_tokens_details={"reasoning_tokens": 0}), False),
    ],
)
def test_the_first_reply_shows_whether_a_model_thinks(server: ModelServer, found: Reply, thinks: bool):
    server.script = [found]
    assert asked(server).thinks() == thinks
    [(path, body)] = server.requests
    assert (path, body["max_tokens"]) == ("/v1/chat/completions", GREETING_TOKENS)
