"""Published rows of multiple-choice questions: the columns of the public BLEnD dataset, and typed ones."""

import json
from collections.abc import Mapping

import polars as pl

from blend.builders.templates.localise import prompt_question
from blend.schemas.choice_prompts import PUBLISHED_PROMPT
from blend.schemas.frames import KEY, MCQ_ROWS
from blend.schemas.locales import Registry
from blend.schemas.prompts import filled
from blend.schemas.rows import LETTERS


def published_rows(mcqs: pl.DataFrame, questions: pl.DataFrame, *, locales: Registry) -> pl.DataFrame:
    """The multiple-choice questions with every published column.

    Args:
        mcqs: `schemas.frames.MCQS`.
        questions: `schemas.frames.QUESTIONS`, with the question of every row in ``mcqs``.
        locales: Names of the regions.

    Returns:
        `schemas.frames.MCQ_ROWS`, in the order of ``mcqs``. ``question`` is the English question of the row's
        own locale and names its region (the published dataset asks about the UK in all rows); ``prompt`` is the
        question, the published instruction, one line per option, and ``Answer:``. ``choices`` and
        ``choice_countries`` are JSON texts as Python's ``json.dumps(…, ensure_ascii=False)`` writes them.

    Raises:
        UnknownNameError: If a row's locale is not registered.
    """
    asked = _asked(mcqs, questions, locales)
    tags = mcqs["option_locales"].explode().unique().drop_nulls().to_list()
    upstream = {tag: locales.get(tag).upstream for tag in tags}
    region = {tag: locales.get(tag).region for tag in tags}
    return (
        mcqs.join(asked, on=KEY, how="left", maintain_order="left")
        .with_columns(
            country=pl.col("locale").replace_strict(
                {tag: locales.get(tag).upstream for tag in mcqs["locale"].unique()}, return_dtype=pl.String
            ),
            prompt=published_prompt(),
            choices=json_by_letter("options", {text: text for text in mcqs["options"].explode().unique()}),
            choice_countries=json_by_letter("option_locales", upstream),
            answer_idx=pl.col("answer").replace_strict(dict(enumerate(LETTERS)), return_dtype=pl.String),
            option_regions=pl.col("option_locales").list.eval(
                pl.element().replace_strict(region, return_dtype=pl.String)
            ),
        )
        .select(list(MCQ_ROWS))
        .cast(MCQ_ROWS)
    )


def _asked(mcqs: pl.DataFrame, questions: pl.DataFrame, locales: Registry) -> pl.DataFrame:
    """Question and topic of every template and locale in ``mcqs``: one row each."""
    rows = questions.join(mcqs.select(KEY).unique(), on=KEY, how="semi").select(*KEY, "topic", "en_question")
    asked = [
        (template_id, tag, topic, prompt_question(text, locales.get(tag)))
        for template_id, tag, topic, text in rows.iter_rows()
    ]
    columns = {"template_id": pl.String, "locale": pl.String, "topic": pl.String, "question": pl.String}
    return pl.DataFrame(asked, columns, orient="row")


def published_prompt() -> pl.Expr:
    """The published prompt of every row, from its ``question`` and ``options``; null without four options."""
    options = {letter: _of_letter("options", i) for i, letter in enumerate(LETTERS)}
    return filled(PUBLISHED_PROMPT, {"question": pl.col("question"), **options})


def json_by_letter(column: str, names: Mapping[str, str]) -> pl.Expr:
    """The four entries of a list column as the JSON text of an object by letter.

    Args:
        column: The column.
        names: What stands in the JSON for every text of the column. It is quoted and escaped once, however many
            rows show it.

    Returns:
        Text as Python's ``json.dumps(…, ensure_ascii=False)`` writes it; null where an entry has no name.
    """
    quoted = {text: json.dumps(name, ensure_ascii=False) for text, name in names.items()}
    entries = [
        pl.format(
            '"{}": {}',
            pl.lit(letter),
            _of_letter(column, i).replace_strict(quoted, default=None, return_dtype=pl.String),
        )
        for i, letter in enumerate(LETTERS)
    ]
    return pl.concat_str(pl.lit("{"), pl.concat_str(entries, separator=", "), pl.lit("}"))


def _of_letter(column: str, place: int) -> pl.Expr:
    return pl.col(column).list.get(place, null_on_oob=True)
