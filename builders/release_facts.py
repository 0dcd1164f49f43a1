"""Release facts: everything that a release's documents are written from."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from blend.builders.stats import Stats
from blend.schemas.datasheet import Datasheet
from blend.schemas.locales import Locale
from blend.schemas.manifest import ReleaseManifest, TableInfo


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    """What is known of a release once its tables are written."""

    manifest: ReleaseManifest
    """The release; all tables named, and at least the files that hold them."""
    locales: tuple[Locale, ...]
    """Its locales, in order."""
    figures: pl.DataFrame
    """One row per locale: ``locale``, ``questions``, ``answered``, ``groups``, ``votes``, ``mcqs`` and
    ``proposed`` (questions whose answers no person has merged), all counts."""
    stats: Stats
    """Agreement and overlap."""
    datasheet: Datasheet
    """The authors' answers."""
    changelog: str
    """Text of ``CHANGELOG.md``."""

    @property
    def title(self) -> str:
        """Name to print."""
        return self.manifest.recipe.title or self.manifest.name

    @property
    def languages(self) -> list[str]:
        """BCP 47 tags of all texts, in text order; every question is also in English."""
        return sorted({locale.language for locale in self.locales} | {"en"})

    @property
    def tables(self) -> Mapping[str, list[TableInfo]]:
        """Tables by configuration, in the manifest's order."""
        tables: dict[str, list[TableInfo]] = {}
        for table in self.manifest.tables:
            tables.setdefault(table.config, []).append(table)
        return tables

    def total(self, column: str) -> int:
        """Sum of a column of `figures`."""
        return int(self.figures[column].sum())

    @property
    def is_invented(self) -> bool:
        """Whether any of it was made up for demonstration."""
        return any(source.kind == "sample" for source in self.manifest.recipe.sources)
