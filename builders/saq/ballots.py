"""Ballots: what each annotator answered, answer by answer, beside what the reviewer decided on it.

Answers are compared by `texts.clean`: what differs only in outer or repeated blanks or in Unicode
composition is one answer.
"""

from typing import NamedTuple

import polars as pl

from blend.schemas.formats import asked_unit
from blend.schemas.frames import KEY
from blend.schemas.texts import clean

ANSWER = (*KEY, "answer")
"""What makes an answer: its question and its cleaned text."""


class Ballots(NamedTuple):
    """Responses and reviews of known questions."""

    answers: pl.DataFrame
    """One row per annotator and answer: ``template_id``, ``locale``, ``annotator``, ``answer`` (cleaned),
    ``lines`` (of its cell), ``source`` (of the response), ``language``, ``answer_format``, ``unit`` (of time,
    that the question asks for; null for none), ``invalid`` (null where no review mentions the answer),
    ``group`` (index within the review, from 0; null where invalid or unmentioned) and ``position`` (of the
    answer within the review)."""
    decisions: pl.DataFrame
    """One row per reviewed answer: ``template_id``, ``locale``, ``answer`` (cleaned), ``invalid``, ``reason``
    (why it is; empty where nobody said), ``group``, ``position``, ``review`` (source of the review)."""


def cast_ballots(questions: pl.DataFrame, responses: pl.DataFrame, reviews: pl.DataFrame) -> Ballots:
    """Every answer with the decision on it.

    Args:
        questions: `frames.QUESTIONS`.
        responses: `frames.RESPONSES`; rows without answers have no ballot.
        reviews: `frames.REVIEWS`, like the others as `loaders.responses.read_responses` has checked them: of
            questions that are asked and answers that are given, nothing twice.

    Returns:
        The ballots, in no particular order. An annotator who repeats an answer has one row for it.
    """
    answers, decisions = _answers(responses), _decisions(reviews)
    asked = questions.select(*KEY, "language", "answer_format", unit=asked_units(questions))
    decided = decisions.unique(ANSWER, keep="first", maintain_order=True)
    return Ballots(
        answers.join(asked, on=KEY).join(decided.drop("review", "reason"), on=ANSWER, how="left"),
        decided,
    )


def asked_units(questions: pl.DataFrame) -> pl.Series:
    """The unit of time that each question asks for (`formats.asked_unit`), null for none."""
    return pl.Series([asked_unit(question) for question in questions["en_question"]], dtype=pl.String)


def cleaned(rows: pl.DataFrame, column: str) -> pl.DataFrame:
    """The rows with the texts of one column cleaned (`texts.clean`), each distinct text once."""
    texts = rows[column].unique()
    return rows.with_columns(
        pl.col(column).replace_strict(texts, [clean(text) for text in texts], return_dtype=pl.String)
    )


def _answers(responses: pl.DataFrame) -> pl.DataFrame:
    typed = (
        responses.select(*KEY, "annotator", "source", answer="answers")
        .filter(pl.col("answer").list.len() > 0)
        .explode("answer")
        .with_columns(lines=pl.col("answer").str.strip_chars().str.split("\n"))
    )
    return cleaned(typed, "answer").unique([*ANSWER, "annotator"], keep="first", maintain_order=True)


def _decisions(reviews: pl.DataFrame) -> pl.DataFrame:
    """The decisions of all reviews in the reviewer's order, not yet checked."""
    # Reviews without any reason have none for each.
    no_reasons = pl.lit("").repeat_by(pl.col("invalid").list.len())
    has_reasons = pl.col("reasons").list.len() == pl.col("invalid").list.len()
    reasons = pl.when(has_reasons).then("reasons").otherwise(no_reasons)
    location = reviews.select(*KEY, "groups", reason=reasons, answer="invalid", review="source")
    no_group = pl.lit(None, pl.Int64)
    invalid = (
        location.filter(pl.col("answer").list.len() > 0)
        .explode("answer", "reason")
        .select(*ANSWER, "review", "reason", invalid=pl.lit(True), group=no_group)
    )
    grouped = (
        location.drop("answer", "reason")
        .filter(pl.col("groups").list.len() > 0)
        .with_columns(group=pl.int_ranges(pl.col("groups").list.len()))
        .explode("groups", "group")
        .with_columns(answer=pl.col("groups").struct.field("answers"))
        .filter(pl.col("answer").list.len() > 0)
        .explode("answer")
        .select(*ANSWER, "review", reason=pl.lit(""), invalid=pl.lit(False), group="group")
    )
    return cleaned(pl.concat([invalid, grouped]), "answer").with_row_index("position")
