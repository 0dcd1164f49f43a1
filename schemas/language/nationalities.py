"""Nationalities: what the people of a country are called in English, and where their country lies.

The table ``nationalities.tsv`` beside this module holds the members of the United Nations and more; its head
says what the columns mean.
"""

import re
from functools import cache
from importlib.resources import files

from blend.schemas.base.frozen_model import Row, Text

TABLE_NAME = "nationalities.tsv"

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

    @property
    def article(self) -> str:
        """``a`` or ``an``, as the demonym is spoken."""
        return article_by_sound(self.demonym)


@cache
def nationalities() -> tuple[Nationality, ...]:
    """The packaged table: members and observers of the United Nations by demonym, then the others."""
    text = files(__package__).joinpath(TABLE_NAME).read_text(encoding="utf-8")
    lines = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    header = lines[0]
    return tuple(_nationality(dict(zip(header, line, strict=True))) for line in lines[1:])


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
    return _by_country().get(country.strip().lower())


@cache
def _by_country() -> dict[str, str]:
    return {one.country.lower(): one.demonym for one in nationalities()}


def _nationality(cells: dict[str, str]) -> Nationality:
    aliases = tuple(alias for alias in cells["aliases"].split("|") if alias)
    return Nationality.model_validate({**cells, "un": cells["un"] == "yes", "aliases": aliases})
