"""Measures: what is counted for every question, and the means of it over questions, locales and topics.

A measure is one number per question and the questions that it is taken over. Several definitions of one
measure stand side by side, because published figures seldom say which questions they leave out.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import polars as pl

from blend.schemas.frames import KEY, accepts_answers, is_scored, votes_known

KINDS = ("idk", "no-answer", "not-applicable", "other")
"""Kinds of non-answer, in the order of every table."""


class _Measure(NamedTuple):
    """One number per question, and the questions that count."""

    unit: str
    """Unit of sum and mean."""
    value: pl.Expr
    """The number, over the columns of `question_figures`."""
    among: pl.Expr = pl.lit(True)
    """Whether the question counts, over the same columns."""


_TOP = pl.col("max_votes")
_ANSWERED = pl.col("answer_groups") > 0
_ALL_KINDS = pl.sum_horizontal(KINDS, ignore_nulls=False)

MEASURES: dict[str, _Measure] = {
    "max_votes/with_annotations": _Measure("votes", _TOP, _ANSWERED),
    "max_votes/all": _Measure("votes", _TOP),
    "max_votes/scored": _Measure("votes", _TOP, pl.col("scored")),
    "max_votes/including_idks": _Measure("votes", pl.max_horizontal("max_votes", "max_non_answer")),
    "max_votes/idks_at_most_2": _Measure("votes", _TOP, _ANSWERED & (_ALL_KINDS <= 2)),
    "non_answers/all_keys": _Measure("votes", _ALL_KINDS),
    "non_answers/three_keys": _Measure("votes", pl.sum_horizontal(KINDS[:-1], ignore_nulls=False)),
    "answers/groups": _Measure("answers", pl.col("answer_groups")),
    "answers/votes": _Measure("votes", pl.col("votes")),
    "agreement/annotators": _Measure("fraction", _TOP / pl.col("annotators"), _ANSWERED),
    "agreement/majority": _Measure("fraction", pl.col("annotators") < 2 * _TOP),
}
"""_Measure and definition to what is measured, in the order of every table."""

DEFINITIONS: dict[str, str] = {
    "max_votes/with_annotations": "Votes for the most frequent answer, over questions with at least one "
    "answer.",
    "max_votes/all": "Votes for the most frequent answer, 0 for a question without answers, over all "
    "questions.",
    "max_votes/scored": "Votes for the most frequent answer, over the questions that short-answer scoring does "
    "not skip.",
    "max_votes/including_idks": "The largest of the votes for one answer and the votes for one reason not to "
    "answer, over all questions.",
    "max_votes/idks_at_most_2": "Votes for the most frequent answer, over questions with an answer and at most "
    "two non-answers.",
    "non_answers/all_keys": "Non-answers of all kinds, annotators' own reasons included, over all questions.",
    "non_answers/three_keys": "Non-answers without annotators' own reasons (idk, no-answer, not-applicable), "
    "over all questions.",
    "answers/groups": "Different answers, variants merged, over all questions.",
    "answers/votes": "Votes for all answers together, over all questions.",
    "agreement/annotators": "Share of the annotators behind the most frequent answer, over questions with at "
    "least one answer.",
    "agreement/majority": "Share of questions whose most frequent answer has more than half of the annotators "
    "behind it, over all questions.",
}
"""What the number is and which questions count, in one sentence each."""

_VOTES = pl.col("votes", "max_votes", "max_non_answer", "annotators", *KINDS)
"""Figures that are null where votes are unknown."""


def question_figures(questions: pl.DataFrame, annotations: pl.DataFrame, *, wanted: int) -> pl.DataFrame:
    """Count what every question has.

    Args:
        questions: `QUESTIONS`, one row per question.
        annotations: `ANNOTATIONS`, at most one row per question. A question without a row has neither answers
            nor non-answers.
        wanted: Annotators that each question was given to.

    Returns:
        One row per question: ``template_id``, ``locale``, ``topic``; the counts ``answer_groups`` (different
        answers, variants merged), ``answers`` and ``en_answers`` (strings, repetitions and blanks included);
        ``votes`` (of all answers together: more than the annotators where some gave several answers),
        ``max_votes`` (of the most frequent answer, 0 without answers); a column of votes for each of `KINDS`,
        ``max_non_answer`` (the largest single one, each reason of its own); ``annotators`` (see `build_stats`)
        and ``scored`` (see `short_answer_prompts.is_scored`). Figures of unknown votes are null.
        Ordered by template and locale.
    """
    of_answers = annotations.select(
        *KEY, *_counts(), scored=is_scored() & accepts_answers(), votes_known=votes_known()
    )
    return (
        questions.select(*KEY, "topic")
        .join(of_answers, on=KEY, how="left", validate="1:1")
        .with_columns(pl.col(pl.Int64).fill_null(0))
        .with_columns(
            annotators=pl.max_horizontal(pl.lit(wanted, pl.Int64), "max_votes"),
            scored=pl.col("scored").fill_null(value=False),
        )
        .with_columns(pl.when(pl.col("votes_known").fill_null(value=True)).then(_VOTES).name.keep())
        .drop("votes_known")
        .sort(KEY)
    )


def _counts() -> list[pl.Expr]:
    groups = pl.element().struct
    votes = pl.col("annotations").list.eval(groups.field("count"))
    # The last of `KINDS` is a list: reasons in annotators' own words, each with its votes.
    others = pl.col("idks").struct.field("others").list.eval(groups.field("count"))
    named = {kind: pl.col("idks").struct.field(kind) for kind in KINDS[:-1]}
    counts = {
        "answer_groups": pl.col("annotations").list.len(),
        "answers": pl.col("annotations").list.eval(groups.field("answers").list.len()).list.sum(),
        "en_answers": pl.col("annotations").list.eval(groups.field("en_answers").list.len()).list.sum(),
        "votes": votes.list.sum(),
        "max_votes": votes.list.max(),
        **named,
        KINDS[-1]: others.list.sum(),
        "max_non_answer": pl.max_horizontal(*named.values(), others.list.max()),
    }
    return [count.fill_null(0).cast(pl.Int64).alias(name) for name, count in counts.items()]


def mean_by(figures: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Sum, number of questions and mean of every measure, per group of questions.

    Args:
        figures: As `question_figures` returns them.
        by: Columns that make a group; none for all questions together.

    Returns:
        One row per measure, definition and group, unordered: ``measure``, ``definition``, ``unit``, the columns
        of ``by``, ``sum`` (whole for counts), ``n`` (questions that count) and ``mean`` (null where none does).
    """
    values = figures.select(
        *by, **{key: pl.when(of.among).then(of.value.cast(pl.Float64)) for key, of in MEASURES.items()}
    )
    lists = (
        values.group_by(by).agg(pl.all().drop_nulls()) if by else values.select(pl.all().drop_nulls().implode())
    )
    long = lists.unpivot(index=list(by), variable_name="key", value_name="values")
    parts = pl.col("key").str.split("/").list
    return long.select(
        measure=parts.first(),
        definition=parts.last(),
        unit=pl.col("key").replace_strict({key: of.unit for key, of in MEASURES.items()}),
        **{name: pl.col(name) for name in by},
        # fsum rounds once, so that no order of rows or threads can show in the last digit.
        sum=pl.Series([math.fsum(cell) for cell in long["values"]], dtype=pl.Float64),
        n=pl.col("values").list.len().cast(pl.Int64),
    ).with_columns(mean=pl.when(pl.col("n") > 0).then(pl.col("sum") / pl.col("n")))


def in_order(column: str, names: Iterable[str]) -> pl.Expr:
    """A sort key that puts the values of a column in a given order; an unknown value is an error of ours."""
    return pl.col(column).cast(pl.Enum(list(names)))


def in_measure_order() -> pl.Expr:
    """A sort key that puts ``measure`` and ``definition`` in the order of `MEASURES`."""
    return pl.concat_str("measure", "definition", separator="/").cast(pl.Enum(list(MEASURES)))
