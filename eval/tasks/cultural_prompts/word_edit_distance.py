"""Word edit distance (WED): the share of tokens to insert, delete or replace between two texts.

References:
    Bhatt and Diaz (2024), section 3.3; Levenshtein (1966).
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from blend.eval.statistics.clusters import FloatArray, divide
from blend.eval.tasks.cultural_prompts.coded_topics import CodedTopic, Definition, IntArray
from blend.eval.tasks.cultural_prompts.edits_side_by_side import LONGEST, compiled, edits_side_by_side

_WORTH_COMPILING = 10**9
"""Pairs of tokens from which on a second of compiling, once in a process, is soon made up for."""


@dataclass(frozen=True, slots=True, eq=False)
class PairSums:
    """WED of pairs of texts, added up by the two groups; all of shape ``(n_groups, n_groups)`` but the last."""

    sums: FloatArray
    """WED over all ordered pairs of a sample of one group and a sample of the other, a text with itself among
    those of the diagonal."""
    squares: FloatArray
    """The same of WED squared."""
    samples: IntArray
    """Texts of every group, shape ``(n_groups,)``."""
    same: tuple[tuple[int, int], ...]
    """Different groups whose lists of samples are the same, the smaller number first."""

    @property
    def n_pairs(self) -> FloatArray:
        """Ordered pairs behind every sum."""
        counts: FloatArray = np.outer(self.samples, self.samples).astype(np.float64)
        return counts


def pair_sums(topic: CodedTopic) -> PairSums:
    """WED of all pairs of texts of a topic.

    Two empty texts are at distance 0, an empty one and another at 1.
    """
    longest = np.maximum.outer(topic.lengths, topic.lengths)
    weds = _edits(topic.texts) / np.maximum(longest, 1)
    return PairSums(_by_groups(weds, topic), _by_groups(weds**2, topic), topic.samples, _same_lists(topic))


def wed(pairs: PairSums, *, definition: Definition = "paper") -> FloatArray:
    """The WED of every pair of groups: the mean over pairs of their samples.

    Returns:
        Shape ``(n_groups, n_groups)``; 0 on the diagonal, NaN where a group has no text.
    """
    means = divide(pairs.sums, pairs.n_pairs)
    np.fill_diagonal(means, np.where(pairs.samples > 0, 0.0, np.nan))
    if definition == "reference_code":
        for first, second in pairs.same:
            means[first, second] = means[second, first] = 0.0
    return means


def _edits(texts: Sequence[IntArray]) -> IntArray:
    """Edits between every two texts, in whichever of two ways takes less time; both count the same."""
    lengths = [len(text) for text in texts]
    is_worth_it = sum(lengths) ** 2 >= _WORTH_COMPILING and 0 < max(lengths, default=0) <= LONGEST
    if is_worth_it and compiled() is not None:
        return edits_side_by_side(texts)
    return edits_one_by_one(texts)


def edits_one_by_one(texts: Sequence[IntArray]) -> IntArray:
    """Tokens to insert, delete or replace between every two texts, by RapidFuzz; nothing else is needed."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    # Arrays of Python, which RapidFuzz reads without a look at each number; of one list with itself it counts
    # each pair once.
    read = [array("I", text.astype(np.uint32).tobytes()) for text in texts]
    return cdist(read, read, scorer=Levenshtein.distance, dtype=np.int32).astype(np.int64)


def _by_groups(values: FloatArray, topic: CodedTopic) -> FloatArray:
    """Values of pairs of texts, added up by the groups of both."""
    # Groups ascend, so each is a run of rows and of columns.
    groups, starts = np.unique(topic.group_of, return_index=True)
    added = np.add.reduceat(np.add.reduceat(values, starts, axis=0), starts, axis=1)
    total = np.zeros((topic.n_groups, topic.n_groups))
    # Added up in another order, equal sums differ in the last bit, and would be no ties.
    total[np.ix_(groups, groups)] = (added + added.T) / 2
    return total


def _same_lists(topic: CodedTopic) -> tuple[tuple[int, int], ...]:
    lists: dict[tuple[bytes, ...], list[int]] = {}
    for group in np.unique(topic.group_of).tolist():
        texts = tuple(topic.texts[number].tobytes() for number in np.flatnonzero(topic.group_of == group))
        lists.setdefault(texts, []).append(group)
    return tuple(
        (first, second)
        for groups in lists.values()
        for number, first in enumerate(groups)
        for second in groups[number + 1 :]
    )
