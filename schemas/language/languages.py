"""Languages, scripts and countries: what they are called, in English, and languages by those who speak them.

`langcodes` knows them all and takes a tenth of a second to load. What the packaged locales need is therefore
in `known_names`, as it has it; it is asked for anything else.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def known_names() -> Mapping[str, Mapping[str, Any]]:
    """``names.toml``: what `langcodes` says of the packaged locales' languages, scripts and countries."""
    return tomllib.loads((files(__package__) / "names.toml").read_text(encoding="utf-8"))


def is_language(tag: str) -> bool:
    """Whether a tag is valid BCP 47, for example ``pt-BR``."""
    if tag in known_names()["languages"]:
        return True
    import langcodes

    return langcodes.tag_is_valid(tag)


def is_country(code: str) -> bool:
    """Whether a code is one of ISO 3166, for example ``ID``."""
    if code in known_names()["countries"]:
        return True
    from langcodes import Language

    return Language.make(territory=code).is_valid()


def country_name(code: str, language: str = "en") -> str:
    """A country's name, in English unless said otherwise: ``South Korea`` of ``KR``."""
    if language == "en" and code in known_names()["countries"]:
        return str(known_names()["countries"][code])
    from langcodes import Language

    return Language.make(territory=code).territory_name(language)


def turned_around(tag: str) -> str | None:
    """The tag with language and country the other way round, ``ka-GE`` of ``ge-KA``; null if that is none."""
    first, _, second = tag.partition("-")
    turned = f"{second.lower()}-{first.upper()}"
    is_one = is_language(second.lower()) and first.isalpha() and is_country(first.upper())
    return (
        turned if is_one and turned != tag and not (is_language(first) and is_country(second.upper())) else None
    )


def is_language_in_country(tag: str) -> bool:
    """Whether a tag is a language and a country that there are, in this order and spelled so: ``mt-MT``."""
    language, _, country = tag.rpartition("-")
    return bool(re.fullmatch("[a-z]{2,3}", language) and re.fullmatch("[A-Z]{2}", country)) and (
        is_language(language) and is_country(country)
    )


def is_script(code: str) -> bool:
    """Whether a code is one of ISO 15924, for example ``Latn``."""
    if code in known_names()["scripts"]:
        return True
    from langcodes import Language

    return Language.make(script=code).is_valid()


def english_name(tag: str) -> str:
    """A language's name in English, its region or script in brackets: ``Korean``, ``Chinese (Taiwan)``."""
    if tag in known_names()["languages"]:
        return str(known_names()["languages"][tag][0])
    from langcodes import Language

    return Language.get(tag).display_name()


def own_name(tag: str) -> str:
    """A language's name in itself: ``한국어`` of ``ko``."""
    if tag in known_names()["languages"]:
        return str(known_names()["languages"][tag][1])
    from langcodes import Language

    return Language.get(tag).autonym()


def script_name(code: str) -> str:
    """A script's name in English: ``Cyrillic`` of ``Cyrl``."""
    if code in known_names()["scripts"]:
        return str(known_names()["scripts"][code])
    from langcodes import Language

    return Language.make(script=code).script_name()
