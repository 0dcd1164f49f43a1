"""Servers of models: OpenAI's protocol, as far as written answers go, and replies that a test decides about."""

import hashlib
import json
import threading
from collections.abc import Callable
from typing import Any

from helpers.models.http_server import HttpServer, Reply, Request

GREETING = "Hi"
"""What clients say to learn whether somebody is there."""


def saying(text: str | None, finish: str = "stop", **fields: Any) -> Reply:
    """A reply with one answer."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    about = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "usage": usage}
    return Reply({**about, "choices": [choice], **fields})


def refusing(status: int = 429, **headers: str) -> Reply:
    """A reply that says that the request is not served."""
    return Reply({"error": {"message": f"{status} for you"}}, status, headers)


def prompt_of(body: dict[str, Any]) -> str:
    """What is asked last in a chat, or without one."""
    prompt: str = body["messages"][-1]["content"] if "messages" in body else body["prompt"]
    return prompt


class ModelServer(HttpServer):
    """Keeps what it is asked, and gives the replies of a script; after its end, ``fine`` to everything."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[tuple[str, dict[str, Any]]] = []
        """Paths and bodies."""
        self.script: list[Reply | str] = []
        self._lock = threading.Lock()

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [body for _, body in self.requests]

    @property
    def asked(self) -> list[tuple[str, int | None]]:
        """Prompts with their seeds, without greetings."""
        prompts = [(prompt_of(body), body.get("seed")) for body in self.bodies]
        return [asked for asked in prompts if asked[0] != GREETING]

    def reply(self, request: Request) -> Reply | str:
        """The next one of the script, or what this kind of server says."""
        body = request.json()
        with self._lock:
            self.requests.append((request.path, body))
            if self.script:
                return self.script.pop(0)
        return self.answer(request.path, body)

    def answer(self, path: str, body: dict[str, Any]) -> Reply:
        """The reply to a request behind the script."""
        return saying("fine")


class SayingServer(ModelServer):
    """Says a text and ends it for a reason, by prompt and seed; where that is null, it greets."""

    def __init__(self, say: Callable[[str, int | None], tuple[str, str] | None]) -> None:
        super().__init__()
        self._say = say

    def answer(self, path: str, body: dict[str, Any]) -> Reply:
        text, reason = self._say(prompt_of(body), body.get("seed")) or ("Hello.", "stop")
        return saying(text, reason, model=body["model"])


class BatchServer(ModelServer):
    """Names an option by what depends on prompt and seed alone, live or for a file of requests."""

    name = "tiny-2026-11-01"
    tells_usage = True

    def answer(self, path: str, body: dict[str, Any]) -> Reply:
        prompt = prompt_of(body)
        digest = hashlib.sha256(f"{prompt}|{body.get('seed')}".encode()).digest()
        text = json.dumps({"answer_choice": "ABCD"[digest[0] % 4]})
        said = {"text": text}
        if path.endswith("/chat/completions"):
            said = {"message": {"role": "assistant", "content": text, "reasoning_content": f"Hm, {digest[1]}"}}
        usage = {"prompt_tokens": len(prompt.split()), "completion_tokens": 10 + digest[2] % 10}
        usage["completion_tokens_details"] = {"reasoning_tokens": 5}
        choice = {"index": 0, "finish_reason": "stop", **said}
        return Reply({"model": self.name, "choices": [choice], "usage": usage if self.tells_usage else None})

    def results(self, requests: bytes) -> list[str]:
        """Lines of results, of the last request first."""
        lines = []
        for request in map(json.loads, reversed(requests.splitlines())):
            assert request["method"] == "POST"
            response = {"status_code": 200, "request_id": "r"}
            response["body"] = self.answer(request["url"], request["body"]).body
            line = {"id": "x", "custom_id": request["custom_id"], "response": response, "error": None}
            lines.append(json.dumps(line) + "\n")
        return lines
