"""Domains: what to look for in Wikidata, described by classes and properties alone.

A domain is data, ``domains.toml`` beside this module; nothing else in the package knows food from instruments.
A new domain is a new entry, in that file or in a user's own file of the same form.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Self

from pydantic import Field, ValidationError, model_validator

from blend.schemas.base.field_errors import entry_problems
from blend.schemas.base.frozen_model import Qid, Row, Text
from blend.schemas.base.toml_tables import toml_tables
from blend.schemas.errors import RowError, UnknownNameError, raise_all

PACKAGED = "domains.toml"
"""File name of the packaged domains."""

Pid = Annotated[str, Field(pattern=r"^P[1-9]\d*$")]
"""Identifier of a Wikidata property, for example ``P495``."""


class OriginGroup(Row):
    """A cultural group: one name for the items that come from any of its origins."""

    name: Text
    """English name of the group."""
    origins: tuple[Qid, ...] = Field(min_length=1)
    """Countries whose items belong to it."""


class Domain(Row):
    """Which items a dataset is about, where they come from, and what they are made of."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    """Name of the domain, for example ``dish``."""
    title: Text
    """What the dataset is about, in a few English words."""
    item: Text = "item"
    """What one item is called in texts, for example ``dish``."""
    items: Text = "items"
    """What several are called, for example ``dishes``."""
    part: Text = "part"
    """What one part of an item is called, for example ``ingredient``."""
    parts: Text = "parts"
    """What several are called, for example ``ingredients``."""
    config: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    """First part of the names of its configurations: ``food`` gives ``food-triples``."""
    item_class: Qid
    """Class that every item belongs to."""
    class_properties: tuple[Pid, ...] = Field(min_length=1)
    """Properties that lead from an item to the class, in one or more steps and any mixture."""
    excluded_classes: tuple[Qid, ...] = ()
    """Classes whose items are left out although they belong to ``item_class``."""
    origin_properties: tuple[Pid, ...] = Field(min_length=1)
    """Properties that name an item's country of origin."""
    route_properties: tuple[Pid, ...] = ()
    """Properties that name something whose country is the item's origin where it has none of its own."""
    route_origin_properties: tuple[Pid, ...] = ()
    """Properties that name the country of what a route leads to."""
    part_properties: tuple[Pid, ...] = Field(min_length=1)
    """Properties that name an item's parts."""
    material_properties: tuple[Pid, ...] = ()
    """Properties that name what an item is made from."""
    image_properties: tuple[Pid, ...] = ()
    """Properties that hold an image."""
    country_classes: tuple[Qid, ...] = Field(min_length=1)
    """Classes of what may be an origin, by an explicit *instance of* (``P31``)."""
    historical_classes: tuple[Qid, ...] = ()
    """Classes of countries that are no more."""
    continent_property: Pid = "P30"
    """Property that names a country's continents."""
    successor_property: Pid = "P1366"
    """Property that names what a country was replaced by."""
    templates: str | None = None
    """File of prompt templates about its items, beside the file of the domain, or the name of packaged ones
    (``food_templates.toml``); null without any."""
    groups: tuple[OriginGroup, ...] = ()
    """Cultural groups to study; an origin belongs to one of them at most."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if bool(self.route_properties) != bool(self.route_origin_properties):
            raise ValueError("route_properties and route_origin_properties need each other; give both or none")
        origins = [origin for group in self.groups for origin in group.origins]
        twice = sorted({origin for origin in origins if origins.count(origin) > 1})
        if twice:
            raise ValueError(f"{', '.join(twice)} belongs to two groups; leave it in one")
        return self

    def reword(self, text: str) -> str:
        """A text about dishes and ingredients in the words of this domain.

        The models of rows speak of dishes, the first domain. Their texts have no *a* or *an* before the words,
        since other words may want the other one.
        """
        return in_words(text, self.words)

    @property
    def words(self) -> dict[str, str]:
        """What an item and a part are called, ``item``, ``items``, ``part``, ``parts``."""
        return {"item": self.item, "items": self.items, "part": self.part, "parts": self.parts}

    @property
    def claim_properties(self) -> tuple[str, ...]:
        """Properties of the items themselves, except those of their class; each once."""
        return tuple(
            dict.fromkeys(
                [
                    *self.origin_properties,
                    *self.route_properties,
                    *self.part_properties,
                    *self.material_properties,
                    *self.image_properties,
                ]
            )
        )


def in_words(text: str, words: Mapping[str, str] | None) -> str:
    """A text about dishes and ingredients in the words of another domain (`Domain.words`), if any are given."""
    if words is None:
        return text
    own = {"dish": "item", "dishes": "items", "ingredient": "part", "ingredients": "parts"}
    return _DISH_WORDS.sub(lambda found: _cased(words[own[found[0].lower()]], like=found[0]), text)


_DISH_WORDS = re.compile(r"\b(?:dish|dishes|ingredient|ingredients)\b", re.IGNORECASE)


def _cased(word: str, *, like: str) -> str:
    return word[:1].upper() + word[1:] if like[:1].isupper() else word


@lru_cache(maxsize=1)
def domains() -> Mapping[str, Domain]:
    """The packaged domains by name, ``dish`` first."""
    text = files("blend.schemas.recipe").joinpath(PACKAGED).read_text(encoding="utf-8")
    return {domain.name: domain for domain in parse_domains(text, source=PACKAGED)}


def find_domain(name: str, known: Mapping[str, Domain] | None = None) -> Domain:
    """The domain of this name.

    Args:
        name: Name of a domain.
        known: The domains by name; those of the package when absent.

    Raises:
        UnknownNameError: If there is none; lists the names, and says where others come from.
    """
    choices = domains() if known is None else known
    if name not in choices:
        raise UnknownNameError(
            "domain", name, choices, more="write one of your own into a domain file (docs/wikidata.md)"
        )
    return choices[name]


def domains_with(own: Iterable[Domain], *, source: str) -> Mapping[str, Domain]:
    """The packaged domains, and behind them those of a file.

    Args:
        own: The domains of the file.
        source: Its name for messages.

    Raises:
        RowError, RowErrors: If one has the name of a packaged domain: nobody could tell the two apart.
    """
    packaged = domains()
    added = {domain.name: domain for domain in own}
    raise_all(
        [
            RowError(
                "the package has a domain of this name", where=f"{source}, domain {name!r}", fix="rename it"
            )
            for name, domain in added.items()
            if packaged.get(name, domain) != domain
        ]
    )
    return {**packaged, **added}


def parse_domains(text: str, *, source: str) -> tuple[Domain, ...]:
    """The domains of a TOML text with one ``[[domain]]`` table each.

    Args:
        text: TOML; the keys are the fields of `Domain`.
        source: File name for messages.

    Raises:
        RowError, RowErrors: If the text is not TOML, holds anything else, or an entry has a missing, unknown or
            wrong field or the name of another; every problem is named with file, entry and field.
    """
    tables = toml_tables(text, source=source)
    entries = tables.get("domain")
    if list(tables) != ["domain"] or not isinstance(entries, list):
        form = "write one [[domain]] table per domain and nothing else"
        raise RowError("not a list of [[domain]] tables", where=source, fix=form)
    found: dict[str, Domain] = {}
    problems: list[RowError] = []
    for number, entry in enumerate(entries, start=1):
        name = entry.get("name", "no name") if isinstance(entry, dict) else "not a table"
        location = f"{source}, entry {number} ({name})"
        try:
            domain = Domain.model_validate(entry)
        except ValidationError as error:
            problems += entry_problems(error, Domain, location)
            continue
        if domain.name in found:
            problems.append(
                RowError("another entry has this name", where=location, fix="rename one of the two")
            )
        found[domain.name] = domain
    raise_all(problems)
    return tuple(found.values())
