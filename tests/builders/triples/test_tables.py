"""The tables of a snapshot: written as parquet, loaded by plain ``datasets``, the same bytes every time."""

import polars as pl
import pytest

from blend.builders.triples.tables import TripleTables, triple_tables
from blend.loaders.wikidata.facts import Facts
from blend.loaders.wikidata.prompts import packaged_templates
from blend.schemas.recipe import TripleOptions, domains

pytestmark = pytest.mark.integration

DISH = domains()["dish"]


@pytest.fixture(scope="module")
def tables(food_facts: Facts) -> TripleTables:
    return triple_tables(food_facts, DISH, templates=packaged_templates(), source="food_snapshot.nt.gz")


def test_findings_account_for_every_item_left_out(tables: TripleTables):
    findings = tables.findings()
    kinds = dict(findings["kind"].value_counts().iter_rows())
    assert kinds["class-cycle"] == 1
    assert kinds["unknown-value"] == 2
    assert kinds["no-origin"] == tables.build.dropped.filter(pl.col("reason") == "no-origin").height
    gaps = findings.filter(pl.col("kind") == "parts-without-label")["detail"]
    assert all(detail.startswith("in ") for detail in gaps)
    assert tables.build.index.height == sum(len(rows) for rows in tables.build.batches())


def test_alignment_with_a_language_that_has_no_rows(food_facts: Facts):
    tables = triple_tables(
        food_facts,
        DISH,
        TripleOptions(languages=("en", "ko")),
        templates=packaged_templates(),
        source="food_snapshot.nt.gz",
    )
    assert {table.config for table in tables.tables()} == {"food-triples", "food-templates"}
    details = tables.findings().filter(pl.col("kind") == "aligned-without-language")["detail"]
    assert details.to_list() == [f"no rows in {tag}: no aligned subset" for tag in ("ar", "he", "ru", "zh")]
