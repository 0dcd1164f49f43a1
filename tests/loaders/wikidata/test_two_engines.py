"""Two engines that answer in different forms give the same bytes; endpoints by their names."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from blend.loaders.wikidata.snapshot import take_snapshot
from blend.loaders.wikidata.sparql import EndpointError, RequestPolicy, find_endpoint
from blend.schemas.errors import InputError
from blend.schemas.recipe import domains
from helpers.wikidata import rdflib_endpoint
from helpers.wikidata.rdflib_endpoint import Restricted

DISH = domains()["dish"]

FACTS = """
    Q10 P31 Q746549
    Q11 P279 Q10
    Q10 P279 Q11
    Q12 P31 Q746549
    Q10 P495 Q100
    Q10 P527 Q200
    Q10 P18 <http://commons.wikimedia.org/wiki/Special:FilePath/A%20%28b%29.jpg>
    Q10 P527 "a \\"text\\""
    Q12 P495 _:unknown
    Q12 P495 _:other
    Q12 P186 _:unknown
    Q100 P31 Q6256
    Q100 P30 Q46
    Q101 P31 Q3024240
    Q10 label en:bread
    Q10 label ru:хлеб \\"белый\\" \\\\ \\u2028
    Q10 label en-gb:loaf
    Q10 description en:food
    Q100 label en:France
    Q200 label en:flour
    Q46 label en:Europe
"""
GENID = "http://www.wikidata.org/.well-known/genid/"


def policy(said: list[str] | None = None, **changed: Any) -> RequestPolicy:
    told = (lambda sentence: None) if said is None else said.append
    quick = {"pause_s": 0, "first_wait_s": 0, "tries": 3, "sleep": lambda seconds: None, "on_wait": told}
    return RequestPolicy(agent="tests", **{**quick, **changed})


@pytest.fixture
def second(shorthand: Callable[[str], str]) -> Iterator[Callable[..., Restricted]]:
    """Serve the facts by another engine until the test ends."""
    from contextlib import ExitStack

    with ExitStack() as running:
        yield lambda facts=FACTS, **restrictions: running.enter_context(
            rdflib_endpoint.serve(shorthand(facts), **restrictions)
        )


@pytest.fixture
def expected(serve: Callable[[str], Any], tmp_path: Path) -> bytes:
    """The snapshot that the usual test endpoint gives."""
    out = tmp_path / "expected" / "f.nt.gz"
    take_snapshot(out, DISH, endpoint=serve(FACTS).url, policy=policy())
    return out.read_bytes()


def taken(endpoint: Restricted, out: Path, said: list[str] | None = None, **options: Any) -> bytes:
    take_snapshot(out / "f.nt.gz", DISH, endpoint=endpoint.url, policy=policy(said), **options)
    return (out / "f.nt.gz").read_bytes()


@pytest.mark.landing
@pytest.mark.slow
def test_two_engines_give_the_same_bytes(second: Callable[..., Restricted], expected: bytes, tmp_path: Path):
    said: list[str] = []
    assert taken(second(), tmp_path / "out", said) == expected
    assert said == []


def test_an_address_of_something_else_is_asked_once(second: Callable[..., Restricted], tmp_path: Path):
    endpoint = second(kind="text/html")
    with pytest.raises(EndpointError) as error:
        taken(endpoint, tmp_path)
    assert str(error.value).startswith(f"{endpoint.url}: answers text/html instead of triples: '<")
    assert str(error.value).endswith("; check the address, or run the same command again later")
    assert endpoint.n_asked == 1
    assert list(tmp_path.iterdir()) == []


def test_unknown_values_are_the_same_whether_blank_or_named(serve: Callable[[str], Any], tmp_path: Path):
    blank, named = serve(FACTS), serve(FACTS.replace("_:unknown", f"<{GENID}{17:032x}>"))
    for name, endpoint in (("blank", blank), ("named", named)):
        take_snapshot(tmp_path / name / "f.nt.gz", DISH, endpoint=endpoint.url, policy=policy())
    assert (tmp_path / "blank" / "f.nt.gz").read_bytes() == (tmp_path / "named" / "f.nt.gz").read_bytes()


@pytest.mark.parametrize("name", ["wdqs", "wdqs-scholarly"])
def test_services_that_want_a_contact(tmp_path: Path, name: str):
    with pytest.raises(InputError) as error:
        take_snapshot(tmp_path / "f.nt.gz", DISH, endpoint=name)
    assert str(error.value) == (
        f"the {find_endpoint(name).title} wants to know whom to reach about its use; "
        "give a mail or web address as `contact`"
    )
