"""Reviewing: the answers of a recipe's sources, and pairs of them, that a person still has to look at."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from blend.builders.judges.suspects import Suspects
from blend.builders.mcq.to_review import OFFERED_OPTIONS, candidate_pairs
from blend.builders.release.inputs import known_locales, read_inputs
from blend.builders.release.recipe_options import RecipeOptions
from blend.builders.release.tables import annotations_of, verdicts_of
from blend.builders.saq.answer_sheet import answer_sheet
from blend.builders.saq.lost_answers import Lost, without_lost
from blend.loaders.responses.shipped import shipped_decisions
from blend.loaders.responses.verdicts import NATIVE, decisions_in
from blend.schemas.errors import InputError
from blend.schemas.frames import KEY
from blend.schemas.locales import Registry
from blend.schemas.personal_data import MODEL
from blend.schemas.recipe import Recipe
from blend.schemas.sheets import OPTION_SHEET, PAIR_SHEET
from blend.schemas.texts import pair_key


class ToReview(NamedTuple):
    """Answers to review, and reviews of answers that nobody gives any more."""

    sheet: pl.DataFrame
    """`sheets.ANSWER_SHEET`, not empty."""
    lost: list[Lost]
    """What was left out of reviews; the sheet takes up their questions again."""


def answers_to_review(
    recipe: Recipe, *, base: Path = Path(), locales: Sequence[str] | None = None, everything: bool = False
) -> ToReview:
    """The answer sheet of a recipe with raw responses; see `builders.saq.answer_sheet`.

    Args:
        recipe: Names the sources.
        base: Folder to which its relative locations refer.
        locales: Only answers in these locales; in all when absent.
        everything: Whether questions are there as well on whose every answer a review has decided.

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
    for tag in locales or ():
        if tag not in answered:
            raise InputError(f"`locales={tag}`: no answers; there are some in {', '.join(sorted(answered))}")
    here = pl.col("locale").is_in(sorted(answered if locales is None else locales))
    responses = inputs.responses.filter(here)
    reviews, lost = without_lost(inputs.reviews.filter(here), responses)
    sheet = answer_sheet(inputs.questions.filter(here), responses, reviews, everything=everything, lost=lost)
    if sheet.is_empty() and lost:
        places = ", ".join(one.source for one in lost)
        raise InputError(
            f"nothing to review: nobody gives the answers of {places} any more; delete that review"
        )
    if sheet.is_empty():
        why = "nobody has given an answer yet" if everything else "every answer is reviewed"
        more = "`everything=True` shows what was decided"
        fix = "`blend status` says what is missing" if everything else more
        raise InputError(f"nothing to review: {why}; {fix}")
    return ToReview(sheet, lost)


def pairs_to_review(recipe: Recipe, *, base: Path = Path(), everything: bool = False) -> pl.DataFrame:
    """The pairs of answers that may stand side by side and about which nobody has decided.

    Args:
        recipe: Names the sources, and perhaps a table of verdicts.
        base: Folder to which its relative locations refer.
        everything: Whether pairs are there as well for which nothing speaks.

    Returns:
        `sheets.PAIR_SHEET`, the most frequent first, not empty.

    Raises:
        InputError: If there is nothing to decide; otherwise as `builders.release.inputs.read_inputs`.
    """
    sheet = _undecided_pairs(recipe, base=base, everything=everything)
    if sheet.is_empty():
        why = "every pair that can meet is decided" if everything else "no undecided pair looks alike"
        fix = "" if everything else "; `everything=True` shows every pair that can meet"
        raise InputError(f"nothing to decide: {why}{fix}")
    return sheet


def _undecided_pairs(recipe: Recipe, *, base: Path = Path(), everything: bool = False) -> pl.DataFrame:
    """The same, perhaps without rows.

    Raises:
        BlendError: As `builders.release.inputs.read_inputs`.
    """
    known = known_locales(recipe, base=base)
    inputs = read_inputs(recipe, base=base, locales=known)
    annotations = annotations_of(inputs, recipe)
    pairs = candidate_pairs(inputs.questions, annotations, options=recipe.mcq, locales=known)
    verdicts = verdicts_of(recipe.mcq, base)
    decided = [
        *(() if verdicts is None else decisions_in(verdicts)),
        *(shipped_decisions() if recipe.mcq.judge.shipped else ()),
    ]
    done = {pair_key(decision.answer_a, decision.answer_b) for decision in decided}
    suspects = Suspects(decided)
    texts = inputs.questions.group_by("template_id").agg(pl.col("en_question").sort().first())
    question = dict(texts.iter_rows())
    rows = [
        (a, b, None, None, n, cause, template_id, question[template_id], PAIR_SHEET.mark(a, b))
        for a, b, n, template_id in pairs.iter_rows()
        if pair_key(a, b) not in done and ((cause := suspects.cause(a, b)) or everything)
    ]
    return pl.DataFrame(rows, PAIR_SHEET.columns, orient="row")


class OptionsToReview(NamedTuple):
    """Options to read, and questions that have none."""

    sheet: pl.DataFrame
    """`sheets.OPTION_SHEET`, not empty."""
    without_options: list[tuple[str, str]]
    """Template and locale of answered questions about which a build asks nothing, by locale."""


def options_to_review(
    recipe: Recipe,
    *,
    base: Path = Path(),
    locales: Sequence[str] | None = None,
    only: Collection[tuple[str, str]] | None = None,
    unread: bool = False,
    everything: bool = False,
    blind: bool = False,
) -> OptionsToReview:
    """The option sheet of a recipe: every option that a build may show, see `recipe_options.RecipeOptions`.

    Args:
        recipe: Names the sources, and perhaps a file of verdicts (``mcq.verdicts``).
        base: Folder to which its relative locations refer.
        locales: Only options of questions about these locales; about all when absent.
        only: Only options of these templates with locales; of all when absent.
        unread: Whether those are left out that a person or a model has read; what a model is unsure of is
            there.
        everything: Whether those are there as well that verdicts leave out.
        blind: Whether ``read`` is empty, for a reader who is not to know what others said.

    Raises:
        InputError: If the recipe is in paper mode, no question asks about a locale, or there is nothing to
            read; otherwise as `builders.release.inputs.read_inputs`.
    """
    options = RecipeOptions(recipe, base)
    verdicts = verdicts_of(recipe.mcq, base)
    offered = [
        one
        for one in options.offered(verdicts, everything=everything, locales=locales)
        if only is None or (one.row["template_id"], one.row["locale"]) in only
    ]
    rows = []
    for row, readers, read_by in offered:
        if unread and None not in read_by:
            continue
        by = "" if blind else "; ".join(map(str, readers)) or ("" if None in read_by else MODEL)
        mark = OPTION_SHEET.mark(*(row[name] for name in OPTION_SHEET.proposed))
        rows.append({**row, "regions": ", ".join(row["regions"]), "read": by, "check": mark})
    if not rows:
        why = "every option has been read" if offered else "no question has options enough"
        left_out = not (everything or offered) and any(options.offered(verdicts, everything=True))
        more = "; `everything=True` also shows what verdicts leave out" if left_out else ""
        raise InputError(f"nothing to read: {why}{more}")
    shown = {(one.row["template_id"], one.row["locale"]) for one in offered}
    asked = options.answered.select(KEY).sort(KEY[::-1]).iter_rows()
    chosen = (key for key in asked if (only is None or key in only) and (locales is None or key[1] in locales))
    return OptionsToReview(
        pl.DataFrame(rows, OPTION_SHEET.columns), [key for key in chosen if key not in shown]
    )


def options_for_natives(
    recipe: Recipe, *, base: Path = Path(), known: Registry
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The options that a build of a recipe may show and that no native of the region has read.

    Args:
        recipe: Names the sources, and perhaps a file of verdicts (``mcq.verdicts``).
        base: Folder to which its relative locations refer.
        known: Known locales.

    Returns:
        `offered_options.OFFERED_OPTIONS`, perhaps without rows, and the questions with their answers,
        `frames.ANNOTATION_ROWS`.

    Raises:
        InputError: If the recipe is in paper mode; otherwise as `builders.release.inputs.read_inputs`.
    """
    options = RecipeOptions(recipe, base, known)
    unread = [
        one.row
        for one in options.offered(verdicts_of(recipe.mcq, base))
        if not any(reader.kind == NATIVE for reader in one.readers)
    ]
    return pl.DataFrame(unread, OFFERED_OPTIONS), options.answered
