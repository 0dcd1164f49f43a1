"""The figures of a dataset as tables for readers: each a title, a frame and what its figures mean."""

from collections.abc import Iterator, Sequence
from typing import Final

import polars as pl

from blend.builders.stats import Stats
from blend.builders.stats.dataset import DatasetStats, TripleStats
from blend.builders.stats.mcq import CLOSE, CORRELATION, DISAGREEMENT, McqStats
from blend.builders.stats.measures import KINDS, MEASURES
from blend.schemas.summaries import Table

_PER_QUESTION: Final = {
    "answers": ("answers", "groups"),
    "votes": ("answers", "votes"),
    "top votes": ("max_votes", "with_annotations"),
    "non-answers": ("non_answers", "all_keys"),
    "agreement %": ("agreement", "annotators"),
    "majority %": ("agreement", "majority"),
}
_BY_TOPIC: Final = {
    "Top votes by topic": ("max_votes", "with_annotations"),
    "Agreement by topic": ("agreement", "annotators"),
    "Answers by topic": ("answers", "groups"),
    "Non-answers by topic": ("non_answers", "all_keys"),
}
_LANGUAGES = 8
"""Languages whose most common parts are shown: those with the most items."""


def dataset_tables(figures: DatasetStats) -> list[Table]:
    """All figures of a release, those of its questions first."""
    tables = [] if figures.questions is None else list(question_tables(figures.questions))
    reword = str if figures.domain is None else figures.domain.reword
    for name, food in figures.food.items():
        for title, frame, caption in _triple_tables(name, food):
            # The words of the domain stand above the columns as well.
            renamed = frame.rename({column: reword(column) for column in frame.columns})
            tables.append(Table(title, renamed, reword(caption)))
    if figures.cultural is not None:
        tables.append(Table("Cultural prompts", figures.cultural.kinds, "Counts, by kind of text."))
        tables.append(Table("Cultural categories", figures.cultural.categories, "Counts of topics."))
    return tables


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
    for title, (measure, definition) in _BY_TOPIC.items():
        of = MEASURES[measure][definition]
        means = stats.topic_means.filter(measure=measure, definition=definition)
        percent = 100 if of.unit == "fraction" else 1
        wide = means.with_columns(pl.col("mean") * percent).pivot("topic", index="locale", values="mean")
        yield Table(title, wide, f"{'In percent. ' if percent == 100 else ''}{of.text}")
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
    if stats.mcqs is not None:
        yield from mcq_tables(stats.mcqs)


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


def _per_question(stats: Stats) -> pl.DataFrame:
    overall = stats.overall_means.with_columns(locale=pl.lit("all"))
    columns = ("locale", "measure", "definition", "unit", "mean")
    means = pl.concat([stats.locale_means.select(columns), overall.select(columns)])
    percent = pl.when(pl.col("unit") == "fraction").then(100 * pl.col("mean")).otherwise("mean")
    frame = pl.DataFrame({"locale": [*stats.counts["locale"], "all"]})
    for name, (measure, definition) in _PER_QUESTION.items():
        of_measure = means.filter(measure=measure, definition=definition).select("locale", percent.alias(name))
        frame = frame.join(of_measure, on="locale", how="left", maintain_order="left")
    return frame


def _measures(stats: Stats) -> pl.DataFrame:
    rows = [
        {
            "measure": f"{row['measure']}, {row['definition']}".replace("_", " "),
            "definition": MEASURES[row["measure"]][row["definition"]].text,
            "questions": row["n"],
            "mean": row["mean"],
            "of locales": row["mean_of_locale_means"],
        }
        for row in stats.overall_means.iter_rows(named=True)
    ]
    return pl.DataFrame(rows)


def mcq_tables(mcqs: McqStats) -> Iterator[Table]:
    """How many multiple-choice questions there are, and what they tell apart."""
    totals = mcqs.counts.group_by("locale", maintain_order=True).agg(pl.col("templates", "mcqs").sum())
    counts = totals.rename({"mcqs": "questions"})
    yield Table(
        "MCQ counts",
        _with_total(counts, but=["templates"]),
        "Templates: those that give the locale any questions.",
    )
    by_topic = _wide(mcqs.counts.sort("topic"), "topic", index="locale", values="mcqs")
    by_topic = totals.select("locale").join(by_topic, on="locale", maintain_order="left")
    yield Table("MCQ by topic", _with_total(by_topic), "Multiple-choice questions by locale asked about.")
    yield power_table(mcqs.power)


def power_table(power: pl.DataFrame) -> Table:
    """What tells two models apart, by locale; ``power`` is `McqStats.power`."""
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


def _triple_tables(name: str, stats: TripleStats) -> Iterator[Table]:
    yield Table(
        f"{name} languages",
        stats.languages,
        "Triples: pairs of dish and part. Part labels: different names of parts, the candidates of probing. "
        "One part: dishes with a single part. Materials and images: dishes with any.",
    )
    number = pl.col("origin_qid").str.slice(1).cast(pl.Int64)
    origins = stats.origins.group_by("origin_qid", "origin_en").agg(
        pl.col("dishes").max(), languages=pl.col("language").n_unique()
    )
    yield Table(
        f"{name} origins",
        origins.sort("dishes", number, descending=[True, False]).select(
            pl.col("origin_en").alias("origin"), pl.col("origin_qid").alias("item"), "dishes", "languages"
        ),
        "Dishes: in the language that has most of them.",
    )
    count = pl.col("dishes").map_elements("{:,}".format, return_dtype=pl.String)
    parts = stats.common_parts.group_by("language", maintain_order=True).agg(
        pl.format("{} {}", "label", count).str.join(", ").alias("parts")
    )
    languages = stats.languages.head(_LANGUAGES).select("language")
    yield Table(
        f"{name} common parts",
        languages.join(parts, on="language", maintain_order="left"),
        "The most common parts, with the dishes that have them.",
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
