"""Synonyms: wrong options that look as if they meant the same as an answer that counts as right."""

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any

import numpy as np
import polars as pl

from blend.builders.audit.asked import Asked
from blend.builders.judges.equivalence import overlaps
from blend.loaders.responses.decisions import Decision, pair_key
from blend.schemas.text import fold, words

ACCEPTED = pl.Schema({"template": pl.String(), "group": pl.String(), "text": pl.String()})
"""Which texts count as right: one row per template, group and text."""

SAID = pl.Schema({"local": pl.String(), "text": pl.String()})
"""How people say a text in their own language: one row per local answer (with language) and English text."""

SYNONYMS = pl.Schema(
    {
        "option": pl.String(),
        "accepted": pl.String(),
        "why": pl.String(),
        "questions": pl.Int64(),
        "template": pl.String(),
        "group": pl.String(),
    }
)
"""Pairs suspected: a wrong option, an answer that counts as right there, why they are suspected (`WHY`), in how
many questions they meet, and the first template and group with one of them."""

WHY = {
    "decided": "a decision that comes with the package says that they mean the same",
    "words": "they share a word",
    "said": "somewhere people said both with the same words of their own language",
    "stem": "all words of the one have the stems of the other",
    "spelling": "they differ in few letters",
}
"""Why a pair is suspected; the first that holds."""

_ALIKE = 0.83
"""Normalised Damerau–Levenshtein similarity from which on two texts of at least `_LONG` characters are alike:
``theatre`` and ``theater``, ``colour`` and ``color``, and not ``baseball`` and ``basketball``."""
_LONG = 5


def suspected(
    asked: Asked, accepted: pl.DataFrame, said: pl.DataFrame, decisions: Iterable[Decision]
) -> pl.DataFrame:
    """Pairs of a wrong option and an answer that counts as right.

    Numbers, times and dates are left out: whether these are equal needs no suspicion. A pair that the decisions
    call different is not suspected.

    Args:
        asked: The questions.
        accepted: `ACCEPTED`.
        said: `SAID`.
        decisions: What was decided on pairs.

    Returns:
        `SYNONYMS`, most questions first, then by option and accepted answer.
    """
    meetings = _meetings(asked, accepted)
    pairs = meetings.select("option", "accepted").unique().sort("option", "accepted")
    decided = {pair_key(d.answer_a, d.answer_b): d.verdict for d in decisions}
    why = _why(pairs, decided, _local_answers(said))
    found = pairs.with_columns(why=pl.Series(why, dtype=pl.String)).drop_nulls("why")
    counted = (
        meetings.join(found, on=["option", "accepted"])
        .sort("template", "group")
        .group_by("option", "accepted", "why")
        .agg(pl.col("questions").sum(), pl.col("template", "group").first())
    )
    return (
        counted.sort("questions", "option", "accepted", descending=[True, False, False])
        .select(list(SYNONYMS))
        .cast(SYNONYMS)
    )


def _meetings(asked: Asked, accepted: pl.DataFrame) -> pl.DataFrame:
    """Every wrong option with every accepted answer of its question, and in how many questions it stands."""
    cells = asked.cells
    often = np.bincount(cells.cell, minlength=len(cells.text))
    options = pl.DataFrame(
        {
            "template": np.array(asked.templates, dtype=object)[cells.template].tolist(),
            "group": np.array(asked.groups, dtype=object)[cells.group].tolist(),
            "option": np.array(asked.texts, dtype=object)[cells.text].tolist(),
            "questions": often,
            "is_right": cells.is_right,
        }
    ).filter(~pl.col("is_right"))
    met = options.join(accepted.rename({"text": "accepted"}), on=["template", "group"])
    # Case alone makes no other pair.
    return (
        met.with_columns(pl.col("option", "accepted").str.to_lowercase())
        .group_by("template", "group", "option", "accepted")
        .agg(pl.col("questions").max())
    )


def _why(
    pairs: pl.DataFrame, decided: dict[tuple[str, str], str], local: dict[str, set[str]]
) -> list[str | None]:
    from rapidfuzz.distance.DamerauLevenshtein import normalized_similarity

    nobody: set[str] = set()
    found: list[str | None] = []
    for option, answer in pairs.iter_rows():
        verdict = decided.get(pair_key(option, answer))
        if verdict is not None:
            found.append("decided" if verdict == "same" else None)
        elif not _has_letters(option) or not _has_letters(answer):
            found.append(None)
        elif overlaps(option, answer):
            found.append("words")
        elif not local.get(option, nobody).isdisjoint(local.get(answer, nobody)):
            found.append("said")
        elif _stems(option) == _stems(answer):
            found.append("stem")
        elif min(len(option), len(answer)) >= _LONG and normalized_similarity(option, answer) >= _ALIKE:
            found.append("spelling")
        else:
            found.append(None)
    return found


@lru_cache(maxsize=1 << 16)
def _has_letters(text: str) -> bool:
    return any(c.isalpha() for c in text)


@lru_cache(maxsize=1 << 16)
def _stems(text: str) -> frozenset[str]:
    return frozenset(map(_stem, words(text)))


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word))


@cache
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


def _local_answers(said: pl.DataFrame) -> dict[str, set[str]]:
    """Local answers by English text, both as compared."""
    found: dict[str, set[str]] = {}
    for local, text in said.select("local", "text").iter_rows():
        found.setdefault(text.lower(), set()).add(fold(local))
    return found
