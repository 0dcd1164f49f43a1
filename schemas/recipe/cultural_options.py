"""Options of the cultural prompts, apart from their rows: a manifest holds them, and knows no rows."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from blend.schemas.base.frozen_model import FrozenModel, Text

PAPER: Mapping[str, object] = {"article": "letter"}
"""What mode ``paper`` stands for; a key given beside it counts instead."""


class CulturalOptions(FrozenModel):
    """Options by which topics, templates and nationalities become prompts (Bhatt and Diaz 2024)."""

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
