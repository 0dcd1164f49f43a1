"""Words of a topic: which tokens count as words, and how often every group's texts hold them."""

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import compress, pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from blend.eval.statistics.clusters import FloatArray
from blend.eval.tasks.cultural_prompts.coded_topics import CodedTopic, IntArray

STOP_WORDS_NAME = "stop_words_en.txt"

_MARKS = frozenset(["'", "''", "``", "`", "’"])
_SHORTEST = 2
_PLACES = 1 << 36
"""Tokens that the texts of a topic can have."""

N_WORDS = 1 << 32
"""Different words that there can be."""


@dataclass(frozen=True, slots=True, eq=False)
class WordCounts:
    """Counts of words in the texts of groups; arrays of one length, a row per group and word.

    Words are numbers, since this goes from process to process and is added up by the million.
    """

    words: tuple[str, ...]
    """The word of every number."""
    keys: IntArray
    """Group times `N_WORDS` plus number of the word, ascending, each once."""
    counts: IntArray
    """How often."""
    first: IntArray
    """Where first: any number that orders a group's first places."""


@cache
def stop_words() -> frozenset[str]:
    """The packaged English stop words: the 179 that NLTK had when the paper was written."""
    text = files(__package__).joinpath(STOP_WORDS_NAME).read_text(encoding="utf-8")
    return frozenset(line for line in text.splitlines() if line and not line.startswith("#"))


def counts_as_word(token: str, left_out: Collection[str]) -> bool:
    """Whether a token is a word that can be a group's own: no number, no single character, no stop word."""
    token = token.strip()
    if len(token) < _SHORTEST or token.isnumeric() or token in _MARKS or token in left_out:
        return False
    try:
        float(token)
    except ValueError:
        return True
    return False


def word_counts(topic: CodedTopic, left_out: Collection[str], *, position: int = 0) -> WordCounts:
    """Count how often every group's texts about a topic hold each word.

    Args:
        topic: The texts.
        left_out: Stop words.
        position: Number of the topic, for the order of words over several topics.
    """
    is_word = np.array([counts_as_word(word, left_out) for word in topic.words], dtype=bool)
    # By code of a token its number among the words that are kept.
    number_of = np.cumsum(is_word) - 1
    tokens = np.concatenate([np.zeros(0, dtype=np.int64), *topic.texts])
    groups = np.repeat(topic.group_of, topic.lengths)
    kept = np.flatnonzero(is_word[tokens]) if len(tokens) else tokens
    # Group and word in one number: the lower 32 of 64 bits are for the word.
    keys, first, counts = np.unique(
        groups[kept] * N_WORDS + number_of[tokens[kept]], return_index=True, return_counts=True
    )
    words = tuple(compress(topic.words, is_word))
    return WordCounts(words, keys, counts.astype(np.int64), position * _PLACES + kept[first])


WORDS = pl.Schema({"group": pl.Int64(), "word": pl.String(), "score": pl.Float64(), "rank": pl.Int64()})
"""Words of groups, each group's highest score first (rank 1), equal ones by where they come first."""

Where = tuple[str, str]
"""Split and category."""

_ROWS = 1_000_000
"""Rows of topics after which they are added to those of the topics before."""


class _Counts(NamedTuple):
    """The arrays of `tfidf_words.WordCounts`, with numbers of words that all topics share."""

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
        # Indexed by the number of groups that have the word.
        idf = np.array([0.0, *(math.log(n_groups / df) for df in range(1, n_groups + 1))])
        scores = all_counts.counts * idf[groups_with[words]]
        # Keys ascend, so a group's words stand side by side.
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
    # The score of the last place; sorting only what reaches it.
    least = np.partition(scores, -top)[-top] if 0 < top < len(scores) else 0.0
    places = np.flatnonzero((scores > 0) & (scores >= least))
    # lexsort sorts by its last key first.
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
