"""Entities in the JSON of Wikidata's dumps, made of the statements of a truthy dump.

The truthy statements of the entities are exactly those that were given: beside them stand others of lower rank.
"""

import json
import random
from collections.abc import Iterator
from itertools import groupby
from typing import IO, Any
from urllib.parse import unquote

from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, parse

from blend.loaders.wikidata.store import DESCRIPTION, DIRECT, ENTITY, LABEL

MEDIA = "http://commons.wikimedia.org/wiki/Special:FilePath/"
TEXTS = {LABEL: "labels", DESCRIPTION: "descriptions"}
TRAP = '{"mainsnak":{"snaktype":"value","property":"P31"},"type":"statement","rank":"preferred"} "P31":['
"""A text that holds what statements begin with."""


def entity_lines(triples: bytes | IO[bytes], seed: int = 0) -> Iterator[str]:
    """The lines of a dump; statements about anything else than an entity are left out, as in JSON."""
    choose = random.Random(seed)
    yield "[\n"
    ahead: str | None = None
    for subject, found in groupby(
        parse(triples, format=RdfFormat.N_TRIPLES, lenient=True), lambda t: t.subject
    ):
        qid = str(subject.value).removeprefix(ENTITY)
        if isinstance(subject, NamedNode) and qid[:1] in "QP" and qid[1:].isdecimal():
            if ahead is not None:
                yield f"{ahead},\n"
            ahead = json.dumps(entity(qid, list(found), choose), separators=(",", ":"))
    yield "\n]\n" if ahead is None else f"{ahead}\n]\n"


def entity(qid: str, triples: list[Any], choose: random.Random) -> dict[str, Any]:
    """An entity with these truthy statements, labels and descriptions."""
    texts: dict[str, dict[str, Any]] = {name: {} for name in TEXTS.values()}
    claims: dict[str, list[Any]] = {}
    for triple in triples:
        name = triple.predicate.value
        if name in TEXTS:
            tag = triple.object.language
            texts[TEXTS[name]][tag] = {"language": tag, "value": triple.object.value}
        elif name.startswith(DIRECT):
            claims.setdefault(name.removeprefix(DIRECT), []).append(snak(triple))
    ranked = {name: statements(qid, snaks, choose) for name, snaks in claims.items()}
    if (
        choose.random() < 0.2
    ):  # a property of which only deprecated statements are known, and one without a value
        ranked.setdefault("P279", [statement(qid, item_snak("P279", "Q746549"), "deprecated", choose)])
        ranked.setdefault(
            "P495", [statement(qid, {"snaktype": "novalue", "property": "P495"}, "normal", choose)]
        )
    # Without any, PHP writes an empty list.
    kind = "item" if qid.startswith("Q") else "property"
    datatype = {"datatype": "wikibase-item"} if kind == "property" else {}
    return {
        "type": kind,
        **datatype,
        "id": qid,
        "labels": texts["labels"] or [],
        "descriptions": texts["descriptions"] or [],
        "aliases": {
            "en": [{"language": "en", "value": text} for text in (TRAP, "rank", "mainsnak", "statement")]
        },
        "claims": ranked or [],
        "sitelinks": {"enwiki": {"site": "enwiki", "title": TRAP, "badges": []}},
    }


def statements(qid: str, snaks: list[dict[str, Any]], choose: random.Random) -> list[dict[str, Any]]:
    """These as the best statements of their property, among others."""
    best = choose.choice(("normal", "preferred"))
    others = ["deprecated"] * choose.randint(0, 2) + ["normal"] * (best == "preferred")
    name = snaks[0]["property"]
    found = [statement(qid, each, best, choose) for each in snaks]
    found += [statement(qid, item_snak(name, f"Q{choose.randint(1, 999)}"), rank, choose) for rank in others]
    choose.shuffle(found)
    return found


def statement(qid: str, snak: dict[str, Any], rank: str, choose: random.Random) -> dict[str, Any]:
    more = {"P31": [item_snak("P31", "Q746549")], "P1": [{"snaktype": "somevalue", "property": "P1"}]}
    qualified = {"qualifiers": more, "qualifiers-order": list(more)} if choose.random() < 0.3 else {}
    sources = [{"hash": f"{choose.getrandbits(160):040x}", "snaks": more, "snaks-order": list(more)}]
    return {
        "mainsnak": snak,
        "type": "statement",
        **qualified,
        "id": f"{qid}${choose.getrandbits(128):032X}",
        "rank": rank,
        "references": sources,
    }


def item_snak(name: str, qid: str) -> dict[str, Any]:
    value = {"entity-type": "item", "numeric-id": int(qid[1:]), "id": qid}
    return value_snak(name, "wikibase-item", "wikibase-entityid", value)


def value_snak(name: str, datatype: str, kind: str, value: Any) -> dict[str, Any]:
    return {
        "snaktype": "value",
        "property": name,
        "datavalue": {"value": value, "type": kind},
        "datatype": datatype,
    }


def snak(triple: Any) -> dict[str, Any]:
    """The value of a statement as JSON has it."""
    name, thing = triple.predicate.value.removeprefix(DIRECT), triple.object
    if isinstance(thing, BlankNode) or "/.well-known/genid/" in thing.value:
        return {"snaktype": "somevalue", "property": name, "datatype": "wikibase-item"}
    if isinstance(thing, Literal):
        if thing.language is not None:
            text = {"text": thing.value, "language": thing.language}
            return value_snak(name, "monolingualtext", "monolingualtext", text)
        kind = "time" if thing.datatype.value.endswith("dateTime") else "string"
        return value_snak(name, kind, kind, thing.value)
    if thing.value.startswith(ENTITY):
        return item_snak(name, thing.value.removeprefix(ENTITY))
    if thing.value.startswith(MEDIA):
        return value_snak(name, "commonsMedia", "string", unquote(thing.value.removeprefix(MEDIA)))
    return value_snak(name, "url", "string", thing.value)
