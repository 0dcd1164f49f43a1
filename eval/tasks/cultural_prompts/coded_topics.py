"""Topics: the texts of all groups about one topic, each parted into tokens once and coded as integers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
"""An array of whole numbers."""

Tokenise = Callable[[str], Sequence[str]]
"""Parts a text into tokens."""


@dataclass(frozen=True, eq=False)
class CodedTopic:
    """The texts of a topic, group by group and in each group in the order of the samples."""

    n_groups: int
    """Groups of the data set; some may have no text here."""
    group_of: IntArray
    """Number of the group of every text, ascending, shape ``(n_texts,)``."""
    texts: tuple[IntArray, ...]
    """The codes of each text's tokens; without any for an empty text."""
    words: tuple[str, ...]
    """The token of every code, in order of first occurrence."""

    @cached_property
    def lengths(self) -> IntArray:
        """Tokens of every text."""
        return np.array([len(text) for text in self.texts], dtype=np.int64)

    @cached_property
    def samples(self) -> IntArray:
        """Texts of every group, shape ``(n_groups,)``."""
        return np.bincount(self.group_of, minlength=self.n_groups).astype(np.int64)

    def of_group(self, group: int) -> tuple[IntArray, ...]:
        """The texts of a group."""
        start, end = np.searchsorted(self.group_of, [group, group + 1])
        return self.texts[start:end]


def code_topic(texts: Sequence[Sequence[str]], group_of: Sequence[int], n_groups: int) -> CodedTopic:
    """Code the tokens of a topic's texts.

    Args:
        texts: Tokens of every text.
        group_of: Number of each text's group. Texts of one group are in the order of their samples.
        n_groups: Groups of the data set.

    Returns:
        The texts by group. Codes are of this topic alone, so that memory does not grow with topics.
    """
    order = sorted(range(len(texts)), key=lambda i: group_of[i])
    codes: dict[str, int] = {}
    coded = [
        np.array([codes.setdefault(token, len(codes)) for token in texts[i]], dtype=np.int64) for i in order
    ]
    groups = np.array([group_of[i] for i in order], dtype=np.int64)
    return CodedTopic(n_groups, groups, tuple(coded), tuple(codes))


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


Definition = Literal["paper", "reference_code"]
"""``paper`` is what the paper says; ``reference_code`` repeats the published scripts, to know their numbers.

What differs under ``reference_code``: variances lack the factor 1/2; two groups with the same list of samples
are at distance 0; BLEU has the earlier group of the data as hypothesis in both directions, and is -1 where a
group has no text; rank correlations compare the names in two ordered lists, the first of each left out.
"""
