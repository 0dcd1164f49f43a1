"""Words of a topic: which tokens count as words, and how often every group's texts hold them."""

from collections.abc import Collection
from functools import cache
from importlib.resources import files

import numpy as np
import polars as pl

from blend.eval.extrinsic.topics import CodedTopic

STOP_WORDS_NAME = "stop_words_en.txt"

_MARKS = frozenset(["'", "''", "``", "`", "’"])
_SHORTEST = 2
_PLACES = 1 << 36
"""Tokens that the texts of a topic can have."""

COUNTS = pl.Schema({"group": pl.Int64(), "word": pl.String(), "count": pl.Int64(), "first": pl.Int64()})
"""How often a group's texts hold a word, and where it comes first: any number that orders its first places."""


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


def word_counts(topic: CodedTopic, left_out: Collection[str], *, place: int = 0) -> pl.DataFrame:
    """How often every group's texts about a topic hold each word.

    Args:
        topic: The texts.
        left_out: Stop words.
        place: Number of the topic, for the order of words over several topics.

    Returns:
        `COUNTS`, by group and first place.
    """
    is_word = np.array([counts_as_word(word, left_out) for word in topic.words], dtype=bool)
    tokens = np.concatenate([np.zeros(0, dtype=np.int64), *topic.texts])
    groups = np.repeat(topic.group_of, topic.lengths)
    kept = np.flatnonzero(is_word[tokens]) if len(tokens) else tokens
    cells, first, counts = np.unique(
        groups[kept] * max(1, len(topic.words)) + tokens[kept], return_index=True, return_counts=True
    )
    words = pl.Series("word", topic.words, dtype=pl.String)
    return (
        pl.DataFrame(
            {
                "group": cells // max(1, len(topic.words)),
                "word": words.gather(cells % max(1, len(topic.words))),
                "count": counts,
                "first": place * _PLACES + kept[first],
            }
        )
        .cast(COUNTS)
        .sort("group", "first")
    )
