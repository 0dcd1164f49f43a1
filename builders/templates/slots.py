"""Slots filled and found: how a locale's names stand in a template's text, and how a text becomes a template.

A template is English text with ``{country}`` where a country is named and ``{nationality}`` where an
adjective of nationality stands. Names carry their article: ``{country}`` is filled with ``the UK`` or ``South
Korea``, so a template never writes an article of its own before it. The fill is grammatical at the start of a
sentence (``The UK``), in the possessive (``the UK's``, ``the Philippines'``) and after an indefinite article
(``an American``).
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from blend.schemas.languages import article_by_sound
from blend.schemas.locales import Locale
from blend.schemas.prompts import COUNTRY, NATIONALITY
from blend.schemas.texts import clean

_ARTICLE = r"(?:\b[Tt]he\s+)?"
# A bare apostrophe is a possessive after a plural only; elsewhere it closes a quotation.
_POSSESSIVE = r"(?P<possessive>(?:['’]s|(?<=s)['’])(?!\w))?"
_COUNTRY_SLOT = re.compile(_ARTICLE + re.escape(COUNTRY) + r"(?P<possessive>['’]s(?!\w))?")
_NATIONALITY_SLOT = re.compile(r"(?:\b(?P<article>[Aa])n?\s+)?" + re.escape(NATIONALITY))
_SENTENCE_START = re.compile(r"(?:^|[.?!]['\"’”)\]]*\s+)['\"‘“(\[]*$")
# A full stop here ends no sentence.
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|approx)\.\s+$", re.IGNORECASE)


def fill(text: str, locale: Locale) -> str:
    """A template's text with the slots filled for a locale.

    Args:
        text: English text with `SLOTS`, any number of each.
        locale: Whose names to use: ``prompt_name`` for the country, the first of ``nationalities``.

    Returns:
        The text without slots, single-spaced. An article before the country slot is swallowed.

    Raises:
        LookupError: If the text needs a nationality and the locale has none.
    """
    filled = _COUNTRY_SLOT.sub(lambda match: _country(match, locale), text)
    filled = _NATIONALITY_SLOT.sub(lambda match: _nationality(match, locale), filled)
    return clean(filled)


def slot_country(text: str, names: Iterable[str]) -> str:
    """The text with ``{country}`` for every name, its article swallowed and its possessive regular.

    Args:
        text: English text.
        names: Names without article. Longer ones win, and a name is only found as whole words.
    """
    return _named(tuple(names)).sub(
        lambda match: COUNTRY + ("'s" if match["possessive"] else ""),
        text,
    )


def at_sentence_start(before: str) -> bool:
    """Whether what follows the text ``before`` starts a sentence."""
    return bool(_SENTENCE_START.search(before)) and not _ABBREVIATION.search(before)


def _country(match: re.Match[str], locale: Locale) -> str:
    name = locale.prompt_name
    if at_sentence_start(match.string[: match.start()]):
        name = name[0].upper() + name[1:]
    return name + _possessive(name) if match["possessive"] else name


def _possessive(name: str) -> str:
    """The Philippines' islands, but the US's states: an abbreviation in S is not a plural."""
    return "'" if name.endswith("s") else "'s"


def _nationality(match: re.Match[str], locale: Locale) -> str:
    if not locale.nationalities:
        raise LookupError(f"{locale.tag} has no adjective of nationality")
    adjective = locale.nationalities[0]
    article = match["article"]
    if not article:
        return adjective
    return f"{article}{article_by_sound(adjective).removeprefix('a')} {adjective}"


@lru_cache(maxsize=256)
def _named(names: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    choice = "|".join(map(re.escape, longest_first))
    return re.compile(rf"{_ARTICLE}(?<![\w-])(?:{choice})(?![\w-]){_POSSESSIVE}")
