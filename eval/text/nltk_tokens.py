"""NLTK tokens: words of an English text as ``nltk.word_tokenize`` parts them, without NLTK and its data.

The rules are those of ``NLTKWordTokenizer``, which all work within what stands between two blanks, the end of
a sentence apart. So every such chunk is parted once and remembered, and a text costs little more than a look
at each of its words. Sentences are parted as by its Punkt; the difference from NLTK with its downloaded
data is a full stop behind an abbreviation: ``mr. smith`` is ``mr`` ``.`` ``smith`` here and ``mr.`` ``smith``
there.

``tests/eval/text/test_nltk_tokens.py`` holds the tokens to those of NLTK, on any text.

References:
    NLTK 3.10, ``nltk.tokenize.destructive`` and ``nltk.tokenize.punkt``, https://www.nltk.org; Kiss and Strunk
    (2006), Unsupervised Multilingual Sentence Boundary Detection, Computational Linguistics 32. Punkt that has
    learned nothing knows no abbreviation: a full stop, question or exclamation mark ends a sentence where white
    space or another mark follows, unless it belongs to an ellipsis, an initial or a number that goes on in
    lower case.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

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


_ENDS = ".?!"
_QUOTES = "‘’“”«»"
_NO_WORD = rf"[)\";}}\]*:@'({{\[{_QUOTES}?!]"
"""A character that no word holds, as the inside of a pattern."""

_SEVERAL = r"(?:-{2,}|\.{2,}|(?:\.\s){2,}\.)"
"""Dashes and dots in a row, which are one token."""

_CANDIDATE = re.compile(rf"[{_ENDS}](?=(?P<behind>{_NO_WORD}|\s+(?P<next>\S+)))")
_TOKEN = re.compile(
    rf"{_SEVERAL}|[^(\"`{{\[:;&#*@)}}\]\-,\s]\S*?(?=\s|$|{_NO_WORD}|{_SEVERAL}|,(?=$|\s|{_NO_WORD}|{_SEVERAL}))|\S"
)
_END_OF_QUOTATION = re.compile(rf"[\"')\]}}{_QUOTES}]+?(?:\s+|(?=--)|$)", re.MULTILINE)
"""Marks behind the end of a sentence that still belong to it."""

_INITIAL = re.compile(r"[^\W\d]\.")
_NUMBER = re.compile(r"-?[.,]?\d[\d,.-]*")
_BLANKS = " \t\n\r\v\f"


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, in order, without the white space between them."""
    realigned = 0
    spans = list(_spans(text))
    for number, (start, end) in enumerate(spans):
        start += realigned
        realigned = 0
        if number + 1 < len(spans):
            following, stop = spans[number + 1]
            # Closing marks that the next span begins with are moved to the end of this one.
            closing = _END_OF_QUOTATION.match(text[following:stop])
            if closing is not None:
                end, realigned = following + len(closing[0].rstrip()), closing.end()
                yield text[start:end]
                continue
        if start < end:
            yield text[start:end]


class _Candidate(NamedTuple):
    """A mark that may end a sentence."""

    word: str
    """What stands before it, back to the last blank."""
    mark: re.Match[str]
    """The mark and what follows."""


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for word, mark in _candidates(text):
        if _plainly_ends(word, mark) or _ends_sentence(word + mark[0] + mark["behind"]):
            yield start, mark.end()
            start = mark.end() if mark["next"] is None else mark.start("next")
    yield start, len(text.rstrip())


def _candidates(text: str) -> Iterator[_Candidate]:
    """The marks that may end a sentence; of several within one word the last."""
    previous: _Candidate | None = None
    before, stop = 0, 0
    for mark in _CANDIDATE.finditer(text):
        blank = max(text.rfind(character, stop, mark.start()) for character in _BLANKS)
        # A blank right behind the word before counts as none, as in NLTK.
        word = blank + 1 if blank > stop else before
        if previous is not None and stop <= word:
            yield previous
        previous, before, stop = _Candidate(text[word : mark.start()], mark), word, mark.start()
    if previous is not None:
        yield previous


def _plainly_ends(word: str, mark: re.Match[str]) -> bool:
    """Whether a word of several letters and a mark stand before a blank, as with most candidates."""
    return mark["next"] is not None and len(word) > 1 and word.isalpha()


@lru_cache(maxsize=1 << 12)
def _ends_sentence(context: str) -> bool:
    """Whether a word with its mark, seen with what follows, ends a sentence.

    Only what comes before the last token counts: a mark at the very end has nothing behind it to judge by.
    """
    tokens = [token for line in context.split("\n") for token in _TOKEN.findall(line)]
    return any(_breaks(token, following) for token, following in pairwise(tokens))


def _breaks(token: str, following: str) -> bool:
    if token in _ENDS:
        return True
    if not token.endswith(".") or token.endswith(".."):
        return False
    is_initial = _INITIAL.fullmatch(token) is not None
    if is_initial or _NUMBER.fullmatch(token):
        if following in ";:,.!?" or following[0].islower():
            return False
        return not (is_initial and following[0].isupper())
    return True
