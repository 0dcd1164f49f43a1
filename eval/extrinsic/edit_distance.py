"""Word edit distance (WED): the share of tokens to insert, delete or replace between two texts.

References:
    Bhatt and Diaz (2024), section 3.3; Levenshtein (1966). Computed by RapidFuzz, bit by bit for 64 tokens at a
    time (Hyyrö 2003).
"""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blend.eval.extrinsic.definitions import Definition
from blend.eval.extrinsic.topics import CodedTopic, IntArray
from blend.eval.statistics.clusters import FloatArray, divide

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
    """The different texts, and which of them each text is."""
    numbers: dict[bytes, int] = {}
    which = [numbers.setdefault(text.tobytes(), len(numbers)) for text in texts]
    first = dict(zip(reversed(which), reversed(texts), strict=True))
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
    block = _Block([distinct[number] for number in column_texts])
    edits = np.zeros((len(row_texts), len(column_texts)))
    hint: int | None = None
    for place, number in enumerate(row_texts):
        # Of a square block, rows and columns are the same texts: the lower half is the upper one.
        first = place + 1 if square else 0
        edits[place, first:] = row = block.edits(distinct[number], first, hint)
        hint = _next_hint(row, int(block.lengths.max(initial=0)))
    if square:
        edits += edits.T
    row_lengths = np.array([len(distinct[number]) for number in row_texts])
    longest = np.maximum(row_lengths[:, np.newaxis], block.lengths[np.newaxis, :])
    values: FloatArray = edits / np.maximum(longest, 1)
    return values[np.ix_(row_of, column_of)]


def _next_hint(edits: IntArray, longest: int) -> int | None:
    """How many edits to expect of the next text, from those of one before.

    RapidFuzz then looks only near the diagonal, and again where it finds more edits than expected: the result
    is the same, and for long texts that share half of their words it takes a fifth less time.
    """
    most = int(edits.max(initial=0))
    return most + 1 if longest > _LONG and 0 < most < _NEAR * longest else None


_LONG = 256
"""Tokens from which on a part of the table is worth leaving out."""

_NEAR = 0.75
"""Share of tokens to edit below which it is."""


class _Block:
    """Texts that others are compared with, one after the other."""

    def __init__(self, texts: Sequence[IntArray]) -> None:
        self.lengths = np.array([len(text) for text in texts], dtype=np.int64)
        self._tokens = np.concatenate([np.zeros(0, dtype=np.int64), *texts])
        self._starts = np.concatenate([[0], np.cumsum(self.lengths)])
        self._n_codes = int(self._tokens.max(initial=0)) + 1

    def edits(self, text: IntArray, first: int, hint: int | None) -> IntArray:
        """Edits between a text and each text of the block from a place on.

        Only whether a token is one of the text's counts. So its commonest tokens are coded as the numbers below
        255, for which RapidFuzz has a table and no search, and all that it does not hold as 255.
        """
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cdist

        tokens, counts = np.unique(text, return_counts=True)
        codes = np.arange(len(tokens))
        codes[_OTHER:] += 1
        table = np.full(max(self._n_codes, int(text.max(initial=0)) + 1), _OTHER, dtype=_width(len(tokens)))
        table[tokens[np.argsort(-counts, kind="stable")]] = codes
        start = self._starts[first]
        choices = _texts(table[self._tokens[start:]], self._starts[first:] - start)
        if not choices:
            return np.zeros(0, dtype=np.int64)
        (query,) = _texts(table[text], np.array([0, len(text)]))
        found = cdist([query], choices, scorer=Levenshtein.distance, score_hint=hint, dtype=np.int32)
        edits: IntArray = found[0].astype(np.int64)
        return edits


_OTHER = 255
"""Code of every token that a text does not hold; a text's own codes are all others."""


def _width(n_tokens: int) -> Any:
    """The narrowest numbers that hold the codes of so many tokens and of all others."""
    return np.uint8 if n_tokens <= _OTHER else np.uint16 if n_tokens < 2**16 else np.uint32


def _texts(codes: NDArray[Any], starts: IntArray) -> list[Any]:
    """Texts in the form that RapidFuzz reads fastest, cut from one row of codes."""
    joined: Any = codes.tobytes()
    if codes.dtype != np.uint8:
        joined = array("H" if codes.dtype == np.uint16 else "I", joined)
    return [joined[start:end] for start, end in pairwise(starts.tolist())]


def _add(total: FloatArray, values: FloatArray, row_groups: IntArray, column_groups: IntArray) -> None:
    """Add values up by the groups of their rows and columns, both ascending."""
    rows, row_starts = np.unique(row_groups, return_index=True)
    columns, column_starts = np.unique(column_groups, return_index=True)
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
