"""Dishes, origins and parts by small snapshots, one rule each."""

from collections.abc import Callable
from typing import Any

import pytest

from blend.builders.triples import TripleBuild, build_triples
from blend.loaders.wikidata.facts import Facts
from blend.schemas.recipe import Domain, TripleOptions, domains
from helpers.messages import wrong

DISH = domains()["dish"]

WORLD = """
    Q100 P31 Q6256
    Q100 label en:France
    Q100 label zh:法國
    Q100 P30 Q46
    Q101 P31 Q6256
    Q101 label en:Italy
    Q102 P31 Q3024240
    Q102 P1366 Q100
    Q102 label en:Gaul
    Q103 P31 Q3024240
    Q103 P31 Q6256
    Q103 P1366 Q104
    Q104 P31 Q3024240
    Q104 P1366 Q101
    Q103 label en:Papal States
    Q865 P31 Q6256
    Q865 label en:Taiwan
    Q46 label en:Europe
    Q200 label en:bread
    Q201 label en:cheese
    Q200 label zh:麵包
    Q1 P31 Q746549
    Q1 label en:soup
    Q1 P527 Q200
"""

OTHER = """
    Q2 P31 Q746549
    Q2 P527 Q200
    Q2 P495 Q100
    Q2 label en:stew
"""

Build = Callable[..., TripleBuild]


@pytest.fixture
def build(facts_of: Callable[..., Facts]) -> Build:
    def made(more: str, world: str = WORLD, domain: Domain = DISH, **options: Any) -> TripleBuild:
        return build_triples(facts_of(world + more, domain), domain, TripleOptions(**options))

    return made


def origins(made: TripleBuild) -> list[tuple[str, str]]:
    return made.dishes.select("item", "origin").rows()


def reasons(made: TripleBuild) -> dict[tuple[str, str | None], str]:
    return {(qid, language): reason for qid, language, reason, _ in made.dropped.iter_rows()}


def test_own_origin(build: Build):
    made = build("Q1 P495 Q100")
    row = made.rows("en").row(0, named=True)
    assert (row["qid"], row["origin_qid"], row["origin"]) == ("Q1", "Q100", "France")
    assert row["origin_via"] == ["P495"]
    assert row["continents"] == ["Europe"]
    assert row["parts"] == [{"qid": "Q200", "label": "bread"}]
    assert row["materials"] == row["image"] == row["unlabelled_parts"] == []


@pytest.mark.parametrize("by", ["P17", "P495"])
@pytest.mark.parametrize("route", ["P2012", "P361"])
def test_origin_by_cuisine_or_meal(build: Build, route: str, by: str):
    made = build(f"Q1 {route} Q300\nQ300 {by} Q100")
    assert origins(made) == [("Q1", "Q100")]
    assert made.rows("en")["origin_via"].to_list() == [[route]]


@pytest.mark.parametrize(
    ("facts", "reason", "detail"),
    [
        ("Q1 P495 Q100\nQ1 P495 Q101", "several-origins", "origins Q100, Q101"),
        ("Q1 P495 _:b\nQ1 P2012 Q300\nQ300 P17 Q100", "unknown-origin", "origins unknown"),
        ("Q1 P495 _:b\nQ1 P495 Q100", "several-origins", "origins Q100, unknown"),
        ("Q1 P2012 Q300\nQ300 P17 Q100\nQ1 P361 Q301\nQ301 P17 Q101", "several-origins", "origins Q100, Q101"),
        ("Q1 P495 Q102", "origin-is-no-country", "origins Q102"),
        ("Q1 P495 Q999", "origin-is-no-country", "origins Q999"),
        ("Q1 P2012 Q300", "no-origin", "no origin of its own, and none of what it belongs to"),
        ("", "no-origin", "no origin of its own, and none of what it belongs to"),
    ],
)
def test_items_without_one_origin_are_reported(build: Build, facts: str, reason: str, detail: str):
    made = build(facts + OTHER)
    assert made.dropped.rows() == [("Q1", None, reason, detail)]
    assert made.languages == ("en",)


def test_items_without_parts_or_names_are_reported(build: Build):
    made = build(
        "Q1 P495 Q100\nQ1 label fr:soupe\nQ2 P31 Q746549\nQ2 P495 Q100\nQ2 label en:nothing\n"
        "Q3 P31 Q746549\nQ3 P495 Q100\nQ3 P527 Q201"
    )
    assert reasons(made) == {
        ("Q1", "fr"): "origin-without-label",
        ("Q2", None): "no-parts",
        ("Q3", None): "no-label",
    }


@pytest.mark.slow
def test_part_without_a_label_in_the_language(build: Build):
    made = build("Q1 P495 Q100\nQ1 P527 Q201\nQ1 P527 Q202\nQ1 label zh:湯")
    assert made.rows("zh")["unlabelled_parts"].to_list() == [["Q201", "Q202"]]
    assert made.rows("en")["unlabelled_parts"].to_list() == [["Q202"]]
    alone = build("Q1 P495 Q100\nQ2 P31 Q746549\nQ2 P495 Q100\nQ2 P527 Q201\nQ2 label zh:湯\nQ2 label en:stew")
    assert reasons(alone) == {("Q2", "zh"): "parts-without-label"}


def test_historical_origins_are_mapped_to_their_only_successor(build: Build):
    made = build("Q1 P495 Q103\nQ2 P31 Q746549\nQ2 P527 Q200\nQ2 P495 Q102\nQ2 label en:stew", historical="map")
    rows = made.rows("en").select("qid", "origin", "stated_origin_qid", "origin_is_historical").rows()
    # Q103 was followed by Q104, which is no more either, and that by Italy.
    assert rows == [("Q1", "Italy", "Q103", False), ("Q2", "France", "Q102", False)]


@pytest.mark.slow
def test_taiwan_is_a_country_unless_left_out(build: Build):
    assert origins(build("Q1 P495 Q865" + OTHER)) == [("Q1", "Q865"), ("Q2", "Q100")]
    for options in ({"mode": "paper"}, {"excluded_origins": ("Q865",)}):
        assert reasons(build("Q1 P495 Q865" + OTHER, **options)) == {("Q1", None): "excluded-origin"}


@pytest.mark.slow
def test_a_dish_that_is_its_own_ingredient(build: Build):
    made = build("Q1 P495 Q100\nQ1 P527 Q1")
    assert made.rows("en")["parts"].to_list() == [[{"qid": "Q200", "label": "bread"}]]
    findings = made.findings.select("kind", "source", "detail").rows()
    assert findings == [("own-part", "Q1", "the item is its own part; that part is left out")]
    kept = build("Q1 P495 Q100\nQ1 P527 Q1", own_parts="keep")
    assert len(kept.rows("en")["parts"][0]) == 2
    assert kept.findings.is_empty()


def test_aligned_needs_every_language(build: Build):
    made = build("Q1 P495 Q100\nQ1 label zh:湯\nQ2 P31 Q746549\nQ2 P495 Q100\nQ2 P527 Q200\nQ2 label en:x")
    aligned = made.aligned(["en", "zh"])
    assert {language: rows["qid"].to_list() for language, rows in aligned.items()} == {
        "en": ["Q1"],
        "zh": ["Q1"],
    }
    assert wrong(made.aligned) == "no dish has a row in 'ko'; choose from en, zh"


def test_a_snapshot_of_something_else(build: Build):
    assert wrong(lambda: build("", domain=domains()["musical-instrument"])) == (
        "the snapshot holds no item of class Q34379; take it for the domain 'musical-instrument'"
    )


def test_another_domain_is_data_alone(build: Build):
    instruments = domains()["musical-instrument"]
    made = build(
        "Q500 P31 Q501\nQ501 P279 Q34379\nQ500 label en:lute\nQ500 P2596 Q502\nQ502 P17 Q100\n"
        "Q500 P527 Q503\nQ503 label en:string\nQ500 P186 Q504\nQ504 label en:wood",
        domain=instruments,
    )
    row = made.rows("en").row(0, named=True)
    assert (row["label"], row["origin"], row["origin_via"]) == ("lute", "France", ["P2596"])
    assert row["parts"] == [{"qid": "Q503", "label": "string"}]
    assert row["materials"] == [{"qid": "Q504", "label": "wood"}]
