"""Groups, alignment, statistics and domains."""

from collections.abc import Callable

import polars as pl
import pytest

from blend.builders.stats.dataset import build_triple_stats
from blend.builders.triples import TripleBuild, build_triples
from blend.builders.triples.tables import by_continent, in_groups, triple_tables
from blend.loaders.wikidata.facts import Facts
from blend.loaders.wikidata.prompts import packaged_templates
from blend.schemas.recipe import TripleOptions, domains, find_domain
from helpers.messages import wrong

DISH = domains()["dish"]

FACTS = """
    Q43 P31 Q6256
    Q43 label en:Turkey
    Q43 label zh:土耳其
    Q43 P30 Q46
    Q43 P30 Q48
    Q101 P31 Q6256
    Q101 label en:Nowhere
    Q46 label en:Europe
    Q48 label en:Asia
    Q200 label en:bread
    Q200 label zh:面包
    Q201 label en:onion
    Q1 P31 Q746549
    Q1 label en:kebab
    Q1 label zh:烤肉
    Q1 P495 Q43
    Q1 P527 Q200
    Q1 P527 Q201
    Q2 P31 Q746549
    Q2 label en:soup
    Q2 P495 Q101
    Q2 P527 Q200
"""


@pytest.fixture
def build(facts_of: Callable[..., Facts]) -> TripleBuild:
    return build_triples(facts_of(FACTS), DISH)


def test_cultural_groups(build: TripleBuild):
    assert in_groups(build.rows("en"), DISH).select("qid", "group").rows() == [("Q1", "Turkey")]


def test_a_country_on_two_continents_is_in_both_groups(build: TripleBuild):
    grouped = by_continent(build.rows("en")).select("continent", "qid").rows()
    assert grouped == [(None, "Q2"), ("Asia", "Q1"), ("Europe", "Q1")]


@pytest.mark.integration
def test_published_figures(food_facts: Facts):
    """The table of the README beside the published files, and the dishes per group of `data_lang/en`."""
    build = build_triples(food_facts, DISH, TripleOptions(mode="paper"))
    figures = build_triple_stats(build.aligned().values()).languages
    columns = ["dishes", "triples", "part_labels", "one_part", "origins"]
    assert {row["language"]: tuple(row[name] for name in columns) for row in figures.iter_rows(named=True)} == {
        "en": (175, 475, 226, 67, 40),
        "zh": (175, 447, 198, 76, 40),
        "ko": (175, 422, 197, 79, 40),
        "ar": (175, 433, 187, 75, 40),
        "he": (175, 445, 194, 74, 40),
        "ru": (175, 464, 212, 68, 40),
    }
    real = build.rows("en").filter(~pl.col("qid").str.starts_with("Q990"))
    assert dict(in_groups(real, DISH)["group"].value_counts().iter_rows()) == {
        "United States of America": 285,
        "Italy": 215,
        "Japan": 186,
        "France": 175,
        "India": 132,
        "Turkey": 98,
        "China": 97,
        "Spain": 95,
        "United Kingdom": 83,
        "Mexico": 57,
        "Germany": 57,
        "Russia": 27,
        "Iran": 21,
        "Greece": 21,
    }


@pytest.mark.integration
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


def test_domains():
    assert list(domains()) == ["dish", "musical-instrument"]
    assert wrong(lambda: find_domain("dishes")) == (
        "unknown domain 'dishes'; did you mean 'dish'? choose one of: dish, musical-instrument, "
        "or write one of your own into a domain file (docs/wikidata.md)"
    )
