"""Topics: the texts of all groups about one topic, each parted into tokens once and coded as integers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

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


Definition = Literal["paper", "reference_code"]
"""``paper`` is what the paper says; ``reference_code`` repeats the published scripts, to know their numbers.

What differs under ``reference_code``: variances lack the factor 1/2; two groups with the same list of samples
are at distance 0; BLEU has the earlier group of the data as hypothesis in both directions, and is -1 where a
group has no text; rank correlations compare the names in two ordered lists, the first of each left out.
"""
