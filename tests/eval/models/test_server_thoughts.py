"""Models on a server that think: how one is told to, and how it shows that it does."""

from typing import Any

import pytest

from blend.eval.models.protocols import ChatOptions, Decoding
from blend.eval.models.server import GREETING_TOKENS, ServerModel, open_server
from helpers.models.faulty_server import ScriptedServer
from helpers.models.http_server import Reply

pytestmark = pytest.mark.integration


def asked(server: ScriptedServer, *, decoding: Decoding | None = None, **options: Any) -> ServerModel:
    return open_server(
        "m", server.url, concurrency=1, retries=0, decoding=decoding, options=ChatOptions(**options)
    )


def reply(message: dict[str, Any], finish: str = "stop", **usage: Any) -> Reply:
    return Reply({"choices": [{"message": message, "finish_reason": finish}], "usage": usage})


def test_what_a_server_is_told(server: ScriptedServer):
    server.script = [reply({"content": "x"})] * 2
    asked(server, system="Be short.", thinking="off", reasoning_effort="low").generate(["Hi"])
    asked(server, thinking="on", extra_body={"top_k": 20, "chat_template_kwargs": {"budget": 9}}).generate(
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
    assert asked(server, thinking="on").thinks()
    assert not asked(server, thinking="off").thinks()
    assert asked(server, reasoning_effort="high").thinks()
    assert server.requests == []
