"""Statistics of a whole release: questions where it has any, tables from Wikidata where it has any."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import polars as pl

from blend.builders.stats import Stats, build_stats, stats_frames, stats_json
from blend.builders.triples.rows import NUMBER
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.releases import read_manifest
from blend.loaders.releases.reports import read_agreement, read_annotator_groups
from blend.loaders.releases.tables import read_config, read_tables, release_domain, release_locales
from blend.schemas.errors import InputError
from blend.schemas.recipe import Domain
from blend.schemas.rows import ANNOTATIONS, CULTURAL_PROMPTS
from blend.schemas.summaries import Summarised, Table

# Rows made from Wikidata: how many, where from, made of what.


_COMMON = 10
"""Most common parts shown per language."""

_COUNTS = ("dishes", "triples", "parts", "part_labels", "one_part", "origins", "materials", "images")


@dataclass(frozen=True, slots=True)
class TripleStats:
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
    pairs = [_pairs(frame) for frame in frames]
    return TripleStats(
        languages=pl.concat(_counts(frame, made) for frame, made in zip(frames, pairs, strict=True)).sort(
            "dishes", "language", descending=[True, False]
        ),
        origins=pl.concat(_origins(frame) for frame in frames),
        common_parts=pl.concat(_common(made, common) for made in pairs),
    )


def _pairs(frame: pl.DataFrame) -> pl.DataFrame:
    """``language``, ``dish``, ``qid`` and ``label``: one row per dish and part."""
    exploded = frame.select("language", dish="qid", part="parts").explode("part")
    return exploded.select("language", "dish", pl.col("part").struct.unnest())


def _counts(frame: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    return frame.select(
        language=pl.col("language").first(),
        dishes=pl.col("qid").n_unique(),
        triples=pl.lit(len(pairs)),
        parts=pl.lit(pairs["qid"].n_unique()),
        part_labels=pl.lit(pairs["label"].n_unique()),
        one_part=(pl.col("parts").list.len() == 1).sum(),
        origins=pl.col("origin_qid").n_unique(),
        materials=(pl.col("materials").list.len() > 0).sum(),
        images=(pl.col("image").list.len() > 0).sum(),
    ).cast(dict.fromkeys(_COUNTS, pl.Int64))


def _origins(frame: pl.DataFrame) -> pl.DataFrame:
    number = pl.col("origin_qid").str.slice(1).cast(pl.Int64)
    return (
        frame.group_by("language", "origin_qid", "origin_en")
        .agg(dishes=pl.col("qid").n_unique().cast(pl.Int64))
        .sort("language", "dishes", number, descending=[False, True, False])
    )


def _common(pairs: pl.DataFrame, common: int) -> pl.DataFrame:
    return (
        pairs.group_by("language", "qid", "label")
        .agg(dishes=pl.col("dish").n_unique().cast(pl.Int64))
        .sort("dishes", NUMBER, descending=[True, False])
        .head(common)
        .with_row_index("rank", offset=1)
        .select("language", pl.col("rank").cast(pl.Int64), "qid", "label", "dishes")
    )


# Everything that a release holds.


@dataclass(frozen=True, slots=True)
class CulturalStats:
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

    def frames(self) -> dict[str, pl.DataFrame]:
        """The figures by name."""
        return {"kinds": self.kinds, "categories": self.categories}


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
        frames = {} if self.questions is None else stats_frames(self.questions)
        for name, figures in self.food.items():
            frames |= {f"{name}_{field.name}": getattr(figures, field.name) for field in fields(figures)}
        if self.cultural is not None:
            frames |= {f"cultural_{name}": frame for name, frame in self.cultural.frames().items()}
        return frames

    def as_tables(self) -> list[Table]:
        """All figures of a release, those of its questions first."""
        from blend.builders.stats.tables import dataset_tables

        return dataset_tables(self)

    def to_json(self) -> dict[str, Any]:
        """All figures as plain JSON: every frame as a list of records, see `stats_json`."""
        records = {name: frame.to_dicts() for name, frame in self.frames().items()}
        return records | ({} if self.questions is None else stats_json(self.questions))


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
