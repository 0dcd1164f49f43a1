"""Near-duplicates: questions that ask almost the same, grouped by the similarity of their words."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from rapidfuzz import fuzz, process

from blend.schemas.prompts import ANY_SLOT
from blend.schemas.texts import words

# Questions of a benchmark share their frame ("What is the most popular … in …?"); compared with it, all of
# them look alike, and only what they ask for tells them apart.
_FRAME = """
a an and any are as at be been by can common commonly country did do does during for from generally has have
if in is it its like many most much name nation normally of often on one or our people popular popularly s
that the their there they things to typical typically us usual usually was we were what which with would you
your
"""
_FRAME_WORDS = frozenset(_FRAME.split())
_HINT = re.compile(r"\([^()]*(?:\([^()]*\)[^()]*)*\)")
_BLOCK = 512


class Match(NamedTuple):
    """Question with which another is grouped; positions count from 0."""

    group: int
    """Position of the first question of the group."""
    nearest: int
    """Position of the most similar other question; of equally similar ones the first."""
    similarity: float
    """How similar that one is, in [threshold, 1]."""


def near_duplicates(texts: Sequence[str], *, threshold: float) -> list[Match | None]:
    """For every question the group of near-duplicates that it belongs to.

    The similarity of two questions is ``2 m / (a + b)``: ``a`` and ``b`` are the lengths in characters of their
    content words, folded and sorted, and ``m`` is the length of the longest common subsequence of the two (the
    normalised indel similarity; rapidfuzz's ``token_sort_ratio`` over 100). Slots, hints in parentheses and the
    words that most questions share do not count; where nothing else is left, all words do. 1 means the same
    content words, in whatever order.

    Args:
        texts: Questions or templates in English.
        threshold: Smallest similarity, in (0, 1], that joins two questions; a group holds all that are joined
            directly or through others.

    Returns:
        One match per text, in order; ``None`` where nothing is similar enough.
    """
    contents = [content(text) for text in texts]
    groups = list(range(len(texts)))
    nearest: list[tuple[int, float] | None] = [None] * len(texts)
    for start in range(0, len(contents), _BLOCK):
        block = contents[start : start + _BLOCK]
        similarities = process.cdist(
            block, contents, scorer=fuzz.ratio, score_cutoff=100 * threshold, dtype=np.float32
        )
        for row, position in enumerate(range(start, start + len(block))):
            similarities[row, position] = 0
            for other in np.flatnonzero(similarities[row]):
                _join(groups, position, int(other))
            best = int(similarities[row].argmax())
            if similarities[row, best] > 0:
                nearest[position] = (best, float(similarities[row, best]) / 100)
    return [
        None if found is None else Match(_first(groups, position), *found)
        for position, found in enumerate(nearest)
    ]


def content(text: str) -> str:
    """The content words of a question, folded and sorted, with single blanks."""
    bare = words(ANY_SLOT.sub(" ", _HINT.sub(" ", text)))
    return " ".join(sorted([word for word in bare if word not in _FRAME_WORDS] or bare))


def _join(groups: list[int], a: int, b: int) -> None:
    first_a, first_b = _first(groups, a), _first(groups, b)
    groups[max(first_a, first_b)] = min(first_a, first_b)


def _first(groups: list[int], position: int) -> int:
    while groups[position] != position:
        position = groups[position]
    return position
