"""FmLAMA's published files: as many rows as their README counts, and broken files are named."""

import json
from pathlib import Path

import polars as pl
import pytest

from blend.loaders.upstream.fmlama import FmlamaTables, read_fmlama
from blend.schemas.errors import RowErrors

ENTITY = "http://www.wikidata.org/entity/"


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


def dish(**changes: object) -> dict[str, object]:
    return {
        "url": f"{ENTITY}Q1",
        "origin": "France",
        "origin_name": "France",
        "lang": "en",
        "sub_label": "toast",
        "obj_label": ["bread"],
        **changes,
    }


def write(folder: Path, *dishes: dict[str, object]) -> Path:
    path = folder / "data_filter" / "en" / "en_dishes.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in dishes), encoding="utf-8")
    return folder


def test_broken_rows_are_named_all_at_once(tmp_path: Path):
    write(
        tmp_path,
        dish(),
        dish(),
        dish(url="http://example.org/Q2"),
        dish(url=f"{ENTITY}Q3", lang="fr"),
        dish(url=f"{ENTITY}Q4", obj_label=[]),
        dish(url=f"{ENTITY}Q5", sub_label=" "),
    )
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "en_templates.jsonl").write_text('{"relation": "isFrom_1", "template": "[X]"}\n')
    (tmp_path / "country_info.json").write_text("[]")
    with pytest.raises(RowErrors) as error:
        read_fmlama(tmp_path)
    place = "data_filter/en/en_dishes.jsonl"
    assert str(error.value) == (
        "7 problems:\n"
        'country_info.json: not an object of text; write {"country": "continent", …}\n'
        f"{place}:2: Q1 is also in {place}:1; keep one of the two\n"
        f"{place}:3: column url: 'http://example.org/Q2' is not an item such as {ENTITY}Q1; correct the row\n"
        f"{place}:4: column lang: 'fr' in a file of 'en'; correct the row\n"
        f"{place}:5: column obj_label: [] is not a list of labels; correct the row\n"
        f"{place}:6: column sub_label: ' ' is not text; correct the row\n"
        "templates/en_templates.jsonl:1: column relation: unknown relation 'isFrom_1'; "
        "write hasParts_N or country_N"
    )
