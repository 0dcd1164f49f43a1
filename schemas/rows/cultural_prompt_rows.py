"""Rows of the cultural prompts: a text asked for on behalf of a reader of some nationality."""

from pydantic import Field

from blend.schemas.base.frozen_model import Row, Text

CULTURAL_PROMPTS = "cultural-prompts"

TOPIC_SLOTS = ("{topic}", "{concept}")
"""Where a template takes the topic; the second as the published templates write it."""

ARTICLE_SLOTS = ("{article}", "{vowel}")
"""Where it takes the indefinite article of the nationality."""

NATIONALITY_SLOTS = ("{nationality}", "{identity}")
"""Where it takes the nationality."""


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
