"""The locale registry: languages in a region, with every name that people and upstream files give them.

The registry is data, ``locales.toml`` beside this module; a new locale is a new entry, in that file or in a
user's own file of the same form (`blend.loaders.files.toml.registry_with`).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Annotated, Literal, Self

from langcodes import Language, standardize_tag
from pydantic import Field, model_validator

from blend.schemas.errors import RowError, UnknownNameError, closest, raise_all
from blend.schemas.formats import Calendar
from blend.schemas.languages import (
    country_name,
    is_country,
    is_language,
    is_language_in_country,
    nationalities,
    turned_around,
)
from blend.schemas.models import FrozenModel, Row, Text, packaged_tables
from blend.schemas.texts import RIGHT_TO_LEFT, words

PACKAGED = "locales.toml"
"""File name of the packaged registry."""

Collection = Literal["blend", "semeval-2026-7"]

_Code = Annotated[str, Field(pattern=r"^[A-Z]{2}$")]
# Split names and file stems: Hub split names cannot hold a hyphen.
_Name = Annotated[str, Field(pattern=r"^\w+$")]


class Locale(Row):
    """A language in a region."""

    tag: Text
    """Id of the locale, ``{language}-{region}``, for example ``ko-KR``."""
    language: Text
    """BCP 47 tag of the language, for example ``ko``."""
    region: _Code
    """The dataset's own code of the region; ``JB``, ``AS``, ``NG`` and ``PV`` are not their ISO meaning."""
    region_name: Text
    """English name of the region without article, for example ``South Korea`` or ``UK``."""
    upstream: _Name
    """Name in the upstream files, for example ``South_Korea``; unique."""
    prompt_name: Text
    """Name as printed inside an English sentence, for example ``the UK`` or ``South Korea``."""
    nationalities: tuple[Text, ...]
    """English adjectives and names of the people, the preferred adjective first; never a plural."""
    aliases: tuple[Text, ...] = ()
    """Further English names of the region, without article, for example ``United Kingdom``."""
    capitals: tuple[Text, ...] = ()
    """English names of the capital of the region and of the country that it lies in; never of another city."""
    native_name: Text
    """Name of the region in the local language."""
    direction: Literal["ltr", "rtl"]
    """Direction of the script: left to right or right to left."""
    script: Annotated[str, Field(pattern=r"^[A-Z][a-z]{3}$")]
    """ISO 15924 code of the script that the language is written in there, for example ``Kore``."""
    calendar: Calendar = "gregory"
    """Calendar that people count months by, perhaps beside the Gregorian one: ``persian`` in Iran."""
    parent: _Code
    """ISO 3166 alpha-2 code of the country that the region is or lies in: ``ID`` for ``JB``."""
    latitude: Annotated[float, Field(ge=-90, le=90)] | None = None
    """Degrees north of the place where a map marks the region, about its middle; null leaves it off the map."""
    longitude: Annotated[float, Field(ge=-180, le=180)] | None = None
    """Degrees east of that place."""
    split: _Name
    """Name of the split on the Hub: the region code, with the language where locales share a region."""
    semeval: str | None = None
    """Code in SemEval-2026 Task 7; null when it is absent there."""
    other_codes: tuple[Text, ...] = ()
    """Further codes by which upstream files call the locale, for example ``eu-ES``."""
    collections: tuple[Collection, ...] = ()
    """Datasets that hold the locale; empty for a locale of one's own."""

    @property
    def label(self) -> str:
        """What upstream's column ``Source`` calls it, ``Korean (South Korea)``."""
        return f"{self.language_name} ({self.region_name})"

    @property
    def names(self) -> tuple[str, ...]:
        """Every English name of the region without article, the usual one first, none twice."""
        return tuple(dict.fromkeys([self.region_name, _without_article(self.prompt_name), *self.aliases]))

    @property
    def language_name(self) -> str:
        """English name of the language, for example ``Korean``."""
        return language_name(self.language)

    @model_validator(mode="after")
    def _codes_exist(self) -> Self:
        if not is_language(self.language):
            raise ValueError(f"language {self.language!r} is not a valid BCP 47 tag; write for example 'ko'")
        short = standardize_tag(self.language)
        if len(short) < len(self.language):
            raise ValueError(f"language {self.language!r} has a shorter code; write {short!r} here and in tag")
        if self.tag != f"{self.language}-{self.region}":
            raise ValueError(
                f"tag {self.tag!r} is not language {self.language!r} and region {self.region!r}; correct what "
                "is wrong of them"
            )
        if not is_country(self.parent):
            raise ValueError(
                f"parent {self.parent!r} is not an ISO 3166 country; write for example 'ID' for West Java"
            )
        if (self.latitude is None) != (self.longitude is None):
            raise ValueError("latitude and longitude belong together; write both or neither")
        if not Language.make(script=self.script).is_valid():
            raise ValueError(f"script {self.script!r} is not an ISO 15924 code; write for example 'Latn'")
        return self

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        # Each is what is left from the entry that was copied, or two letters in the wrong order. By its prompt
        # name every question would ask about another country.
        if _without_article(self.prompt_name) not in (self.region_name, *self.aliases):
            raise ValueError(
                f"prompt_name {self.prompt_name!r} is neither region_name, {self.region_name!r}, nor among "
                "aliases; correct it, or add it to aliases without article"
            )
        code = next((one.code for one in nationalities() if one.country == self.region_name), None)
        for field in ("region", "parent"):
            if code is not None and (given := getattr(self, field)) != code:
                raise ValueError(
                    f"{field} {given!r} is not {self.region_name}, which region_name names; write {code}"
                )
        for name in self.nationalities:
            of = [one for one in nationalities() if name == one.demonym]
            if of and self.parent not in {one.code for one in of}:
                raise ValueError(
                    f"nationalities has {name!r}, the people of {of[0].country}, and parent is {self.parent}; "
                    "correct one of them"
                )
        direction = "rtl" if self.script in RIGHT_TO_LEFT else "ltr"
        if self.direction != direction:
            raise ValueError(
                f"direction {self.direction!r} is not that of script {self.script!r}; write {direction}"
            )
        return self


class LocaleFile(FrozenModel):
    """File of locales of one's own."""

    locale: tuple[Locale, ...] = Field(min_length=1)
    """A table ``[[locale]]`` for each."""


class Registry:
    """Known locales, in a fixed order; immutable.

    Args:
        locales: In the order that `rank` counts.
        source: What to call the registry in messages.
        n_known: How many of the locales are known without it, and so stand first.

    Raises:
        RowError, RowErrors: If two locales share a tag, a split, an upstream name or another code.
    """

    def __init__(self, locales: Iterable[Locale], *, source: str = "locales", n_known: int = 0) -> None:
        self._locales = tuple(locales)
        raise_all([*_clashes(self._locales, source, n_known)])
        self._ranks = {locale.tag: rank for rank, locale in enumerate(self._locales)}
        self._by_code = {code: locale for locale in self._locales for code in _codes(locale)}

    def __iter__(self) -> Iterator[Locale]:
        return iter(self._locales)

    def __len__(self) -> int:
        return len(self._locales)

    def __contains__(self, tag: object) -> bool:
        return tag in self._ranks

    @property
    def tags(self) -> tuple[str, ...]:
        """All tags, in order."""
        return tuple(self._ranks)

    def get(self, tag: str) -> Locale:
        """The locale with this tag.

        Raises:
            UnknownNameError: If there is none; lists the tags.
        """
        return self._locales[self.rank(tag)]

    def find(self, name: str) -> Locale:
        """The locale by any of its codes: tag, upstream name, split, SemEval's or another upstream code.

        A region code works where one locale has it, since it is the split then.

        Raises:
            UnknownNameError: If there is none, or if several locales share the region code; lists the tags,
                or the splits of that region.
        """
        if name not in self._by_code:
            shared = [locale.split for locale in self if locale.region == name]
            raise UnknownNameError("locale", name, shared) if shared else self.unknown(name)
        return self._by_code[name]

    def called(self, name: str) -> list[Locale]:
        """Every locale that people may mean by a name, whatever its case, in order.

        By a code as `find` takes it, a region code, or any English or own name of the region: ``Korea`` is two.

        Raises:
            UnknownNameError: If there is none; lists the nearest tags.
        """
        if found := self._named(name):
            return found
        raise self.unknown(name)

    def label(self, locale: Locale) -> str:
        """What people call the region of a locale, with its split where it is the region of several."""
        n_alike = sum(one.region_name == locale.region_name for one in self)
        return f"{locale.region_name} ({locale.split})" if n_alike > 1 else locale.region_name

    def _named(self, name: str) -> list[Locale]:
        wanted = name.casefold().removeprefix("the ")
        return [
            locale
            for locale in self
            if wanted
            in {n.casefold() for n in (*_codes(locale), locale.region, locale.native_name, *locale.names)}
        ]

    def meant(self, name: str) -> str | None:
        """The tag that somebody may have meant by a name that is none.

        Language and country are in each other's place, the region has another name (``en-UK``), or the name is
        that of a region with one locale; null where several have it. It is empty where the name is a locale
        indeed, just none of these, or has neither part of one: ``eu-BC`` is no misspelt ``su-JB``.
        """
        if found := self._named(name):
            return found[0].tag if len(found) == 1 else None
        language, _, region = name.rpartition("-")
        of_region = (locale.tag for locale in self._named(region) if locale.language == language.casefold())
        if (tag := next(of_region, None)) is not None or is_language_in_country(name):
            return tag or ""
        close = closest(name, self.tags)
        return turned_around(name) or (close if close is not None and _share_part(name, close) else "")

    def unknown(self, name: str) -> UnknownNameError:
        """The error for a name that is no tag."""
        meant = self.meant(name)
        more = "describe a region of your own in a locale file (`locale_file`, see docs/recipe.md)"
        if meant == "":  # Then the error lists no tags.
            more = f"take one that `blend locales` lists, or {more}"
        return UnknownNameError("locale", name, self.tags, more=more, meant=meant)

    def rank(self, tag: str) -> int:
        """Position of the locale in the registry, from 0.

        Raises:
            UnknownNameError: If there is no such tag; lists the tags.
        """
        if tag not in self._ranks:
            raise self.unknown(tag)
        return self._ranks[tag]

    def extended(self, locales: Iterable[Locale], *, source: str = "locales") -> "Registry":
        """A registry with further locales behind the present ones, whose ranks stay.

        Args:
            locales: In the order of the file that they are from.
            source: Name of that file for messages.

        Raises:
            RowError, RowErrors: If a new locale shares a tag, split, upstream name or other code with another.
        """
        return Registry([*self, *locales], source=source, n_known=len(self))


@lru_cache(maxsize=1)
def registry() -> Registry:
    """The packaged registry: BLEnD's 16 locales in the authors' order, then SemEval-2026 Task 7's 18 by tag."""
    return Registry(map(Locale.model_validate, packaged_tables(PACKAGED)["locale"]), source=PACKAGED)


def language_name(tag: str) -> str:
    """Name of a language in English: ``language_name("ko")`` is ``Korean``.

    Raises:
        UnknownNameError: If it is not a valid BCP 47 tag.
    """
    if not is_language(tag):
        raise UnknownNameError("language tag", tag, {locale.language for locale in registry()})
    return Language.get(tag).language_name()


def _share_part(name: str, tag: str) -> bool:
    """Whether two tags have the same language or region; names that have no parts may be alike as a whole."""
    one, other = (re.split("[-_]", text.strip().casefold()) for text in (name, tag))
    return len(one) == 1 or one[0] == other[0] or one[-1] == other[-1]


def _clashes(locales: Sequence[Locale], source: str, n_known: int) -> Iterator[RowError]:
    """A problem for every locale that has a code of an earlier one."""
    owners: dict[str, tuple[int, Locale]] = {}
    for number, locale in enumerate(locales, start=1 - n_known):
        for code in _codes(locale):
            first, owner = owners.setdefault(code, (number, locale))
            if first != number:
                where = f"{source}, entry {number} ({locale.tag})"
                yield _clash(code, locale, owner, first if first > 0 else None, where)
                break


def _clash(code: str, locale: Locale, owner: Locale, entry: int | None, where: str) -> RowError:
    """The problem of an entry with a code of another one; null of a locale that is known without the file."""
    other = f"{owner.tag}, which is known without a locale file," if entry is None else f"entry {entry}"
    if locale.tag == owner.tag:
        return RowError(f"{other} has the same tag", where=where, fix="delete one of the two")
    split = f"{locale.region}_{locale.language.replace('-', '_')}"
    fix = f"give it a split (such as {split}), upstream name and codes of its own, or use {owner.tag} instead"
    return RowError(f"{other} is called {code!r} as well", where=where, fix=fix)


def _codes(locale: Locale) -> tuple[str, ...]:
    """Everything that names one locale and no other."""
    codes = (locale.tag, locale.split, locale.upstream, locale.semeval, *locale.other_codes)
    return tuple(dict.fromkeys(code for code in codes if code))


def _without_article(name: str) -> str:
    return name.removeprefix("the ")


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
    return bool(_any_name(locales).search(text)) or text.strip() in _ALSO_WORDS


def others_named(text: str, locales: Registry, but: Locale) -> list[str]:
    """The other regions that a text names, as in a sentence (*the UK*), in registry order, each once."""
    own = {but.region_name, *but.names}
    named = (locale for locale in locales if is_named(text, locale) and locale.region_name not in own)
    return list(dict.fromkeys(locale.prompt_name for locale in named))


_ALSO_WORDS = {"us"}
"""Names that are English words as well when they are written without capitals."""


def first_words(names: Iterable[str]) -> set[str]:
    """The words that names begin with, and their plurals."""
    first = {found[0] for name in names if (found := words(name))}
    return first | {f"{word}s" for word in first}


@lru_cache(maxsize=8)
def _any_name(locales: Registry) -> re.Pattern[str]:
    names = {name for locale in locales for name in (*locale.names, *locale.nationalities, *locale.capitals)}
    names |= {country_name(locale.parent) for locale in locales}
    return _pattern(names, as_they_are={name for name in names if name.lower() in _ALSO_WORDS})


@lru_cache(maxsize=256)
def _names(locale: Locale) -> re.Pattern[str]:
    names = {*locale.names, *locale.nationalities}
    return _pattern(names, as_they_are=set(filter(str.isupper, names)))


def _pattern(names: set[str], *, as_they_are: set[str]) -> re.Pattern[str]:
    """What finds any of some names, or its plural, in any case; a few only as they are."""
    forms = [re.escape(name) if name in as_they_are else f"(?i:{re.escape(name)})s?" for name in sorted(names)]
    return re.compile(rf"(?<!\w)(?:{'|'.join(forms)})(?!\w)")
