"""True or false: each option of a multiple-choice question by itself."""

import polars as pl

from blend.eval.items import ITEMS, TaskItems, some_templates
from blend.eval.tasks.rungs import TrueFalseOptions
from blend.schemas.prompts.rung_prompts import TRUE_FALSE_PROMPT
from blend.schemas.rows.rung_rows import YesNo

WORDS = (YesNo.YES.value, YesNo.NO.value)
"""What can be said, in the order in which it is scored."""

GOLD = pl.Schema(
    {"item_id": pl.String(), "question_id": pl.String(), "option": pl.String(), "is_true": pl.Boolean()}
)
"""One row per item, in the order of the items: the multiple-choice question, its option that is asked
about, and whether that is the correct one."""


def true_false_items(rows: pl.DataFrame, options: TrueFalseOptions) -> TaskItems:
    """The items of true or false.

    Args:
        rows: With the columns of `rung_rows.TrueFalseQuestion` and ``region``.
        options: Style, locales, limit.

    Returns:
        One item per row, put as it is published in either style.
    """
    words = pl.lit(pl.Series([list(WORDS)])).first()
    chosen = some_templates(rows, options).with_columns(
        item_id="true_false_id",
        prompt_id=pl.lit(options.style),
        language=pl.lit("en"),
        options=words if options.style == "texts" else pl.lit(None, pl.List(pl.String)),
    )
    gold = chosen.select("item_id", "option", question_id="mcq_id", is_true=pl.col("answer") == YesNo.YES.value)
    return TaskItems(
        chosen.select(list(ITEMS)).cast(ITEMS),
        gold.select(list(GOLD)),
        {options.style: TRUE_FALSE_PROMPT},
        "logprobs" if options.style == "texts" else "text",
    )
