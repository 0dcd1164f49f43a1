"""Country names in natives' questions: which words name the author's country, and the template they leave.

What reads right for every country is replaced, what does not is left, and the reviewer is told of everything
but the plain name of the author's own country:

===========================  ============================================================================
in the question              in the proposed template
===========================  ============================================================================
the UK, Korea, your country  ``{country}``; ``the UK's`` and ``my country's`` become ``{country}'s``
Korean food                  ``{nationality} food``; the reviewer is told
Koreans                      ``people from {country}``; the reviewer is told
speak Korean, a Korean?      left, a language or without a noun; the reviewer is told
Japan, Japanese              left, since it is another country; the reviewer is told
===========================  ============================================================================
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

from blend.builders.templates.localise import at_sentence_start
from blend.schemas.locales import Locale, Registry
from blend.schemas.prompts import ANY_SLOT, COUNTRY, NATIONALITY, SLOTS
from blend.schemas.texts import clean

_SPEAKERS_OWN = re.compile(
    r"\b(?:your|my|our|this)\s+(?:own\s+|home\s+)?(?:country|nation|homeland)(?P<possessive>['’]s)?(?!\w)",
    re.IGNORECASE,
)
# "Latin America" is not America, "Northern Ireland" is not Ireland; "South Korea" is a longer name of its own.
_NO_PART_OF_A_NAME = "".join(
    f"(?<!{word} )" for word in ("North", "South", "East", "West", "Latin", "Central", "New", "ern")
)
_SPEAKING = re.compile(r"\bsp(?:eak\w*|oke\w*)\s+$", re.IGNORECASE)
_WORD_AFTER = re.compile(r"\s+(?P<word>[a-z][\w'’-]*)")


class Proposal(NamedTuple):
    """A template as proposed, and what its reviewer should look at."""

    text: str
    """Text with slots."""
    reasons: tuple[str, ...]
    """What to look at, each ``kind: what``."""


_Kind = Literal["country", "nationality", "people"]
"""Kind of thing that a name names."""


def propose(question: str, author: Locale | None, locales: Registry) -> Proposal:
    """The template that a native's question becomes when its country names become slots.

    Args:
        question: English text.
        author: Locale of the author, whose country's names are replaced. When absent, the country that the
            question names is taken for the author's if it names only one.
        locales: Whose names are known; those of other countries are left and told.
    """
    text = _SPEAKERS_OWN.sub(lambda match: COUNTRY + ("'s" if match["possessive"] else ""), clean(question))
    own = author or _only_one_named(text, locales)
    kinds: Mapping[str, _Kind] = {} if own is None else _names(own)
    reasons: list[str] = []

    def replaced(match: re.Match[str]) -> str:
        name = match["name"]
        kind = kinds.get(name.casefold())
        if kind is not None and name.islower():
            reasons.append(f"spelling: {name!r} is taken for a country or its people")
        slotted, reason = _in_place(match, kind)
        reasons.extend([reason] if reason else [])
        return match[0] if slotted is None else slotted

    text = _pattern(locales).sub(replaced, text)
    if not any(slot in text for slot in SLOTS):
        reasons.append(f"no country: nothing names the author's country; put {COUNTRY} where it belongs")
    return Proposal(text, tuple(dict.fromkeys(reasons)))


def _in_place(match: re.Match[str], kind: _Kind | None) -> tuple[str | None, str | None]:
    """Find what stands in the template for a name and the article and possessive around it.

    Null for a name that is left; and what the reviewer is told, if anything.
    """
    name, article = match["name"], match["article"] or ""
    before, after = match.string[: match.start("name")], match.string[match.end() :]
    if kind is None:
        return None, f"another country: {name!r}"
    if kind == "country":
        indefinite = "" if article.lower() == "the" else article
        return f"{indefinite} {COUNTRY}".strip() + ("'s" if match["possessive"] else ""), None
    if kind == "people":
        if match["possessive"]:
            return None, f"people: {name!r} in the possessive; rephrase it with {COUNTRY}"
        people = f"people from {COUNTRY}"
        is_first = at_sentence_start(match.string[: match.start()])
        return people.capitalize() if is_first else people, f"people: {name!r} became {people!r}"
    following = _WORD_AFTER.match(after)
    if following is None or match["possessive"] or _SPEAKING.search(before):
        return None, f"nationality: {name!r} is left; rephrase it with {COUNTRY} unless it is a language"
    article = article[0] if article.lower() == "an" else article
    reason = f"nationality: {name!r} before {following['word']!r} became {NATIONALITY}"
    return f"{article} {NATIONALITY}".strip(), reason


def _only_one_named(text: str, locales: Registry) -> Locale | None:
    """The locale whose country is the only one named; the first in the registry of those that share a name."""
    named = {match["name"].casefold() for match in _pattern(locales).finditer(text)}
    meant = {name: next(locale for locale in locales if name in _names(locale)) for name in named}
    regions = {locale.region_name for locale in meant.values()}
    return next(iter(meant.values())) if len(regions) == 1 else None


@lru_cache(maxsize=256)
def _names(locale: Locale) -> Mapping[str, _Kind]:
    """Every name of a locale's country and people, case-folded, and what it names."""
    names: dict[str, _Kind] = {name.casefold(): "country" for name in locale.names}
    for nationality in locale.nationalities:
        names.setdefault(nationality.casefold(), "nationality")
        # British and Chinese have no plural in s; Koreans, Swedes and Spaniards do.
        if not nationality.endswith(("s", "se", "sh", "ch")):
            names.setdefault(nationality.casefold() + "s", "people")
    return names


@lru_cache(maxsize=8)
def _pattern(locales: Registry) -> re.Pattern[str]:
    """Any name of any country, with article and possessive; longer names win. Abbreviations need capitals."""
    abbreviations = {name for locale in locales for name in locale.names if name.isupper()}
    names = {name for locale in locales for name in _names(locale)} - {
        name.casefold() for name in abbreviations
    }
    forms = {re.escape(name): len(name) for name in abbreviations}
    forms |= {f"(?i:{re.escape(name)})": len(name) for name in names}
    choice = "|".join(sorted(forms, key=lambda form: (-forms[form], form)))
    return re.compile(
        rf"(?:\b(?P<article>[Tt]he|[Aa]n?)\s+)?(?<![\w-]){_NO_PART_OF_A_NAME}(?P<name>{choice})(?![\w-])"
        r"(?P<possessive>(?:['’]s|(?<=s)['’])(?!\w))?"
    )


# Questions that fit one country only: the words in a template that other countries may have nothing for.


IN_PARENTHESES = re.compile(r"\((?:[^()]|\([^()]*\))*\)")
"""Mostly a hint at the form of an answer."""
# A name: capitalised words, joined by small ones as in "Eid ul Fitr" and "Bank of Korea", or by a possessive.
_PART = r"[^\W\d_a-z](?:[\w'’.&-]*\w)?(?:(?<=s)['’](?=\s))?"
_LATIN = "\u024f"
"""The last letter of Latin Extended-B."""
_SMALL = "(?:of|the|and|de|la|al|ul|el|for)"
_A_NAME = re.compile(rf"(?<![\w'’.-]){_PART}(?:\s+(?:{_SMALL}\s+){{0,2}}{_PART})*")
# Capitals of English spelling that name nothing particular to a country.
_COMMON_CAPITALS = """
I Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August
September October November December TV DVD PC AM PM OK HH MM DD Internet COVID-19 ID CEO GDP PhD
"""
_COMMON = frozenset(_COMMON_CAPITALS.split())
_SPEAKER = re.compile(r"\b(?:we|us|our|ours|my|mine|here)\b", re.IGNORECASE)


def one_country_reasons(template: str) -> list[str]:
    """List why a template may fit one country only.

    Args:
        template: English text with slots for the author's own country.

    Returns:
        Reasons ``kind: what``, in the order of the text within each kind and none twice: ``name`` for
        words with a capital that start no sentence, for abbreviations and for words in other letters,
        ``speaker`` for words such as "we" and "here". Slots, weekdays, months and what stands in parentheses do
        not count.
    """
    # What is left out still parts names and sentences, so it is blanked, not removed.
    text = IN_PARENTHESES.sub(_blanked, ANY_SLOT.sub(_blanked, template))
    reasons = [reason for found in _A_NAME.finditer(text) for reason in _name_reasons(found)]
    reasons += [f"speaker: {found[0]!r} depends on who asks" for found in _SPEAKER.finditer(text)]
    return list(dict.fromkeys(reasons))


def _blanked(match: re.Match[str]) -> str:
    # A letter is no name by itself, and after it no sentence starts.
    return "x".ljust(len(match[0]), "_")


def _name_reasons(found: re.Match[str]) -> list[str]:
    name = found[0]
    if at_sentence_start(found.string[: found.start()]):
        # The first word is capitalised by its place; what follows it in capitals is a name. Alone it is one
        # only where all its letters are, or in other letters than Latin.
        first, _, rest = name.partition(" ")
        alone = first if first > _LATIN or (first.isupper() and len(first) > 1) else ""
        name = re.sub(rf"^(?:{_SMALL}\s+)*", "", rest) or alone
    words = [word for word in name.split() if word not in _COMMON and word.removesuffix("s") not in _COMMON]
    return [f"name: {name!r}"] if any(word > _LATIN or not word[0].islower() for word in words) else []
