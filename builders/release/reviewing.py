"""Reviewing: the answers of a recipe's sources that a person still has to look at."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from blend.builders.release.inputs import known_locales, read_inputs
from blend.builders.saq.answer_sheet import answer_sheet
from blend.schemas.errors import InputError
from blend.schemas.recipe import Recipe


def answers_to_review(
    recipe: Recipe, *, base: Path = Path(), tags: Sequence[str] | None = None, everything: bool = False
) -> pl.DataFrame:
    """The answer sheet of a recipe with raw responses; see `builders.saq.answer_sheet`.

    Args:
        recipe: Names the sources.
        base: Folder to which its relative locations refer.
        tags: Only answers in these locales; in all when absent.
        everything: Whether questions are there as well on whose every answer a review has decided.

    Returns:
        `schemas.answer_sheets.ANSWER_SHEET`, not empty.

    Raises:
        InputError: If there are no responses, none in a locale, or none left to review; otherwise as
            `builders.release.inputs.read_inputs`.
    """
    inputs = read_inputs(recipe, base=base, locales=known_locales(recipe, base=base), reviewing=True)
    if inputs.responses.is_empty():
        raise InputError(
            "the recipe has no raw responses, only finished annotations; add a source of kind 'responses' to "
            "review what it holds"
        )
    answered = set(inputs.responses["locale"])
    for tag in tags or ():
        if tag not in answered:
            raise InputError(f"--locale {tag}: no answers; there are some in {', '.join(sorted(answered))}")
    here = pl.col("locale").is_in(sorted(answered if tags is None else tags))
    frames = (inputs.questions.filter(here), inputs.responses.filter(here), inputs.reviews.filter(here))
    sheet = answer_sheet(*frames, everything=everything)
    if sheet.is_empty():
        why = "nobody has given an answer yet" if everything else "every answer is reviewed"
        fix = "`blend status` says what is missing" if everything else "--all shows what was decided"
        raise InputError(f"nothing to review: {why}; {fix}")
    return sheet
