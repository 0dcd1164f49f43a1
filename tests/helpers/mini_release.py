"""A release of four locales of the sample, made in half the time of one of all ten."""

from typing import Any

from blend.loaders.recipes import sample_recipe
from blend.schemas.recipe import Recipe

FOUR = ("ko-KR", "en-US", "fa-IR", "es-MX")
"""No fewer: a multiple-choice question shows answers of four regions."""


def mini_recipe(**changes: Any) -> Recipe:
    """The recipe of the sample with four locales, and with other changes.

    For tests that need a release and do not care which.
    """
    return sample_recipe().model_copy(update={"locales": FOUR} | changes)
