"""Text comparison: when two strings are the same words, whatever their case, accents or punctuation."""

import re
import unicodedata
from functools import lru_cache

ZERO_WIDTH = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff"))
"""Characters without width: they join or part letters on screen and carry no word of their own."""

_ASCII_WORDS = re.compile(r"[0-9a-z]+")

# Control characters but tab and line feed, other ends of lines, what turns a line around, lone surrogates.
_HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def escape_controls(text: str) -> str:
    r"""The text as a terminal or a page can show it: nothing in it moves the cursor or turns the line around.

    What would is spelled as its code, ``\x1b``. Letters, marks and joiners of all scripts stay as they are.
    """
    return _HARMFUL.sub(lambda found: _code(ord(found[0])), text)


def escape_controls_in_json(text: str) -> str:
    """JSON as a terminal can show it; it says the same, since JSON has an escape for every character."""
    return _HARMFUL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _code(number: int) -> str:
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"


def clean(text: str) -> str:
    """The text in Unicode NFC, without outer white space and with single blanks inside."""
    return " ".join(unicodedata.normalize("NFC", text).split())


@lru_cache(maxsize=1 << 12)
def fold(text: str, *, accents: bool = True) -> str:
    """The text as compared: NFKC, case-folded, without zero-width characters.

    Args:
        text: Any string.
        accents: Whether combining marks on Latin and Greek letters are removed as well. Marks of
            other scripts (Cyrillic й, Arabic, Indic …) spell different words and always stay.
    """
    if text.isascii():  # most answers are; nothing in them can be composed, joined or accented
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", text).translate(ZERO_WIDTH).casefold()
    if accents:
        folded = _without_accents(folded)
    return unicodedata.normalize("NFC", " ".join(folded.split()))


def _without_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text)
    if not any(map(unicodedata.combining, decomposed)):
        return decomposed
    kept: list[str] = []
    base = ""
    for char in decomposed:
        if not unicodedata.combining(char):
            base = char
        elif base and unicodedata.name(base, "").startswith(("LATIN", "GREEK")):
            continue
        kept.append(char)
    return "".join(kept)


@lru_cache(maxsize=1 << 14)
def words(text: str) -> tuple[str, ...]:
    """The folded words of a text, in order; hyphens, slashes and all punctuation part words.

    ``words("Jack-o'-Lantern")`` is ``("jack", "o", "lantern")``; ``words("5/10")`` is ``("5", "10")``. A text
    without letters and digits has no words.
    """
    if text.isascii():  # as in `fold`; blanks need no folding here
        return tuple(_ASCII_WORDS.findall(text.lower()))
    folded = fold(text)
    if folded.isascii():
        return tuple(_ASCII_WORDS.findall(folded))
    # Marks of Indic and other scripts are not \w on their own; without them a word would be cut in pieces.
    if folded.replace(" ", "").isalnum():
        return tuple(folded.split())
    plain = "".join(c if c.isalnum() or unicodedata.category(c).startswith("M") else " " for c in folded)
    return tuple(plain.split())


def agreeing(n: int, singular: str, plural: str) -> str:
    """The form of a verb or pronoun that goes with a number of things, ``is`` with 1 and ``are`` else."""
    return singular if n == 1 else plural


def pluralise(n: int, thing: str) -> str:
    """A number of things in English: ``1 question``, ``2,000 questions``, ``2 dishes``."""
    ending = "es" if thing.endswith(("sh", "ch", "s", "x")) else "s"
    return f"{n:,} {thing}{'' if n == 1 else ending}"
