"""A chat server that says what was kept for each prompt, the same whoever asks it."""

from collections.abc import Mapping

from helpers.models.http_server import HttpServer, Reply, Request

GREETING = ("Hello.", "stop")
"""What is said to a client that only tries whether somebody is there."""


class KeptServer(HttpServer):
    """Says the answer that is kept for a prompt, or for one with the seed that it is drawn by."""

    def __init__(self, kept: Mapping[tuple[str, int | None], tuple[str, str]]) -> None:
        """Take answers with their finish reasons, by prompt and seed; null for one not drawn."""
        super().__init__()
        self._kept = kept
        self._asked: list[tuple[str, int | None]] = []

    def asked(self) -> list[tuple[str, int | None]]:
        """What was asked since this was called before: prompts with their seeds, in an order of their own."""
        found, self._asked = sorted(self._asked, key=str), []
        return found

    def reply(self, request: Request) -> Reply:
        body = request.json()
        (message,) = body["messages"]
        asked = message["content"], body.get("seed")
        if asked in self._kept:
            self._asked.append(asked)
        text, reason = self._kept.get(asked, GREETING)
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}
        usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        about = {"id": "1", "object": "chat.completion", "created": 0, "model": body["model"]}
        return Reply({**about, "choices": [choice], "usage": usage})
