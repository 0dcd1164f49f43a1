"""Languages and peoples: what languages, scripts, countries and nationalities are called.

The table ``nationalities.tsv`` beside this module holds the members of the United Nations and more; its head
says what the columns mean.

Wikidata's labels carry no article. Which names take one is a matter of their form and, for a few, of usage.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from langcodes import Language, tag_is_valid

from blend.schemas.models import Row, Text, packaged_tables, packaged_text
from blend.schemas.texts import clean

if TYPE_CHECKING:
    from simplemma import Lemmatizer
    from simplemma.strategies import DefaultDictionaryFactory


def is_language(tag: str) -> bool:
    """Whether a tag is valid BCP 47, for example ``pt-BR``."""
    return tag_is_valid(tag)


def is_country(code: str) -> bool:
    """Whether a code is one of ISO 3166, for example ``ID``."""
    return Language.make(territory=code).is_valid()


def country_name(code: str, language: str = "en") -> str:
    """A country's name, in English unless said otherwise: ``South Korea`` of ``KR``."""
    return Language.make(territory=code).territory_name(language)


def english_name(tag: str) -> str:
    """A language's name in English, its region or script in brackets: ``Korean``, ``Chinese (Taiwan)``."""
    return Language.get(tag).display_name()


def own_name(tag: str) -> str:
    """A language's name in itself: ``한국어`` of ``ko``."""
    return Language.get(tag).autonym()


def turned_around(tag: str) -> str | None:
    """The tag with language and country the other way round, ``ka-GE`` of ``ge-KA``; null if that is none."""
    first, _, second = tag.partition("-")
    turned = f"{second.lower()}-{first.upper()}"
    is_one = is_language(second.lower()) and first.isalpha() and is_country(first.upper())
    is_right = is_language(first) and is_country(second.upper())
    return turned if is_one and turned != tag and not is_right else None


def is_language_in_country(tag: str) -> bool:
    """Whether a tag is a language and a country that there are, in this order and spelled so: ``mt-MT``."""
    language, _, country = tag.rpartition("-")
    return bool(re.fullmatch("[a-z]{2,3}", language) and re.fullmatch("[A-Z]{2}", country)) and (
        is_language(language) and is_country(country)
    )


_VOWELS = frozenset("aeiou")
_CONSONANT_SOUND = re.compile(
    r"eu|ewe|on(?:e|ce)(?![a-z])|u(?:gand|kr|rugu|ni(?!m|n)|ral|ran|rolog|sage|se|sual|su[ar]|ten|til|top)"
    r"|u[ks](?![a-z])"
)
"""Beginnings with a vowel letter spoken with a consonant: "a Ugandan", "a European", "a UK visitor"."""

_VOWEL_SOUND = re.compile(r"(?:hono[ru]|honest|hour|heir|fbi(?![a-z]))")
"""Beginnings with a consonant letter that are spoken with a vowel."""


class Nationality(Row):
    """One country or territory and its people."""

    code: Text
    """ISO 3166-1 alpha-2 code of the country, for example ``BR``."""
    country: Text
    """English name of the country."""
    demonym: Text
    """What its people are called before a noun, ``Brazilian``; several countries can share one."""
    region: Text
    """Region of the United Nations' geoscheme (M49), for example ``South America``."""
    latitude: float
    """Latitude near its middle, in degrees."""
    longitude: float
    """Longitude, likewise."""
    un: bool
    """Whether it is a member or an observer of the United Nations; Bhatt and Diaz (2024) ask about these."""
    aliases: tuple[Text, ...] = ()
    """Other English forms of the demonym, which surveys use."""


@cache
def nationalities() -> tuple[Nationality, ...]:
    """The packaged table: members and observers of the United Nations by demonym, then the others."""
    text = packaged_text("nationalities.tsv")
    header, *lines = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    rows = [dict(zip(header, line, strict=True)) for line in lines]
    return tuple(
        Nationality.model_validate({**row, "aliases": [name for name in row["aliases"].split("|") if name]})
        for row in rows
    )


def article_by_sound(word: str) -> str:
    """The indefinite article before a word as it is spoken: "an Uzbek", "a Ugandan", "a European"."""
    spoken = word.lower()
    if _CONSONANT_SOUND.match(spoken) or not spoken:
        return "a"
    return "an" if spoken[0] in _VOWELS or _VOWEL_SOUND.match(spoken) else "a"


def article_by_letter(word: str) -> str:
    """The article by the first letter alone, as in the published prompts: "an Ugandan"."""
    return "an" if word[:1].lower() in _VOWELS else "a"


def demonym_of_country(country: str) -> str | None:
    """Return what the people of a country are called, by its English name.

    Null where the table does not know it.
    """
    name = country.strip().lower()
    return next((one.demonym for one in nationalities() if one.country.lower() == name), None)


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
    known = packaged_tables("words.toml")["articles"]
    if name in known["without"]:
        return False
    end = _HEAD_ENDS.search(name)
    head = (name if end is None else name[: end.start()]).lower().split()
    is_before_of = end is not None and end["of"] == "of"
    nouns = [*known["nouns"], *(known["nouns_before_of"] if is_before_of else ())]
    return name in known["names"] or any(word in nouns for word in head[-1:])


_CALLED_OTHERWISE = {"bs": "hbs", "hr": "hbs", "no": "nb"}
"""Languages of which simplemma has the dictionary under another tag."""


# As many as 16 regions use.
@lru_cache(maxsize=1 << 14)
def base_form(word: str) -> str:
    """Reduce an English word to its base form, as simplemma does."""
    return _lemmatiser().lemmatize(word, "en")


def share_known(found: Sequence[str], language: str) -> float | None:
    """The share of some words that the dictionary of a language knows; null where it has none."""
    from simplemma.strategies import DictionaryLookupStrategy
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    of = _CALLED_OTHERWISE.get(language, language)
    if not found or of not in SUPPORTED_LANGUAGES:
        return None
    lookup = DictionaryLookupStrategy(_dictionaries())
    return sum(lookup.get_lemma(word, of) is not None for word in found) / len(found)


@cache
def _lemmatiser() -> "Lemmatizer":
    # Loaded when the first word is looked up.
    from simplemma import Lemmatizer
    from simplemma.strategies import DefaultStrategy

    # Words are kept above, and not a second time there, where it would be 65,536 of them.
    return Lemmatizer(0, lemmatization_strategy=DefaultStrategy(dictionary_factory=_dictionaries()))


@cache
def _dictionaries() -> "DefaultDictionaryFactory":
    from simplemma.strategies import DefaultDictionaryFactory

    # That of English and of one further language are kept: the one of Polish takes 460 MB.
    return DefaultDictionaryFactory(cache_max_size=2)
