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

_IN_NUMBERS = re.compile(r"(?<=\d)[^\w\s](?=\d)|(?<!\S)-(?=\d)")
"""A separator between digits or a minus sign: ``1.5``, ``1-5``, ``7:30`` and ``-5`` keep theirs."""

_BLANKS = re.compile(r"(?<!\d) | (?!\d)")
"""Blanks other than those between two digits."""


@lru_cache(maxsize=1 << 16)
def grouping_key(answer: str, language: str, answer_format: AnswerFormat = AnswerFormat.TEXT) -> str:
    """What an answer is compared by: equal keys, one group.

    Args:
        answer: The answer as typed.
        language: BCP 47 tag; decides which spellings are the same (`schemas.spelling`).
        answer_format: Format of the question. An answer in this format is compared by its canonical spelling
            (`schemas.formats.understood`), every other answer as text.

    Returns:
        For text its letters, marks, digits and symbols in the language's unified spelling. Punctuation and
        blanks count only inside numbers: ``hot dog``, ``hot-dog`` and ``hotdog`` are one answer, ``1.5`` and
        ``15`` are two. An answer of punctuation alone is its own key.
    """
    value = None if answer_format is AnswerFormat.TEXT else understood(answer, answer_format)
    return value or _text_key(answer, language) or clean(normalize("NFKC", answer))


def _text_key(text: str, language: str) -> str:
    spelled = respell(text, language)
    kept = {match.start() for match in _IN_NUMBERS.finditer(spelled)}
    plain = "".join(char if i in kept or not _parts_words(char) else " " for i, char in enumerate(spelled))
    return _BLANKS.sub("", " ".join(plain.split()))


def _parts_words(char: str) -> bool:
    return not char.isalnum() and category(char)[0] in "PZC" and char not in _MEANINGFUL
