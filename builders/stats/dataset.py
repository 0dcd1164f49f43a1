"""Statistics of a whole release: questions where it has any, tables from Wikidata where it has any."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.builders.stats import build_stats
from blend.builders.stats.measures import Stats, in_order, question_tables
from blend.builders.triples.rows import NUMBER
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.releases import read_manifest
from blend.loaders.releases.tables import (
    read_config,
    read_figures,
    release_domain,
    release_locales,
)
from blend.schemas.errors import InputError
from blend.schemas.frames import KEY, votes_known
from blend.schemas.manifest import AGREEMENT_NAME, ANNOTATOR_GROUPS_NAME
from blend.schemas.recipe import Domain
from blend.schemas.rows import (
    ANNOTATIONS,
    CULTURAL_PROMPTS,
    MULTIPLE_CHOICE_QUESTIONS,
    SHORT_ANSWER_QUESTIONS,
)
from blend.schemas.summaries import Summarised, Table


def locale_figures(annotations: pl.DataFrame, made: pl.DataFrame) -> pl.DataFrame:
    """Count a release's rows by locale: ``questions``, ``answered``, ``votes``, ``proposed``, ``mcqs``.

    Args:
        annotations: `ANNOTATIONS`.
        made: ``mcqs``, the number of multiple-choice questions, by ``locale``.

    Returns:
        One row per locale; ``votes`` is null where those of any question are unknown.
    """
    of_group = pl.element().struct.field
    # Figures first, so that answers are not copied to be grouped by locale.
    of_questions = annotations.select(
        "locale",
        "grouping",
        groups=pl.col("annotations").list.len(),
        votes=pl.col("annotations").list.eval(of_group("count")).list.sum(),
        is_known=votes_known(),
    )
    by_locale = of_questions.group_by("locale").agg(
        questions=pl.len(),
        answered=(pl.col("groups") > 0).sum(),
        votes=pl.when(pl.col("is_known").all()).then(pl.col("votes").sum()),
        proposed=(pl.col("grouping") == "proposed").sum(),
    )
    mcqs = made.select("locale", "mcqs").filter(pl.col("mcqs") > 0)
    return (
        by_locale.join(mcqs, on="locale", how="full", coalesce=True)
        # A locale may have multiple choice alone: nobody voted, which is not an unknown number of votes.
        .with_columns(votes=pl.when(pl.col("questions").is_not_null()).then("votes").otherwise(0))
        .with_columns(pl.col("questions", "answered", "proposed", "mcqs").fill_null(0))
        .sort("locale")
    )


# Rows made from Wikidata: how many, where from, made of what.


_COMMON = 10
"""Most common parts that are listed per language."""

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


def build_triple_stats(triples: Iterable[pl.DataFrame]) -> TripleStats:
    """The statistics of rows, one language after the other.

    Args:
        triples: `rows.TRIPLES`, one frame per language.

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
        .filter(pl.col("rank") <= _COMMON)
    )
    return TripleStats(
        languages.sort("dishes", "language", descending=[True, False]),
        origins.sort(as_given, "dishes", _ORIGIN_NUMBER, descending=[False, True, False]),
        common_parts.select("language", "rank", "qid", "label", "dishes"),
    )


# Without its Q and as a number, so that Q9 comes before Q10.
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
class _DatasetStats(Summarised):
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


def stats_of_release(release: Path, *, on_progress: ProgressCallback = silent) -> _DatasetStats:
    """The figures of a release directory.

    Args:
        release: The directory.
        on_progress: Told about the rows read, by configuration.

    Raises:
        BlendError: If it is not a release.
    """
    manifest = read_manifest(release)
    configs = {table.config for table in manifest.tables}
    read, questions = partial(read_config, release, on_progress=on_progress), None
    if ANNOTATIONS in configs:
        annotated = read(ANNOTATIONS).with_columns(
            source=pl.format("data/annotations/{}:{}", "locale", "template_id")
        )
        of_questions = annotated.select(*KEY, "source_locale", "source")
        questions = build_stats(
            read(SHORT_ANSWER_QUESTIONS).join(of_questions, on=KEY, validate="1:1", maintain_order="left"),
            annotated,
            mcqs=read(MULTIPLE_CHOICE_QUESTIONS) if MULTIPLE_CHOICE_QUESTIONS in configs else None,
            options=manifest.recipe.saq,
            agreement=read_figures(release, AGREEMENT_NAME),
            groups=read_figures(release, ANNOTATOR_GROUPS_NAME),
            locales=release_locales(release),
        )
    triples = sorted(config for config in configs if config.endswith("-triples"))
    return _DatasetStats(
        questions=questions,
        food={
            config.removesuffix("-triples"): build_triple_stats(
                read(config).partition_by("language", maintain_order=True)
            )
            for config in triples
        },
        domain=release_domain(release) if triples else None,
        cultural=build_cultural_stats(read(CULTURAL_PROMPTS)) if CULTURAL_PROMPTS in configs else None,
    )


def build_cultural_stats(prompts: pl.DataFrame) -> CulturalStats:
    """The figures of prompts.

    Args:
        prompts: `frames.CULTURAL_PROMPT_ROWS`.
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


# Its tables for readers.

_LANGUAGES = 8
"""Languages whose most common parts are shown: those with the most items."""


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
