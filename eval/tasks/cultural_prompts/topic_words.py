"""Words of a topic's texts: how often every group has each, and by which of them a text is odd.

A group's own words are those of the highest TF-IDF. Odd texts are empty ones, refusals, texts in another
language, without blanks or there twice; they are counted and kept.
"""

import math
import re
from collections.abc import Collection, Sequence
from functools import cache
from importlib.resources import files

import numpy as np
import polars as pl

from blend.eval.tasks.cultural_prompts.text_measures import CodedTopic

STOP_WORDS_NAME = "stop_words_en.txt"

WORDS = pl.Schema({"group": pl.Int64(), "word": pl.String(), "score": pl.Float64(), "rank": pl.Int64()})
"""Words of groups, each group's highest score first (rank 1), equal ones by where they come first."""

_MARKS = frozenset(["'", "''", "``", "`", "’"])
_SHORTEST = 2
_PLACES = 1 << 36
"""Tokens that the texts of a topic can have."""


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
    is_word = np.array([counts_as_word(word, left_out) for word in topic.words], dtype=bool)
    kept = np.flatnonzero(is_word[topic.tokens])
    groups = np.repeat(topic.group_of, topic.lengths)
    found = pl.DataFrame(
        {"group": groups[kept], "code": topic.tokens[kept], "first": position * _PLACES + kept}
    )
    counts = found.group_by("group", "code", maintain_order=True).agg(pl.col("first").min(), count=pl.len())
    words = pl.Series(topic.words, dtype=pl.String).gather(counts["code"])
    return counts.select("group", words.alias("word"), pl.col("count").cast(pl.Int64), "first")


def top_words(counts: pl.DataFrame, n_groups: int, *, top: int) -> pl.DataFrame:
    """The words with the highest TF-IDF of every group, all of whose texts are one document.

    Args:
        counts: `word_counts` of any topics.
        n_groups: Groups that have texts about them.
        top: Words per group at most.

    Returns:
        `WORDS`. Words that every group has score 0 and are left out.
    """
    counts = counts.group_by("group", "word").agg(pl.col("count").sum(), pl.col("first").min())
    # The logarithm of Python, which is the one of C, for a score that no version of a library changes.
    idf = {df: math.log(n_groups / df) for df in range(1, n_groups + 1)}
    weight = pl.len().over("word").replace_strict(idf, default=0.0, return_dtype=pl.Float64)
    return (
        counts.with_columns(score=pl.col("count") * weight)
        .filter(pl.col("score") > 0)
        .sort("group", "score", "first", descending=[False, True, False])
        .with_columns(rank=pl.int_range(1, pl.len() + 1).over("group"))
        .filter(pl.col("rank") <= top)
        .select(WORDS.names())
    )


ODDITIES = ("empty", "refusal", "other-language", "unparted", "repeated")
"""What a text can be counted as."""

REFUSAL = re.compile(
    r"\b(?:i(?:['’]m| am) (?:very |so |truly )?sorry,? (?:but|as|i)\b"
    r"|i(?:['’]m| am) (?:unable|not able) to\b"
    r"|i (?:can(?:no|['’])t|can not|won['’]t|will not|am not going to|must decline to|decline to)"
    r" (?:help|assist|fulfil|fulfill|comply|provide|write|create|generate|answer|do|continue|engage|discuss)\b"
    r"|as an? (?:ai|artificial intelligence|(?:large )?language model)\b)",
    re.IGNORECASE,
)
"""What a refusal says at its beginning: an apology, that the writer cannot or will not, or that it is a
machine."""

REFUSAL_WITHIN = 200
"""Characters at the beginning of a text in which a refusal is looked for."""

_FEWEST_TOKENS = 20
"""Tokens from which on the share of stop words says something."""

_STOP_WORD_SHARE = 0.15
"""Share of tokens that are English stop words below which a text is not English: English prose has 0.3 to 0.5,
texts in other languages hardly any."""

_LATIN_END = "\u024f"

# Thai, Lao, Tibetan, Burmese, Khmer, kana and ideographs.
_WITHOUT_BLANKS = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
"""Characters of scripts that write no blanks between words."""

_LONGEST_WORD = 6
"""Letters per token above which tokens are more than words, in scripts without blanks: a word has two of them
on average in Chinese, and four in Thai."""


def odd_texts(
    texts: Sequence[str], tokens: Sequence[Sequence[str]], groups: Sequence[int], *, is_english: bool = True
) -> pl.DataFrame:
    """What the texts of a topic are counted as.

    Args:
        texts: As they were written.
        tokens: Their tokens.
        groups: The number of each text's group.
        is_english: Whether they should be English; texts that should be in another language are not judged.

    Returns:
        One row per text with a column per name of `ODDITIES`; what is empty is nothing else.
    """
    seen: set[tuple[int, str]] = set()
    rows = []
    for text, parts, group in zip(texts, tokens, groups, strict=True):
        is_empty = not text.strip()
        found = {
            "empty": is_empty,
            "refusal": bool(REFUSAL.search(text, 0, REFUSAL_WITHIN)),
            "other-language": is_english and _is_other_language(text, parts),
            "unparted": _is_unparted(text, parts),
            "repeated": (group, text) in seen,
        }
        rows.append([is_empty == (name == "empty") and holds for name, holds in found.items()])
        seen.add((group, text))
    return pl.DataFrame(rows, schema=dict.fromkeys(ODDITIES, pl.Boolean), orient="row")


def _is_unparted(text: str, tokens: Sequence[str]) -> bool:
    """Whether tokens are more than words, in a script that writes no blanks between them."""
    if text.isascii():
        return False
    return sum(map(str.isalpha, "".join(_WITHOUT_BLANKS.findall(text)))) > _LONGEST_WORD * len(tokens)


def _is_other_language(text: str, tokens: Sequence[str]) -> bool:
    """Whether most letters are not Latin, or too few words are those that no English text goes without."""
    if not text.isascii():
        letters = [character for character in text if character.isalpha()]
        if sum(character > _LATIN_END for character in letters) * 2 > len(letters):
            return True
    words = [token for token in tokens if token[:1].isalpha()]
    if len(words) < _FEWEST_TOKENS:
        return False
    known = stop_words()
    return sum(word in known for word in words) < _STOP_WORD_SHARE * len(words)
