"""Measures of questions: what is counted for each, means over questions, locales and topics, and their tables.

A measure is one number per question and the questions that it is taken over. Several definitions of one
measure stand side by side, because published figures seldom say which questions they leave out.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, NamedTuple

import polars as pl

from blend.builders.stats.planning import CLOSE, CORRELATION, DISAGREEMENT
from blend.schemas.frames import KEY, accepts_answers, is_scored, votes_known
from blend.schemas.summaries import Summarised, Table

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
"""Measure and definition to what is measured, in the order of every table."""

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
        and ``scored`` (see `frames.is_scored`). Figures of unknown votes are null.
        Ordered by template and locale.
    """
    of_answers = annotations.select(
        *KEY, *_counts(), scored=is_scored() & accepts_answers(), votes_known=votes_known()
    )
    return (
        questions.select(*KEY, "topic")
        .join(of_answers, on=KEY, how="left", validate="1:1")
        # A question without a row has no answers: 0, and not unknown.
        .with_columns(pl.col(pl.Int64).fill_null(0))
        .with_columns(
            annotators=pl.max_horizontal(pl.lit(wanted, pl.Int64), "max_votes"),
            scored=pl.col("scored").fill_null(value=False),
        )
        # Without an otherwise: null where votes are unknown.
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
    # Each measure is one list, since they differ in how many questions count.
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


# The figures of a dataset, and as tables for readers: each a title, a frame and what its figures mean.


@dataclass(frozen=True, slots=True, repr=False)
class Stats(Summarised):
    """The figures of a dataset, one frame each; locales are in registry order, topics in text order.

    Counts are whole numbers. A *question* is one template in one locale. The attributes say what every
    column holds.
    """

    counts: pl.DataFrame
    """One row per locale: ``questions``, ``without_annotations`` (questions without any answer),
    ``scored_questions`` (questions that short-answer scoring does not skip), ``answer_groups`` (different
    answers, variants merged), ``answers`` and ``en_answers`` (answer strings, local and English), ``votes``.
    All counts."""
    topics: pl.DataFrame
    """One row per topic: ``templates`` and ``questions`` (templates times the locales that have them).
    Counts."""
    sources: pl.DataFrame
    """One row per topic and locale whose natives wrote the templates: ``topic``, ``source_locale`` (null if
    unknown), ``templates`` (count)."""
    non_answers: pl.DataFrame
    """One row per locale, topic and kind: ``kind`` (``idk``, ``no-answer``, ``not-applicable``, or ``other``
    for a reason in the annotator's own words), ``votes`` (count), ``questions`` (count of questions with
    any)."""
    overall_means: pl.DataFrame
    """One row per measure and definition: ``measure``, ``definition``, ``unit``, ``sum``, ``n`` (questions that
    count), ``mean`` over questions, and ``mean_of_locale_means``, in which each locale has the same weight.
    Means are in ``unit``, null without questions."""
    locale_means: pl.DataFrame
    """One row per measure, definition and locale: ``measure``, ``definition``, ``locale``, ``unit``, ``sum``,
    ``n``, ``mean``."""
    topic_means: pl.DataFrame
    """One row per measure, definition, locale and topic: as ``locale_means``, with ``topic``."""
    overlap: pl.DataFrame
    """One row per pair of locales: ``locale_a``, ``locale_b``, ``templates``, ``common_words``, ``word_share``,
    ``common_lemmas``, ``lemma_share``; see `_answer_overlap`. Empty where it was not asked for."""
    annotator_agreement: pl.DataFrame | None
    """`frames.AGREEMENT`, one row per locale: how far its annotators agree; null where their responses
    are not known."""
    annotator_groups: pl.DataFrame | None
    """`frames.ANNOTATOR_GROUPS`, one row per locale, part of the profile and group: the same by what
    annotators told about themselves; null where none agreed to tell."""
    mcq_counts: pl.DataFrame | None
    """One row per locale and topic that have multiple-choice questions: ``locale``, ``topic``, ``templates``
    (count of templates with such a question), ``mcqs`` (count); null where none were given."""
    mcq_power: pl.DataFrame | None
    """One row per locale, see `planning.power`; null likewise."""
    lemmatiser: str
    """Name and version of what made the lemmas of ``overlap``."""

    def frames(self) -> dict[str, pl.DataFrame]:
        """All figures that there are, by name."""
        frames = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: frame for name, frame in frames.items() if isinstance(frame, pl.DataFrame)}

    def to_json(self) -> dict[str, Any]:
        """The figures as plain JSON: each frame a list of records, with the definitions of the measures.

        Returns:
            ``definitions`` (``max_votes/scored`` and so on to a sentence), ``lemmatiser``, and every frame.
            Sums of counts are integers, null stands where there is no mean.
        """
        records = {name: frame.to_dicts() for name, frame in self.frames().items()}
        for name in ("overall_means", "locale_means", "topic_means"):
            for record in records[name]:
                record["sum"] = record["sum"] if record["unit"] == "fraction" else int(record["sum"])
        return {"definitions": dict(DEFINITIONS), "lemmatiser": self.lemmatiser, **records}

    def as_tables(self) -> list[Table]:
        """The figures of questions, see `question_tables`."""
        return list(question_tables(self))


_PER_QUESTION: Final = {
    "answers": "answers/groups",
    "votes": "answers/votes",
    "top votes": "max_votes/with_annotations",
    "non-answers": "non_answers/all_keys",
    "agreement %": "agreement/annotators",
    "majority %": "agreement/majority",
}


def question_tables(stats: Stats) -> Iterator[Table]:
    """The figures of questions."""
    yield Table(
        "Counts",
        _with_total(stats.counts),
        "Unanswered: no annotator gave an answer. Scored: short-answer scoring keeps it. Answer groups: "
        "different answers, variants merged; answers: with variants. Votes: annotators behind answers.",
    )
    yield Table(
        "Per question",
        _per_question(stats),
        "Means over questions. Top votes: annotators behind the most frequent answer. Agreement: their share "
        "of the annotators. Majority: share of questions where they are more than half. See measures.",
    )
    yield from agreement_tables(stats)
    sources = stats.sources.with_columns(origin=pl.col("source_locale").fill_null("unknown"))
    yield Table(
        "Templates",
        _with_total(_wide(sources, "topic", index="origin", values="templates")),
        "By topic and origin, the locale whose natives wrote them; each is asked everywhere.",
    )
    votes = stats.non_answers.group_by("locale", "kind", maintain_order=True).agg(pl.col("votes").sum())
    yield Table(
        "Non-answers",
        _with_total(_wide(votes, "kind", index="locale", values="votes").select("locale", *KINDS))
        if len(votes)
        else votes,
        "Votes for not answering. Other: a reason in the annotator's own words.",
    )
    yield Table(
        "Overlap",
        stats.overlap.sort("common_lemmas", "locale_a", "locale_b", descending=[True, False, False]).select(
            pl.format("{} and {}", "locale_a", "locale_b").alias("locales"),
            pl.col("common_lemmas").alias("lemmas"),
            (100 * pl.col("lemma_share")).alias("of either's %"),
            pl.col("common_words").alias("words"),
        ),
        f"Lemmas of English answers in common, summed over the templates of both; by {stats.lemmatiser}.",
    )
    if stats.mcq_counts is not None and stats.mcq_power is not None:
        yield from _mcq_tables(stats.mcq_counts, stats.mcq_power)


def agreement_tables(stats: Stats) -> Iterator[Table]:
    """How much people agree: alpha where single responses are known, and measures over all questions."""
    if stats.annotator_agreement is not None:
        yield Table(
            "Annotators",
            stats.annotator_agreement,
            "Alpha: Krippendorff's, with MASI over the answers that each gave; 1 is perfect, 0 is chance. Open "
            "questions have many right answers, so that it is far from 1 where everybody is careful. Low, "
            "high: its 95 % interval over questions. Questions: answered by two or more.",
        )
    if stats.annotator_groups is not None:
        yield Table(
            "Annotator groups",
            stats.annotator_groups,
            "By what annotators agreed to tell about themselves: alpha within each group. Groups of fewer than "
            "five are counted together.",
        )
    yield Table("Measures", _measures(stats), "Means over all locales; of locales: each with the same weight.")


_KEY = pl.concat_str("measure", "definition", separator="/")
_IN_TABLES = pl.when(pl.col("unit") == "fraction").then(100 * pl.col("mean")).otherwise("mean").alias("mean")
"""Means as tables have them: fractions in percent."""


def _per_question(stats: Stats) -> pl.DataFrame:
    overall = stats.overall_means.with_columns(locale=pl.lit("all"))
    means = pl.concat(each.select("locale", _IN_TABLES, key=_KEY) for each in (stats.locale_means, overall))
    frame = pl.DataFrame({"locale": [*stats.counts["locale"], "all"]})
    for name, key in _PER_QUESTION.items():
        of_measure = means.filter(key=key).select("locale", pl.col("mean").alias(name))
        frame = frame.join(of_measure, on="locale", how="left", maintain_order="left")
    return frame


def _measures(stats: Stats) -> pl.DataFrame:
    key = _KEY.str
    return stats.overall_means.select(
        key.replace("/", ", ").str.replace_all("_", " ").alias("measure"),
        _KEY.replace_strict(DEFINITIONS).alias("definition"),
        questions="n",
        mean="mean",
        **{"of locales": "mean_of_locale_means"},
    )


def _mcq_tables(counts: pl.DataFrame, power: pl.DataFrame) -> Iterator[Table]:
    """How many multiple-choice questions there are, and what they tell apart; see `Stats`."""
    totals = counts.group_by("locale", maintain_order=True).agg(pl.col("templates", "mcqs").sum())
    yield Table(
        "MCQ counts",
        _with_total(totals.rename({"mcqs": "questions"}), but=["templates"]),
        "Templates: those that give the locale any questions.",
    )
    yield power_table(power)


def power_table(power: pl.DataFrame) -> Table:
    """What tells two models apart, by locale; ``power`` is `planning.power`."""
    return Table(
        "MCQ power",
        power.select(
            "locale",
            "templates",
            pl.col("mcqs").alias("questions"),
            (100 * pl.col("difference")).alias("difference %"),
            pl.col("templates_needed").alias("needed"),
        ),
        "What tells two models apart. Difference: in accuracy, that a paired test at 5 % on two sides finds "
        f"with 80 % power, if exactly one of the two is right in {DISAGREEMENT:.0%} of the questions and "
        f"variants of a template correlate by {CORRELATION:g}. Needed: templates with questions for a "
        f"difference of {CLOSE:.0%}.",
    )


def _wide(rows: pl.DataFrame, columns: str, *, index: str, values: str) -> pl.DataFrame:
    """A row per value of one column and a column per value of another, 0 where there is none."""
    if rows.is_empty():
        return rows.select(index)
    wide = rows.pivot(columns, index=index, values=values, aggregate_function="sum", maintain_order=True)
    order = [name for name in KINDS if name in wide.columns]
    return wide.select(index, *order, *(name for name in wide.columns if name != index and name not in order))


def _with_total(rows: pl.DataFrame, *, but: Sequence[str] = ()) -> pl.DataFrame:
    """The rows with one for all together; a sum is null where any part of it is unknown."""
    first, *others = rows.columns
    sums = [
        pl.when(pl.col(name).null_count() == 0).then(pl.col(name).sum()).alias(name)
        if name not in but
        else pl.lit(None, rows.schema[name]).alias(name)
        for name in others
    ]
    return pl.concat([rows, rows.select(pl.lit("all").alias(first), *sums).head(1)])
