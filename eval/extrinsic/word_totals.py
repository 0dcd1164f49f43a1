"""Words over many topics: what is said to one group more than to others, by TF-IDF.

A group and a word together are one number, so that the millions of rows of a few hundred topics are added up in
seconds by the process that collects them from a cluster.

References:
    Bhatt and Diaz (2024), section 3.3. The document of a group is everything written for it; a word's score
    is its count there times ``ln(N / df)``, with N groups of which df have the word.
"""

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from blend.eval.extrinsic.topics import IntArray
from blend.eval.extrinsic.words import N_WORDS, WordCounts
from blend.eval.statistics.clusters import FloatArray

WORDS = pl.Schema({"group": pl.Int64(), "word": pl.String(), "score": pl.Float64(), "rank": pl.Int64()})
"""Words of groups, each group's highest score first (rank 1), equal ones by where they come first."""

Where = tuple[str, str]
"""Split and category."""

_ROWS = 1_000_000
"""Rows of topics after which they are added to those of the topics before."""


class _Counts(NamedTuple):
    """The arrays of `words.WordCounts`, with numbers of words that all topics share."""

    keys: IntArray
    counts: IntArray
    first: IntArray


class WordTotals:
    """Counts of words by category, added up topic by topic."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._parts: dict[Where, list[_Counts]] = {}

    def add(self, where: Where, counts: WordCounts) -> None:
        """Add the counts of a topic."""
        numbers = [self._numbers.setdefault(word, len(self._numbers)) for word in counts.words]
        groups, words = np.divmod(counts.keys, N_WORDS)
        keys = groups * N_WORDS + np.array(numbers, dtype=np.int64)[words]
        parts = self._parts.setdefault(where, [])
        parts.append(_Counts(keys, counts.counts, counts.first))
        # Not at every topic: what is added up already is sorted again each time.
        if sum(len(part.keys) for part in parts[1:]) > max(_ROWS, len(parts[0].keys)):
            self._parts[where] = [_added_up(parts)]

    def top(self, places: Iterable[Where], n_groups: int, *, top: int) -> pl.DataFrame:
        """The words with the highest TF-IDF of every group.

        Args:
            places: The categories whose texts are the groups' documents.
            n_groups: Groups that have texts there.
            top: Words per group at most.

        Returns:
            `WORDS`. Words that every group has score 0 and are left out.
        """
        all_counts = _added_up([self._of(where) for where in places])
        groups, words = np.divmod(all_counts.keys, N_WORDS)
        groups_with = np.bincount(words, minlength=1)
        # The logarithm of Python, which is the one of C, for a score that no version of a library changes.
        idf = np.array([0.0, *(math.log(n_groups / df) for df in range(1, n_groups + 1))])
        scores = all_counts.counts * idf[groups_with[words]]
        starts = np.searchsorted(groups, np.arange(groups.max(initial=-1) + 2))
        chosen = [np.zeros(0, dtype=np.int64)]
        ranks = [np.zeros(0, dtype=np.int64)]
        for start, end in pairwise(starts.tolist()):
            best = start + _highest(scores[start:end], all_counts.first[start:end], top)
            chosen.append(best)
            ranks.append(np.arange(1, len(best) + 1))
        rows = np.concatenate(chosen)
        names = list(self._numbers)
        return pl.DataFrame(
            {
                "group": groups[rows],
                "word": [names[word] for word in words[rows].tolist()],
                "score": scores[rows],
                "rank": np.concatenate(ranks),
            },
            schema=WORDS,
        )

    def _of(self, where: Where) -> _Counts:
        self._parts[where] = [_added_up(self._parts[where])]
        return self._parts[where][0]


def _highest(scores: FloatArray, first: IntArray, top: int) -> IntArray:
    """Places of the highest scores above 0, highest first, equal ones by where they come first."""
    least = np.partition(scores, -top)[-top] if 0 < top < len(scores) else 0.0
    places = np.flatnonzero((scores > 0) & (scores >= least))
    return places[np.lexsort((first[places], -scores[places]))][:top]


def _added_up(parts: list[_Counts]) -> _Counts:
    keys, counts, first = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    # A stable sort, which takes parts that are sorted as they are and merges them.
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    if not len(starts):
        return _Counts(keys, counts, first)
    return _Counts(
        keys[starts], np.add.reduceat(counts[order], starts), np.minimum.reduceat(first[order], starts)
    )
