"""Articles: English names of countries as they stand in a sentence, "in the United Kingdom".

Wikidata's labels carry no article. Which names take one is a matter of their form and, for a few, of usage.
"""

import re

from blend.schemas.language.text_comparison import clean

_NOUNS = """
caliphate colonies colony commonwealth confederacy confederation country dominion duchy dynasty electorate
emirate emirates empire federation horde islands isles khanate khedivate kingdom kingdoms mandate margraviate
principalities principality protectorate raj realm reich republic republics shogunate state states sultanate
territories territory tsardom union viceroyalty
"""
"""Common nouns: a name whose head is one of them takes the article, as the noun does."""

_NOUNS_BEFORE_OF = """
city county crown island isle province region
"""
"""Common nouns that take it only before *of*: "the Isle of Man", but "Easter Island", "Orange County"."""

_NAMES = """
Austrian Netherlands, Bahamas, Balkans, Baltics, Caribbean, Caucasus, Comoros, Gambia, Hebrides, Holy See,
Levant, Maghreb, Maldives, Middle East, Netherlands, Philippines, Seychelles, Southern Netherlands,
Spanish Netherlands
"""
"""Names that take it by usage: plurals without such a noun, and names of rivers, ranges and landscapes."""

_WITHOUT = """
South Georgia and the South Sandwich Islands, Washington State
"""
"""Names that end in such a noun and take none."""

_HEAD_ENDS = re.compile(r"\s(?P<of>of|in|for|under)\s|[,(]")
"""What follows the head of a name: "Kingdom | of the Netherlands", "French protectorate | in Morocco"."""


def in_a_sentence(country: str, language: str) -> str:
    """A country's name as it stands in the middle of a sentence.

    Args:
        country: Name as Wikidata writes it, with or without article.
        language: BCP 47 tag of the name. English names get their article; those of other languages stay as they
            are, since the packaged sentences fit any name there.
    """
    if language.partition("-")[0] != "en":
        return country
    name = re.sub(r"^the\s", "", country, flags=re.IGNORECASE)
    given = name != country
    return f"the {name}" if given or _takes_article(clean(name)) else country


def _takes_article(name: str) -> bool:
    if name in _WITHOUT_ARTICLE:
        return False
    end = _HEAD_ENDS.search(name)
    head = (name if end is None else name[: end.start()]).lower().split()
    nouns = _COMMON if end is None or end["of"] != "of" else _COMMON | _BEFORE_OF
    return name in _WITH_ARTICLE or not nouns.isdisjoint(head[-1:])


def _listed(names: str) -> frozenset[str]:
    return frozenset(" ".join(name.split()) for name in names.split(","))


_COMMON, _BEFORE_OF = frozenset(_NOUNS.split()), frozenset(_NOUNS_BEFORE_OF.split())
_WITH_ARTICLE = _listed(_NAMES)
_WITHOUT_ARTICLE = _listed(_WITHOUT)
