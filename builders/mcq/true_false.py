"""True-false questions: every option of multiple-choice questions by itself."""

from collections.abc import Iterable

import polars as pl

from blend.builders.mcq.options import Option
from blend.schemas.formats import AnswerFormat, magnitude
from blend.schemas.frames import TRUE_FALSE_ROWS, filled
from blend.schemas.locales import Registry
from blend.schemas.prompts import FORMAT_REQUEST, TRUE_FALSE_PROMPT
from blend.schemas.texts import pluralise

MORE_VOTES = 2
"""Votes that an answer needs beyond those with which it is asked about: by default all five."""

_NEAR = 0.25
"""Share of the larger of two numbers up to which they are near."""


def true_false_rows(mcqs: pl.DataFrame, locales: Registry) -> pl.DataFrame:
    """Make a row of every option of multiple-choice questions.

    Args:
        mcqs: `frame_columns.MCQ_ROWS` that were made here, so that regions are known and options differ.
        locales: Names of the regions.

    Returns:
        `frame_columns.TRUE_FALSE_ROWS`: four rows per question, in its order and that of its options.
    """
    names = {tag: locales.get(tag).prompt_name for tag in mcqs["locale"].unique()}
    slots = {
        "question": pl.col("question").str.replace(FORMAT_REQUEST, "?"),
        "region": pl.col("locale").replace_strict(names, return_dtype=pl.String),
        "option": pl.col("option"),
    }
    is_correct = pl.col("position") == pl.col("correct")
    return (
        mcqs.rename({"answer": "correct", "options": "option", "option_regions": "option_region"})
        .with_columns(
            number=pl.col("option").list.eval(pl.element().rank("ordinal")),
            position=pl.int_ranges(pl.col("option").list.len()),
        )
        .explode("option", "option_region", "number", "position")
        .with_columns(
            true_false_id=pl.format("{}_{}", "mcq_id", "number"),
            prompt=filled(TRUE_FALSE_PROMPT, slots),
            answer=pl.when(is_correct).then(pl.lit("yes")).otherwise(pl.lit("no")),
        )
        .select(list(TRUE_FALSE_ROWS))
        .cast(TRUE_FALSE_ROWS)
    )


class SureQuestions:
    """Multiple-choice questions whose options are asked one by one: those that enough people agree on.

    Args:
        least: Votes that a correct answer needs. Where an option stands by itself, what four of five said
            readers doubted now and then.
    """

    def __init__(self, least: int) -> None:
        self._least = least
        self.ids: set[str] = set()
        """Their ids."""
        self.found: list[tuple[str, str, str, str]] = []
        """Rows of `builders.mcq.result.FOUND`: why there are no more."""

    def look(
        self, mcq_id: str, template_id: str, answer_format: AnswerFormat, gold: Option, wrong: Iterable[Option]
    ) -> None:
        """Look at a question: enough people gave its answer, and no wrong number is near it."""
        key = template_id, gold.locale.tag
        near = [one.text for one in wrong if _is_near(one.text, gold.text, answer_format)]
        if gold.votes < self._least:
            detail = f"{pluralise(gold.votes, 'vote')} for {gold.text!r}; {self._least} needed"
            self.found.append((*key, "few-votes-true-false", detail))
        elif near:
            self.found.append((*key, "near-number", f"{near[0]!r} beside {gold.text!r}"))
        else:
            self.ids.add(mcq_id)


def _is_near(text: str, other: str, answer_format: AnswerFormat) -> bool:
    """Whether two numbers, minutes of the day or days of the year are near each other."""
    values = [magnitude(one, answer_format) for one in (text, other)]
    if None in values:
        return False
    low, high = sorted(value for value in values if value is not None)
    return high - low <= _NEAR * high
