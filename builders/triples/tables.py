"""Tables of a release that come from a snapshot: triples, the aligned subset, prompt templates."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from blend.builders.parquet import Table
from blend.builders.triples import TripleBuild, build_triples
from blend.builders.triples.rows import NUMBER
from blend.loaders.wikidata.facts import Facts
from blend.loaders.wikidata.prompts import check_templates
from blend.schemas.frames import FINDINGS, Stage, rows_by
from blend.schemas.recipe import Domain, TripleOptions
from blend.schemas.rows import TEMPLATES, Triple, TripleTemplate, split_name


@dataclass(frozen=True, slots=True)
class TripleTables:
    """Tables that a snapshot adds to a release."""

    domain: Domain
    build: TripleBuild
    templates: pl.DataFrame
    """`rows.TEMPLATES`; empty for a domain without."""
    source: str
    """Name of the snapshot, for findings."""

    def tables(self) -> Iterator[Table]:
        """Every table, made while it is written: one split per language in each configuration.

        ``{config}-triples``, ``{config}-aligned`` if all languages wanted for it have rows, and
        ``{config}-templates`` if the domain has any.
        """
        config = self.domain.config
        for language in self.languages:
            # A generator: the rows of a language are in memory only while they are written.
            rows_of_language = (self.build.rows(one) for one in [language])
            yield Table(f"{config}-triples", split_name(language), Triple, rows_of_language)
        for language, rows in self.aligned().items():
            yield Table(f"{config}-aligned", split_name(language), Triple, [rows])
        for (language,), rows in self.templates.group_by("language", maintain_order=True):
            yield Table(f"{config}-templates", split_name(str(language)), TripleTemplate, [rows])

    @property
    def languages(self) -> list[str]:
        """Languages that hold rows, those with most rows first: a reader's first look falls on the first."""
        rows = self.build.index.group_by("language").len().sort("len", "language", descending=[True, False])
        return rows["language"].to_list()

    def aligned(self) -> Mapping[str, pl.DataFrame]:
        """The aligned subset by language; empty if a language wanted for it has no rows, or no dish has all."""
        if self._missing():
            return {}
        aligned = self.build.aligned()
        return aligned if any(len(rows) for rows in aligned.values()) else {}

    def findings(self) -> pl.DataFrame:
        """`FINDINGS`: oddities of snapshot and templates, items left out, languages missing for alignment."""
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
        prompts = check_templates(self.templates)
        return pl.concat([self.build.findings, prompts, left_out, rows]).sort("kind", "source", "detail")

    def stage(self) -> Stage:
        """The account of what was made and left out."""
        notes: dict[str, int | str] = {
            "items": self.build.dishes["item"].n_unique(),
            "languages": len(self.build.languages),
        }
        name = f"build {self.domain.name} from {self.source}"
        return Stage(name, rows_by(self.build.index, "language"), self.findings(), notes)

    def _missing(self) -> list[str]:
        held = set(self.build.languages)
        return [language for language in self.build.options.aligned_languages if language not in held]


def triple_tables(
    facts: Facts,
    domain: Domain,
    options: TripleOptions | None = None,
    *,
    templates: pl.DataFrame | None = None,
    source: str,
) -> TripleTables:
    """Build the tables of a domain.

    Args:
        facts: What a snapshot says about the domain.
        domain: What to look for.
        options: Rules; the defaults when absent.
        templates: `rows.TEMPLATES` of prompts about its items; none when absent.
        source: What to call the snapshot in findings and in the report.

    Raises:
        InputError: If the options do not fit the facts.
    """
    build = build_triples(facts, domain, options)
    prompts = pl.DataFrame(schema=TEMPLATES) if templates is None else templates
    return TripleTables(domain, build, prompts, source)


def in_groups(triples: pl.DataFrame, domain: Domain) -> pl.DataFrame:
    """The rows of the domain's cultural groups, with ``group``: the one that their origin belongs to.

    References:
        Zhou et al. (2025), Table 2: the 14 groups of the domain ``dish``.
    """
    groups = {origin: group.name for group in domain.groups for origin in group.origins}
    group = pl.col("origin_qid").replace_strict(groups, default=None, return_dtype=pl.String)
    return triples.with_columns(group=group).drop_nulls("group")


def by_continent(triples: pl.DataFrame) -> pl.DataFrame:
    """The rows with ``continent``, once for each continent of their origin.

    The published version keeps the last continent that it reads. A country on two, for example Turkey, is in
    two groups here. ``continent`` is null where Wikidata names none.
    """
    return (
        triples.with_columns(continent="continents")
        .explode("continent", empty_as_null=True)
        .sort("continent", NUMBER)
    )
