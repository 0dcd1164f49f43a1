"""Whatever the facts, one pass finds the rows that one SPARQL query per country finds in the same snapshot.

The queries follow the description of the published ones and are answered by the embedded engine: another
implementation of the same rules, which shares nothing with ours.
"""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blend.builders.triples import build_triples
from blend.loaders.wikidata.facts import read_facts
from blend.loaders.wikidata.store import DESCRIPTION, DIRECT, ENTITY, LABEL, load_store
from blend.schemas.errors import BlendError
from blend.schemas.recipe import TAIWAN, TripleOptions, domains
from helpers.examples import examples

DISH = domains()["dish"]

PREFIXES = f"""
PREFIX wd: <{ENTITY}>
PREFIX wdt: <{DIRECT}>
PREFIX name: <{LABEL}>
PREFIX about: <{DESCRIPTION}>
"""

ROWS = """
SELECT ?dish ?tag ?label ?country ?part ?partLabel WHERE {
  ?dish (wdt:P31|wdt:P279)+ wd:Q746549 .
  { ?dish wdt:P495 wd:ORIGIN } UNION { ?dish (wdt:P2012|wdt:P361)/(wdt:P17|wdt:P495) wd:ORIGIN }
  FILTER NOT EXISTS { ?dish wdt:P495 ?other FILTER(?other != wd:ORIGIN) }
  ?dish name: ?label .
  wd:ORIGIN name: ?country FILTER(LANG(?country) = LANG(?label))
  ?dish wdt:P527 ?part . ?part name: ?partLabel FILTER(LANG(?partLabel) = LANG(?label))
  BIND(LANG(?label) AS ?tag)
}
"""

DISHES = ["Q1", "Q2", "Q3"]
CLASSES = ["Q746549", "Q10", "Q11", "Q12"]
COUNTRIES = ["Q20", "Q21", TAIWAN]
ROUTES = ["Q30", "Q31"]
PARTS = ["Q40", "Q41"]
UNKNOWN = "<http://www.wikidata.org/.well-known/genid/0f>"


LABELLED = [*DISHES, *COUNTRIES, *PARTS]
TAGS = ["en", "fr", "zh-tw"]


def edges(
    subjects: list[str], properties: list[str], values: list[str], size: int
) -> st.SearchStrategy[list[Any]]:
    edge = st.tuples(st.sampled_from(subjects), st.sampled_from(properties), st.sampled_from(values))
    return st.lists(edge, min_size=size // 2, max_size=size, unique=True)


@st.composite
def worlds(draw: st.DrawFn) -> str:
    """A small snapshot: classes with cycles, several origins, unknown values, some labels missing."""
    claims = [
        ("Q10", "P279", "Q746549"),
        ("Q20", "P31", "Q6256"),
        *draw(edges(DISHES, ["P31", "P279"], CLASSES, 6)),
        *draw(edges(CLASSES[1:], ["P31", "P279"], CLASSES, 4)),
        *draw(edges(DISHES, ["P495"], [*COUNTRIES, "Q20", "Q99", UNKNOWN], 3)),
        *draw(edges(DISHES, ["P2012", "P361"], ROUTES, 4)),
        *draw(edges(ROUTES, ["P17", "P495"], COUNTRIES, 4)),
        *draw(edges(DISHES, ["P527"], [*PARTS, UNKNOWN, "Q1"], 8)),
        *draw(edges(COUNTRIES, ["P31"], ["Q6256", "Q3024240"], 3)),
    ]
    missing = set(draw(st.lists(st.tuples(st.sampled_from(LABELLED), st.sampled_from(TAGS)), max_size=6)))
    labels = [(item, tag) for item in LABELLED for tag in TAGS if (item, tag) not in missing]
    lines = [f"<{ENTITY}{s}> <{DIRECT}{p}> {o if o[0] == '<' else f'<{ENTITY}{o}>'} ." for s, p, o in claims]
    lines += [f'<{ENTITY}{item}> <{LABEL}> "{item} {tag}"@{tag} .' for item, tag in labels]
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.slow
@settings(max_examples=examples(25), deadline=None)
@given(worlds())
def test_one_pass_finds_what_one_query_per_country_finds(world: str):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "world.nt"
        path.write_text(world, encoding="utf-8")
        assert in_one_pass(path) == per_country(path)


def in_one_pass(path: Path) -> set[tuple[str, ...]]:
    options = TripleOptions.paper(single_origin="off", chinese="keep")
    try:
        build = build_triples(read_facts(path, DISH), DISH, options)
    except BlendError:
        return set()  # no dish at all
    return {
        (
            row["qid"],
            row["language"],
            row["label"],
            row["origin_qid"],
            row["origin"],
            part["qid"],
            part["label"],
        )
        for frame in build.batches()
        for row in frame.iter_rows(named=True)
        for part in row["parts"]
    }


def per_country(path: Path) -> set[tuple[str, ...]]:
    store = load_store(path)
    found = set()
    for country in COUNTRIES[:2]:
        known = f"{PREFIXES} ASK {{ wd:{country} wdt:P31 wd:Q6256 ; name: ?n FILTER(LANG(?n) = 'en') }}"
        if not store.query(known):
            continue
        for row in store.query(PREFIXES + ROWS.replace("ORIGIN", country)):
            dish, part = (row[name].value.removeprefix(ENTITY) for name in ("dish", "part"))
            texts = [row[name].value for name in ("tag", "label", "country", "partLabel")]
            found.add((dish, texts[0], texts[1], country, texts[2], part, texts[3]))
    return found
