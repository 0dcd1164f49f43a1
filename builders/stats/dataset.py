"""Statistics of a whole release: questions where it has any, tables from Wikidata where it has any."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl

from blend.builders.stats import Stats, build_stats
from blend.builders.stats.measures import DEFINITIONS, KINDS, MEASURES, in_order
from blend.builders.stats.planning import CLOSE, CORRELATION, DISAGREEMENT
from blend.builders.triples.rows import NUMBER
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.releases import read_manifest
from blend.loaders.releases.tables import (
    read_agreement,
    read_annotator_groups,
    read_config,
    read_tables,
    release_domain,
    release_locales,
)
from blend.schemas.errors import InputError
from blend.schemas.recipe import Domain
from blend.schemas.rows import ANNOTATIONS, CULTURAL_PROMPTS
from blend.schemas.summaries import Summarised, Table

# Rows made from Wikidata: how many, where from, made of what.


_COMMON = 10
"""Most common parts shown per language."""

_COUNTS = ("dishes", "triples", "parts", "part_labels", "one_part", "origins", "materials", "images")


class TripleStats(NamedTuple):
    """The figures of a dataset, one frame each; all are counts."""

    languages: pl.DataFrame
    """One row per language: ``dishes``, ``triples`` (pairs of dish and part), ``parts`` (different items),
    ``part_labels`` (different labels: the candidates of probing), ``one_part`` (dishes with a single part),
    ``origins``, ``materials`` and ``images`` (dishes with any). Most dishes first."""
    origins: pl.DataFrame
    """One row per language and origin: ``origin_qid``, ``origin_en``, ``dishes``. By language, most dishes
    first."""
    common_parts: pl.DataFrame
    """One row per language and rank: ``rank`` (from 1), ``qid``, ``label``, ``dishes``. Equal counts are
    ordered by item number."""


def build_triple_stats(triples: Iterable[pl.DataFrame], *, common: int = _COMMON) -> TripleStats:
    """The statistics of rows, one language after the other.

    Args:
        triples: `triple_rows.TRIPLES`, one frame per language.
        common: How many of the most common parts to list per language.

    Raises:
        InputError: If there are no rows.

    References:
        Zhou et al. (2025), Table 2 (dishes per cultural group) and Table 4 (most common ingredients).
    """
    frames = [frame for frame in triples if len(frame)]
    if not frames:
        raise InputError("there are no rows to count; build a language that has some")
    rows = pl.concat(frames)
    as_given = in_order("language", rows["language"].unique(maintain_order=True))
    exploded = rows.select("language", dish="qid", part="parts").explode("part")
    pairs = exploded.select("language", "dish", pl.col("part").struct.unnest())
    dishes = pl.col("qid").n_unique().cast(pl.Int64)
    of_parts = pairs.group_by("language").agg(
        triples=pl.len(), parts=pl.col("qid").n_unique(), part_labels=pl.col("label").n_unique()
    )
    of_dishes = rows.group_by("language").agg(
        dishes=dishes,
        one_part=(pl.col("parts").list.len() == 1).sum(),
        origins=pl.col("origin_qid").n_unique(),
        materials=(pl.col("materials").list.len() > 0).sum(),
        images=(pl.col("image").list.len() > 0).sum(),
    )
    languages = of_dishes.join(of_parts, on="language").select("language", pl.col(_COUNTS).cast(pl.Int64))
    origins = rows.group_by("language", "origin_qid", "origin_en").agg(dishes=dishes)
    common_parts = (
        pairs.group_by("language", "qid", "label")
        .agg(dishes=pl.col("dish").n_unique().cast(pl.Int64))
        .sort(as_given, "dishes", NUMBER, descending=[False, True, False])
        .with_columns(rank=pl.int_range(1, pl.len() + 1).over("language"))
        .filter(pl.col("rank") <= common)
    )
    return TripleStats(
        languages.sort("dishes", "language", descending=[True, False]),
        origins.sort(as_given, "dishes", _ORIGIN_NUMBER, descending=[False, True, False]),
        common_parts.select("language", "rank", "qid", "label", "dishes"),
    )


_ORIGIN_NUMBER = pl.col("origin_qid").str.slice(1).cast(pl.Int64)


# Everything that a release holds.


class CulturalStats(NamedTuple):
    """Coverage of a release's cultural prompts."""

    kinds: pl.DataFrame
    """One row per kind of text, in their order: ``kind``, and how many different ``prompts``, ``templates``,
    ``categories``, ``topics``, ``nationalities`` and ``languages``."""
    categories: pl.DataFrame
    """One row per kind and category, in their order: ``kind``, ``category``, ``topics``."""
    languages: tuple[str, ...]
    """BCP 47 tags of the prompts, in text order."""
    nationalities: int
    """Different nationalities."""


@dataclass(frozen=True, slots=True, repr=False)
class DatasetStats(Summarised):
    """The figures of everything that a release holds."""

    questions: Stats | None
    """Figures of the questions; null without any."""
    food: dict[str, TripleStats]
    """Figures of the tables from Wikidata, by the first part of their configurations' names."""
    domain: Domain | None = None
    """What these tables are about; null without any, or where nobody knows it any more."""
    cultural: CulturalStats | None = None
    """Figures of the cultural prompts; null without any."""

    def frames(self) -> dict[str, pl.DataFrame]:
        """All figures, one frame each, by name."""
        frames = {} if self.questions is None else self.questions.frames()
        for name, figures in self.food.items():
            frames |= {f"{name}_{of}": frame for of, frame in figures._asdict().items()}
        if self.cultural is not None:
            frames |= {"cultural_kinds": self.cultural.kinds, "cultural_categories": self.cultural.categories}
        return frames

    def to_json(self) -> dict[str, Any]:
        """All figures as plain JSON: every frame as a list of records, see `Stats.to_json`."""
        records = {name: frame.to_dicts() for name, frame in self.frames().items()}
        return records | ({} if self.questions is None else self.questions.to_json())

    def as_tables(self) -> list[Table]:
        """All figures of a release, those of its questions first."""
        tables = [] if self.questions is None else list(question_tables(self.questions))
        reword = str if self.domain is None else self.domain.reword
        for name, food in self.food.items():
            for title, frame, caption in _triple_tables(name, food):
                # The words of the domain stand above the columns as well.
                renamed = frame.rename({column: reword(column) for column in frame.columns})
                tables.append(Table(title, renamed, reword(caption)))
        if self.cultural is not None:
            tables.append(Table("Cultural prompts", self.cultural.kinds, "Counts, by kind of text."))
            tables.append(Table("Cultural categories", self.cultural.categories, "Counts of topics."))
        return tables


def stats_of_release(release: Path, *, on_progress: ProgressCallback = silent) -> DatasetStats:
    """The figures of a release directory.

    Args:
        release: The directory.
        on_progress: Told about the rows read, by configuration.

    Raises:
        BlendError: If it is not a release.
    """
    configs = {table.config for table in read_manifest(release).tables}
    questions = None
    if ANNOTATIONS in configs:
        tables = read_tables(release, on_progress=on_progress)
        questions = build_stats(
            tables.questions,
            tables.annotations,
            mcqs=tables.mcqs,
            agreement=read_agreement(release),
            groups=read_annotator_groups(release),
            locales=release_locales(release),
        )
    triples = sorted(config for config in configs if config.endswith("-triples"))
    return DatasetStats(
        questions=questions,
        food={
            config.removesuffix("-triples"): build_triple_stats(
                read_config(release, config, on_progress=on_progress).partition_by(
                    "language", maintain_order=True
                )
            )
            for config in triples
        },
        domain=release_domain(release) if triples else None,
        cultural=build_cultural_stats(read_config(release, CULTURAL_PROMPTS, on_progress=on_progress))
        if CULTURAL_PROMPTS in configs
        else None,
    )


def build_cultural_stats(prompts: pl.DataFrame) -> CulturalStats:
    """The figures of prompts.

    Args:
        prompts: `cultural_prompt_rows.PROMPTS`.
    """
    topic = pl.struct("category", "topic").n_unique()
    return CulturalStats(
        kinds=prompts.group_by("kind", maintain_order=True).agg(
            prompts=pl.len(),
            templates=pl.col("template_id").n_unique(),
            categories=pl.col("category").n_unique(),
            topics=topic,
            nationalities=pl.col("nationality").n_unique(),
            languages=pl.col("language").n_unique(),
        ),
        categories=prompts.group_by("kind", "category", maintain_order=True).agg(
            topics=pl.col("topic").n_unique()
        ),
        languages=tuple(sorted(prompts["language"].unique())),
        nationalities=prompts["nationality"].n_unique(),
    )


# All of it as tables for readers: each a title, a frame and what its figures mean.

_PER_QUESTION: Final = {
    "answers": "answers/groups",
    "votes": "answers/votes",
    "top votes": "max_votes/with_annotations",
    "non-answers": "non_answers/all_keys",
    "agreement %": "agreement/annotators",
    "majority %": "agreement/majority",
}
_BY_TOPIC: Final = {
    "Top votes by topic": "max_votes/with_annotations",
    "Agreement by topic": "agreement/annotators",
    "Answers by topic": "answers/groups",
    "Non-answers by topic": "non_answers/all_keys",
}
_LANGUAGES = 8
"""Languages whose most common parts are shown: those with the most items."""


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
    for title, key in _BY_TOPIC.items():
        in_percent = "In percent. " if MEASURES[key].unit == "fraction" else ""
        means = stats.topic_means.filter(key == _KEY).select("locale", "topic", _IN_TABLES)
        yield Table(title, means.pivot("topic", index="locale", values="mean"), in_percent + DEFINITIONS[key])
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
    by_topic = _wide(counts.sort("topic"), "topic", index="locale", values="mcqs")
    by_topic = totals.select("locale").join(by_topic, on="locale", maintain_order="left")
    yield Table("MCQ by topic", _with_total(by_topic), "Multiple-choice questions by locale asked about.")
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


def _triple_tables(name: str, stats: TripleStats) -> Iterator[Table]:
    yield Table(
        f"{name} languages",
        stats.languages,
        "Triples: pairs of dish and part. Part labels: different names of parts, the candidates of probing. "
        "One part: dishes with a single part. Materials and images: dishes with any.",
    )
    origins = stats.origins.group_by("origin_qid", "origin_en").agg(
        pl.col("dishes").max(), languages=pl.col("language").n_unique()
    )
    yield Table(
        f"{name} origins",
        origins.sort("dishes", _ORIGIN_NUMBER, descending=[True, False]).select(
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
