"""Sentences: where NLTK's Punkt parts a text when it has learned nothing.

``nltk.word_tokenize`` parts a text into sentences first, with data that must be downloaded. Without any data
the same algorithm knows no abbreviation, and what is left are a few rules: a full stop, question or
exclamation mark ends a sentence where white space or another mark follows, unless it belongs to an ellipsis,
an initial or a number that goes on in lower case. ``tests/eval/text/test_nltk_tokens.py`` holds them to NLTK
itself.

References:
    Kiss and Strunk (2006), Unsupervised Multilingual Sentence Boundary Detection, Computational Linguistics 32;
    NLTK 3.10, ``nltk.tokenize.punkt``, https://www.nltk.org.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

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
_CLOSING = re.compile(rf"[\"')\]}}{_QUOTES}]+?(?:\s+|(?=--)|$)", re.MULTILINE)
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
            closing = _CLOSING.match(text[following:stop])
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
