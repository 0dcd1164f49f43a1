"""Words of a topic: which tokens count as words, and how often every group's texts hold them."""

import math
from collections.abc import Collection, Iterable
from functools import cache
from importlib.resources import files

import numpy as np
import polars as pl

from blend.eval.tasks.cultural_prompts.coded_topics import CodedTopic

STOP_WORDS_NAME = "stop_words_en.txt"

_MARKS = frozenset(["'", "''", "``", "`", "’"])
_SHORTEST = 2
_PLACES = 1 << 36
"""Tokens that the texts of a topic can have."""

_ROWS = 1_000_000
"""Rows of topics after which they are added to those of the topics before."""

WORDS = pl.Schema({"group": pl.Int64(), "word": pl.String(), "score": pl.Float64(), "rank": pl.Int64()})
"""Words of groups, each group's highest score first (rank 1), equal ones by where they come first."""

Where = tuple[str, str]
"""Split and category."""


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


def word_counts(topic: CodedTopic, left_out: Collection[str], *, position: int = 0) -> pl.DataFrame:
    """Count how often every group's texts about a topic hold each word.

    Args:
        topic: The texts.
        left_out: Stop words.
        position: Number of the topic, for the order of words over several topics.

    Returns:
        ``group``, ``word``, ``count`` and ``first``, any number that orders a group's first places.
    """
    tokens = np.concatenate([np.zeros(0, dtype=np.int64), *topic.texts])
    is_word = np.array([counts_as_word(word, left_out) for word in topic.words], dtype=bool)
    kept = np.flatnonzero(is_word[tokens])
    groups = np.repeat(topic.group_of, topic.lengths)
    found = pl.DataFrame({"group": groups[kept], "code": tokens[kept], "first": position * _PLACES + kept})
    counts = found.group_by("group", "code", maintain_order=True).agg(pl.col("first").min(), count=pl.len())
    words = pl.Series(topic.words, dtype=pl.String).gather(counts["code"])
    return counts.select("group", words.alias("word"), pl.col("count").cast(pl.Int64), "first")


class WordTotals:
    """Counts of words by category, added up topic by topic."""

    def __init__(self) -> None:
        self._parts: dict[Where, list[pl.DataFrame]] = {}

    def add(self, where: Where, counts: pl.DataFrame) -> None:
        """Add the counts of a topic."""
        parts = self._parts.setdefault(where, [])
        parts.append(counts)
        # Not at every topic: what is added up already is gone through again each time.
        if sum(part.height for part in parts[1:]) > max(_ROWS, parts[0].height):
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
        counts = _added_up([part for where in places for part in self._parts[where]])
        # The logarithm of Python, which is the one of C, for a score that no version of a library changes.
        idf = {df: math.log(n_groups / df) for df in range(1, n_groups + 1)}
        groups_with = pl.len().over("word")
        return (
            counts.with_columns(
                score=pl.col("count") * groups_with.replace_strict(idf, default=0.0, return_dtype=pl.Float64)
            )
            .filter(pl.col("score") > 0)
            .sort("group", "score", "first", descending=[False, True, False])
            .with_columns(rank=pl.int_range(1, pl.len() + 1).over("group"))
            .filter(pl.col("rank") <= top)
            .select(WORDS.names())
        )


def _added_up(parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(parts).group_by("group", "word").agg(pl.col("count").sum(), pl.col("first").min())
