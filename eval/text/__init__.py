"""Texts: how the answers of each language are normalised, parted into words and reduced to lemmas.

``languages.toml`` says for every language how its answers are read, which spellings are one word, and what is
not claimed. A `TextReader` (`lemmatisers`) does it, each distinct text once, and names what it used for the
signature. Nothing here knows of tasks or scores.

At the end stand affix lists: what a language attaches to its nouns, and what is left of a word without it. A
list is a file ``affixes/LANGUAGE.toml`` that a speaker of the language can read and mend; it cites its grammar.
Both sides of a comparison lose their affixes by the same list. So a stem need not be a word: it has to be the
same for all forms of a word, and another for other words. Where the form of an affix depends on the sound
before it, `SOUNDS` says which sounds there are.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from itertools import chain
from typing import Any
from unicodedata import category, normalize

from blend.schemas.models import packaged_tables
from blend.schemas.texts import respell


@cache
def languages() -> Mapping[str, tuple[str, ...]]:
    """Primary subtag to the lemmatisers that know the language, the default first, which needs no extra.

    Names are of `lemmatisers.LEMMATISERS`; ``languages.toml`` has all languages of the packaged locales.
    """
    table = packaged_tables("languages.toml", __package__)["language"]
    return {tag: tuple(entry["lemmatisers"]) for tag, entry in table.items()}


def lemmatisers_of(language: str) -> tuple[str, ...]:
    """The lemmatisers that know a language, by its BCP 47 tag; of one that nobody described its words alone."""
    return languages().get(primary(language), ("words",))


def primary(language: str) -> str:
    """The primary subtag, ``zh`` of ``zh-Hant``."""
    return language.partition("-")[0].lower()


def normalised(text: str, language: str) -> str:
    """The text as compared: folded, digits of any script as 0-9, variants of spelling unified.

    Beyond `texts.respell`, which says what is unified in which language and why: in Hausa hooked letters
    that a keyboard without them writes with an apostrophe or as their look-alikes; in Hausa and Assamese the
    apostrophe inside a word, which is a letter; in Persian the blank before an ending or behind a prefix that
    is written joined, apart or with a non-joiner, and the non-joiner before an enclitic, which is a blank.

    Args:
        text: Any text.
        language: BCP 47 tag.
    """
    return _FURTHER.get(primary(language), respell)(text, language)


@lru_cache(maxsize=1 << 16)
def words_of(text: str) -> tuple[str, ...]:
    """The words of a normalised text, in order; punctuation and blanks part words, marks belong to them."""
    # Vowel signs and other marks are not alphanumeric; without them a word of many scripts falls to pieces.
    return tuple("".join(c if c.isalnum() or category(c)[0] == "M" else " " for c in text).split())


_APOSTROPHES = "'’‘ʼ`´"
_HOOKED = {"b": "ɓ", "d": "ɗ", "k": "ƙ", "y": "ƴ"}
_BEFORE_LETTER = re.compile(rf"(?<!\w)[{_APOSTROPHES}]([dky])(?=\w)|(?<=\w)[{_APOSTROPHES}]([bdky])(?=\w)")
_APOSTROPHE_LETTER = "\N{MODIFIER LETTER APOSTROPHE}"
_APOSTROPHE_INSIDE = re.compile(rf"(?<=\w)[{_APOSTROPHES}](?=\w)")
_LOOK_ALIKES = str.maketrans({"ɖ": "ɗ", "ķ": "ƙ"})


def _hausa(text: str, language: str) -> str:
    plain = respell(text, language).translate(_LOOK_ALIKES)
    hooked = _BEFORE_LETTER.sub(lambda letter: _HOOKED[letter[1] or letter[2]], plain)
    # An apostrophe is a sound: ma'aikaci is not ma and aikaci.
    return _APOSTROPHE_INSIDE.sub(_APOSTROPHE_LETTER, hooked)


def _assamese(text: str, language: str) -> str:
    # An apostrophe stands for a vowel: ম'ম is one word.
    return _APOSTROPHE_INSIDE.sub(_APOSTROPHE_LETTER, respell(text, language))


_FA_PREFIX = re.compile(r"(?<!\w)(ن?می) (?=\w)")
_FA_ENDING = re.compile(r"(?<=\w) (ها(?:ی|یی|یم|یت|یش)?|تر(?:ین)?)(?!\w)")
_FA_ENCLITIC = re.compile(r"\u200c(?=(?:ا?ی|اش|ام|ات|اند|ست|[شمت]ان)(?!\w))")


def _persian(text: str, language: str) -> str:
    # Joined, an enclitic behind a final h would look like a plural: خانه‌ای, a house, like خان‌های, khans.
    apart = _FA_ENCLITIC.sub(" ", text)
    plain = respell(apart, language)  # without non-joiners, so that what they part is joined
    return _FA_ENDING.sub(r"\1", _FA_PREFIX.sub(r"\1", plain))


_FURTHER: dict[str, Callable[[str, str], str]] = {"as": _assamese, "fa": _persian, "ha": _hausa}


# Affix lists.

_METHOD = "1"
"""Version of how a list is applied: raise it where the same list gives other stems."""


@dataclass(frozen=True, slots=True)
class _Affix:
    """An affix and when it is taken off."""

    text: str
    least: int
    """Letters that must be left; marks that belong to a letter do not count."""
    after: str
    """What a suffix stands behind, a name of `SOUNDS`; empty for anything."""
    gives: str
    """What a suffix leaves in its place, as ``ces`` leaves ``z``; empty for nothing."""


@dataclass(frozen=True, slots=True)
class _AffixList:
    """Affixes of a language's nouns."""

    articles: tuple[_Affix, ...]
    """Prefixes that are taken off before anything else is asked; one at most."""
    prefixes: tuple[_Affix, ...]
    """Others; the longest first, as everywhere."""
    layers: tuple[tuple[_Affix, ...], ...]
    """Suffixes, the outermost layer first. All that fit are taken off before the next layer is looked at."""
    irregular: Mapping[str, str]
    """Forms that no affix explains, to the word that they are forms of."""
    keep: frozenset[str]
    """Words that end or begin as if they had an affix, or that a dictionary leads back to another word."""
    last: Mapping[str, str]
    """Last letters that change before a suffix, to what they are read as."""
    is_ethiopic: bool
    """Whether a vowel of the last letter may be a suffix."""
    dictionary: str
    """Lemmatiser that is asked for the words it knows, affixes or not; empty for none."""
    version: str
    """What decides the stems, for a signature: that of the method, and eight digits of a digest of the list."""

    def stem(self, word: str) -> str:
        """The normalised word without any affix."""
        word = self.without_article(word)
        # Of a dictionary's language it is an unknown word, whose first letters are its own.
        prefixes = () if self.dictionary else self.prefixes
        while (shorter := next(self._cut(word, prefixes, prefix=True), None)) is not None:
            word = shorter
        for layer in self.layers:
            while (shorter := next(self._without_suffix(word, layer), None)) is not None:
                word = shorter
        return self._last_letter_read(word)

    def without_article(self, word: str) -> str:
        """The normalised word as it is to be looked up first."""
        word = self.irregular.get(word, word)
        return next(self._cut(word, self.articles, prefix=True), word)

    def forms(self, word: str) -> list[str]:
        """The word and whatever is left of it when affixes are taken off, in any order; the longest first."""
        found = {word: None}  # ordered, unlike a set
        waiting = [word]
        for form in waiting:
            suffixed = chain.from_iterable(self._without_suffix(form, layer) for layer in self.layers)
            for shorter in chain(suffixed, self._cut(form, self.prefixes, prefix=True)):
                if shorter not in found:
                    found[shorter] = None
                    waiting.append(shorter)
        return sorted(found, key=len, reverse=True)

    def _last_letter_read(self, stem: str) -> str:
        """A stem with its last letter as it is compared."""
        if stem in self.keep:
            return stem
        if self.is_ethiopic:
            return _without_last_vowel(stem)
        return stem[:-1] + self.last.get(stem[-1:], stem[-1:])

    def _without_suffix(self, word: str, layer: Sequence[_Affix]) -> Iterator[str]:
        yield from self._cut(word, layer, prefix=False)
        # Behind an Ethiopic consonant a suffix that begins with a vowel is part of the letter.
        if self.is_ethiopic and (shorter := self._last_letter_read(word)) != word:
            yield self.irregular.get(shorter, shorter)

    def _cut(self, word: str, affixes: Sequence[_Affix], *, prefix: bool) -> Iterator[str]:
        """The word without each of the affixes that fits."""
        for affix in () if word in self.keep else affixes:
            if not (word.startswith(affix.text) if prefix else word.endswith(affix.text)):
                continue
            stem = word[len(affix.text) :] if prefix else word[: -len(affix.text)]
            if _n_letters(stem) >= affix.least and (not affix.after or SOUNDS[affix.after](stem)):
                stem += affix.gives
                yield self.irregular.get(stem, stem)


@cache
def affix_list(language: str) -> _AffixList:
    """The affix list of a language, by its primary subtag, which must have one.

    ``docs/short-answers.md`` explains the keys of its file.
    """
    table = packaged_tables(f"affixes/{language}.toml", __package__)
    suffixes = table.get("suffixes", [])
    layers = sorted({group.get("layer", 1) for group in suffixes})
    deciding = {key: value for key, value in table.items() if key != "grammar"}
    return _AffixList(
        articles=_affixes(table.get("articles", [])),
        prefixes=_affixes(table.get("prefixes", [])),
        layers=tuple(
            _affixes([group for group in suffixes if group.get("layer", 1) == layer]) for layer in layers
        ),
        irregular=table.get("irregular", {}),
        keep=frozenset(table.get("keep", "").split()),
        last=table.get("last", {}),
        is_ethiopic=table.get("script") == "Ethiopic",
        dictionary=table.get("dictionary", ""),
        version=f"{_METHOD}-{sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()[:8]}",
    )


def _affixes(groups: Sequence[Mapping[str, Any]]) -> tuple[_Affix, ...]:
    affixes = [
        _Affix(text, group["least"], group.get("after", ""), group.get("gives", ""))
        for group in groups
        for text in group["affixes"].split()
    ]
    return tuple(sorted(affixes, key=lambda affix: (-len(affix.text), affix.text, affix.after)))


def _n_letters(text: str) -> int:
    return sum(char.isalnum() for char in text)


_FIRST, _LAST, _FINALS, _RIEUL = ord("가"), ord("힣"), 28, 8
"""Korean syllables are numbered by their final consonant fastest: 27 of them and, as 0, none."""

_ETHIOPIC, _END_OF_ETHIOPIC, _ORDERS = 0x1200, 0x1358, 8
"""Ethiopic letters are numbered by consonant, and within one by vowel."""

_U, _E, _NO_VOWEL, _O, _WA = 1, 4, 5, 6, 7

_VOWELS = frozenset("aeiouıəɨاو")
"""Latin vowels, and the Arabic letters that are vowels at the end of a Persian word."""


def _without_last_vowel(word: str) -> str:
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
"""Name to whether a word ends so, in Korean, Latin, Indic and Ethiopic scripts. Those with l are Korean, o is
Ethiopic."""
