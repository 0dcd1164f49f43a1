"""An endpoint's faults over HTTP and through SPARQLWrapper: what is asked again, what is not."""

import re
import socket
from collections.abc import Callable
from typing import Any

import pytest

from blend.loaders.wikidata.facts import DIRECT, ENTITY
from blend.loaders.wikidata.sparql import EndpointError, RequestPolicy, SparqlClient, TooHeavyError

FACTS = """
    Q1 P31 Q746549
    Q2 P31 Q746549
    Q3 P31 Q746549
    Q4 P31 Q746549
"""
PATTERN = f"?s ?p <{ENTITY}Q746549> . BIND(<{ENTITY}Q746549> AS ?o)"
TRIPLES = [f"<{ENTITY}Q{n}> <{DIRECT}P31> <{ENTITY}Q746549> ." for n in (1, 2, 3, 4)]


PAGE = "<!DOCTYPE html><html><body>Down for maintenance</body></html>"
HALF = '{"results": {"bindings": [{"s": {"type": "uri", "val'


def client_of(url: str, waits: list[float] | None = None, **policy: Any) -> SparqlClient:
    sleep = (lambda seconds: None) if waits is None else waits.append
    return SparqlClient(url, RequestPolicy(**{"agent": "tests (a@b.example)", "sleep": sleep, **policy}))


@pytest.fixture
def endpoint(serve: Callable[[str], Any]) -> Any:
    return serve(FACTS)


def test_an_answer_is_its_triples_in_order(endpoint: Any):
    assert client_of(endpoint.url).construct(PATTERN) == TRIPLES
    assert endpoint.log[0].agent == "tests (a@b.example)"


@pytest.mark.parametrize(
    "fault",
    ["html", "json_cut", "cut", "cut_between_triples", "cut_in_a_triple", "zipped_cut", "hang_up"],
)
def test_a_damaged_answer_is_asked_for_again(endpoint: Any, endpoints: Any, fault: str):
    endpoint.faults[0] = getattr(endpoints, fault)
    assert client_of(endpoint.url).construct(PATTERN) == TRIPLES
    assert [asked.answered for asked in endpoint.log] == [False, True]


@pytest.mark.parametrize(
    ("fault", "what"),
    [
        ("html", "answers text/html instead of triples: " + repr(PAGE)),
        ("json_cut", "answers application/sparql-results+json instead of triples: " + repr(HALF)),
        ("cut", "ends its answer in the middle"),
        ("cut_between_triples", "answers 2 of 4 triples"),
        ("zipped_cut", "ends its compressed answer in the middle"),
        ("hang_up", "cannot be reached (Remote end closed connection without response)"),
    ],
)
def test_what_is_said_about_lasting_damage(endpoint: Any, endpoints: Any, fault: str, what: str):
    endpoint.faults.update({0: getattr(endpoints, fault), 1: getattr(endpoints, fault)})
    with pytest.raises(EndpointError) as error:
        client_of(endpoint.url, tries=2).construct(PATTERN, divisible=False)
    later = "what it has answered is kept; run the same command again later to go on"
    assert str(error.value) == f"{endpoint.url}: {what}, 2 times in a row; {later}"


def test_an_endpoint_that_is_down():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/sparql"
        waits: list[float] = []
        with pytest.raises(EndpointError) as error:
            client_of(url, waits, tries=3, first_wait_s=2.0).construct(PATTERN)
    assert re.fullmatch(
        re.escape(url) + r": cannot be reached \(\[Errno \d+\] Connection refused\), 3 times in a row; "
        "what it has answered is kept; run the same command again later to go on",
        str(error.value),
    )
    assert waits == [2.0, 4.0]


@pytest.mark.parametrize("code", [429, 500, 503])
def test_retry_after_seconds_are_honoured(endpoint: Any, endpoints: Any, code: int):
    endpoint.faults[0] = endpoints.status(code, "busy", Retry_After="17")
    waits: list[float] = []
    client_of(endpoint.url, waits, pause_s=0.5).construct(PATTERN)
    assert waits == [17.0, 0.5]


def test_a_service_that_asks_for_hours_is_left_alone(endpoint: Any, endpoints: Any):
    endpoint.faults[0] = endpoints.status(429, "banned", Retry_After="7200")
    with pytest.raises(EndpointError) as error:
        client_of(endpoint.url).construct(PATTERN)
    assert str(error.value) == (
        f"{endpoint.url}: answers HTTP 429 and asks to wait 7200 s; what it has answered is kept; "
        "run the same command again later to go on"
    )


@pytest.mark.parametrize("fault", ["status500", "status504", "timeout_inside"])
def test_a_timeout_asks_for_less(endpoint: Any, endpoints: Any, fault: str):
    endpoint.faults[0] = {
        "status500": endpoints.status(500, "java.util.concurrent.TimeoutException"),
        "status504": endpoints.status(504, "upstream request timeout"),
        "timeout_inside": endpoints.timeout_inside,
    }[fault]
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
        (410, "does not answer"),
    ],
)
def test_a_refusal_is_final(endpoint: Any, endpoints: Any, code: int, reason: str):
    endpoint.faults[0] = endpoints.status(code, "No.")
    with pytest.raises(EndpointError) as error:
        client_of(endpoint.url).construct(PATTERN)
    assert str(error.value) == (
        f"{endpoint.url}: {reason} (HTTP {code}): 'No.'; check the address and the contact given"
    )
    assert len(endpoint.log) == 1


def test_blank_nodes_get_the_same_address_every_time(serve: Callable[[str], Any]):
    def answer(name: str) -> list[str]:
        endpoint = serve(f"Q1 P495 _:{name}\nQ2 P495 _:{name}x")
        return client_of(endpoint.url).construct(f"?s <{DIRECT}P495> ?o . BIND(<{DIRECT}P495> AS ?p)")

    first = answer("b0")
    assert first == answer("something")
    assert len(set(first)) == 2
    assert all("/.well-known/genid/" in line for line in first)
