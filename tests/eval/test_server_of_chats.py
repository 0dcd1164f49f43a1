"""A server only writes: it is asked in words where a model here would say which option is the likeliest."""

from collections.abc import Callable
from pathlib import Path

import pytest

import blend
from blend.schemas.errors import ArgumentError
from helpers.models.http_server import HttpServer, Reply, Request

pytestmark = pytest.mark.integration


class Chats(HttpServer):
    """Answers B in a chat."""

    def __init__(self) -> None:
        super().__init__()
        self.paths: list[str] = []

    def reply(self, request: Request) -> Reply:
        self.paths.append(request.path)
        message = {"role": "assistant", "content": "B"}
        return Reply({"model": "m", "choices": [{"message": message, "finish_reason": "stop"}]})


def test_it_is_asked_for_json_and_that_is_said(
    asked: Callable[..., blend.Run], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    why = "a server only writes, and does not say which option is the likeliest"
    heard: list[str] = []
    with Chats().serving() as server:
        run = asked("m", server=server.url, limit=1, on_warning=heard.append)
        assert heard == [f"{why}; asked with `style=json`"]
        assert (run.description.options["style"], run.outcome.n_missing) == ("json", 0)
        assert set(server.paths) == {"/v1/chat/completions"}
        # Who asks for letters all the same is not given something else.
        with pytest.raises(ArgumentError) as caught:
            asked("m", out="letters", server=server.url, limit=1, style="letters")
        assert str(caught.value) == f"{why}; give `style=json`, or leave it out"
