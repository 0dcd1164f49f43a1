"""True-false questions: every option of multiple-choice questions by itself."""

import polars as pl

from blend.schemas.language.locales import Registry
from blend.schemas.prompts.prompt_slots import filled
from blend.schemas.prompts.rung_prompts import TRUE_FALSE_PROMPT
from blend.schemas.rows.frame_columns import TRUE_FALSE_ROWS
from blend.schemas.rows.published_rows import LETTERS
from blend.schemas.rows.rung_rows import YesNo


def true_false_rows(mcqs: pl.DataFrame, locales: Registry) -> pl.DataFrame:
    """Make a row of every option of multiple-choice questions.

    Args:
        mcqs: `frame_columns.MCQ_ROWS`.
        locales: Names of the regions.

    Returns:
        `frame_columns.TRUE_FALSE_ROWS`: four rows per question, in its order and that of its options.
    """
    unknown = pl.lit([None] * len(LETTERS), pl.List(pl.String))
    rows = (
        mcqs.with_columns(
            pl.col("option_regions").fill_null(unknown),
            # Of equal options, which only a source can have, the first one comes first.
            number=pl.col("options").list.eval(pl.element().rank("ordinal")),
            position=pl.int_ranges(pl.col("options").list.len()),
        )
        .rename({"answer": "correct", "options": "option", "option_regions": "option_region"})
        .explode("option", "option_region", "number", "position")
    )
    is_correct = pl.col("position") == pl.col("correct")
    return (
        rows.with_columns(
            true_false_id=pl.format("{}_{}", "mcq_id", "number"),
            prompt=true_false_prompt(rows["locale"].unique().to_list(), locales),
            answer=pl.when(is_correct).then(pl.lit(YesNo.YES.value)).otherwise(pl.lit(YesNo.NO.value)),
        )
        .select(list(TRUE_FALSE_ROWS))
        .cast(TRUE_FALSE_ROWS)
    )


def true_false_prompt(tags: list[str], locales: Registry) -> pl.Expr:
    """Make the prompt of ``question``, ``option`` and ``locale``, which is one of some tags."""
    names = {tag: locales.get(tag).prompt_name for tag in tags}
    region = pl.col("locale").replace_strict(names, return_dtype=pl.String)
    slots = {"question": pl.col("question"), "region": region, "option": pl.col("option")}
    return filled(TRUE_FALSE_PROMPT, slots)
