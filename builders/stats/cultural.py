"""Figures of cultural prompts: how many of what, by kind of text and by category."""

from dataclasses import dataclass

import polars as pl


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
