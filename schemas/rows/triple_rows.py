"""Rows of the datasets made from Wikidata: items with their origin and parts, and the prompts about them."""

from typing import Annotated

import polars as pl
from pydantic import Field

from blend.schemas.base.arrow_types import frame_schema
from blend.schemas.base.frozen_model import Qid, Row, Text

FOOD_TRIPLES = "food-triples"
FOOD_ALIGNED = "food-aligned"
FOOD_TEMPLATES = "food-templates"

PLACEHOLDERS = {"subject": "[X]", "part": "[Y]", "country": "[C]"}
"""What stands for the dish, the ingredient and the country in a template, in every language."""


class Entity(Row):
    """A Wikidata item with its label in one language."""

    qid: Qid
    """Identifier of the item in Wikidata."""
    label: Text
    """Its label."""


class Triple(Row):
    """One dish in one language: its name, where it comes from, and what it is made of."""

    qid: Qid
    """Identifier of the dish in Wikidata; unique within a language."""
    language: Text
    """BCP 47 tag of the labels, as Wikidata writes it, for example ``zh-hans``."""
    label: Text
    """Name of the dish."""
    description: str | None
    """Wikidata's short description in the language; null where there is none."""
    origin_qid: Qid
    """Country of origin, or the country of what the dish belongs to."""
    origin: Text
    """Name of the country."""
    origin_prompt_name: Text
    """Name of the country as it stands inside a sentence, for ``[C]`` of a template: in English with its
    article, ``the United Kingdom``; in other languages the name itself."""
    origin_en: str | None
    """English name of the country; null where Wikidata has none."""
    origin_via: tuple[Text, ...]
    """Properties of the dish that lead to the country: ``P495`` if it is its own, another if it is that of what
    the dish belongs to."""
    origin_is_historical: bool
    """Whether the country is no more, for example the Soviet Union."""
    stated_origin_qid: Qid
    """Country as Wikidata states it; another than ``origin_qid`` where that is its successor."""
    continents: tuple[Text, ...]
    """English names of the country's continents, in text order; empty where Wikidata names none."""
    parts: tuple[Entity, ...] = Field(min_length=1)
    """Ingredients that have a label in the language, by item number."""
    materials: tuple[Entity, ...]
    """Materials that have a label in the language, by item number."""
    image: tuple[Text, ...]
    """Addresses of images on Wikimedia Commons, in text order."""
    original_label: str | None
    """Name of the dish as Wikidata has it, where its script was converted; null elsewhere."""
    original_origin: str | None
    """Name of the country as Wikidata has it, where its script was converted; null elsewhere."""
    original_parts: tuple[Entity, ...]
    """Ingredients whose label was converted, with the label that Wikidata has."""
    unlabelled_parts: tuple[Qid, ...]
    """Ingredients without a label in the language; they are missing in ``parts``."""


class TripleTemplate(Row):
    """A prompt about one dish and one ingredient, with placeholders."""

    language: Text
    """BCP 47 tag of the language."""
    relation: Annotated[str, Field(pattern=r"^(hasParts|country)_[1-9]\d*(_[1-9]\d*)?$")]
    """Name of the prompt: ``hasParts_1`` to ``hasParts_5``, with the country ``country_1`` to ``country_5``."""
    template: Text
    """Text with ``[X]`` for the dish, ``[Y]`` for the ingredient and ``[C]`` for the country."""
    with_country: bool
    """Whether the country is named."""
    published: bool
    """Whether this is the wording of Zhou et al. (2025); otherwise it is this package's."""


TRIPLES = frame_schema(Triple)
"""One row per dish and language."""

TEMPLATES = frame_schema(TripleTemplate)
"""One row per language and prompt."""

DROPPED = pl.Schema({"qid": pl.String(), "language": pl.String(), "reason": pl.String(), "detail": pl.String()})
"""One row per item left out, or per item left out in one language; ``language`` is null for all languages."""


def split_name(language: str) -> str:
    """Name of a language's split: split names on the Hub hold no hyphen, so ``zh-hans`` is ``zh_hans``."""
    return language.replace("-", "_")


def language_of_split(split: str) -> str:
    """The language whose split it is: ``zh-hans`` of ``zh_hans``."""
    return split.replace("_", "-")
