"""Texts one behind the other in one array, so that all of their tokens are looked up at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from blend.eval.extrinsic.topics import IntArray


@dataclass(frozen=True, slots=True, eq=False)
class JoinedTexts:
    """Texts of tokens coded as whole numbers from 0."""

    tokens: IntArray
    """The tokens of all texts."""
    starts: IntArray
    """Where each text starts, and where the last one ends; shape ``(n_texts + 1,)``."""

    @classmethod
    def of(cls, texts: Sequence[IntArray]) -> Self:
        """Join texts."""
        lengths = [len(text) for text in texts]
        starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        return cls(np.concatenate([np.zeros(0, dtype=np.int64), *texts]), starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, which: slice) -> "JoinedTexts":
        """Some texts that follow each other."""
        first, last, _ = which.indices(len(self))
        starts = self.starts[first : last + 1]
        return JoinedTexts(self.tokens[starts[0] : starts[-1]], starts - starts[0])

    @property
    def lengths(self) -> IntArray:
        """Tokens of each text, shape ``(n_texts,)``."""
        lengths: IntArray = np.diff(self.starts)
        return lengths

    @property
    def n_codes(self) -> int:
        """One more than the largest code."""
        return int(self.tokens.max(initial=-1)) + 1
