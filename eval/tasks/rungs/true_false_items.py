"""True or false: each option of a multiple-choice question by itself."""

import polars as pl

from blend.eval.items import ITEMS, TaskItems, some_templates
from blend.eval.tasks.rungs import TrueFalseOptions
from blend.schemas.prompts import TRUE_FALSE_PROMPT
from blend.schemas.rows import YesNo

WORDS = (YesNo.YES.value, YesNo.NO.value)
"""What can be said, in the order in which it is scored."""

GOLD = pl.Schema(
    {
        **dict.fromkeys(("item_id", "question_id", "option"), pl.String()),
        "answer": pl.Int64(),
        "option_texts": pl.List(pl.String()),
    }
)
"""One row per item, in the order of the items: the multiple-choice question, its option that is asked about,
the index of the correct word, which is 0 where that is the correct option, and `WORDS`."""


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
        question_id="mcq_id",
        prompt_id=pl.lit(options.style),
        language=pl.lit("en"),
        options=words if options.style == "texts" else pl.lit(None, pl.List(pl.String)),
        answer=(pl.col("answer") != YesNo.YES.value).cast(pl.Int64),
        option_texts=words,
    )
    return TaskItems(
        chosen.select(list(ITEMS)).cast(ITEMS),
        chosen.select(list(GOLD)),
        {options.style: TRUE_FALSE_PROMPT},
        "logprobs" if options.style == "texts" else "text",
    )
