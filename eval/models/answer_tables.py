"""Tables that fill up as answers come in, and hand them on."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class AnswerTable(Generic[Answer]):
    """Room for what a model answers to some prompts: a text or scores, or why there is none."""

    def __init__(self, n_items: int, keep: Callable[[Sequence[int], Sequence[Answer]], None] | None) -> None:
        """Prepare.

        Args:
            n_items: Number of prompts.
            keep: See `protocols.Generator.generate`.
        """
        self._n_items = n_items
        self._answers: dict[int, Answer] = {}
        self._keep = keep

    def put(self, items: Sequence[int], answers: Sequence[Answer]) -> None:
        """The answers of some items, in their order."""
        self._answers.update(zip(items, answers, strict=True))
        if self._keep is not None and items:
            self._keep(items, answers)

    def all(self) -> list[Answer]:
        """The answers of all items, each of which has been put."""
        return [self._answers[item] for item in range(self._n_items)]
