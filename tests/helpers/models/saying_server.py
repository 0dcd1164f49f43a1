"""A chat server that says what a test's function makes of the prompt, the same whoever asks."""

from collections.abc import Callable

from helpers.models.http_server import HttpServer, Reply, Request

GREETING = ("Hello.", "stop")
"""What is said to a client that only tries whether somebody is there."""


class SayingServer(HttpServer):
    """Says a text and ends it for a reason, by prompt and seed; where that is null, it greets."""

    def __init__(self, say: Callable[[str, int | None], tuple[str, str] | None]) -> None:
        super().__init__()
        self._say = say
        self._asked: list[tuple[str, int | None]] = []

    def asked(self) -> list[tuple[str, int | None]]:
        """What was asked since this was called before: prompts with their seeds, sorted."""
        found, self._asked = sorted(self._asked, key=str), []
        return found

    def reply(self, request: Request) -> Reply:
        body = request.json()
        asked = body["messages"][-1]["content"], body.get("seed")
        found = self._say(*asked)
        if found is not None:
            self._asked.append(asked)
        text, reason = found or GREETING
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}
        usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        about = {"id": "1", "object": "chat.completion", "created": 0, "model": body["model"]}
        return Reply({**about, "choices": [choice], "usage": usage})
