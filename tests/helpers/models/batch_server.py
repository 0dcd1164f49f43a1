"""A small OpenAI-compatible server of texts, which counts what it answers, and answers files of requests.

Its answer to a prompt depends on the prompt alone, so live requests and batches get the same ones.
"""

import hashlib
import json
import threading
from collections import Counter
from contextlib import AbstractContextManager
from typing import Any

from helpers.models.http_server import HttpServer, Reply, Request

PATHS = ("/v1/chat/completions", "/v1/completions")


class BatchServer(HttpServer):
    """Answers at once, or a file of requests in one call."""

    def __init__(self) -> None:
        super().__init__()
        self.name = "tiny-2026-11-01"
        self.live: Counter[str] = Counter()
        """Prompts answered live, without the first words to learn the server's name."""
        self.bodies: list[dict[str, Any]] = []
        """Every body of a live request."""
        self._lock = threading.Lock()

    def reply(self, request: Request) -> Reply:
        """A text, or that there is no such path."""
        if request.path not in PATHS:
            return Reply({"error": {"message": f"no such path {request.path}"}}, 404)
        status, body = self.ask(request.path, request.json())
        return Reply(body, status)

    def answered(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """The reply to one request for a text."""
        prompt = body["messages"][-1]["content"] if "messages" in body else body["prompt"]
        digest = hashlib.sha256(f"{prompt}|{body.get('seed')}".encode()).digest()
        text = json.dumps({"answer_choice": "ABCD"[digest[0] % 4]})
        said = (
            {"message": {"role": "assistant", "content": text, "reasoning_content": f"Hm, {digest[1]}"}}
            if path == PATHS[0]
            else {"text": text}
        )
        usage = {"prompt_tokens": len(prompt.split()), "completion_tokens": 10 + digest[2] % 10}
        usage["completion_tokens_details"] = {"reasoning_tokens": 5}
        choice = {"index": 0, "finish_reason": "stop", **said}
        return 200, {"model": self.name, "choices": [choice], "usage": usage}

    def ask(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        with self._lock:
            self.bodies.append(body)
            prompt = body["messages"][-1]["content"] if "messages" in body else body["prompt"]
            status, reply = self.answered(path, body)
            if prompt != "Hi" and status == 200:
                self.live[prompt] += 1
            return status, reply

    def results(self, requests: bytes) -> tuple[list[str], list[str]]:
        """Lines of results and of errors, the last request first."""
        good: list[str] = []
        bad: list[str] = []
        for line in reversed(requests.splitlines()):
            request = json.loads(line)
            assert request["method"] == "POST"
            assert request["url"] in PATHS
            name = request["custom_id"]
            status, body = self.answered(request["url"], request["body"])
            response = {"status_code": status, "request_id": "r", "body": body}
            result = json.dumps({"id": "x", "custom_id": name, "response": response, "error": None}) + "\n"
            (good if status == 200 else bad).append(result)
        return good, bad


def serving_batches() -> AbstractContextManager[BatchServer]:
    """A running server."""
    return BatchServer().serving()
