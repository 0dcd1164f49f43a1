"""Probes of an endpoint: one question about nothing in its data, to which the right answer is known.

The question uses everything that the questions of a snapshot use, so an endpoint that answers it right is asked
nothing else. If it refuses, small questions find out how it can be asked, or what it lacks.
"""

import json
from dataclasses import replace
from pathlib import Path

from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import read_content
from blend.loaders.wikidata.sparql import METHODS, EndpointError, RefusedError, SparqlClient
from blend.loaders.wikidata.store import DIRECT, ENTITY, LABEL

SERVER_NAME = "server.json"
"""How the endpoint of a snapshot is asked, in the folder of its answers."""

_ITEM = f"<{ENTITY}Q17>"
_TEXTS = (r'"\u043F\u0438\u0440\u043E\u0433 \U0001F967 \"\\ \u2028"@ru', '"pie"@en-gb')
_NUMBER = '"01"^^<http://www.w3.org/2001/XMLSchema#integer>'

PROBE = (
    f'{{ VALUES ?o {{ {" ".join(_TEXTS)} "Pie"@de }} BIND({_ITEM} AS ?s) BIND(<{LABEL}> AS ?p) '
    'FILTER(LANG(?o) IN ("ru", "en-gb")) } UNION '
    f"{{ VALUES ?o {{ {_ITEM} {_NUMBER} }} BIND({_ITEM} AS ?s) BIND(<{DIRECT}P1> AS ?p) "
    'FILTER(isIRI(?s)) FILTER(STRENDS(STR(?s), "7")) }'
)
"""Two texts and a number that must come back as they are, an item, and a text that must not."""

_ANSWER = [
    f'{_ITEM} <{LABEL}> "pie"@en-gb .',
    f'{_ITEM} <{LABEL}> "пирог 🥧 \\"\\\\ \u2028"@ru .',
    f"{_ITEM} <{DIRECT}P1> {_ITEM} .",
]
"""What comes back beside the number, in order."""

FEATURES = {
    "CONSTRUCT": "CONSTRUCT { <urn:a> <urn:b> <urn:c> } WHERE { }",
    "VALUES": "CONSTRUCT { <urn:a> <urn:b> ?o } WHERE { VALUES ?o { <urn:c> } }",
    "BIND": "CONSTRUCT { <urn:a> <urn:b> ?o } WHERE { BIND(<urn:c> AS ?o) }",
    "UNION": "CONSTRUCT { <urn:a> <urn:b> <urn:c> } WHERE { { } UNION { } }",
    "COUNT in a subquery": (
        "CONSTRUCT { <urn:a> <urn:b> ?n } WHERE "
        "{ SELECT (COUNT(*) AS ?n) WHERE { SELECT DISTINCT ?s WHERE { BIND(1 AS ?s) } } }"
    ),
    "FILTER": (
        "CONSTRUCT { <urn:a> <urn:b> ?o } WHERE "
        '{ BIND("a1"@en AS ?o) FILTER(LANG(?o) IN ("en") && STRENDS(STR(?o), "1") && !isIRI(?o)) }'
    ),
}
"""What the questions of a snapshot need, each with a question that needs little else."""


def probe(client: SparqlClient, folder: Path | None = None) -> SparqlClient:
    """The client as the endpoint can be asked; what is unusual is told in a sentence (``policy.on_wait``).

    Args:
        client: Asks the endpoint in the usual way.
        folder: Where it is remembered, so that a snapshot that goes on asks nothing again.

    Raises:
        EndpointError: If the endpoint cannot be asked, lacks what is needed, or gives texts back changed.
    """
    path = None if folder is None else folder / SERVER_NAME
    if path is not None and path.exists():
        return replace(client, method=json.loads(read_content(path))["method"])
    try:
        lines = client.construct(PROBE, divisible=False, has_answered=False)
    except RefusedError as refusal:
        client = _another_way(client, refusal)
        lines = client.construct(PROBE, divisible=False)
    _check_answer(client, lines)
    if path is not None:
        atomic_write(path, json.dumps({"method": client.method}) + "\n")
    return client


def _another_way(client: SparqlClient, refusal: RefusedError) -> SparqlClient:
    """The client with a method by which the endpoint can be asked at all, if it lacks nothing else."""
    for method in METHODS:
        other = replace(client, method=method)
        if other.accepts(FEATURES["CONSTRUCT"]):
            break
    else:
        raise refusal
    lacking = [name for name, query in FEATURES.items() if not other.accepts(query)]
    if lacking:
        raise EndpointError(
            f"{client.endpoint}: lacks what a snapshot asks with: {', '.join(lacking)}; ask another endpoint, "
            "or read a dump"
        )
    if method != client.method:
        usual, found = METHODS[client.method], METHODS[method]
        client.policy.on_wait(f"{client.endpoint}: takes no questions by {usual}; asked by {found}")
    return other


def _check_answer(client: SparqlClient, lines: list[str]) -> None:
    numbers = [line for line in lines if line.startswith(f'{_ITEM} <{DIRECT}P1> "')]
    others = [line for line in lines if line not in numbers]
    if others != _ANSWER:
        raise EndpointError(
            f"{client.endpoint}: gives back {others} where {_ANSWER} were expected; a snapshot from it would "
            "be wrong, so ask another endpoint, or read a dump"
        )
    if numbers != [f"{_ITEM} <{DIRECT}P1> {_NUMBER} ."]:
        form = numbers[0].split(" ")[2].partition("^")[0] if numbers else "nothing"
        client.policy.on_wait(
            f'{client.endpoint}: writes numbers in a form of its own, {form} for "01"; a snapshot of a domain '
            "that asks for numbers or dates differs from that of another endpoint"
        )
