"""NLTK tokens: words of an English text as ``nltk.word_tokenize`` parts them, without NLTK and its data.

The rules are those of ``NLTKWordTokenizer``, which all work within what stands between two blanks, the end of
a sentence apart. So every such chunk is parted once and remembered, and a text costs little more than a look
at each of its words. Sentences are parted by `nltk_sentences`; the difference from NLTK with its downloaded
data is a full stop behind an abbreviation: ``mr. smith`` is ``mr`` ``.`` ``smith`` here and ``mr.`` ``smith``
there.

``tests/eval/text/test_nltk_tokens.py`` holds the tokens to those of NLTK, on any text.

References:
    NLTK 3.10, ``nltk.tokenize.destructive``, https://www.nltk.org.
"""

import re
from functools import lru_cache

from blend.eval.text.nltk_sentences import sentences

_Rules = tuple[tuple[re.Pattern[str], str], ...]

_OPENING: _Rules = (
    (re.compile(r"([«“‘„]|`+)"), r" \1 "),
    (re.compile(r'^"'), "``"),
    (re.compile(r"(``)"), r" \1 "),
    (re.compile(r"([ (\[{<])(?:\"|'')"), r"\1 `` "),
    (re.compile(r"(?<!\w)'(?!(?:re|ve|ll|[mtsdn])\b)(?=\w)", re.IGNORECASE), "' "),
)
_FULL_STOP: _Rules = ((re.compile(r"([^.])(\.)([\])}>\"' »”’]*+)\s*$"), r"\1 \2 \3 "),)
_MARKS: _Rules = (
    (re.compile(r"([:,])(\D)"), r" \1 \2"),
    (re.compile(r"([:,])$"), r" \1 "),
    (re.compile(r"(\.{2,})"), r" \1 "),
    (re.compile(r"([;@#$%&])"), r" \1 "),
    (re.compile(r"([‒-―])"), r" \1 "),
)
_FULL_STOP_AGAIN: _Rules = ((re.compile(r"([^.])(\.)([\])}>\"']*)\s*$"), r"\1 \2\3 "),)
_MORE_MARKS: _Rules = (
    (re.compile(r"([?!])"), r" \1 "),
    (re.compile(r"([^'])' "), r"\1 ' "),
    (re.compile(r"([*\][(){}<>])"), r" \1 "),
    (re.compile(r"(--)"), r" \1 "),
)
_CLOSING: _Rules = (
    (re.compile(r"([»”’])"), r" \1 "),
    (re.compile(r"''|\""), " '' "),
    (re.compile(r"\s+"), " "),
    (re.compile(r"([^' ])('[sSmMdD]|') "), r"\1 \2 "),
    (re.compile(r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) "), r"\1 \2 "),
)
_CONTRACTIONS: _Rules = tuple(
    (re.compile(pattern, re.IGNORECASE), r" \1 \2 ")
    for pattern in (
        r"\b(can)(not)\b",
        r"\b(d)('ye)\b",
        r"\b(gim)(me)\b",
        r"\b(gon)(na)\b",
        r"\b(got)(ta)\b",
        r"\b(lem)(me)\b",
        r"\b(more)('n)\b",
        r"\b(wan)(na)(?=\s)",
        r" ('t)(is)\b",
        r" ('t)(was)\b",
    )
)

_CONTRACTED = frozenset(["cannot", "gimme", "gonna", "gotta", "lemme", "wanna"])
"""Words without a mark that are two tokens."""

_CHUNK = re.compile(r"\s*\S+(?=(\s?))")
_BLANK_COUNTS = re.compile(r"\"|''|'[^\S ]")
"""Quotes open behind a space and close behind a line feed; an apostrophe leaves its word before a space."""
_ONLY_CLOSERS = frozenset("])}>\"'»”’")


def nltk_tokens(text: str) -> list[str]:
    """The tokens of a text in lower case, in order; punctuation is a token of its own.

    A double quote becomes two backticks where it opens and two apostrophes where it closes; ``don't`` is ``do``
    and ``n't``; a full stop stays with its word inside a sentence and is a token at its end.
    """
    tokens: list[str] = []
    for sentence in sentences(text.lower()):
        _add_sentence(sentence, tokens)
    return tokens


def _add_sentence(sentence: str, tokens: list[str]) -> None:
    chunks = sentence.split()
    if _BLANK_COUNTS.search(sentence) or _ONLY_CLOSERS.issuperset(chunks[-1]):
        _add_exactly(sentence, tokens)
        return
    for chunk in chunks[:-1]:
        if chunk.isascii() and chunk.isalnum() and chunk not in _CONTRACTED:
            tokens.append(chunk)
        else:
            tokens.extend(_parted(f"{chunk} "))
    tokens.extend(_parted_at_the_end(chunks[-1]))


def _add_exactly(sentence: str, tokens: list[str]) -> None:
    """The same where it matters which blanks stand around a chunk, or where marks alone follow a full stop."""
    chunks = list(_CHUNK.finditer(sentence))
    end = len(chunks) - 1
    while end > 0 and _ONLY_CLOSERS.issuperset(chunks[end][0].strip()):
        end -= 1
    for chunk in chunks[:end]:
        tokens.extend(_parted(chunk[0] + chunk[1]))
    tokens.extend(_parted_at_the_end(sentence[chunks[end].start() :]))


@lru_cache(maxsize=1 << 16)
def _parted(chunk: str) -> tuple[str, ...]:
    """The tokens of a chunk inside a sentence, with the blanks around it that count."""
    return _applied(chunk, (_OPENING, _MARKS, _MORE_MARKS))


@lru_cache(maxsize=1 << 16)
def _parted_at_the_end(chunk: str) -> tuple[str, ...]:
    """The tokens of the last chunk of a sentence, with the blanks before it and the marks alone that follow."""
    return _applied(chunk, (_OPENING, _FULL_STOP, _MARKS, _FULL_STOP_AGAIN, _MORE_MARKS))


def _applied(text: str, stages: tuple[_Rules, ...]) -> tuple[str, ...]:
    for rules in stages:
        for pattern, parted in rules:
            text = pattern.sub(parted, text)
    text = f" {text} "
    for rules in (_CLOSING, _CONTRACTIONS):
        for pattern, parted in rules:
            text = pattern.sub(parted, text)
    return tuple(text.split())
