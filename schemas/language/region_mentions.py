"""Mentions: whether an English text names the region of a locale, or its people."""

import re
from collections.abc import Iterable
from functools import lru_cache

from blend.schemas.language.languages import country_name
from blend.schemas.language.locales import Locale, Registry
from blend.schemas.language.text_comparison import words


def in_english(locale: Locale) -> bool:
    """Whether people of a locale are asked in English, so that names can be looked for in what they read."""
    return locale.language.partition("-")[0] == "en"


def is_named(text: str, locale: Locale) -> bool:
    """Whether a text has any English name of the region, or of its people, as whole words.

    A plural counts (``Koreans``), and so does a name inside a compound (``South Korean-style``). Names in
    capitals (``US``, ``UK``) need them, so that ``tell us`` names nobody.
    """
    return bool(_names(locale).search(text))


def names_any(text: str, locales: Registry) -> bool:
    """Whether a text names any region, its people, its capital, or the country that it lies in.

    Case says nothing, since answers are often written without capitals; only ``us`` needs it, or must stand
    alone.
    """
    # Most texts hold no word that any name begins with: quick to see where letters have no accents.
    if text.isascii() and _first_words(locales).isdisjoint(words(text)):
        return False
    return bool(_any_name(locales).search(text)) or text.strip() in _ALSO_WORDS


def others_named(text: str, locales: Registry, but: Locale) -> list[str]:
    """The other regions that a text names, as in a sentence (*the UK*), in registry order, each once."""
    own = {but.region_name, *but.names}
    named = (locale for locale in locales if is_named(text, locale) and locale.region_name not in own)
    return list(dict.fromkeys(locale.prompt_name for locale in named))


_ALSO_WORDS = {"us"}
"""Names that are English words as well when they are written without capitals."""


def _all_names(locales: Registry) -> set[str]:
    names = {name for locale in locales for name in (*locale.names, *locale.nationalities, *locale.capitals)}
    return names | {country_name(locale.parent) for locale in locales}


def first_words(names: Iterable[str]) -> set[str]:
    """The words that names begin with, and their plurals."""
    first = {found[0] for name in names if (found := words(name))}
    return first | {f"{word}s" for word in first}


@lru_cache(maxsize=8)
def _first_words(locales: Registry) -> frozenset[str]:
    return frozenset(first_words(_all_names(locales)) | _ALSO_WORDS)


@lru_cache(maxsize=8)
def _any_name(locales: Registry) -> re.Pattern[str]:
    names = _all_names(locales)
    # The longest first: of two names that begin alike the pattern takes the first that fits.
    forms = [
        re.escape(name) if name.lower() in _ALSO_WORDS else f"(?i:{re.escape(name)})s?"
        for name in sorted(names, key=lambda name: (-len(name), name))
    ]
    return re.compile(rf"(?<!\w)(?:{'|'.join(forms)})(?!\w)")


@lru_cache(maxsize=256)
def _names(locale: Locale) -> re.Pattern[str]:
    forms = [
        re.escape(name) if name.isupper() else f"(?i:{re.escape(name)})s?"
        for name in (*locale.names, *locale.nationalities)
    ]
    return re.compile(rf"(?<!\w)(?:{'|'.join(forms)})(?!\w)")
