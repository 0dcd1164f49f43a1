"""Few-shot: solved examples before a question, from templates of the same release that are then not asked.

Held out are whole templates, not questions: another question of the asked template would give its answer away.
"""

from collections.abc import Sequence

import polars as pl

from blend.eval.items import text_digest
from blend.eval.task import ShotOptions
from blend.schemas.errors import InputError

BLANK_LINE = "\n\n"
"""What stands between examples, and where a model that goes on by itself begins the next one."""


def part_examples(rows: pl.DataFrame, options: ShotOptions) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Part what is asked from what is held out for examples.

    In every locale the templates with the smallest digests of seed and id are held out, so that another locale,
    a limit or further templates leave the others as they are, and fewer examples are some of the more.

    Args:
        rows: With ``locale``, ``template_id`` and ``can_be_example``.
        options: How many examples, and their seed; locales.

    Returns:
        The rows of the other templates in their order, and those held out that can be an example, with
        ``_shot``, the number of their template, from 1. All rows and none without examples.

    Raises:
        InputError: If a locale has too few templates; names the first.
    """
    if not options.shots:
        return rows, rows.clear().with_columns(_shot=pl.lit(None, pl.UInt32))
    if options.locales is not None:
        rows = rows.filter(pl.col("locale").is_in(options.locales))
    possible = rows.filter("can_be_example").select("locale", "template_id").unique(maintain_order=True)
    names = possible["template_id"].unique().to_list()
    digests = {name: text_digest(f"{options.shots_seed}|{name}") for name in names}
    ranked = possible.with_columns(
        _shot=pl.col("template_id")
        .replace_strict(digests, return_dtype=pl.String)
        .rank("ordinal")
        .over("locale")
    )
    held = ranked.filter(pl.col("_shot") <= options.shots)
    key = ["locale", "template_id"]
    asked = rows.join(held, on=key, how="anti", maintain_order="left")
    for locale in rows["locale"].unique(maintain_order=True):
        n_held = held.filter(locale=locale).height
        if n_held < options.shots or asked.filter(locale=locale).is_empty():
            n_shown = ranked.filter(locale=locale).height
            raise InputError(
                f"{locale}: `shots={options.shots}` needs {options.shots} question templates to show and one "
                f"to ask, and {n_shown} can be shown; choose fewer `shots`, or other `locales`"
            )
    examples = rows.filter("can_be_example").join(held, on=key, how="inner", maintain_order="left")
    return asked, examples


def with_examples(
    items: pl.DataFrame, examples: pl.DataFrame, answer: pl.Expr, by: Sequence[str]
) -> pl.DataFrame:
    """Items whose prompts begin with solved examples, a blank line behind each.

    Args:
        items: With ``prompt``.
        examples: Items as well, with ``_shot``; a question for each.
        answer: What is answered to an example.
        by: Columns of both: an item has the examples that are equal in all of them.

    Returns:
        The items with ``examples``, the text before the question, which ``prompt`` then begins with; as they
        were if there are no examples.
    """
    if examples.is_empty():
        return items
    blank = pl.when(pl.col("prompt").str.contains(r"\s$")).then(pl.lit("")).otherwise(pl.lit(" "))
    texts = (
        examples.sort("_shot")
        .group_by(by, maintain_order=True)
        .agg(examples=pl.concat_str("prompt", blank, answer, pl.lit(BLANK_LINE)).str.join())
    )
    asked = items.join(texts, on=by, how="left", maintain_order="left")
    return asked.with_columns(prompt=pl.concat_str("examples", "prompt"))


def own_prompt(items: pl.DataFrame) -> pl.Expr:
    """What is asked without the examples before it, which are not part of the question."""
    if "examples" not in items.columns:
        return pl.col("prompt")
    return pl.col("prompt").str.slice(pl.col("examples").str.len_chars())
