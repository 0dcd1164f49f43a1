"""Text comparison: when two strings are the same words, whatever their case, accents or punctuation."""

import re
import unicodedata
from functools import lru_cache

ZERO_WIDTH = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff"))
"""Characters without width: they join or part letters on screen and carry no word of their own."""

_SPACES = re.compile(r"\s+")


def clean(text: str) -> str:
    """The text in Unicode NFC, without outer white space and with single blanks inside."""
    return _SPACES.sub(" ", unicodedata.normalize("NFC", text)).strip()


@lru_cache(maxsize=1 << 16)
def fold(text: str, *, accents: bool = True) -> str:
    """The text as compared: NFKC, case-folded, without zero-width characters.

    Args:
        text: Any string.
        accents: Whether combining marks on Latin and Greek letters are removed as well. Marks of
            other scripts (Cyrillic й, Arabic, Indic …) spell different words and always stay.
    """
    folded = unicodedata.normalize("NFKC", text).translate(ZERO_WIDTH).casefold()
    if accents:
        folded = _without_accents(folded)
    return unicodedata.normalize("NFC", _SPACES.sub(" ", folded).strip())


def _without_accents(text: str) -> str:
    kept: list[str] = []
    base = ""
    for char in unicodedata.normalize("NFD", text):
        if not unicodedata.combining(char):
            base = char
        elif base and unicodedata.name(base, "").startswith(("LATIN", "GREEK")):
            continue
        kept.append(char)
    return "".join(kept)


@lru_cache(maxsize=1 << 16)
def words(text: str) -> tuple[str, ...]:
    """The folded words of a text, in order; hyphens, slashes and all punctuation part words.

    ``words("Jack-o'-Lantern")`` is ``("jack", "o", "lantern")``; ``words("5/10")`` is ``("5", "10")``. A text
    without letters and digits has no words.
    """
    # Marks of Indic and other scripts are not \w on their own; without them a word would be cut in pieces.
    folded = fold(text)
    plain = "".join(c if c.isalnum() or unicodedata.category(c).startswith("M") else " " for c in folded)
    return tuple(plain.split())


def counted(n: int, thing: str) -> str:
    """A number of things in English: ``1 question``, ``2,000 questions``."""
    return f"{n:,} {thing}{'' if n == 1 else 's'}"
