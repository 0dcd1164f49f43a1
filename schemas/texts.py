"""Texts: when two are the same words, what nobody sees in them, and what only stands for one."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from hashlib import blake2b
from typing import Final, NamedTuple
from unicodedata import decimal, digit, normalize, numeric

from blend.schemas.models import packaged_tables

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


def digest(*parts: object) -> int:
    """Compute a number of 64 bits that depends on the parts alone: the same in every process and version."""
    # A control character parts them: "ab" and "c" give another number than "a" and "bc".
    text = "\x1f".join(map(str, parts))
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


def pair_key(a: str, b: str) -> tuple[str, str]:
    """Return what a pair of answers is compared by, whichever comes first: `answer_key` of both.

    Accents and punctuation count: a verdict is about these two answers and says nothing about similar ones.
    """
    first, second = answer_key(a), answer_key(b)
    return (first, second) if first <= second else (second, first)


@lru_cache(maxsize=1 << 12)
def answer_key(answer: str) -> str:
    """Return what an answer is compared by in verdicts: without case, outer or repeated white space, in NFC."""
    return unicodedata.normalize("NFC", clean(answer).casefold())


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
    kept: list[str] = []
    base = ""
    for char in unicodedata.normalize("NFD", text):
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


_FORBIDDEN: Final = {
    re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]"): "control characters",
    re.compile(r"[\u202a-\u202e\u2066-\u2069]"): "characters that reorder the text",
    re.compile(r"[\U000e0000-\U000e007f]"): "hidden tag characters",
    re.compile("\ufffd"): "the sign for damaged text",
}
"""Characters that have no place in any text, by what they are called."""
_FORBIDDEN_ANY = re.compile("|".join(pattern.pattern for pattern in _FORBIDDEN))

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
    for pattern, kind in _FORBIDDEN.items():
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


_PLACEHOLDERS = frozenset(
    words(text)
    for text in (
        "none", "x", "n/a", "not applicable", "not available", "nothing", "nothing special", "no answer",
        "idk", "i don't know", "i do not know", "don't know", "do not know", "not sure", "unknown", "null",
        "nil", "any", "anything", "it depends", "depends", "no such thing", "there is no", "there is none",
    )
)  # fmt: skip


_UNWRITTEN = re.compile(
    r"\W+|to ?do|tb[acd]|fix ?me|n/a|xxx+|ditto|(?:see|same as|as) above|see below|lorem ipsum.*"
    r"|loading|(?:no |missing )?translation(?: missing| needed)?|untranslated|not translated"
    r"|placeholder",
    re.IGNORECASE,
)


_MISSING = frozenset({"NA", "<NA>", "nan", "NaN", "NaT"})
"""What programs write where there is no text; ``Na`` and ``Nan`` are names."""


def is_placeholder(text: str) -> bool:
    """Whether an answer only says that there is none, such as ``none``, ``X``, ``n/a`` or ``nan``."""
    return words(text) in _PLACEHOLDERS or text.strip() in _MISSING


def is_unwritten(text: str) -> bool:
    """Whether a text only stands for one that is still to be written, such as ``TODO`` or ``???``."""
    plain = text.strip().replace("…", "...")
    return plain.isascii() and any(_UNWRITTEN.fullmatch(one) for one in (plain, plain.rstrip(".")))


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
    text = _FRACTION.sub(lambda sign: normalize("NFKC", sign[0]), _MIXED.sub(" ", text))
    text = text.replace(FRACTION_SLASH, "/")
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


class _Spelling(NamedTuple):
    """Spellings that are the same in one language."""

    accents: str
    """Combining marks that may be left out."""
    letters: Mapping[int, str]
    """Code point to what it is read as, before case folding; to nothing when it may be left out."""
    distinct: frozenset[str]
    """Folded words that are other words without their accents, and so keep them."""


@lru_cache(maxsize=1 << 16)
def respell(text: str, language: str) -> str:
    """The text as compared in a language: folded, digits of any script as 0-9, spelling variants unified.

    Twice the same as once. Punctuation stays, and so do all blanks. Of a BCP 47 tag the primary language
    counts, whatever the region; in one without rules all accents and letters count.
    """
    rules = _rules(language.partition("-")[0].lower())
    if text.isascii() and not rules.letters:
        return fold(text, accents=False)
    text = unicodedata.normalize("NFKC", western(text)).translate(rules.letters)
    folded = western(fold(text, accents=False))
    if rules.accents and not folded.isascii():
        folded = _WORDS.sub(lambda word: _without_marks(word[0], rules), folded)
    return clean(folded)


def _without_marks(word: str, rules: _Spelling) -> str:
    if word in rules.distinct:
        return word
    apart = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(char for char in apart if char not in rules.accents))


@cache
def _rules(primary: str) -> _Spelling:
    """The rules of a primary language: those in ``spelling.toml``; Chinese has a table of its own."""
    is_chinese = primary == "zh"
    own = packaged_tables("chinese.toml") if is_chinese else packaged_tables("spelling.toml").get(primary, {})
    letters = dict[int, str]()
    for first, target, length in own.get("rows", ()):
        letters |= {ord(first) + i: chr(ord(target) + i) for i in range(length)}
    # Single letters of such a row are read otherwise.
    letters |= {ord(pair[0]): pair[1] for pair in own.get("letters", "").split()}
    letters |= dict.fromkeys(map(ord, own.get("dropped", "")), "")
    return _Spelling(own.get("accents", ""), letters, frozenset(own.get("distinct", ())))
