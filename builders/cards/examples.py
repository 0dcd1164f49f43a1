"""Examples: one question as every locale was asked it, in its own script, and what people answered most."""

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from blend.schemas.frames import KEY, in_slices, votes_known
from blend.schemas.locales import Locale


class Example(NamedTuple):
    """A question in one locale."""

    locale: Locale
    question: str
    """In the local language."""
    answer: str
    """The most frequent answer, as people there write it."""
    en_question: str
    """The question in English."""
    en_answer: str
    """The answer in English; a dash where nobody has translated it."""
    votes: int
    """Annotators behind the answer."""


def example_rows(
    questions: pl.DataFrame, annotations: pl.DataFrame, locales: Sequence[Locale]
) -> tuple[Example, ...]:
    """One template in every locale that answered it.

    Args:
        questions: `frame_columns.QUESTIONS`.
        annotations: `frame_columns.ANNOTATIONS`.
        locales: In the order of the examples.

    Returns:
        The template that most locales answered, of those whose votes are known; of several, the one on which
        people agree most (sum of the votes for the most frequent answers), then the first id. Empty where
        nothing was answered.
    """
    asked = questions.select(*KEY, "question").filter(pl.col("question") != "")
    top = in_slices(annotations, _top_answers).join(asked, on=KEY, how="semi")
    if top.is_empty():
        return ()
    ranked = (
        top.group_by("template_id")
        .agg(n_locales=pl.len(), agreement=pl.col("votes").sum())
        .sort("n_locales", "agreement", "template_id", descending=[True, True, False])
    )
    chosen = top.filter(template_id=ranked["template_id"][0]).join(
        questions.select(*KEY, "question", "en_question"), on=KEY
    )
    rows = {row["locale"]: row for row in chosen.iter_rows(named=True)}
    return tuple(_example(of, rows[of.tag]) for of in locales if of.tag in rows)


def _top_answers(annotations: pl.DataFrame) -> pl.DataFrame:
    """The most frequent answer to every question, where there is one and votes are known."""
    first = pl.col("annotations").list.first().struct
    return annotations.select(
        *KEY,
        answer=first.field("answers").list.first(),
        en_answer=first.field("en_answers").list.first(),
        votes=first.field("count"),
        is_known=votes_known(),
    ).filter("is_known", pl.col("answer").is_not_null())


def _example(locale: Locale, row: dict[str, object]) -> Example:
    return Example(
        locale=locale,
        question=str(row["question"]),
        answer=str(row["answer"]),
        en_question=str(row["en_question"]),
        en_answer="–" if row["en_answer"] is None else str(row["en_answer"]),
        votes=int(str(row["votes"])),
    )
