"""Spelling: which spellings of a language stand for the same word, whatever a keyboard or a hurry made of them.

Only what cannot part two words is unified. A mark or letter that distinguishes words in a language stays there:
``año`` and ``ano``, ``papá`` and ``papa`` are different Spanish words, ``й`` and ``и`` different Bulgarian
letters.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from unicodedata import decimal, digit, normalize, numeric

from blend.schemas.models import packaged_tables
from blend.schemas.texts import clean, fold

_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_POWER = re.compile(rf"(?<=\d)[{_SUPERSCRIPTS}]+")
_MIXED = re.compile(rf"(?<=[\d{_SUPERSCRIPTS}])(?=[¼-¾⅐-⅟↉])")
_FRACTION = re.compile(r"[¼-¾⅐-⅟↉]")
FRACTION_SLASH = "\u2044"
FRACTION_SIGN = re.compile(rf"[¼-¾⅐-⅟↉{FRACTION_SLASH}]")
"""What makes a fraction of two numbers and never a date: ½ is not the second of January."""

_ARABIC_POINT = re.compile(r"(?<=\d)\u066b(?=\d)")
_ARABIC_THOUSANDS = re.compile(r"(?<=\d)\u066c(?=\d{3}(?!\d))")

_ETHIOPIC = re.compile(r"(?<![\d፩-፼])[፩-፼]{1,16}(?![\d፩-፼])")
# Tens before ones, then the hundred or ten thousand that they count: ፻፳፭ is 125, ፫፻ is 300.
_ETHIOPIC_NUMBER = re.compile(r"(?:[፲-፺]?[፩-፱]?[፻፼])*[፲-፺]?[፩-፱]?")
_HUNDRED, _TEN_THOUSAND = "፻", "፼"

_CHINESE_DIGITS = {
    char: value
    for value, chars in enumerate(("〇零", "一壹", "二两兩", "三", "四", "五", "六", "七", "八", "九"))
    for char in chars
}
_CHINESE_UNITS = {"十": 10, "百": 100, "千": 1000}
_DIGIT = "[一二两兩三四五六七八九]"
_CHINESE_NUMBER = re.compile(rf"(?:{_DIGIT}千)?(?:零?{_DIGIT}百)?(?:零?{_DIGIT}?十)?(?:零?{_DIGIT})?")


def western(text: str) -> str:
    """The text with the numbers of every script in the digits 0-9.

    Besides decimal digits of any script: Ethiopic numbers (``፯`` is 7, ``፲፪`` 12), Arabic decimal points and
    marks of thousands (``٧٫٥`` is 7.5, ``١٬٠٠٠`` is 1000), fractions as people type them (``½`` is ``1/2``,
    ``1½`` is ``1 1/2`` and not eleven halves) and powers (``10²`` is ``10^2`` and not 102). To be called before
    compatibility forms are unified (NFKC), which make 11/2 of the one and 102 of the other.
    """
    if text.isascii():
        return text
    text = _FRACTION.sub(lambda part: _typed(part[0]), _MIXED.sub(" ", text)).replace(FRACTION_SLASH, "/")
    text = _POWER.sub(lambda power: "^" + "".join(str(digit(char)) for char in power[0]), text)
    text = _ETHIOPIC.sub(lambda number: _ethiopic(number[0]), text)
    text = _ARABIC_POINT.sub(".", _ARABIC_THOUSANDS.sub("", text))
    return "".join(str(decimal(char)) if char.isdecimal() else char for char in text)


def chinese_number(text: str) -> int | None:
    """The number below 10,000 that Chinese characters write (``七``, ``二十``, ``一百零五``), or null."""
    if text in _CHINESE_DIGITS:
        return _CHINESE_DIGITS[text]
    if not text or not _CHINESE_NUMBER.fullmatch(text):
        return None
    total, last = 0, 0
    for char in text:
        if char in _CHINESE_UNITS:
            # 十 alone is ten.
            total, last = total + (last or 1) * _CHINESE_UNITS[char], 0
        else:
            last = _CHINESE_DIGITS[char]
    return total + last


def _typed(fraction: str) -> str:
    """``½`` as ``1/2``; the numerator one alone, ``⅟``, as ``1/``."""
    return normalize("NFKC", fraction).replace(FRACTION_SLASH, "/")


def _ethiopic(number: str) -> str:
    """An Ethiopic number in the digits 0-9; as it stands if its signs are in no order that makes one."""
    if not _ETHIOPIC_NUMBER.fullmatch(number):
        return number
    # Ten thousand multiplies all that stands before it; a hundred only the tens and ones before it. A sign
    # without a number before it counts once.
    total = hundreds = below = 0
    for char in number:
        if char == _HUNDRED:
            hundreds, below = hundreds + 100 * (below or 1), 0
        elif char == _TEN_THOUSAND:
            total, hundreds, below = (total + hundreds + below or 1) * 10_000, 0, 0
        else:
            below += int(numeric(char))
    return str(total + hundreds + below)


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
    return _rules(language.partition("-")[0].lower())


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


@cache
def _rules(primary: str) -> Spelling:
    """The rules of a primary language: those in ``spelling.toml``; Chinese has a table of its own."""
    is_chinese = primary == "zh"
    own = packaged_tables("chinese.toml") if is_chinese else packaged_tables("spelling.toml").get(primary, {})
    letters = dict[int, str]()
    for first, target, length in own.get("rows", ()):
        letters |= {ord(first) + i: chr(ord(target) + i) for i in range(length)}
    # Single letters of such a row are read otherwise.
    letters |= {ord(pair[0]): pair[1] for pair in own.get("letters", "").split()}
    letters |= dict.fromkeys(map(ord, own.get("dropped", "")), "")
    return Spelling(own.get("accents", ""), letters, frozenset(own.get("distinct", ())))
