"""Published multiple-choice questions: rows with the columns of the public BLEnD dataset, and typed ones."""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import polars as pl

from blend.builders.mcq.options import LocaleText
from blend.builders.templates.localise import prompt_question
from blend.schemas.language.locales import Registry
from blend.schemas.prompts.choice_prompts import PUBLISHED_PROMPT
from blend.schemas.prompts.prompt_slots import filled
from blend.schemas.rows.frame_columns import KEY, MCQ_ROWS, MCQS
from blend.schemas.rows.published_rows import LETTERS


class McqRow(NamedTuple):
    """A multiple-choice question, before it has its published columns."""

    mcq_id: str
    template_id: str
    locale: str
    """Tag of the locale asked about."""
    options: Sequence[LocaleText]
    """The options as they are shown, in order."""
    answer: int
    """Position of the correct one, from 0."""
    answer_spread: str | None
    """`AnswerSpread` of the correct one; null in paper mode."""


def mcq_frame(rows: Sequence[McqRow]) -> pl.DataFrame:
    """Make `MCQS` of rows, in their order."""
    shown = [option for row in rows for option in row.options]
    return pl.DataFrame(
        {
            "mcq_id": [row.mcq_id for row in rows],
            "template_id": [row.template_id for row in rows],
            "locale": [row.locale for row in rows],
            "options": _in_fours([text for text, _ in shown]),
            "option_locales": _in_fours([tag for _, tag in shown]),
            "answer": [row.answer for row in rows],
            "answer_spread": [row.answer_spread for row in rows],
        },
        schema=MCQS,
    )


def _in_fours(texts: Sequence[str]) -> pl.Series:
    """List every four texts; a series per question would take far longer to make than one of all of them."""
    return pl.Series(texts, dtype=pl.String).reshape((-1, len(LETTERS))).arr.to_list()


def published_rows(mcqs: pl.DataFrame, questions: pl.DataFrame, *, locales: Registry) -> pl.DataFrame:
    """Add every published column to multiple-choice questions.

    Args:
        mcqs: `frame_columns.MCQS`.
        questions: `frame_columns.QUESTIONS`, with the question of every row in ``mcqs``.
        locales: Names of the regions.

    Returns:
        `frame_columns.MCQ_ROWS`, in the order of ``mcqs``. ``question`` is the English question of the row's
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
        .with_columns(source=pl.lit(None), source_order=pl.lit(None))
        .select(list(MCQ_ROWS))
        .cast(MCQ_ROWS)
    )


def _asked(mcqs: pl.DataFrame, questions: pl.DataFrame, locales: Registry) -> pl.DataFrame:
    """Find question and topic of every template and locale in ``mcqs``: one row each."""
    rows = questions.join(mcqs.select(KEY).unique(), on=KEY, how="semi").select(*KEY, "topic", "en_question")
    asked = [
        (template_id, tag, topic, prompt_question(text, locales.get(tag)))
        for template_id, tag, topic, text in rows.iter_rows()
    ]
    columns = {"template_id": pl.String, "locale": pl.String, "topic": pl.String, "question": pl.String}
    return pl.DataFrame(asked, columns, orient="row")


def published_prompt() -> pl.Expr:
    """Make the published prompt from ``question`` and ``options``; null without four options."""
    options = {letter: _of_letter("options", i) for i, letter in enumerate(LETTERS)}
    return filled(PUBLISHED_PROMPT, {"question": pl.col("question"), **options})


def json_by_letter(column: str, names: Mapping[str, str]) -> pl.Expr:
    """Write the four entries of a list column as the JSON text of an object by letter.

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


def _of_letter(column: str, position: int) -> pl.Expr:
    return pl.col(column).list.get(position, null_on_oob=True)
