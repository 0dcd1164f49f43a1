"""Statistics of a whole release: questions where it has any, tables from Wikidata where it has any."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import polars as pl

from blend.builders.stats import Stats, build_stats, stats_frames, stats_json
from blend.builders.stats.triples import TripleStats, build_triple_stats
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.releases import read_manifest
from blend.loaders.releases.reports import read_agreement, read_annotator_groups
from blend.loaders.releases.tables import read_config, read_tables, release_domain, release_locales
from blend.schemas.recipe import Domain
from blend.schemas.rows import ANNOTATIONS, CULTURAL_PROMPTS
from blend.schemas.summaries import Summarised, Table


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
