"""Tables of a release that come from a snapshot: triples, the aligned subset, prompt templates."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from blend.builders.parquet import Table
from blend.builders.triples import FoodBuild, build_food
from blend.loaders.wikidata.facts import read_facts
from blend.loaders.wikidata.prompts import packaged_templates
from blend.schemas.domains import Domain, find_domain
from blend.schemas.food import TEMPLATES, FoodTemplate, FoodTriple, split_name
from blend.schemas.food_options import FoodOptions
from blend.schemas.frames import FINDINGS


@dataclass(frozen=True, slots=True)
class FoodTables:
    """What a snapshot adds to a release."""

    domain: Domain
    build: FoodBuild
    templates: pl.DataFrame
    """`schemas.food.TEMPLATES`; empty for a domain without."""
    source: str
    """Name of the snapshot, for findings."""

    def tables(self) -> Iterator[Table]:
        """Every table, made while it is written: one split per language in each configuration.

        ``{config}-triples``, ``{config}-aligned`` if all languages wanted for it have rows, and
        ``{config}-templates`` if the domain has any.
        """
        config = self.domain.config
        for language in self.build.languages:
            # A generator: the rows of a language are in memory only while they are written.
            rows_of_language = (self.build.rows(one) for one in [language])
            yield Table(f"{config}-triples", split_name(language), FoodTriple, rows_of_language)
        for language, rows in self.aligned().items():
            yield Table(f"{config}-aligned", split_name(language), FoodTriple, [rows])
        for (language,), rows in self.templates.group_by("language", maintain_order=True):
            yield Table(f"{config}-templates", split_name(str(language)), FoodTemplate, [rows])

    def aligned(self) -> Mapping[str, pl.DataFrame]:
        """The aligned subset by language; empty if a language wanted for it has no rows, or no dish has all."""
        if self._missing():
            return {}
        aligned = self.build.aligned()
        return aligned if any(len(rows) for rows in aligned.values()) else {}

    def findings(self) -> pl.DataFrame:
        """`FINDINGS`: oddities of the snapshot, every item left out, languages missing for alignment."""
        left_out = self.build.dropped.select(
            kind="reason",
            source=pl.format("{}:{}", pl.lit(self.source), "qid"),
            locale=pl.lit(None, pl.String),
            template_id=pl.lit(None, pl.String),
            detail=pl.when(pl.col("language").is_null())
            .then("detail")
            .otherwise(pl.format("in {}: {}", "language", "detail")),
        )
        missing = [
            ("aligned-without-language", self.source, None, None, f"no rows in {language}: no aligned subset")
            for language in self._missing()
        ]
        rows = pl.DataFrame(missing, schema=FINDINGS, orient="row")
        return pl.concat([self.build.findings, left_out, rows]).sort("kind", "source", "detail")

    def _missing(self) -> list[str]:
        held = set(self.build.languages)
        return [language for language in self.build.options.aligned_languages if language not in held]


def food_tables(snapshot: Path, options: FoodOptions | None = None, *, sha256: str | None = None) -> FoodTables:
    """Build the tables of a snapshot.

    Args:
        snapshot: N-Triples, compressed if the name ends in ``.gz``.
        options: Domain and rules; the defaults when absent.
        sha256: What the snapshot's digest must be; not checked when absent.

    Raises:
        BlendError: If the snapshot cannot be read or is another one, or if the options do not fit it.
    """
    chosen = options or FoodOptions()
    domain = find_domain(chosen.domain)
    build = build_food(read_facts(snapshot, domain, sha256=sha256), domain, chosen)
    templates = (
        pl.DataFrame(schema=TEMPLATES) if domain.templates is None else packaged_templates(domain.templates)
    )
    return FoodTables(domain, build, templates, snapshot.name)
