"""Words of a topic: which tokens count as words, and how often every group's texts hold them."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import compress

import numpy as np

from blend.eval.extrinsic.topics import CodedTopic, IntArray

STOP_WORDS_NAME = "stop_words_en.txt"

_MARKS = frozenset(["'", "''", "``", "`", "’"])
_SHORTEST = 2
_PLACES = 1 << 36
"""Tokens that the texts of a topic can have."""

N_WORDS = 1 << 32
"""Different words that there can be."""


@dataclass(frozen=True, slots=True, eq=False)
class WordCounts:
    """How often the texts of groups hold words; arrays of one length, a row per group and word.

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


def word_counts(topic: CodedTopic, left_out: Collection[str], *, place: int = 0) -> WordCounts:
    """How often every group's texts about a topic hold each word.

    Args:
        topic: The texts.
        left_out: Stop words.
        place: Number of the topic, for the order of words over several topics.
    """
    is_word = np.array([counts_as_word(word, left_out) for word in topic.words], dtype=bool)
    number_of = np.cumsum(is_word) - 1
    tokens = np.concatenate([np.zeros(0, dtype=np.int64), *topic.texts])
    groups = np.repeat(topic.group_of, topic.lengths)
    kept = np.flatnonzero(is_word[tokens]) if len(tokens) else tokens
    keys, first, counts = np.unique(
        groups[kept] * N_WORDS + number_of[tokens[kept]], return_index=True, return_counts=True
    )
    words = tuple(compress(topic.words, is_word))
    return WordCounts(words, keys, counts.astype(np.int64), place * _PLACES + kept[first])
