"""Word edit distance (WED): the share of tokens to insert, delete or replace between two texts.

References:
    Bhatt and Diaz (2024), section 3.3; Levenshtein (1966).
"""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from blend.eval.statistics.clusters import FloatArray, divide
from blend.eval.tasks.cultural_prompts.coded_topics import CodedTopic, Definition, IntArray, JoinedTexts
from blend.eval.tasks.cultural_prompts.edits_side_by_side import LONGEST, compiled, edits_side_by_side

_BLOCK = 2048
"""Texts on a side of a block of pairs: memory does not depend on how many texts a topic has."""


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
    """WED of all pairs of texts of a topic, each pair of different texts computed once.

    Two empty texts are at distance 0, an empty one and another at 1.
    """
    distinct, which = _distinct(topic.texts)
    sums: FloatArray = np.zeros((topic.n_groups, topic.n_groups))
    squares: FloatArray = np.zeros_like(sums)
    for rows, columns, weds in _blocks(distinct, which):
        for total, values in ((sums, weds), (squares, weds**2)):
            _add(total, values, topic.group_of[rows], topic.group_of[columns])
            if rows != columns:
                # Blocks of the upper triangle only; WED is symmetric, so a block off the diagonal stands for
                # its mirror image.
                _add(total, values.T, topic.group_of[columns], topic.group_of[rows])
    # Added up in another order, equal sums differ in the last bit, and would be no ties.
    sums, squares = (sums + sums.T) / 2, (squares + squares.T) / 2
    return PairSums(sums, squares, topic.samples, _same_lists(topic, which))


def wed(pairs: PairSums, *, definition: Definition = "paper") -> FloatArray:
    """The WED of every pair of groups: the mean over pairs of their samples.

    Returns:
        Shape ``(n_groups, n_groups)``; 0 on the diagonal, NaN where a group has no text.
    """
    means = divide(pairs.sums, pairs.n_pairs)
    diagonal = np.arange(len(means))
    means[diagonal, diagonal] = np.where(pairs.samples > 0, 0.0, np.nan)
    if definition == "reference_code":
        for first, second in pairs.same:
            means[first, second] = means[second, first] = 0.0
    return means


def _distinct(texts: Sequence[IntArray]) -> tuple[list[IntArray], IntArray]:
    """The different texts, shortest first, and which of them each text is."""
    numbers: dict[bytes, int] = {}
    # Texts that are compared side by side cost as much as the longest of them.
    for text in sorted(texts, key=len):
        numbers.setdefault(text.tobytes(), len(numbers))
    which = [numbers[text.tobytes()] for text in texts]
    first = dict(zip(which, texts, strict=True))
    return [first[number] for number in range(len(numbers))], np.array(which, dtype=np.int64)


def _blocks(distinct: Sequence[IntArray], which: IntArray) -> Iterator[tuple[slice, slice, FloatArray]]:
    """WED of all pairs of texts, in blocks of the upper triangle: rows, columns, values."""
    starts = range(0, len(which), _BLOCK)
    for top in starts:
        rows = slice(top, min(top + _BLOCK, len(which)))
        for left in starts:
            if left >= top:
                columns = slice(left, min(left + _BLOCK, len(which)))
                yield rows, columns, _weds(distinct, which[rows], which[columns], square=left == top)


def _weds(distinct: Sequence[IntArray], rows: IntArray, columns: IntArray, *, square: bool) -> FloatArray:
    """WED of every pair of texts, each pair of different ones computed once."""
    row_texts, row_of = np.unique(rows, return_inverse=True)
    column_texts, column_of = np.unique(columns, return_inverse=True)
    above = JoinedTexts.of([distinct[number] for number in row_texts])
    beside = above if square else JoinedTexts.of([distinct[number] for number in column_texts])
    edits = _edits(above, beside, upper=square)
    if square:
        edits = np.triu(edits, 1)
        edits += edits.T
    longest = np.maximum(above.lengths[:, np.newaxis], beside.lengths[np.newaxis, :])
    # Two empty texts: 0 edits of 0 tokens, and 0.
    values: FloatArray = edits / np.maximum(longest, 1)
    return values[np.ix_(row_of, column_of)]


def _edits(rows: JoinedTexts, columns: JoinedTexts, *, upper: bool) -> IntArray:
    """Edits between texts, in whichever of two ways takes less time; both count the same."""
    longest = max(rows.lengths.max(initial=0), columns.lengths.max(initial=0))
    cells = len(rows.tokens) * len(columns.tokens)
    if cells >= _WORTH_COMPILING and longest <= LONGEST and compiled() is not None:
        return edits_side_by_side(rows, columns, upper=upper)
    return edits_one_by_one(rows, columns)


def edits_one_by_one(rows: JoinedTexts, columns: JoinedTexts) -> IntArray:
    """Tokens to insert, delete or replace between every two texts, by RapidFuzz; nothing else is needed.

    Returns:
        Shape ``(n_rows, n_columns)``. Where both are one object, RapidFuzz counts each pair once.
    """
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    queries = _as_read(rows)
    choices = queries if columns is rows else _as_read(columns)
    return cdist(queries, choices, scorer=Levenshtein.distance, dtype=np.int32).astype(np.int64)


def _as_read(texts: JoinedTexts) -> list[Any]:
    """Texts as arrays of Python, which RapidFuzz reads without a look at each number."""
    joined = array("I", texts.tokens.astype(np.uint32).tobytes())
    return [joined[start:end] for start, end in pairwise(texts.starts.tolist())]


_WORTH_COMPILING = 10**9
"""Pairs of tokens from which on a second of compiling, once in a process, is soon made up for."""


def _add(total: FloatArray, values: FloatArray, row_groups: IntArray, column_groups: IntArray) -> None:
    """Add values up by the groups of their rows and columns, both ascending."""
    rows, row_starts = np.unique(row_groups, return_index=True)
    columns, column_starts = np.unique(column_groups, return_index=True)
    # Groups ascend, so each is a run of rows and of columns.
    added = np.add.reduceat(np.add.reduceat(values, row_starts, axis=0), column_starts, axis=1)
    total[np.ix_(rows, columns)] += added


def _same_lists(topic: CodedTopic, which: IntArray) -> tuple[tuple[int, int], ...]:
    lists: dict[bytes, list[int]] = {}
    for group in np.unique(topic.group_of).tolist():
        lists.setdefault(which[topic.group_of == group].tobytes(), []).append(group)
    return tuple(
        (first, second)
        for groups in lists.values()
        for number, first in enumerate(groups)
        for second in groups[number + 1 :]
    )
