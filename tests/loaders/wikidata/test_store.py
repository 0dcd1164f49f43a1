"""Snapshots on the disk: what is wrong with them, and what is read all the same."""

import gzip
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from blend.loaders.wikidata.facts import Facts, read_facts
from blend.schemas.recipe import domains
from helpers.messages import wrong

DISH = domains()["dish"]
LINE = '<http://www.wikidata.org/entity/Q1> <http://www.w3.org/2000/01/rdf-schema#label> "bread"@en .\n'


def message(path: Path) -> str:
    return wrong(lambda: read_facts(path, DISH))


def findings(facts: Facts) -> list[tuple[str, str, str]]:
    return facts.findings.select("kind", "source", "detail").rows()


def test_a_missing_snapshot(tmp_path: Path):
    path = tmp_path / "food.nt.gz"
    assert message(path) == f"{path}: no such snapshot; correct the path"


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "food.nt"
    path.write_text(LINE)
    monkeypatch.setitem(sys.modules, "pyoxigraph", None)
    assert message(path) == (
        "reading a Wikidata snapshot needs an optional dependency; "
        'in a checkout of blend-sdk: pip install -e ".[wikidata]"'
    )


def test_a_snapshot_cut_in_the_middle(tmp_path: Path):
    path = tmp_path / "food.nt.gz"
    whole = gzip.compress("".join(LINE.replace("Q1", f"Q{n}") for n in range(1, 5000)).encode())
    for length in (len(whole) // 2, len(whole) - 4):
        path.write_bytes(whole[:length])
        assert message(path) == (
            f"{path}: the compressed file is damaged or cut off; take or copy the snapshot again"
        )


def test_a_snapshot_that_is_no_ntriples(tmp_path: Path):
    path = tmp_path / "food.nt"
    path.write_text(LINE + "<html><body>Bad gateway</body></html>\n")
    told = message(path)
    assert told.startswith("food.nt, line 2: not N-Triples (")
    assert told.endswith("); take or copy the snapshot again")


def test_values_that_are_no_items(facts_of: Callable[..., Facts]):
    facts = facts_of(
        'Q1 P495 "France"\nQ1 P527 _:b\nQ1 P527 <http://www.wikidata.org/.well-known/genid/1f>\n'
        "Q1 P186 <http://example.org/wood>\nQ1 P495 P31\nQ1 P527 Q2"
    )
    assert facts.claims.drop_nulls().rows() == [("Q1", "P527", "Q2")]
    assert findings(facts) == [
        (kind, "facts.nt:Q1", f"{name} has the value {value!r}, which names no item")
        for kind, name, value in (
            ("no-entity", "P186", "http://example.org/wood"),
            ("no-entity", "P495", "France"),
            ("no-entity", "P495", "http://www.wikidata.org/entity/P31"),
            ("unknown-value", "P527", ""),
            ("unknown-value", "P527", "http://www.wikidata.org/.well-known/genid/1f"),
        )
    ]


def left_out(item: str, text: str, column: str = "label") -> tuple[str, str, str]:
    told = f"the {column} {text} is blank, in no language, or one of several; left out"
    return ("unusable-text", f"facts.nt:{item}", told)


def test_labels_without_or_with_a_wrong_language(facts_of: Callable[..., Facts]):
    facts = facts_of(
        "Q1 label :bread\nQ1 label en:bread\nQ1 label simple:bread\nQ2 label en-muchtoolong:bread\n"
        "Q2 description :food\nQ3 label zh-Hans:面包\n" + LINE.replace('"bread"@en', "_:b")
    )
    assert facts.labels.rows() == [("Q1", "en", "bread"), ("Q3", "zh-hans", "面包")]
    assert facts.descriptions.is_empty()
    assert findings(facts) == [
        left_out("Q1", "'' in ''"),
        left_out("Q1", "'bread' in ''"),
        left_out("Q1", "'bread' in 'simple'"),
        left_out("Q2", "'bread' in 'en-muchtoolong'"),
        left_out("Q2", "'food' in ''", "description"),
    ]


def test_blank_and_repeated_labels(facts_of: Callable[..., Facts]):
    facts = facts_of(
        "Q1 label en:  \nQ2 label en:rye\nQ2 label en:bread\nQ3 label fr:\nQ4 label en: \nQ4 label en:oat"
    )
    assert facts.labels.rows() == [("Q2", "en", "bread"), ("Q4", "en", "oat")]
    assert findings(facts) == [
        left_out("Q1", "'' in 'en'"),
        left_out("Q2", "'rye' in 'en'"),
        left_out("Q3", "'' in 'fr'"),
        left_out("Q4", "'' in 'en'"),
    ]
