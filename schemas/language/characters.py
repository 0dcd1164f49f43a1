"""Characters that nobody sees in a text, and what a reader or a model makes of them all the same."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

FORBIDDEN: Final = {
    re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]"): "control characters",
    re.compile(r"[\u202a-\u202e\u2066-\u2069]"): "characters that reorder the text",
    re.compile(r"[\U000e0000-\U000e007f]"): "hidden tag characters",
    re.compile("\ufffd"): "the sign for damaged text",
}
"""Characters that have no place in any text, by what they are called."""
_FORBIDDEN_ANY = re.compile("|".join(pattern.pattern for pattern in FORBIDDEN))

_JOINERS: Final = "\u200c\u200d"
_ZERO_WIDTH_SPACE: Final = "\u200b"
_MARKS: Final = "\u200e\u200f\u061c"

_JOINING = frozenset(
    {
        "Arab", "Aran", "Syrc", "Mong", "Nkoo", "Deva", "Beng", "Guru", "Gujr", "Orya",
        "Taml", "Telu", "Knda", "Mlym", "Sinh", "Khmr", "Mymr", "Tibt", "Newa",
    }
)  # fmt: skip
"""Scripts whose spelling uses the zero-width joiner and non-joiner (The Unicode Standard, section 23.2)."""

_WITHOUT_BLANKS = frozenset({"Khmr", "Mymr", "Thai", "Laoo", "Tibt"})
"""Scripts that write no blanks between words and mark them with a zero-width space."""

RIGHT_TO_LEFT = frozenset({"Adlm", "Arab", "Aran", "Hebr", "Mand", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa"})
"""Scripts written from right to left, whose texts may need directional marks."""


def ordinary_in(script: str, *, rtl: bool) -> str:
    """Invisible characters that belong to the spelling of a script."""
    joiners = _JOINERS if script in _JOINING else ""
    spaces = _ZERO_WIDTH_SPACE if script in _WITHOUT_BLANKS else ""
    return joiners + spaces + (_MARKS if rtl else "")


@lru_cache(maxsize=512)
def ordinary_in_language(tag: str) -> str:
    """Invisible characters that belong to the spelling of a language, in the script that it most often has."""
    from langcodes import Language, tag_is_valid

    script = Language.get(tag).maximize().script if tag_is_valid(tag) else None
    return ordinary_in(script or "", rtl=script in RIGHT_TO_LEFT)


@lru_cache(maxsize=1 << 14)
def scripts_of(text: str) -> frozenset[str]:
    """The scripts of a text's letters, by the first word of their Unicode names, for example ``LATIN``.

    A letter without a name is of script ``?``; signs, digits and marks are of none.
    """
    if text.isascii():
        return frozenset(["LATIN"] if any(map(str.isalpha, text)) else [])
    return frozenset(unicodedata.name(c, "?").partition(" ")[0] for c in text if c.isalpha())


_SHARING_SHAPES = frozenset({"LATIN", "CYRILLIC", "GREEK"})
"""Scripts many of whose letters look alike."""
_WORD_OF_LETTERS = re.compile(r"[^\W\d_]+")


def mixed_words(text: str) -> list[str]:
    """The words whose letters come from several scripts that look alike, as in ``xлеб`` with a Latin x."""
    if text.isascii():
        return []
    words = _WORD_OF_LETTERS.findall(text)
    return [word for word in words if len(scripts_of(word) & _SHARING_SHAPES) > 1]


def forbidden_in(text: str) -> Iterator[str]:
    """Name what a text holds that no text may hold, one phrase per kind."""
    for pattern, kind in FORBIDDEN.items():
        if held := pattern.findall(text):
            yield f"{kind}: {_named(held)}"


def unseen_in(text: str, ordinary: str) -> Iterator[str]:
    """Name what a text holds that its spelling hardly needs, one phrase per kind.

    Args:
        text: The text.
        ordinary: Invisible characters that belong to its script, as `ordinary_in` gives them.
    """
    odd = [c for c in text if c not in ordinary and not _FORBIDDEN_ANY.match(c)]
    if invisible := [c for c in odd if unicodedata.category(c) == "Cf"]:
        yield f"characters that nobody sees: {_named(invisible)}"


def meaningless_in(text: str) -> Iterator[str]:
    """Name what a text holds that has no meaning that all share, as one phrase."""
    if private := [c for c in text if unicodedata.category(c) in ("Co", "Cn") and not _FORBIDDEN_ANY.match(c)]:
        yield f"characters without a common meaning: {_named(private)}"


def _named(chars: list[str]) -> str:
    """The characters by code point and name, each once; the text itself is not shown, as it would mislead."""
    return ", ".join(
        f"U+{ord(char):04X} {unicodedata.name(char, '')}".rstrip() for char in dict.fromkeys(chars)
    )
