"""Edits between one text and all others, one text after the other, by RapidFuzz.

Nothing but the base install is needed. Where Numba is there as well, `edits_side_by_side` counts the same in
less time.

References:
    Hyyrö (2003): a column of the table of distances, bit by bit for 64 tokens at a time.
"""

from array import array
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blend.eval.extrinsic.joined_texts import JoinedTexts
from blend.eval.extrinsic.topics import IntArray


def edits_one_by_one(rows: JoinedTexts, columns: JoinedTexts, *, upper: bool) -> IntArray:
    """Tokens to insert, delete or replace between every two texts.

    Args:
        rows: Texts, each of which is compared with all of ``columns``.
        columns: Texts.
        upper: Both are the same texts, and only what stands right of the diagonal is wanted.

    Returns:
        Shape ``(n_rows, n_columns)``; with ``upper``, what is not right of the diagonal is 0.
    """
    edits = np.zeros((len(rows), len(columns)), dtype=np.int64)
    n_codes = max(rows.n_codes, columns.n_codes)
    longest = int(columns.lengths.max(initial=0))
    hint: int | None = None
    for row in range(len(rows)):
        first = row + 1 if upper else 0
        edits[row, first:] = found = _edits_of(rows[row : row + 1].tokens, columns[first:], n_codes, hint)
        hint = _next_hint(found, longest)
    return edits


def _edits_of(text: IntArray, columns: JoinedTexts, n_codes: int, hint: int | None) -> IntArray:
    """Edits between a text and each of the others.

    Only whether a token is one of the text's counts. So its commonest tokens are coded as the numbers below
    255, for which RapidFuzz has a table and no search, and all that it does not hold as 255.
    """
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    tokens, counts = np.unique(text, return_counts=True)
    codes = np.arange(len(tokens))
    codes[_OTHER:] += 1
    table = np.full(n_codes, _OTHER, dtype=_width(len(tokens)))
    table[tokens[np.argsort(-counts, kind="stable")]] = codes
    choices = _as_read(table[columns.tokens], columns.starts)
    if not choices:
        return np.zeros(0, dtype=np.int64)
    (query,) = _as_read(table[text], np.array([0, len(text)]))
    found = cdist([query], choices, scorer=Levenshtein.distance, score_hint=hint, dtype=np.int32)
    edits: IntArray = found[0].astype(np.int64)
    return edits


_OTHER = 255
"""Code of every token that a text does not hold; a text's own codes are all others."""


def _width(n_tokens: int) -> Any:
    """The narrowest numbers that hold the codes of so many tokens and of all others."""
    return np.uint8 if n_tokens <= _OTHER else np.uint16 if n_tokens < 2**16 else np.uint32


def _as_read(codes: NDArray[Any], starts: IntArray) -> list[Any]:
    """Texts in the form that RapidFuzz reads fastest, cut from one row of codes."""
    joined: Any = codes.tobytes()
    if codes.dtype != np.uint8:
        joined = array("H" if codes.dtype == np.uint16 else "I", joined)
    return [joined[start:end] for start, end in pairwise(starts.tolist())]


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
