"""A table of option scores that fills up as answers come in."""

from collections.abc import Sequence

import numpy as np

from blend.eval.models.protocols import OptionScores


class ScoreTable:
    """Room for the scores of all items, each of them an error or a row of figures in the end."""

    def __init__(self, options: Sequence[Sequence[str]]) -> None:
        """Prepare.

        Args:
            options: Each item's options as text, as in `protocols.OptionScorer`.
        """
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

    def rows(self, items: Sequence[int]) -> OptionScores:
        """The scores of these items, in this order."""
        chosen = np.asarray(items, dtype=np.intp)
        return OptionScores(
            self._logprobs[chosen],
            self._tokens[chosen],
            self._bytes[chosen],
            self._tokens_in[chosen],
            tuple(self._errors[item] for item in items),
        )

    def all(self) -> OptionScores:
        """The scores of all items."""
        return self.rows(range(len(self._errors)))
