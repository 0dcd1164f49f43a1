"""Ballots: what each annotator answered, answer by answer, beside what the reviewer decided on it.

Answers are compared by `texts.clean`: what differs only in outer or repeated blanks or in Unicode
composition is one answer. And collection: which questions have enough responses, and which still need some.
"""

from typing import NamedTuple

import polars as pl

from blend.schemas.formats import asked_unit
from blend.schemas.frames import KEY
from blend.schemas.recipe import SaqOptions
from blend.schemas.rows import NonAnswer
from blend.schemas.summaries import Table
from blend.schemas.texts import clean, pluralise

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
    """The rows with the texts of one column cleaned (`texts.clean`)."""
    return rows.with_columns(pl.Series(column, [clean(text) for text in rows[column]], dtype=pl.String))


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
    invalid = (
        reviews.select(*KEY, answer="invalid", review="source", reason=reasons)
        .filter(pl.col("answer").list.len() > 0)
        .explode("answer", "reason")
        .with_columns(invalid=pl.lit(True), group=pl.lit(None, pl.Int64))
    )
    grouped = (
        reviewed_groups(reviews)
        .select(*KEY, answer="answers", review="source", group="group")
        .filter(pl.col("answer").list.len() > 0)
        .explode("answer")
        .with_columns(reason=pl.lit(""), invalid=pl.lit(False))
    )
    return cleaned(pl.concat([invalid, grouped], how="diagonal"), "answer").with_row_index("position")


def reviewed_groups(reviews: pl.DataFrame) -> pl.DataFrame:
    """One row per group of a review: ``group`` (its index, from 0), ``answers``, ``en_answers``."""
    return (
        reviews.filter(pl.col("groups").list.len() > 0)
        .with_columns(group=pl.int_ranges(pl.col("groups").list.len()))
        .explode("groups", "group")
        .unnest("groups")
    )


COMPLETE = "complete"
"""State of a question with as many valid responses as wanted."""

STOPPED = "stopped-idk"
"""State of a question that too many annotators do not know, and that is not asked any more."""

NEEDS_RESPONSES = "needs-responses"
"""State of a question that is still to be asked."""


_SHOWN = 20
"""Questions without enough responses that a table lists."""


class _CollectionStatus(NamedTuple):
    """Progress of the collection of responses."""

    questions: pl.DataFrame
    """One row per question, by template and locale: ``template_id``, ``locale``; the counts of annotators
    ``valid``, ``idk`` and ``rejected`` (all their answers are invalid by the review); ``wanted`` (valid ones
    wanted), ``state`` and ``still_needed`` (valid responses to collect; 0 unless the state is
    `NEEDS_RESPONSES`)."""
    locales: pl.DataFrame
    """One row per locale, by tag: ``locale``; the counts of questions ``questions``, ``complete``,
    ``needs_responses`` and ``stopped_idk``; the counts of responses ``valid``, ``idk``, ``rejected`` and
    ``still_needed``."""

    def as_tables(self) -> list[Table]:
        """Show how far every locale is by its raw responses, and which questions still need some."""
        names = {"needs_responses": "open", "stopped_idk": "stopped", "still_needed": "needed"}
        waiting = self.questions.filter(pl.col("state").is_in([NEEDS_RESPONSES, STOPPED])).sort(
            "locale", "state", "still_needed", "template_id", descending=[False, False, True, False]
        )
        columns = ("locale", "template_id", "state", "valid", "wanted", "idk", "still_needed")
        first = waiting.head(_SHOWN).select(columns)
        return [
            Table(
                "Collection by locale",
                self.locales.rename(names),
                "Questions by state, then responses. A valid response is any but \u201cI don't know\u201d "
                "and those that a reviewer rejected.",
            ),
            Table(
                f"{pluralise(len(waiting), 'question')} without enough responses",
                first.rename({"template_id": "question", "wanted": "of", "still_needed": "needed"}),
                f"The first {_SHOWN}; as JSON all are listed." if len(waiting) > _SHOWN else "",
            ),
        ]


def collection_status(
    questions: pl.DataFrame, responses: pl.DataFrame, reviews: pl.DataFrame, options: SaqOptions
) -> _CollectionStatus:
    """Say which questions are complete, which stopped, and how many responses the others need.

    A response is valid unless it is *I don't know*, or the reviewer declared all of its answers invalid. A
    question is complete with ``options.wanted`` valid responses, however many do not know; otherwise it stops
    with more than ``options.max_idk`` *I don't know*.

    Args:
        questions: `frames.QUESTIONS`.
        responses: `frames.RESPONSES`.
        reviews: `frames.REVIEWS`.
        options: How many responses are wanted, and when to stop.

    Returns:
        One row per question and one per locale.

    References:
        Myung et al. (2024), BLEnD, section 3, https://arxiv.org/abs/2406.09948.
    """
    return count_responses(questions, responses, cast_ballots(questions, responses, reviews).answers, options)


def count_responses(
    questions: pl.DataFrame, responses: pl.DataFrame, answers: pl.DataFrame, options: SaqOptions
) -> _CollectionStatus:
    """The same from ballots (`Ballots.answers`) that were cast already."""
    idk = pl.col("non_answer") == NonAnswer.IDK.value
    rejected = pl.col("rejected").fill_null(value=False)
    by_question = (
        responses.join(rejections(answers), on=[*KEY, "annotator"], how="left")
        .group_by(KEY)
        .agg(
            valid=(~idk.fill_null(value=False) & ~rejected).sum(),
            idk=idk.sum(),
            rejected=rejected.sum(),
        )
    )
    states = (
        questions.select(KEY)
        .join(by_question, on=KEY, how="left")
        .with_columns(pl.col("valid", "idk", "rejected").fill_null(0).cast(pl.Int64))
        .with_columns(
            wanted=pl.lit(options.wanted, pl.Int64),
            state=pl.when(pl.col("valid") >= options.wanted)
            .then(pl.lit(COMPLETE))
            .when(pl.col("idk") > options.max_idk)
            .then(pl.lit(STOPPED))
            .otherwise(pl.lit(NEEDS_RESPONSES)),
        )
        .with_columns(
            still_needed=pl.when(pl.col("state") == NEEDS_RESPONSES)
            .then(pl.col("wanted") - pl.col("valid"))
            .otherwise(0)
        )
        .sort(KEY)
    )
    return _CollectionStatus(states, _summary(states))


def rejections(answers: pl.DataFrame) -> pl.DataFrame:
    """Annotators who lose all their answers to the review.

    Args:
        answers: `Ballots.answers`.

    Returns:
        One row each: ``template_id``, ``locale``, ``annotator``, ``source``, ``answers``, and ``rejected``,
        which is true.
    """
    return (
        answers.group_by(*KEY, "annotator", "source")
        .agg(answers=pl.col("answer").sort(), rejected=pl.col("invalid").fill_null(value=False).all())
        .filter("rejected")
    )


def _summary(states: pl.DataFrame) -> pl.DataFrame:
    return (
        states.group_by("locale")
        .agg(
            pl.len().cast(pl.Int64).alias("questions"),
            *(
                (pl.col("state") == state).sum().cast(pl.Int64).alias(state.replace("-", "_"))
                for state in (COMPLETE, NEEDS_RESPONSES, STOPPED)
            ),
            pl.col("valid", "idk", "rejected", "still_needed").sum(),
        )
        .sort("locale")
    )
