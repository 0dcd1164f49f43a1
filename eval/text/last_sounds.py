"""Last sounds: what a word ends in, where the form of a suffix depends on it or hides it."""

from collections.abc import Callable, Mapping
from unicodedata import category, normalize

_FIRST, _LAST, _FINALS, _RIEUL = ord("가"), ord("힣"), 28, 8
"""Korean syllables are numbered by their final consonant fastest: 27 of them and, as 0, none."""

_ETHIOPIC, _END_OF_ETHIOPIC, _ORDERS = 0x1200, 0x1358, 8
"""Ethiopic letters are numbered by consonant, and within one by vowel."""

_U, _E, _NO_VOWEL, _O, _WA = 1, 4, 5, 6, 7

_VOWELS = frozenset("aeiouıəɨاو")
"""Latin vowels, and the Arabic letters that are vowels at the end of a Persian word."""


def ends_as(word: str, ending: str) -> bool:
    """Whether a word ends as `SOUNDS` says, in Korean, Latin, Indic and Ethiopic scripts."""
    return SOUNDS[ending](word)


def without_last_vowel(word: str) -> str:
    """The word with u, e, o or wa of its last Ethiopic letter left out: ``ቤቱ`` as ``ቤት``."""
    order = _ethiopic_order(word)
    if order not in (_U, _E, _O, _WA):
        return word
    return word[:-1] + chr(ord(word[-1]) - order + _NO_VOWEL)


def _korean_final(word: str) -> int | None:
    """Number of the last syllable's final consonant, 0 without one; null if it is not a Korean syllable."""
    code = ord(word[-1]) if word else 0
    return (code - _FIRST) % _FINALS if _FIRST <= code <= _LAST else None


def _ethiopic_order(word: str) -> int | None:
    code = ord(word[-1]) if word else 0
    return (code - _ETHIOPIC) % _ORDERS if _ETHIOPIC <= code < _END_OF_ETHIOPIC else None


def _ends_in_vowel(word: str) -> bool:
    """Whether the last letter is a vowel, a vowel sign, or a Korean syllable without a final consonant."""
    final = _korean_final(word)
    if final is not None:
        return final == 0
    last = word[-1:]
    return last != "" and (normalize("NFD", last)[0] in _VOWELS or category(last) in ("Mc", "Mn"))


SOUNDS: Mapping[str, Callable[[str], bool]] = {
    "vowel": _ends_in_vowel,
    "consonant": lambda word: not _ends_in_vowel(word),
    "vowel or l": lambda word: _korean_final(word) in (0, _RIEUL),
    "consonant but l": lambda word: _korean_final(word) not in (0, _RIEUL),
    "o": lambda word: _ethiopic_order(word) == _O,
}
"""Name to whether a word ends so. Those with l are Korean, o is Ethiopic."""
