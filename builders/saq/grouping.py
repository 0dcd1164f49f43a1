"""Grouping: which answers are proposed as variants of one answer when no reviewer has decided.

Two answers are variants when they have the same key, so groups never depend on order and never chain. The rules
only put together; they never remove an answer. ``docs/aggregation.md`` says how often reviewers agree with
them.
"""

import re
from functools import lru_cache
from unicodedata import category, normalize

from blend.schemas.formats import AnswerFormat, understood
from blend.schemas.spelling import respell
from blend.schemas.text import clean

_MEANINGFUL = frozenset("%&#@*")
"""Punctuation, by its Unicode category, that changes what an answer says."""

_MINUS = "\u2212"
_OPENING = frozenset({"Zs", "Ps", "Pi"})
"""Categories of what may stand before a minus sign: a blank, a bracket, a quotation mark."""

_BLANKS = re.compile(r"(?<!\d) | (?!\d)")
"""Blanks other than those between two digits."""


@lru_cache(maxsize=1 << 16)
def grouping_key(answer: str, language: str, answer_format: AnswerFormat = AnswerFormat.TEXT) -> str:
    """What an answer is compared by: equal keys, one group.

    Args:
        answer: The answer as typed.
        language: BCP 47 tag; decides which spellings are the same (`schemas.spelling`).
        answer_format: Format of the question. An answer in this format is compared by its canonical spelling
            (`schemas.formats.understood`), also where only punctuation around it is in the way (``7.``); every
            other answer is compared as text.

    Returns:
        For text its letters, marks, digits and symbols in the language's unified spelling. Punctuation and
        blanks count only inside numbers: ``hot dog``, ``hot-dog`` and ``hotdog`` are one answer, ``1.5`` and
        ``15`` are two. An answer of punctuation alone is its own key.
    """
    key = _text_key(answer, language) or clean(normalize("NFKC", answer))
    if answer_format is AnswerFormat.TEXT:
        return key
    return understood(answer, answer_format) or understood(key, answer_format) or key


def _text_key(text: str, language: str) -> str:
    spelled = respell(text, language)
    plain = "".join(_kept(char, spelled[i - 1 : i], spelled[i + 1 : i + 2]) for i, char in enumerate(spelled))
    return normalize("NFC", _BLANKS.sub("", " ".join(plain.split())))


def _kept(char: str, before: str, after: str) -> str:
    """What a character between two others (or none) says: itself, or a blank where it only parts words.

    Punctuation between two digits says something (``1.5``, ``1-5``, ``7:30``). A hyphen that opens a number is
    a minus sign, and becomes one, so that it is told from a hyphen once blanks are gone.
    """
    if category(char)[0] not in "PZC" or char in _MEANINGFUL:
        return char
    if char == " " or not after.isdecimal():
        return " "
    if char == "-" and (not before or category(before) in _OPENING):
        return _MINUS
    return char if before.isdecimal() else " "
