"""Languages: for each, how its answers are read by default, what else is offered, and what is not claimed."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from blend.schemas.errors import UnknownNameError


@dataclass(frozen=True, slots=True)
class LanguageText:
    """Reading of the texts of a language."""

    lemmatisers: tuple[str, ...]
    """Names of `lemmatisers.LEMMATISERS` that know the language, the default first; it needs no extra."""
    done: str
    """What is done by default, beyond case, width and digits of any script."""
    not_claimed: str
    """What is left as it is, or done by a rule of thumb."""


@cache
def languages() -> Mapping[str, LanguageText]:
    """Primary subtag to how texts are read, ``languages.toml``; all languages of the packaged locales."""
    text = files("blend.eval.text").joinpath("languages.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    return {
        language: LanguageText(
            tuple(entry["lemmatisers"]),
            entry["done"].format_map(tables["phrases"]),
            entry["not_claimed"].format_map(tables["phrases"]),
        )
        for language, entry in tables["language"].items()
    }


OTHER = LanguageText(
    ("words",),
    "Nothing beyond what all languages have.",
    "No lemmas: inflected forms of a word are different words.",
)
"""How languages are read that nobody described: those of a release's own locales."""


def language_text(language: str) -> LanguageText:
    """Find how the texts of a language are read, by its BCP 47 tag."""
    return languages().get(primary(language), OTHER)


def primary(language: str) -> str:
    """The primary subtag, ``zh`` of ``zh-Hant``."""
    return language.partition("-")[0].lower()


def check_lemmatiser(name: str, language: str) -> None:
    """Refuse a lemmatiser that does not know a language.

    Raises:
        UnknownNameError: Lists those that do.
    """
    offered = language_text(language).lemmatisers
    if name not in offered:
        raise UnknownNameError(f"lemmatiser of {primary(language)!r}", name, offered)
