"""A chat server of a test's own: it decides about pairs of answers, or does what the test wrote for it."""

import json
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from blend.builders.judges.chat import ChatJudge
from blend.loaders.responses.verdicts import GivenVerdict
from helpers.models.http_server import HttpServer, Reply, Request
from helpers.models.model_servers import saying

SECRET = "sk-this-key-is-secret"
SAME = {frozenset({"football", "soccer"}), frozenset({"apple", "fruit"})}


class ChatReply(Reply):
    """A reply whose content is that of a chat completion."""

    def content(self) -> bytes:
        if self.raw is not None:
            return self.raw
        if self.status != 200:
            return json.dumps({"error": self.body}).encode()
        return saying(self.body).content()


def answers_in(body: dict[str, Any]) -> tuple[str, str]:
    asked = json.loads(body["messages"][1]["content"])
    return asked["answer 1"], asked["answer 2"]


def sensible(body: dict[str, Any]) -> ChatReply:
    """What a good model says."""
    verdict = "same" if frozenset(answers_in(body)) in SAME else "different"
    return ChatReply(json.dumps({"verdict": verdict, "reason": f"they are {verdict}"}))


class Chat(HttpServer):
    """A chat server whose next replies can be scripted; afterwards it is sensible."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.script: list[ChatReply | str] = []
        self.say: Callable[[dict[str, Any]], ChatReply] = sensible
        self._lock = threading.Lock()

    def reply(self, request: Request) -> ChatReply | str:
        body = request.json()
        with self._lock:
            assert request.path == "/v1/chat/completions"
            self.requests.append(body)
            self.keys.append(request.headers.get("Authorization"))
            if self.script:
                return self.script.pop(0)
        return self.say(body)


def served() -> AbstractContextManager[Chat]:
    return Chat().serving()


def judge_at(url: str, kept: list[GivenVerdict] | None = None, **options: Any) -> ChatJudge:
    record = (lambda _: None) if kept is None else kept.extend
    options = {"model": "m1", "timeout_s": 5.0, **options}
    return ChatJudge(record=record, base_url=url, **options)
