"""Models of a caller's own: plain objects that answer, without a class of ours."""

from collections.abc import Callable
from typing import Any


class Reader:
    """Always writes A, as the published prompt asks for it."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def generate(self, prompts: list[str]) -> list[str]:
        self.asked.append(len(prompts))
        return ['{"answer_choice": "A"}' for _ in prompts]


class Chooser:
    """Likes long options."""

    name = "longest"

    def option_logprobs(self, prompts: list[str], options: list[list[str]]) -> list[list[float]]:
        return [[-1.0 / len(text) for text in texts] for texts in options]


class Ranker:
    """Knows every candidate whose name is short."""

    def candidate_logprobs(self, prompts: list[str], candidates: list[list[str]]) -> list[list[float | None]]:
        assert all(prompt.count("[Y]") == 1 for prompt in prompts)
        return [[-len(text) if len(text) < 12 else None for text in texts] for texts in candidates]


class Saying:
    """Gives back what it is told to."""

    def __init__(self, found: Callable[[list[str]], Any]) -> None:
        self.found = found

    def generate(self, prompts: list[str]) -> Any:
        return self.found(prompts)
