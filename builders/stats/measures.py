"""Measures: what is counted for every question, and the means of it over questions, locales and topics.

A measure is one number per question and the questions that it is taken over. Several definitions of one
measure stand side by side, because published figures seldom say which questions they leave out.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from blend.schemas.frames import KEY, accepts_answers, is_scored, votes_known

KINDS = ("idk", "no-answer", "not-applicable", "other")
"""Kinds of non-answer, in the order of every table."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One number per question, and the questions that count."""

    text: str
    """What the number is and which questions count, in one sentence."""
    unit: str
    """Unit of sum and mean."""
    value: pl.Expr
    """The number, over the columns of `question_figures`."""
    among: pl.Expr
    """Whether the question counts, over the same columns."""


_ALL = pl.lit(True)
_ANSWERED = pl.col("answer_groups") > 0

MEASURES: dict[str, dict[str, Measure]] = {
    "max_votes": {
        "with_annotations": Measure(
            "Votes for the most frequent answer, over questions with at least one answer.",
            "votes",
            pl.col("max_votes"),
            _ANSWERED,
        ),
        "all": Measure(
            "Votes for the most frequent answer, 0 for a question without answers, over all questions.",
            "votes",
            pl.col("max_votes"),
            _ALL,
        ),
        "scored": Measure(
            "Votes for the most frequent answer, over the questions that short-answer scoring does not skip.",
            "votes",
            pl.col("max_votes"),
            pl.col("scored"),
        ),
        "including_idks": Measure(
            "The largest of the votes for one answer and the votes for one reason not to answer, over all"
            " questions.",
            "votes",
            pl.max_horizontal("max_votes", "max_non_answer"),
            _ALL,
        ),
        "idks_at_most_2": Measure(
            "Votes for the most frequent answer, over questions with an answer and at most two non-answers.",
            "votes",
            pl.col("max_votes"),
            _ANSWERED & (pl.sum_horizontal(KINDS, ignore_nulls=False) <= 2),
        ),
    },
    "non_answers": {
        "all_keys": Measure(
            "Non-answers of all kinds, annotators' own reasons included, over all questions.",
            "votes",
            pl.sum_horizontal(KINDS, ignore_nulls=False),
            _ALL,
        ),
        "three_keys": Measure(
            "Non-answers without annotators' own reasons (idk, no-answer, not-applicable), over all questions.",
            "votes",
            pl.sum_horizontal(KINDS[:-1], ignore_nulls=False),
            _ALL,
        ),
    },
    "answers": {
        "groups": Measure(
            "Different answers, variants merged, over all questions.", "answers", pl.col("answer_groups"), _ALL
        ),
        "votes": Measure("Votes for all answers together, over all questions.", "votes", pl.col("votes"), _ALL),
    },
    "agreement": {
        "annotators": Measure(
            "Share of the annotators behind the most frequent answer, over questions with at least one answer.",
            "fraction",
            pl.col("max_votes") / pl.col("annotators"),
            _ANSWERED,
        ),
        "majority": Measure(
            "Share of questions whose most frequent answer has more than half of the annotators behind it, over"
            " all questions.",
            "fraction",
            2 * pl.col("max_votes") > pl.col("annotators"),
            _ALL,
        ),
    },
}
"""Measure and definition to what is measured, in the order of every table."""


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
    return (
        questions.select(*KEY, "topic")
        .join(
            _figures_of_answers(annotations),
            on=KEY,
            how="left",
            validate="1:1",
        )
        .with_columns(pl.col(pl.Int64).fill_null(0))
        .with_columns(
            annotators=pl.max_horizontal(pl.lit(wanted, pl.Int64), "max_votes"),
            scored=pl.col("scored").fill_null(value=False),
        )
        .with_columns(pl.when(pl.col("votes_known").fill_null(value=True)).then(_VOTES).name.keep())
        .drop("votes_known")
        .sort(KEY)
    )


def _figures_of_answers(annotations: pl.DataFrame) -> pl.DataFrame:
    return annotations.select(
        *KEY, *_counts(), scored=is_scored() & accepts_answers(), votes_known=votes_known()
    )


def mean_by(figures: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Sum, number of questions and mean of every measure, per group of questions.

    Args:
        figures: As `question_figures` returns them.
        by: Columns that make a group; none for all questions together.

    Returns:
        One row per measure, definition and group, unordered: ``measure``, ``definition``, ``unit``, the columns
        of ``by``, ``sum`` (whole for counts), ``n`` (questions that count) and ``mean`` (null where none does).
    """
    names = {f"{measure}/{name}": (measure, name) for measure, of in MEASURES.items() for name in of}
    values = figures.select(*by, **{key: _value(MEASURES[m][d]) for key, (m, d) in names.items()})
    lists = (
        values.group_by(by).agg(pl.all().drop_nulls()) if by else values.select(pl.all().drop_nulls().implode())
    )
    long = lists.unpivot(index=list(by), variable_name="key", value_name="values")
    return long.select(
        pl.col("key").replace_strict({key: m for key, (m, _) in names.items()}).alias("measure"),
        pl.col("key").replace_strict({key: d for key, (_, d) in names.items()}).alias("definition"),
        pl.col("key").replace_strict({key: MEASURES[m][d].unit for key, (m, d) in names.items()}).alias("unit"),
        *by,
        # fsum rounds once, so that no order of rows or threads can show in the last digit.
        sum=pl.Series([math.fsum(cell) for cell in long["values"]], dtype=pl.Float64),
        n=pl.col("values").list.len().cast(pl.Int64),
    ).with_columns(mean=pl.when(pl.col("n") > 0).then(pl.col("sum") / pl.col("n")))


def definitions() -> Mapping[str, str]:
    """Measure and definition (``max_votes/scored``) to its sentence."""
    return {f"{measure}/{name}": m.text for measure, of in MEASURES.items() for name, m in of.items()}


def in_order(column: str, names: Iterable[str]) -> pl.Expr:
    """A sort key that puts the values of a column in a given order; an unknown value is an error of ours."""
    return pl.col(column).cast(pl.Enum(list(names)))


def in_measure_order() -> pl.Expr:
    """A sort key that puts ``measure`` and ``definition`` in the order of `MEASURES`."""
    return pl.concat_str("measure", "definition", separator="/").cast(pl.Enum(list(definitions())))


def _value(measure: Measure) -> pl.Expr:
    return pl.when(measure.among).then(measure.value.cast(pl.Float64))


def _counts() -> list[pl.Expr]:
    votes = pl.col("annotations").list.eval(pl.element().struct.field("count"))
    # The last of `KINDS` is a list: reasons in annotators' own words, each with its votes.
    others = pl.col("idks").struct.field("others").list.eval(pl.element().struct.field("count"))
    named = {kind: pl.col("idks").struct.field(kind) for kind in KINDS[:-1]}
    return [
        expr.fill_null(0).cast(pl.Int64).alias(name)
        for name, expr in {
            "answer_groups": pl.col("annotations").list.len(),
            "answers": _strings("answers"),
            "en_answers": _strings("en_answers"),
            "votes": votes.list.sum(),
            "max_votes": votes.list.max(),
            **named,
            KINDS[-1]: others.list.sum(),
            "max_non_answer": pl.max_horizontal(*named.values(), others.list.max()),
        }.items()
    ]


def _strings(field: str) -> pl.Expr:
    return pl.col("annotations").list.eval(pl.element().struct.field(field).list.len()).list.sum()
