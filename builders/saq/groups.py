"""Groups: which answers to a question are variants of one answer, and what they are in English."""

import polars as pl

from blend.builders.saq.ballots import Ballots, asked_units, cleaned
from blend.builders.saq.grouping import grouping_key, untidiness
from blend.schemas.language.answer_formats import AnswerFormat, understood
from blend.schemas.rows.frame_columns import KEY

GROUP = (*KEY, "group", "key")
"""What makes an answer group: an index within the review, or the key of a proposal; the other one is null."""


def grouped(ballots: Ballots) -> pl.DataFrame:
    """The valid answers with their group: ``group`` by the review, or ``key`` by the rules.

    Columns of `Ballots.answers`, and ``key`` and ``reviewed`` (whether the review mentions the answer).
    """
    answers = ballots.answers.with_columns(reviewed=pl.col("invalid").is_not_null())
    reviewed = answers.filter("reviewed", ~pl.col("invalid"))
    unreviewed = _with_keys(answers.filter(~pl.col("reviewed")).drop("group"))
    beside = _with_keys(reviewed.join(unreviewed, on=KEY, how="semi"))
    joinable = (
        beside.group_by(*KEY, "key")
        .agg(group=pl.col("group").first(), n_groups=pl.col("group").n_unique())
        # A key that the reviewer put into two groups does not say which of them an unreviewed answer joins.
        .filter(pl.col("n_groups") == 1)
        .drop("n_groups")
    )
    proposed = unreviewed.join(joinable, on=[*KEY, "key"], how="left").with_columns(
        key=pl.when(pl.col("group").is_null()).then("key")
    )
    no_key = pl.lit(None, pl.String).alias("key")
    return pl.concat([reviewed.with_columns(no_key), proposed], how="diagonal")


def _with_keys(answers: pl.DataFrame) -> pl.DataFrame:
    """The answers with the ``key`` that the rules of grouping compare them by."""
    distinct = answers.select("answer", "language", "answer_format", "unit").unique()
    keys = [
        grouping_key(answer, language, AnswerFormat(form), unit)
        for answer, language, form, unit in distinct.iter_rows()
    ]
    return answers.join(
        distinct.with_columns(key=pl.Series(keys, dtype=pl.String)),
        on=distinct.columns,
        how="left",
        nulls_equal=True,
    )


def answer_groups(votes: pl.DataFrame, reviews: pl.DataFrame, questions: pl.DataFrame) -> pl.DataFrame:
    """Every answer group: `GROUP`, ``answers``, ``en_answers``, ``count``; in published order.

    Args:
        votes: The valid answers with their groups, of `grouped`.
        reviews: `frame_columns.REVIEWS`, for the English of their groups.
        questions: `frame_columns.QUESTIONS`.
    """
    # Reviewed variants in the reviewer's order, then by tidiness; proposed ones have no position, and come
    # last.
    variants = (
        _with_untidiness(votes)
        .group_by(*GROUP, "answer")
        .agg(pl.col("position", "untidiness").first(), annotators=pl.len())
        .sort(
            "position",
            "untidiness",
            "annotators",
            "answer",
            descending=[False, False, True, False],
            nulls_last=True,
        )
        .group_by(GROUP, maintain_order=True)
        .agg(answers=pl.col("answer"))
    )
    counts = votes.group_by(GROUP).agg(count=pl.col("annotator").n_unique().cast(pl.Int64))
    return (
        variants.join(counts, on=GROUP, nulls_equal=True)
        .join(_translations(reviews), on=[*KEY, "group"], how="left")
        .join(_own_english(variants, questions), on=GROUP, how="left", nulls_equal=True)
        .with_columns(en_answers=pl.coalesce("en_answers", "own", pl.lit([], pl.List(pl.String))))
        .sort(
            *KEY,
            "count",
            "group",
            pl.col("answers").list.first(),
            descending=[False, False, True, False, False],
            nulls_last=True,
        )
    )


def _with_untidiness(votes: pl.DataFrame) -> pl.DataFrame:
    """The answers with their ``untidiness`` as variants."""
    distinct = votes.select("answer", "answer_format").unique()
    found = [untidiness(answer, AnswerFormat(form)) for answer, form in distinct.iter_rows()]
    return votes.join(distinct.with_columns(untidiness=pl.Series(found, dtype=pl.Int64)), on=distinct.columns)


def _own_english(groups: pl.DataFrame, questions: pl.DataFrame) -> pl.DataFrame:
    """The groups whose answers are English as they stand: those in English, and times, dates and numbers."""
    of_question = questions.select(*KEY, "language", "answer_format", unit=asked_units(questions))
    asked = groups.join(of_question, on=KEY)
    is_english = pl.col("language").str.split("-").list.first() == "en"
    english = asked.filter(is_english).select(*GROUP, own="answers")
    formatted = asked.filter(~is_english, pl.col("answer_format") != AnswerFormat.TEXT.value)
    own = [
        list(dict.fromkeys(filter(None, (_value(answer, *how) for answer in answers))))
        for answers, *how in formatted.select("answers", "answer_format", "language", "unit").iter_rows()
    ]
    values = formatted.select(*GROUP, own=pl.Series(own, dtype=pl.List(pl.String)))
    return pl.concat([english, values.filter(pl.col("own").list.len() > 0)])


def _value(answer: str, form: str, language: str, unit: str | None) -> str | None:
    return understood(answer, AnswerFormat(form), language, unit=unit)


def _translations(reviews: pl.DataFrame) -> pl.DataFrame:
    """The English answers of reviewed groups that have some, cleaned, each once, in the review's order."""
    english = (
        reviews.select(*KEY, "groups")
        .filter(pl.col("groups").list.len() > 0)
        .with_columns(group=pl.int_ranges(pl.col("groups").list.len()))
        .explode("groups", "group")
        .select(*KEY, "group", en_answer=pl.col("groups").struct.field("en_answers"))
        .filter(pl.col("en_answer").list.len() > 0)
        .explode("en_answer")
    )
    return (
        cleaned(english, "en_answer")
        .unique(maintain_order=True)
        .group_by(*KEY, "group", maintain_order=True)
        .agg(en_answers=pl.col("en_answer"))
    )
