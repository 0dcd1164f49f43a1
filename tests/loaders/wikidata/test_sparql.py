"""An endpoint's faults over HTTP and through SPARQLWrapper: what is asked again, what is not."""

import re
import socket
from collections.abc import Callable
from typing import Any

import pytest

from blend.loaders.wikidata.facts import DIRECT, ENTITY
from blend.loaders.wikidata.sparql import RequestPolicy, SparqlClient, TooHeavyError
from helpers.messages import wrong
from helpers.wikidata.wikidata_endpoint import FAULTS, HALF, PAGE, status

FACTS = """
    Q1 P31 Q746549
    Q2 P31 Q746549
    Q3 P31 Q746549
    Q4 P31 Q746549
"""
PATTERN = f"?s ?p <{ENTITY}Q746549> . BIND(<{ENTITY}Q746549> AS ?o)"
TRIPLES = [f"<{ENTITY}Q{n}> <{DIRECT}P31> <{ENTITY}Q746549> ." for n in (1, 2, 3, 4)]


def client_of(url: str, waits: list[float] | None = None, **policy: Any) -> SparqlClient:
    sleep = (lambda seconds: None) if waits is None else waits.append
    return SparqlClient(url, RequestPolicy(**{"agent": "tests (a@b.example)", "sleep": sleep, **policy}))


@pytest.fixture
def endpoint(serve: Callable[[str], Any]) -> Any:
    return serve(FACTS)


def test_an_answer_is_its_triples_in_order(endpoint: Any):
    assert client_of(endpoint.url).construct(PATTERN) == TRIPLES
    assert endpoint.log[0].agent == "tests (a@b.example)"


LATER = "what it has answered is kept; run the same command again later to go on"


@pytest.mark.parametrize(
    ("fault", "what"),
    [
        ("html", "answers text/html instead of triples: " + repr(PAGE)),
        ("json_cut", "answers application/sparql-results+json instead of triples: " + repr(HALF)),
        ("cut", "ends its answer in the middle"),
        ("cut_between_triples", "answers 2 of 4 triples"),
        ("cut_in_a_triple", None),
        ("zipped_cut", "ends its compressed answer in the middle"),
        ("hang_up", "cannot be reached (Remote end closed connection without response)"),
    ],
)
def test_a_damaged_answer_is_asked_for_again_and_told_when_it_lasts(
    endpoint: Any, fault: str, what: str | None
):
    endpoint.faults[0] = FAULTS[fault]
    assert client_of(endpoint.url).construct(PATTERN) == TRIPLES
    assert [asked.answered for asked in endpoint.log] == [False, True]
    if what is not None:
        endpoint.faults.update({2: FAULTS[fault], 3: FAULTS[fault]})
        told = wrong(lambda: client_of(endpoint.url, tries=2).construct(PATTERN, divisible=False))
        assert told == f"{endpoint.url}: {what}, 2 times in a row; {LATER}"


def test_an_endpoint_that_is_down():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/sparql"
        waits: list[float] = []
        told = wrong(lambda: client_of(url, waits, tries=3, first_wait_s=2.0).construct(PATTERN))
    refused = r": cannot be reached \(\[Errno \d+\] Connection refused\), 3 times in a row; "
    assert re.fullmatch(re.escape(url) + refused + LATER, told)
    assert waits == [2.0, 4.0]


@pytest.mark.parametrize("code", [429, 500, 503])
def test_retry_after_seconds_are_honoured(endpoint: Any, code: int):
    endpoint.faults[0] = status(code, "busy", Retry_After="17")
    waits: list[float] = []
    client_of(endpoint.url, waits, pause_s=0.5).construct(PATTERN)
    assert waits == [17.0, 0.5]


def test_a_service_that_asks_for_hours_is_left_alone(endpoint: Any):
    endpoint.faults[0] = status(429, "banned", Retry_After="7200")
    told = wrong(lambda: client_of(endpoint.url).construct(PATTERN))
    assert told == f"{endpoint.url}: answers HTTP 429 and asks to wait 7200 s; {LATER}"


@pytest.mark.parametrize(
    "fault",
    [
        status(500, "java.util.concurrent.TimeoutException"),
        status(504, "upstream request timeout"),
        FAULTS["timeout_inside"],
    ],
)
def test_a_timeout_asks_for_less(endpoint: Any, fault: Any):
    endpoint.faults[0] = fault
    with pytest.raises(TooHeavyError, match="ran out of time"):
        client_of(endpoint.url).construct(PATTERN)
    assert len(endpoint.log) == 1


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (400, "does not understand the query"),
        (401, "wants a user name and password"),
        (403, "refuses this client"),
        (404, "there is no endpoint at this address"),
        (405, "takes no questions by POST"),
        (410, "does not answer"),
        (501, "takes no questions by POST"),
    ],
)
def test_a_refusal_is_final(endpoint: Any, code: int, reason: str):
    endpoint.faults[0] = status(code, "No.")
    told = wrong(lambda: client_of(endpoint.url).construct(PATTERN))
    assert told == f"{endpoint.url}: {reason} (HTTP {code}): 'No.'; check the address and the contact given"
    assert len(endpoint.log) == 1


def test_blank_nodes_get_the_same_address_every_time(serve: Callable[[str], Any]):
    def answer(name: str) -> list[str]:
        endpoint = serve(f"Q1 P495 _:{name}\nQ2 P495 _:{name}x")
        return client_of(endpoint.url).construct(f"?s <{DIRECT}P495> ?o . BIND(<{DIRECT}P495> AS ?p)")

    first = answer("b0")
    assert first == answer("something")
    assert len(set(first)) == 2
    assert all("/.well-known/genid/" in line for line in first)
