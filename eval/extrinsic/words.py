"""Words: what is said to one group more than to others, by TF-IDF.

References:
    Bhatt and Diaz (2024), section 3.3. The document of a group is everything written for it; a word's score
    is its count there times ``ln(N / df)``, with N groups of which df have the word.
"""

import math
from collections.abc import Collection, Iterable
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

WORDS = pl.Schema({"group": pl.Int64(), "word": pl.String(), "score": pl.Float64(), "rank": pl.Int64()})
"""Words of groups, each group's highest score first (rank 1), equal ones by where they come first."""


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


def added_up(counts: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Counts of several topics as those of all of them; `COUNTS`, in any order."""
    parts = list(counts)
    if len(parts) == 1:
        return parts[0]
    # Without an order: millions of rows are added up again and again, and `top_words` has one of its own.
    return (
        pl.concat([pl.DataFrame(schema=COUNTS), *parts])
        .group_by("group", "word")
        .agg(pl.col("count").sum(), pl.col("first").min())
    )


def top_words(counts: pl.DataFrame, n_groups: int, *, top: int) -> pl.DataFrame:
    """The words with the highest TF-IDF of every group.

    Args:
        counts: `COUNTS`, one row per group and word in any order, stop words and the like left out.
        n_groups: Groups that have texts.
        top: Words per group at most.

    Returns:
        `WORDS`. Words that every group has score 0 and are left out.
    """
    # The logarithm of Python, which is the one of C, for a score that no version of polars changes.
    idf = {df: math.log(n_groups / df) for df in range(1, n_groups + 1)}
    groups_with = pl.len().over("word").replace_strict(idf, return_dtype=pl.Float64)
    return (
        counts.with_columns(score=pl.col("count") * groups_with)
        .filter(pl.col("score") > 0)
        .sort("group", "score", "first", descending=[False, True, False])
        .with_columns(rank=pl.int_range(1, pl.len() + 1).over("group"))
        .filter(pl.col("rank") <= top)
        .select(list(WORDS))
        .cast(WORDS)
    )
