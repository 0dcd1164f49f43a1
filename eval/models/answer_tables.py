"""Tables that fill up as answers come in, and hand them on."""

from collections.abc import Sequence

import numpy as np

from blend.eval.models.protocols import Generation, OnGenerations, OnOptionScores, OptionScores


class TextTable:
    """Room for the texts that a model writes, each of them an answer or an error in the end."""

    def __init__(self, n_items: int, keep: OnGenerations | None) -> None:
        """Prepare.

        Args:
            n_items: Number of prompts.
            keep: See `protocols.Generator.generate`.
        """
        self._n_items = n_items
        self._answers: dict[int, Generation] = {}
        self._keep = keep

    def put(self, items: Sequence[int], answers: Sequence[Generation]) -> None:
        """The answers of some items, in their order."""
        self._answers.update(zip(items, answers, strict=True))
        if self._keep is not None and items:
            self._keep(items, answers)

    def all(self) -> list[Generation]:
        """The answers of all items, each of which has been put."""
        return [self._answers[item] for item in range(self._n_items)]


class ScoreTable:
    """Room for the scores of all items, each of them an error or a row of figures in the end."""

    def __init__(self, options: Sequence[Sequence[str]], keep: OnOptionScores | None) -> None:
        """Prepare.

        Args:
            options: Each item's options as text, as in `protocols.OptionScorer`.
            keep: See there.
        """
        self._keep = keep
        shape = (len(options), max(map(len, options), default=0))
        self._logprobs = np.full(shape, np.nan)
        self._tokens = np.zeros(shape, dtype=np.int32)
        self._bytes = np.zeros(shape, dtype=np.int32)
        self._tokens_in = np.zeros(len(options), dtype=np.int32)
        self._errors: list[str | None] = [None] * len(options)
        for item, texts in enumerate(options):
            self._bytes[item, : len(texts)] = [len(text.encode()) for text in texts]

    def put(self, item: int, logprobs: Sequence[float], tokens: Sequence[int], *, tokens_in: int) -> None:
        """The scores of one item's options, in order."""
        self._logprobs[item, : len(logprobs)] = logprobs
        self._tokens[item, : len(tokens)] = tokens
        self._tokens_in[item] = tokens_in

    def fail(self, item: int, error: str, *, tokens_in: int = 0) -> None:
        """An item has no scores, and why."""
        self._tokens_in[item] = tokens_in
        self._errors[item] = error

    def hand_on(self, items: Sequence[int]) -> None:
        """Some items have their scores or their errors."""
        if self._keep is not None and items:
            self._keep(items, self._rows(items))

    def all(self) -> OptionScores:
        """The scores of all items."""
        return self._rows(range(len(self._errors)))

    def _rows(self, items: Sequence[int]) -> OptionScores:
        chosen = np.asarray(items, dtype=np.intp)
        return OptionScores(
            self._logprobs[chosen],
            self._tokens[chosen],
            self._bytes[chosen],
            self._tokens_in[chosen],
            tuple(self._errors[item] for item in items),
        )
