"""Languages, scripts and countries: what they are called, in English, and languages by those who speak them.

`langcodes` knows them all and takes a tenth of a second to load. What the packaged locales need is therefore
listed here, as it has it; it is asked for anything else.
"""

import re
from collections.abc import Mapping

NAMES: Mapping[str, tuple[str, str]] = {
    "am": ("Amharic", "አማርኛ"),
    "ar": ("Arabic", "العربية"),
    "as": ("Assamese", "অসমীয়া"),
    "az": ("Azerbaijani", "azərbaycan"),
    "bg": ("Bulgarian", "български"),
    "el": ("Greek", "Ελληνικά"),
    "en": ("English", "English"),
    "es": ("Spanish", "español"),
    "eu": ("Basque", "euskara"),
    "fa": ("Persian", "فارسی"),
    "fr": ("French", "français"),
    "ga": ("Irish", "Gaeilge"),
    "ha": ("Hausa", "Hausa"),
    "id": ("Indonesian", "bahasa Indonesia"),
    "ja": ("Japanese", "日本語"),
    "ko": ("Korean", "한국어"),
    "ms": ("Malay", "bahasa Malaysia"),
    "su": ("Sundanese", "Basa Sunda"),
    "sv": ("Swedish", "svenska"),
    "ta": ("Tamil", "தமிழ்"),
    "tl": ("Filipino", "Filipino"),
    "zh": ("Chinese", "中文"),
}
"""Language tag to its name in English and in itself."""

SCRIPTS: Mapping[str, str] = {
    "Arab": "Arabic",
    "Beng": "Bangla",
    "Cyrl": "Cyrillic",
    "Ethi": "Ethiopic",
    "Grek": "Greek",
    "Hans": "Simplified",
    "Hant": "Traditional",
    "Jpan": "Japanese",
    "Kore": "Korean",
    "Latn": "Latin",
    "Taml": "Tamil",
}
"""ISO 15924 code to the script's name in English."""


COUNTRIES: Mapping[str, str] = {
    "AU": "Australia",
    "AZ": "Azerbaijan",
    "BG": "Bulgaria",
    "CN": "China",
    "DZ": "Algeria",
    "EC": "Ecuador",
    "EG": "Egypt",
    "ES": "Spain",
    "ET": "Ethiopia",
    "FR": "France",
    "GB": "United Kingdom",
    "GR": "Greece",
    "ID": "Indonesia",
    "IE": "Ireland",
    "IN": "India",
    "IR": "Iran",
    "JP": "Japan",
    "KP": "North Korea",
    "KR": "South Korea",
    "LK": "Sri Lanka",
    "MA": "Morocco",
    "MX": "Mexico",
    "NG": "Nigeria",
    "PH": "Philippines",
    "SA": "Saudi Arabia",
    "SE": "Sweden",
    "SG": "Singapore",
    "TW": "Taiwan",
    "US": "United States",
}
"""ISO 3166 code of a country to its name in English."""


def is_language(tag: str) -> bool:
    """Whether a tag is valid BCP 47, for example ``pt-BR``."""
    if tag in NAMES:
        return True
    import langcodes

    return langcodes.tag_is_valid(tag)


def is_country(code: str) -> bool:
    """Whether a code is one of ISO 3166, for example ``ID``."""
    if code in COUNTRIES:
        return True
    from langcodes import Language

    return Language.make(territory=code).is_valid()


def country_name(code: str, language: str = "en") -> str:
    """A country's name, in English unless said otherwise: ``South Korea`` of ``KR``."""
    if language == "en" and code in COUNTRIES:
        return COUNTRIES[code]
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
    if code in SCRIPTS:
        return True
    from langcodes import Language

    return Language.make(script=code).is_valid()


def english_name(tag: str) -> str:
    """A language's name in English, its region or script in brackets: ``Korean``, ``Chinese (Taiwan)``."""
    if tag in NAMES:
        return NAMES[tag][0]
    from langcodes import Language

    return Language.get(tag).display_name()


def own_name(tag: str) -> str:
    """A language's name in itself: ``한국어`` of ``ko``."""
    if tag in NAMES:
        return NAMES[tag][1]
    from langcodes import Language

    return Language.get(tag).autonym()


def script_name(code: str) -> str:
    """A script's name in English: ``Cyrillic`` of ``Cyrl``."""
    if code in SCRIPTS:
        return SCRIPTS[code]
    from langcodes import Language

    return Language.make(script=code).script_name()
