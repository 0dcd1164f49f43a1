"""Spelling: which spellings of a language stand for the same word, whatever a keyboard or a hurry made of them.

Only what cannot part two words is unified. A mark or letter that distinguishes words in a language stays there:
``año`` and ``ano``, ``papá`` and ``papa`` are different Spanish words, ``й`` and ``и`` different Bulgarian
letters.
"""

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import resources

from blend.schemas.language.numerals import western
from blend.schemas.language.text_comparison import clean, fold

_GRAVE, _ACUTE, _CIRCUMFLEX, _TILDE, _MACRON = "\u0300", "\u0301", "\u0302", "\u0303", "\u0304"
_DOT, _DIAERESIS, _CEDILLA = "\u0307", "\u0308", "\u0327"

_WORDS = re.compile(r"[\w\u0300-\u036f]+")


@dataclass(frozen=True, slots=True)
class Spelling:
    """Spellings that are the same in one language."""

    accents: str = ""
    """Combining marks that may be left out."""
    letters: Mapping[int, str] = field(default_factory=dict)
    """Code point to what it is read as, before case folding; to nothing when it may be left out."""
    distinct: frozenset[str] = frozenset()
    """Folded words that are other words without their accents, and so keep them."""


def spelling_of(language: str) -> Spelling:
    """The spelling rules of a language, by its BCP 47 tag; of the primary language, whatever the region.

    A language without an entry has none: its accents and letters all count.
    """
    primary = language.partition("-")[0].lower()
    return _chinese() if primary == "zh" else _SPELLINGS.get(primary, _PLAIN)


@lru_cache(maxsize=1 << 16)
def respell(text: str, language: str) -> str:
    """The text as compared in a language: folded, digits of any script as 0-9, spelling variants unified.

    Twice the same as once. Punctuation stays, and so do all blanks.
    """
    rules = spelling_of(language)
    if text.isascii() and not rules.letters:
        return fold(text, accents=False)
    text = unicodedata.normalize("NFKC", western(text)).translate(rules.letters)
    folded = western(fold(text, accents=False))
    if rules.accents and not folded.isascii():
        folded = _WORDS.sub(lambda word: _without_accents(word[0], rules), folded)
    return clean(folded)


def _without_accents(word: str, rules: Spelling) -> str:
    if word in rules.distinct:
        return word
    apart = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(char for char in apart if char not in rules.accents))


def _letters(pairs: str, *, dropped: str = "") -> dict[int, str]:
    """Code points from ``"ab cd"``: a is read as b, c as d; the dropped ones as nothing."""
    return {**{ord(pair[0]): pair[1] for pair in pairs.split()}, **dict.fromkeys(map(ord, dropped), "")}


def _series(*rows: tuple[int, int, int]) -> dict[int, str]:
    """Code points of whole Ethiopic rows: ``(first, first of the row it is read as, length)``."""
    return {first + i: chr(target + i) for first, target, length in rows for i in range(length)}


_PLAIN = Spelling()


@cache
def _chinese() -> Spelling:
    """Traditional characters are read as simplified ones, 餃子 as 饺子; only Chinese pays for the table."""
    path = resources.files("blend.schemas.language") / "chinese.toml"
    pairs: str = tomllib.loads(path.read_text(encoding="utf-8"))["simplified"]
    return Spelling(letters=_letters(pairs))


_HARAKAT = "".join(map(chr, [*range(0x064B, 0x0653), 0x0670]))
_TATWEEL = "\u0640"
_HAMZA_ABOVE = "\u0654"
_HAMZA_AND_MADDA = "\u0653\u0654\u0655"

_SPELLINGS: dict[str, Spelling] = {
    # Harakat and tatweel are decoration; hamza and madda on alef are left out in everyday typing.
    "ar": Spelling(letters=_letters("أا إا آا ٱا", dropped=_HARAKAT + _TATWEEL + _HAMZA_AND_MADDA)),
    # Bengali ra is typed for Assamese ra, which Assamese alone has.
    "as": Spelling(letters=_letters("\u09b0\u09f0")),
    # Rows that are pronounced alike and exchanged freely (ha, sa, a, tsa), and the first and fourth order
    # of ha and a.
    "am": Spelling(
        letters={
            **_series(
                (0x1210, 0x1200, 7),
                (0x1280, 0x1200, 7),
                (0x1220, 0x1230, 8),
                (0x12D0, 0x12A0, 7),
                (0x1340, 0x1338, 7),
            ),
            **_letters("ሃሀ ሓሀ ኃሀ ኣአ ዓአ"),
        }
    ),
    # Dotted and dotless i are two letters; the case folding of other languages mixes them up.
    # A dot left over on a small i comes from lower-casing İ by their rules.
    "az": Spelling(accents=_DOT, letters=_letters("Iı İi")),
    "tr": Spelling(accents=_DOT, letters=_letters("Iı İi")),
    # Capitals are written without accents.
    "el": Spelling(accents=_ACUTE + _DIAERESIS),
    # English keeps accents of loan words or drops them (café, naïve, piñata).
    "en": Spelling(accents=_GRAVE + _ACUTE + _CIRCUMFLEX + _TILDE + _DIAERESIS + _CEDILLA),
    # Accents of stress are often left out; ñ is a letter.
    "es": Spelling(
        accents=_ACUTE + _DIAERESIS, distinct=frozenset({"papá", "papás", "mamá", "mamás", "té", "tés"})
    ),
    # Arabic forms of yeh and kaf come from Arabic keyboards; alef madda is a letter of its own. The hamza above
    # a final heh is a sound that most leave unwritten; other hamzas are composed with their letter and stay.
    "fa": Spelling(letters=_letters("يی ىی كک ۀه ەه", dropped=_HARAKAT + _TATWEEL + _HAMZA_ABOVE)),
    # Tone marks are for dictionaries; the hooked letters (ɓ ɗ ƙ) distinguish words and stay.
    "ha": Spelling(accents=_GRAVE + _ACUTE + _CIRCUMFLEX + _MACRON),
    # An accent on e is for dictionaries.
    "id": Spelling(accents=_ACUTE),
    "ms": Spelling(accents=_ACUTE),
    # é for e is often left out.
    "su": Spelling(accents=_ACUTE),
    # Stress marks are for dictionaries; ñ is a letter.
    "tl": Spelling(accents=_GRAVE + _ACUTE + _CIRCUMFLEX),
    "fil": Spelling(accents=_GRAVE + _ACUTE + _CIRCUMFLEX),
}
