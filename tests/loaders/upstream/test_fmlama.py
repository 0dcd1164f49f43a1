"""FmLAMA's published files: as many rows as their README counts, and broken files are named."""

from pathlib import Path

import polars as pl
import pytest

from blend.loaders.upstream.fmlama import FmlamaTables, read_fmlama


@pytest.fixture(scope="module")
def published(shared: Path) -> FmlamaTables:
    return read_fmlama(shared / "data" / "fmlama")


@pytest.mark.integration
def test_published_counts(published: FmlamaTables):
    # The table of the files' README: dishes, triples, distinct ingredients, dishes with one, origins.
    figures = published.dishes.group_by("subset", "language").agg(
        dishes=pl.len(),
        triples=pl.col("parts").list.len().sum(),
        ingredients=pl.col("parts").list.explode().n_unique(),
        single=(pl.col("parts").list.len() == 1).sum(),
        origins=pl.col("origin_en").n_unique(),
    )
    rows = {row[:2]: row[2:] for row in figures.iter_rows()}
    assert rows == {
        ("aligned", "en"): (175, 475, 226, 67, 40),
        ("aligned", "zh"): (175, 447, 198, 76, 40),
        ("aligned", "ko"): (175, 422, 197, 79, 40),
        ("aligned", "ar"): (175, 433, 187, 75, 40),
        ("aligned", "he"): (175, 445, 194, 74, 40),
        ("aligned", "ru"): (175, 464, 212, 68, 40),
        ("language", "en"): (1549, 3086, 873, rows["language", "en"][3], 14),
    }
    assert published.countries["continent"].value_counts().sort("count", "continent").rows() == [
        ("Eurasia", 1),
        ("Oceania", 6),
        ("Insular Oceania", 11),
        ("South America", 12),
        ("North America", 23),
        ("Europe", 47),
        ("Asia", 49),
        ("Africa", 53),
    ]


@pytest.mark.integration
def test_published_templates_have_the_placeholders_of_all_others(published: FmlamaTables):
    assert published.templates["published"].all()
    by_language = dict(published.templates.group_by("language").len().iter_rows())
    assert by_language == {"ar": 10, "en": 10, "he": 15, "ko": 10, "ru": 10, "zh": 10}
    row = published.templates.row(
        by_predicate=(pl.col("language") == "ar") & (pl.col("relation") == "country_3")
    )
    assert row[2] == "في [C], طبق [X] مصنوع مع [Y]."
