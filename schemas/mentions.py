"""Mentions: whether an English text names the region of a locale, or its people."""

import re
from functools import lru_cache

from blend.schemas.locales import Locale, Registry


def in_english(locale: Locale) -> bool:
    """Whether people of a locale are asked in English, so that names can be looked for in what they read."""
    return locale.language.partition("-")[0] == "en"


def is_named(text: str, locale: Locale) -> bool:
    """Whether a text has any English name of the region, or of its people, as whole words.

    A plural counts (``Koreans``), and so does a name inside a compound (``South Korean-style``). Names in
    capitals (``US``, ``UK``) need them, so that ``tell us`` names nobody.
    """
    return bool(_names(locale).search(text))


def others_named(text: str, locales: Registry, but: Locale) -> list[str]:
    """English names of the other regions that a text names, in registry order, each once."""
    own = {but.region_name, *but.names}
    named = (locale.region_name for locale in locales if is_named(text, locale))
    return list(dict.fromkeys(name for name in named if name not in own))


@lru_cache(maxsize=256)
def _names(locale: Locale) -> re.Pattern[str]:
    forms = [
        re.escape(name) if name.isupper() else f"(?i:{re.escape(name)})s?"
        for name in (*locale.names, *locale.nationalities)
    ]
    return re.compile(rf"(?<!\w)(?:{'|'.join(forms)})(?!\w)")
