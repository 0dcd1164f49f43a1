"""Models on a server: what they are sent, how replies are read, and what is said of those without an answer."""

from typing import Any

import pytest

from blend.eval.models.protocols import Decoding, Generation
from blend.eval.models.server import MAX_FAILURES, TRIES, ServerModel, open_server
from blend.eval.models.server_replies import BadReplyError, read_text
from blend.schemas.errors import BlendError, ServerError
from helpers.models.faulty_server import ScriptedServer, saying
from helpers.models.http_server import DROP, Reply

pytestmark = pytest.mark.integration

AGAIN = "run again: the answers that came are kept and not asked again"


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
    assert [body for _, body in model.text_requests(["a", "a", "b"], samples=[0, 1, 0])] == server.bodies


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


NOT_OURS = "; if others are like it, correct `server`"
HTML = Reply(raw=b"<html>Hello</html>", headers={"Content-Type": "text/html"})
FAULTS: dict[str, tuple[Reply, int, str]] = {
    "429": (Reply({"error": {"message": "slow down"}}, 429), 1, f"HTTP 429, 'slow down'; {AGAIN}"),
    "400": (
        Reply({"error": {"message": "at most 256 tokens"}}, 400),
        1,
        (
            "HTTP 400, 'at most 256 tokens'; if the request is too long, serve the model with a longer "
            "context, else correct model or `server`"
        ),
    ),
    "500": (Reply({"error": {"message": "sk-secret!"}}, 500), 1, f"HTTP 500, '…!'; {AGAIN}"),
    "502": (
        Reply(raw=b"<html>Bad Gateway</html>", status=502, headers={"Content-Type": "text/html"}),
        1,
        f"HTTP 502, '<html>Bad Gateway</html>'; {AGAIN}",
    ),
    "html": (
        HTML,
        TRIES,
        f"the reply is not one of an OpenAI-compatible server: '<html>Hello</html>'{NOT_OURS}",
    ),
    "half a line": (
        Reply(raw=b'{"choices": [{"mess'),
        TRIES,
        (
            "the reply is not JSON, or half of it is missing "
            f"(Unterminated string starting at: line 1 column 15 (char 14)){NOT_OURS}"
        ),
    ),
    "nested deeply": (
        Reply(raw=b"[" * 100_000),
        TRIES,
        (
            "the reply is not JSON, or half of it is missing (maximum recursion depth exceeded while decoding "
            f"a JSON array from a unicode string){NOT_OURS}"
        ),
    ),
    "no choice": (Reply({"choices": []}), TRIES, f"the reply holds 0 answers instead of 1{NOT_OURS}"),
    "no text": (
        Reply({"choices": [{"message": {"content": None}, "finish_reason": "stop"}]}),
        TRIES,
        f"the reply holds no text: \"{{'message': {{'content': None}}, 'finish_reason': 'stop'}}\"{NOT_OURS}",
    ),
    "a picture": (
        Reply({"choices": [{"message": {"content": [{"type": "image_url", "image_url": "x"}]}}]}),
        TRIES,
        f"the reply holds a part that is no text: \"{{'type': 'image_url', 'image_url': 'x'}}\"{NOT_OURS}",
    ),
    "aborted": (
        saying("Half of", "abort"),
        TRIES,
        f"the server ended the answer with finish_reason 'abort'{NOT_OURS}",
    ),
}
"""Reply, how often it is asked for before the item fails, and what is said then."""


@pytest.mark.sampled
@pytest.mark.parametrize("fault", FAULTS)
def test_an_item_without_an_answer_fails_alone(server: ScriptedServer, fault: str):
    reply, tries, message = FAULTS[fault]
    server.script = [reply] * tries
    kept: list[tuple[int, Generation]] = []
    first, second = asked(server).generate(
        ["Hi", "Hi"], keep=lambda items, answers: kept.extend(zip(items, answers, strict=True))
    )
    assert first == Generation("", None, None, "error", message)
    assert (second.error, second.text) == (None, "fine")
    assert kept == [(0, first), (1, second)]
    # Once less, and it is answered: what is not a reply is asked for again, what is refused is not.
    server.script = [reply] * (tries - 1)
    assert [answer.text for answer in asked(server).generate(["Hi"])] == ["fine"]


def test_a_server_that_answers_nothing_is_not_asked_forever(server: ScriptedServer):
    server.script = [HTML] * 100
    with pytest.raises(ServerError) as caught:
        asked(server).generate(["Hi"] * 100)
    assert str(caught.value) == (
        f"model m at {server.url}: 10 items in a row got no answer, the last because {FAULTS['html'][2]}"
    )
    assert len(server.requests) == MAX_FAILURES * TRIES
    server.script = [HTML] * TRIES
    with pytest.raises(ServerError) as caught:
        asked(server).describe()
    assert str(caught.value) == f"model m at {server.url}: {FAULTS['html'][2]}"


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


FILTERED = [
    saying(None, "content_filter"),
    saying("A", "content_filter"),
    Reply({"choices": [{"message": {"role": "assistant"}, "finish_reason": "SAFETY"}]}),
    Reply({"choices": [{"finish_reason": "content_filter: PROHIBITED_CONTENT"}]}),
    Reply({"error": {"message": "The response was filtered", "code": "content_filter"}}, 400),
    Reply({"error": {"message": "considered high risk", "type": "content_filter"}}, 400),
]


def test_what_a_content_filter_stops_is_an_answer_however_often(server: ScriptedServer):
    server.script = [*FILTERED * 3]
    answers = asked(server).generate(["Hi"] * 18)
    assert {(answer.finish_reason, answer.error) for answer in answers} == {("content_filter", None)}
    assert [answer.text for answer in answers] == ["", "A", "", "", "", ""] * 3
    assert len(server.requests) == 18


def test_an_address_that_is_none():
    with pytest.raises(BlendError) as caught:
        open_server("m", "localhost:8000")
    assert str(caught.value) == (
        "`server` 'localhost:8000' is not the address of a server; "
        "write it in full, for example 'http://localhost:8000/v1'"
    )


STOPS: dict[str, tuple[Any, str]] = {
    "dropped": (DROP, f"no connection, or it broke; start the server or correct `server`, then {AGAIN}"),
    "401": (
        Reply({"error": {"message": "wrong key sk-secret"}}, 401),
        "the server refuses the API key (HTTP 401); correct OPENAI_API_KEY",
    ),
    "404": (
        Reply({"error": {"message": "no model m"}}, 404),
        "HTTP 404 at /v1/chat/completions, 'no model m'; correct model or `server`",
    ),
    "another model": (
        saying("x", model="m-2"),
        (
            "the server now answers as 'm-2' and no longer as 'm', so its model has changed; serve the first "
            "one again to go on, or start a new run"
        ),
    ),
    # To another host nothing is sent, and its password is not told.
    **{
        f"{code}": (
            Reply(status=code, headers={"Location": "http://me:s3cret@localhost:1/v1/x"}),
            (
                f"HTTP {code}, it sends on to 'http://localhost:1/v1/x'; name that server by `server` if you "
                "trust it"
            ),
        )
        for code in (301, 302, 307, 308)
    },
}


@pytest.mark.parametrize("fault", STOPS)
def test_what_no_other_item_would_change_stops_the_asking(server: ScriptedServer, fault: str):
    reply, message = STOPS[fault]
    kept: list[int] = []
    server.script = [saying("x"), reply]
    with pytest.raises(ServerError) as caught:
        asked(server).generate(["a", "b", "c"], keep=lambda items, _: kept.extend(items))
    assert str(caught.value) == f"model m at {server.url}: {message}"
    assert (kept, len(server.requests)) == ([0], 2)
