"""True-false questions: every option of multiple-choice questions by itself."""

import polars as pl

from blend.schemas.language.locales import Registry
from blend.schemas.prompts.prompt_slots import filled
from blend.schemas.prompts.rung_prompts import FORMAT_REQUEST, TRUE_FALSE_PROMPT
from blend.schemas.rows.frame_columns import TRUE_FALSE_ROWS


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
