"""NLTK tokens: words of an English text as ``nltk.word_tokenize`` parts them, by NLTK without its data.

Sentences are parted by Punkt as it is before it has learned anything, which knows no abbreviation:
``mr. smith`` is ``mr`` ``.`` ``smith`` here, and ``mr.`` ``smith`` with the data that NLTK downloads.

NLTK's rules for words all work within what stands between two blanks, quotations and the end of a sentence
apart. So every such chunk is parted once and remembered: of two million texts that is an hour less.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from blend.schemas.errors import MissingExtraError

_CONTRACTED = frozenset(["cannot", "gimme", "gonna", "gotta", "lemme", "wanna"])
"""Words without a mark that are two tokens."""

_BLANK_COUNTS = re.compile(r"(?:\"|'').*[^\S ]|[^\S ].*(?:\"|'')|'[^\S ]", re.DOTALL)
"""Quotes open behind a space and close behind a line feed; an apostrophe leaves its word before a space."""
_ONLY_CLOSERS = frozenset("])}>\"'»”’")


class _Tokenisers(NamedTuple):
    """Tokenisers of NLTK."""

    sentences: Callable[[str], Sequence[str]]
    words: Callable[[str], Sequence[str]]


@cache
def _tokenisers() -> _Tokenisers:
    try:
        from nltk.tokenize.destructive import NLTKWordTokenizer
        from nltk.tokenize.punkt import PunktSentenceTokenizer
    except ImportError:
        raise MissingExtraError("parting texts into words", extra="cultural-prompts") from None
    return _Tokenisers(PunktSentenceTokenizer().tokenize, NLTKWordTokenizer().tokenize)


def nltk_tokens(text: str) -> list[str]:
    """The tokens of a text in lower case, in order; punctuation is a token of its own.

    A double quote becomes two backticks where it opens and two apostrophes where it closes; ``don't`` is ``do``
    and ``n't``; a full stop stays with its word inside a sentence and is a token at its end.

    Raises:
        MissingExtraError: If NLTK is not installed.
    """
    known = _tokenisers()
    tokens: list[str] = []
    for sentence in known.sentences(text.lower()):
        chunks = sentence.split()
        if _BLANK_COUNTS.search(sentence) or _ONLY_CLOSERS.issuperset(chunks[-1]):
            tokens.extend(known.words(sentence))
            continue
        last = len(chunks) - 1
        for number, chunk in enumerate(chunks):
            if chunk.isascii() and chunk.isalnum() and chunk not in _CONTRACTED:
                tokens.append(chunk)
            else:
                tokens.extend(_parted(chunk, is_first=number == 0, is_last=number == last))
    return tokens


@lru_cache(maxsize=1 << 17)
def _parted(chunk: str, *, is_first: bool, is_last: bool) -> tuple[str, ...]:
    """The tokens of a chunk with others, or none, around it in its sentence."""
    before, behind = "" if is_first else "x ", "" if is_last else " x"
    tokens = _tokenisers().words(f"{before}{chunk}{behind}")
    return tuple(tokens[not is_first : len(tokens) - (not is_last)])
