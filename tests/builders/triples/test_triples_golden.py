"""The published rows and figures, from the snapshot with the published dishes."""

import json
from pathlib import Path
from typing import Any

import pytest

from blend.builders.triples import TripleBuild, build_triples
from blend.loaders.wikidata.facts import ENTITY, Facts
from blend.schemas.recipe import PAPER_LANGUAGES, TripleOptions, domains

pytestmark = pytest.mark.integration

DISH = domains()["dish"]


@pytest.fixture(scope="module")
def expected(shared: Path) -> list[dict[str, Any]]:
    lines = (shared / "golden" / "fmlama" / "expected_dishes.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in lines.split("\n") if line]


@pytest.fixture(scope="module")
def counts(shared: Path) -> dict[str, Any]:
    return json.loads((shared / "golden" / "fmlama" / "expected_counts.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def published(food_facts: Facts) -> TripleBuild:
    return build_triples(food_facts, DISH, TripleOptions(mode="paper"))


def rows_of(build: TripleBuild) -> list[dict[str, Any]]:
    """Rows as the golden file has them."""
    rows = [
        {
            "url": ENTITY + row["qid"],
            "origin": row["origin_qid"],
            "origin_label": row["origin_en"],
            "origin_name": row["origin"],
            "lang": row["language"],
            "name": row["label"],
            "description": row["description"],
            "has_parts": sorted({part["label"] for part in row["parts"]}),
            "has_parts_id": sorted(ENTITY + part["qid"] for part in row["parts"]),
            "materials": sorted({material["label"] for material in row["materials"]}),
            "images": row["image"],
        }
        for frame in build.batches()
        for row in frame.iter_rows(named=True)
    ]
    return sorted(rows, key=lambda row: (int(row["url"].rpartition("Q")[2]), row["lang"], row["origin"]))


def without(rows: list[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in names} for row in rows]


def test_published_rows(food_facts: Facts, expected: list[dict[str, Any]]):
    # Before the single-origin rule and the conversion of script.
    all_origins = build_triples(
        food_facts, DISH, TripleOptions(mode="paper", single_origin="off", chinese="keep")
    )
    assert len(expected) == 2495
    assert rows_of(all_origins) == without(expected, "all_images", "all_materials")


def test_single_origin_rule_of_the_published_version(published: TripleBuild, counts: dict[str, Any]):
    rows = {language: published.rows(language) for language in published.languages}
    assert {language: len(frame) for language, frame in rows.items()} == counts["single_origin_per_language"]
    dropped = published.dropped.drop_nulls("language")
    several = dropped.filter(dropped["reason"] == "several-origins").select("language", "qid").unique()
    by_language: dict[str, list[str]] = {language: [] for language in counts["dropped_by_single_origin"]}
    for language, qid in several.sort("language", "qid").iter_rows():
        by_language[language].append(qid)
    assert by_language == counts["dropped_by_single_origin"]


def test_continents(food_facts: Facts, counts: dict[str, Any]):
    rows = build_triples(food_facts, DISH, TripleOptions(mode="paper", single_origin="off")).rows("en")
    found = {row["origin_en"]: row["continents"] for row in rows.iter_rows(named=True) if row["continents"]}
    assert found.items() <= counts["continents"].items()
    assert set(counts["continents"]) - set(found) == {"South Korea"}, "it has no dish here"


def test_aligned_dishes_are_the_175_published_ones(published: TripleBuild, counts: dict[str, Any]):
    aligned = published.aligned()
    for frame in aligned.values():
        assert frame["qid"].to_list() == counts["aligned"]
    assert tuple(aligned) == PAPER_LANGUAGES
    assert len(counts["aligned"]) == 175


@pytest.mark.sampled
@pytest.mark.parametrize("language", PAPER_LANGUAGES)
@pytest.mark.parametrize("options", [TripleOptions(mode="paper"), TripleOptions()], ids=["paper", "default"])
def test_aligned_rows_are_the_published_files(
    food_facts: Facts, shared: Path, language: str, options: TripleOptions
):
    # For zh this compares OpenCC's conversion with zhconv's, by which the published file was made: they agree
    # on all 175 names, on the countries, and on all ingredients.
    path = shared / "data" / "fmlama" / "data_filter" / language / f"{language}_dishes.jsonl"
    wanted = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        wanted[row["url"]] = (row["sub_label"], row["origin_name"], row["origin"], set(row["obj_label"]))
    rows = build_triples(food_facts, DISH, options).aligned()[language]
    found = {
        ENTITY + row["qid"]: (
            row["label"],
            row["origin"],
            row["origin_en"],
            {part["label"] for part in row["parts"]},
        )
        for row in rows.iter_rows(named=True)
    }
    assert found == wanted


def test_rows_changed_by_the_conversion(food_facts: Facts, counts: dict[str, Any]):
    rows = build_triples(food_facts, DISH, TripleOptions(mode="paper", single_origin="off")).rows("zh")
    plain = build_triples(
        food_facts, DISH, TripleOptions(mode="paper", single_origin="off", chinese="keep")
    ).rows("zh")
    changed = 0
    for row, original in zip(rows.iter_rows(named=True), plain.iter_rows(named=True), strict=True):
        changed += any(row[name] != original[name] for name in ("label", "origin", "parts"))
        assert (row["original_label"] or row["label"]) == original["label"]
        assert (row["original_origin"] or row["origin"]) == original["origin"]
        before = {part["qid"]: part["label"] for part in row["original_parts"]}
        assert [before.get(part["qid"], part["label"]) for part in row["parts"]] == [
            part["label"] for part in original["parts"]
        ]
    assert changed == counts["zh_rows_changed_by_conversion"]


def test_english_rows_are_the_published_1549(food_facts: Facts, shared: Path):
    path = shared / "data" / "fmlama" / "data_lang" / "en" / "en_dishes.jsonl"
    wanted = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        wanted[row["url"]] = (row["sub_label"], row["origin"], set(row["obj_label"]))
    # The made-up dishes of the fixture come from the studied countries too.
    studied = {origin for group in DISH.groups for origin in group.origins}
    rows = build_triples(food_facts, DISH).rows("en")
    found = {
        ENTITY + row["qid"]: (row["label"], row["origin_en"], {part["label"] for part in row["parts"]})
        for row in rows.iter_rows(named=True)
        if row["origin_qid"] in studied and not row["qid"].startswith("Q990")
    }
    assert len(wanted) == 1549
    assert found == wanted
