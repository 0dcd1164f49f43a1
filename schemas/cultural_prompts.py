"""Rows of the cultural prompts: a text asked for on behalf of a reader of some nationality."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from blend.schemas.part import Part
from blend.schemas.rows import Row, Text

CULTURAL_PROMPTS = "cultural-prompts"

TOPIC_SLOTS = ("{topic}", "{concept}")
"""Where a template takes the topic; the second as the published templates write it."""

ARTICLE_SLOTS = ("{article}", "{vowel}")
"""Where it takes the indefinite article of the nationality."""

NATIONALITY_SLOTS = ("{nationality}", "{identity}")
"""Where it takes the nationality."""

PAPER: Mapping[str, object] = {"article": "letter"}
"""What mode ``paper`` stands for; a key given beside it counts instead."""


class CulturalPrompt(Row):
    """A request to explain a topic to a reader of some nationality, or to write a story about it for one."""

    prompt_id: Text
    """Id of the prompt, unique in its split: template, category, topic and nationality."""
    prompt: Text
    """Complete prompt."""
    kind: Text
    """What is asked for, the name of the split: ``qa`` (an explanation) or ``stories`` (a story for
    children)."""
    category: Text
    """Category of the topic, for example ``physics``."""
    topic: Text
    """What the text is to be about, for example ``gravity``."""
    nationality: Text
    """Nationality of the reader by its English demonym, for example ``Brazilian``; the same in all
    languages."""
    country_codes: tuple[Text, ...] = Field(min_length=1)
    """ISO 3166-1 codes of the countries whose people are called so; a few demonyms are those of two."""
    region: Text
    """Region of the first of these countries in the United Nations' geoscheme (M49)."""
    language: Text
    """BCP 47 tag of the language of the prompt."""
    template_id: Text
    """Name of the template."""


class CulturalOptions(Part):
    """How topics, templates and nationalities become prompts (Bhatt and Diaz 2024; ``docs/extrinsic.md``)."""

    mode: Literal["default", "paper"] = "default"
    """``paper`` gives the published prompts exactly: with their rule for the article."""
    article: Literal["sound", "letter"] = "sound"
    """English *a* or *an* as the nationality is spoken ("a Ugandan"), or by its first letter as published."""
    nationalities: Literal["un", "all"] | Annotated[tuple[Text, ...], Field(min_length=1)] = "un"
    """Members and observers of the United Nations (193 demonyms, as published), these and further territories,
    or a list of demonyms or ISO codes."""
    forms: str | None = None
    """TSV of what nationalities are called in other languages than English, relative to the recipe."""

    @model_validator(mode="before")
    @classmethod
    def _of_mode(cls, given: Any) -> Any:
        if isinstance(given, Mapping) and given.get("mode") == "paper":
            return {**PAPER, **given}
        return given
