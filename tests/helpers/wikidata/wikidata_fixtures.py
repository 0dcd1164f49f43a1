"""What the tests of Wikidata share: small snapshots written in shorthand, and the real one."""

import gzip
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from blend.loaders.wikidata.facts import DESCRIPTION, DIRECT, ENTITY, LABEL, Facts, read_facts
from blend.schemas.recipe import Domain, domains

DISH = domains()["dish"]
FACTS = (Path(__file__).parent / "facts.txt").read_text(encoding="utf-8")
"""Dishes and an instrument with all that can be odd about them, in the shorthand of `ntriples`."""


def ntriples(facts: str) -> str:
    """N-Triples from lines such as ``Q1 P31 Q2``, ``Q1 label en:bread``, ``Q1 description en:food``."""
    return "".join(_triple(line.strip()) + "\n" for line in facts.strip().splitlines() if line.strip())


def _triple(line: str) -> str:
    if line.startswith("<"):
        return line
    subject, predicate, value = line.split(" ", 2)
    if predicate in ("label", "description"):
        language, _, text = value.partition(":")
        name = LABEL if predicate == "label" else DESCRIPTION
        return f'<{ENTITY}{subject}> <{name}> "{text}"' + (f"@{language} ." if language else " .")
    target = value if value.startswith(("<", '"', "_:")) else f"<{ENTITY}{value}>"
    return f"<{ENTITY}{subject}> <{DIRECT}{predicate}> {target} ."


@pytest.fixture
def serve() -> Iterator[Callable[[str], Any]]:
    """Serve facts in shorthand until the test ends."""
    from helpers.wikidata.wikidata_endpoint import serve

    with ExitStack() as running:
        yield lambda facts: running.enter_context(serve(ntriples(facts).encode()))


@pytest.fixture
def facts_of(tmp_path: Path) -> Callable[..., Facts]:
    """The facts of a snapshot in shorthand."""

    def read(facts: str, domain: Domain = DISH) -> Facts:
        path = tmp_path / "facts.nt"
        path.write_text(ntriples(facts), encoding="utf-8")
        return read_facts(path, domain)

    return read


@pytest.fixture(scope="session")
def food_snapshot(shared: Path) -> Path:
    """The snapshot with the published dishes."""
    return shared / "data" / "wikidata" / "food_snapshot.nt.gz"


@pytest.fixture(scope="session")
def food_facts(food_snapshot: Path) -> Facts:
    return read_facts(food_snapshot, DISH)


@pytest.fixture(scope="session")
def food_triples(food_snapshot: Path) -> bytes:
    with gzip.open(food_snapshot) as triples:
        return triples.read()


@pytest.fixture(scope="session")
def food_release(once: Any, food_snapshot: Path) -> Path:
    """The release of the published dishes, made from their snapshot; not to be changed."""
    from blend.builders.release import build_release
    from blend.loaders.files.content import file_sha256
    from blend.schemas.recipe import Recipe

    recipe = Recipe.model_validate(
        {
            "name": "food",
            "version": "1.0.0",
            "license": "cc0-1.0",
            "sources": [
                {"kind": "wikidata", "location": str(food_snapshot), "sha256": file_sha256(food_snapshot)}
            ],
        }
    )
    return once.path("food", lambda out: build_release(recipe, out))
