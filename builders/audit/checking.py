"""Checking: a frame of anybody's questions is one that can be audited, or an error that names the row."""

import polars as pl

from blend.builders.audit.question_arrays import QUESTIONS
from blend.schemas.errors import InputError, RowError, raise_all

_NEEDED = ("question", "options", "answer")

_PROBLEMS = {
    "no_question": ("no text of the question", "write it, or remove the row"),
    "few_options": ("fewer than two options", "give every question at least two"),
    "blank_option": ("an option is blank", "write it, or remove the row"),
    "no_answer": ("the answer is not the index of an option", "count the options from 0"),
}


def checked_questions(questions: pl.DataFrame) -> pl.DataFrame:
    """The questions as `QUESTIONS`, in an order that depends on the rows alone.

    A group or topic that is not given is ``all``, a template the text of its question.

    Raises:
        RowError, RowErrors: If rows are not questions; every one is named by its number, from 1.
        InputError: If a column is missing or of another type, or if there is no row.
    """
    _check_columns(questions)
    if questions.is_empty():
        raise InputError("no multiple-choice questions to audit; give at least one")
    given = {name: pl.col(name) for name in QUESTIONS if name in questions.columns}
    rows = questions.select(**{name: given.get(name, pl.lit(None, pl.String)) for name in QUESTIONS})
    rows = rows.cast(QUESTIONS)
    _check_rows(rows)
    complete = rows.with_columns(
        template=pl.coalesce("template", "question"),
        group=pl.col("group").fill_null("all"),
        topic=pl.col("topic").fill_null("all"),
    )
    by_options = pl.col("options").list.join("\n")
    return complete.sort("template", "group", "question", by_options, "answer", "topic")


def _check_columns(questions: pl.DataFrame) -> None:
    for name in _NEEDED:
        if name not in questions.columns:
            raise InputError(f"the questions have no column {name!r}; they need {', '.join(_NEEDED)}")
    for name, wanted in QUESTIONS.items():
        found = questions.schema.get(name)
        fits = found is None or found in (wanted, pl.Null) or (name == "answer" and found.is_integer())
        if not fits:
            raise InputError(f"column {name!r} of the questions is {found}; make it {wanted}")


def _check_rows(rows: pl.DataFrame) -> None:
    options, answer = pl.col("options"), pl.col("answer")
    blank = options.list.eval((pl.element().str.strip_chars() == "").fill_null(value=True)).list.any()
    wrong = rows.select(
        no_question=pl.col("question").str.strip_chars().fill_null("") == "",
        few_options=options.list.len().fill_null(0) < 2,
        blank_option=blank.fill_null(value=False),
        no_answer=~answer.is_between(0, options.list.len().cast(pl.Int64) - 1).fill_null(value=False),
    ).with_row_index("row", offset=1)
    bad = wrong.filter(pl.any_horizontal(*_PROBLEMS))
    raise_all(
        [
            RowError(what, where=f"row {row['row']} of the questions", fix=fix)
            for row in bad.iter_rows(named=True)
            for name, (what, fix) in _PROBLEMS.items()
            if row[name] and not (name == "no_answer" and row["few_options"])
        ]
    )
