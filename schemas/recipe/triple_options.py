"""How facts from Wikidata become a dataset."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, StrictBool, model_validator

from blend.schemas.base.frozen_model import FrozenModel, Qid

PAPER_LANGUAGES = ("en", "zh", "ko", "ar", "he", "ru")
"""The languages that Zhou et al. (2025) align."""

TAIWAN = "Q865"
"""The item that the published script leaves out by its name."""

PAPER: Mapping[str, object] = {
    "single_origin": "language",
    "excluded_origins": (TAIWAN,),
    "named_in_english": True,
    "images": "with-material",
    "own_parts": "keep",
}
"""What mode ``paper`` stands for; a key given beside it counts instead."""


class TripleOptions(FrozenModel):
    """How facts from Wikidata become a dataset (Zhou et al. 2025, section 3; ``docs/wikidata.md``)."""

    mode: Literal["default", "paper"] = "default"
    """``paper`` repeats the published procedure, defects included; ``default`` leaves them out."""
    domain: str = "dish"
    """Name of the domain, for example ``dish``."""
    domain_file: str | None = None
    """TOML file of further domains, relative to the recipe, for what the package does not know."""
    languages: tuple[str, ...] | None = Field(default=None, min_length=1)
    """Languages to build, as Wikidata tags them; all that give a row when absent."""
    aligned_languages: tuple[str, ...] = Field(default=PAPER_LANGUAGES, min_length=2)
    """Languages that a dish needs for the aligned subset."""
    single_origin: Literal["item", "language", "off"] = "item"
    """Which dishes of several origins are left out: in every language (``item``), in the languages in which
    several of the origins have a name (``language``, as published), or none (``off``)."""
    historical: Literal["mark", "map", "exclude"] = "mark"
    """Origins that are no more: kept and marked, replaced by the one country that followed, or left out."""
    excluded_origins: tuple[Qid, ...] = ()
    """Countries whose dishes are left out; the published script leaves out Taiwan (``Q865``)."""
    named_in_english: StrictBool = False
    """Whether a country without an English name is none, as in the published query."""
    images: Literal["own", "with-material"] = "own"
    """Images whatever else a dish has, or, as published, only beside a material with a label."""
    own_parts: Literal["drop", "keep"] = "drop"
    """A dish that is its own ingredient: the ingredient is left out, or kept as published."""
    chinese: Literal["convert", "merge", "keep"] = "convert"
    """Labels in ``zh``: converted to simplified characters, the original kept beside; the same with those in
    ``zh-hans``, ``zh-tw`` and others where ``zh`` is missing (``merge``); or left as they are."""

    @model_validator(mode="before")
    @classmethod
    def _of_mode(cls, given: Any) -> Any:
        if isinstance(given, Mapping) and given.get("mode") == "paper":
            return {**PAPER, **given}
        return given

    @classmethod
    def paper(cls, **changes: object) -> "TripleOptions":
        """The published procedure, with changes."""
        return cls.model_validate({"mode": "paper", **changes})
