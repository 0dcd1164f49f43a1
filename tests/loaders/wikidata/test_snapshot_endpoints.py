"""Endpoints that are none, refuse or keep one waiting: what is said, and that nothing is left behind."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blend.loaders.wikidata.snapshot import take_snapshots
from blend.loaders.wikidata.sparql import RequestPolicy
from blend.schemas.recipe import domains
from helpers.messages import wrong
from helpers.wikidata.wikidata_endpoint import QUICK, status

DISH = domains()["dish"]
FACTS = """
    Q10 P31 Q746549
    Q10 P495 Q100
    Q10 label en:bread
"""


def test_a_name_that_does_not_resolve_is_said_at_once_and_leaves_nothing(tmp_path: Path):
    said: list[str] = []
    endpoint = "http://nowhere.invalid/sparql"
    told = wrong(lambda: take_snapshots({tmp_path / "s.nt.gz": DISH}, endpoint=endpoint, on_wait=said.append))
    assert re.fullmatch(
        r"http://nowhere\.invalid/sparql: cannot be reached \(.+\); check the address and the network, and run "
        r"the same command again: what it has answered is kept",
        told,
    )
    assert said == []
    assert list(tmp_path.iterdir()) == []


def test_every_wait_is_announced_before_it(serve: Callable[[str], Any], tmp_path: Path):
    said: list[str] = []
    policy = RequestPolicy(
        "tests", first_wait_s=2, pause_s=0, tries=3, sleep=lambda seconds: None, on_wait=said.append
    )
    endpoint = serve(FACTS)
    endpoint.faults.update(dict.fromkeys(range(3), status(503, "overloaded")))
    assert "3 times in a row" in wrong(
        lambda: take_snapshots({tmp_path / "s.nt.gz": DISH}, endpoint=endpoint.url, policy=policy)
    )
    overloaded = f"{endpoint.url}: answers HTTP 503; asked again in"
    assert said == [f"{overloaded} 2 s (try 2 of 3)", f"{overloaded} 4 s (try 3 of 3)"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "endpoint",
    [
        "",
        "notaurl",
        "localhost:7001",
        "http://bücher.example/sparql",
        "http://user:secret@localhost:7001/sparql",
        "ftp://example.org/sparql",
    ],
)
def test_what_is_not_an_address_is_refused_before_anything_is_made(tmp_path: Path, endpoint: str):
    shown = endpoint.replace("user:secret@", "…@")
    out = tmp_path / "folder" / "s.nt.gz"
    assert wrong(lambda: take_snapshots({out: DISH}, endpoint=endpoint, policy=QUICK)) == (
        f"endpoint {shown!r}: not the address of a SPARQL endpoint; write it in full, with http:// or "
        "https:// and without a user name, for example 'http://localhost:7001', or a name: wdqs, "
        "qlever"
    )
    assert list(tmp_path.iterdir()) == []
