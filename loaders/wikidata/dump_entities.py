"""Dumps in JSON, an entity a line: the statements that the truthy dump has of it, as N-Triples terms.

A statement is found by how Wikidata's JSON begins one; only that piece of the line is parsed. Inside a text
every quotation mark is escaped, so what is looked for cannot stand in one.

References:
    https://doc.wikimedia.org/Wikibase/master/php/docs_topics_json.html for the JSON;
    https://www.mediawiki.org/wiki/Wikibase/Indexing/RDF_Dump_Format for its form in RDF: truthy statements are
    those of the best rank of their property, and never deprecated ones.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from typing import Any
from urllib.parse import quote

import polars as pl

from blend.loaders.wikidata.store import DESCRIPTION, DIRECT, ENTITY, LABEL
from blend.schemas.errors import InputError

_TEXTS = {"labels": LABEL, "descriptions": DESCRIPTION}

_ID = re.compile(rb'\{(?:"(?:type|datatype)":"[\w-]+",)*"id":"([A-Z][0-9]+)"')
"""The beginning of an entity: a property has its datatype before its id."""
_HEAD = 200
"""Bytes in which the id of an entity stands, with room for blanks."""
_STATEMENT = b'{"mainsnak":{"snaktype":"'
_END_OF_VALUE = b',"type":"statement"'
_RANK = re.compile(rb'"rank":"(preferred|normal|deprecated)"')
_KEY = b'"mainsnak":'
"""What a statement holds in whatever order, where `_ID` stands at the beginning of the line."""

_MEDIA = "http://commons.wikimedia.org/wiki/Special:FilePath/"
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r"})

_TAGS = {
    "simple": "en-simple",
    "crh": "crh-latn",
    "cbk-zam": "cbk-x-zam",
    "map-bms": "jv-x-bms",
    "nrm": "fr-x-nrm",
    "roa-tara": "it-x-tara",
    "de-formal": "de-x-formal",
    "es-formal": "es-x-formal",
    "hu-formal": "hu-x-formal",
    "nl-informal": "nl-x-informal",
}
"""Language tags that Wikidata writes in another way in RDF (its setting ``canonicalLanguageCodes``)."""


def misfit(block: bytes) -> bytes | None:
    """The first line of a block of whole lines that is not an entity as Wikidata writes one.

    In JSON with other blanks or another order of keys the search would find nothing, and say nothing.
    """
    lines = block.split(b"\n")
    wrong = next((line for line in lines if not _is_entity(line)), None)
    if wrong is None and not _is_searchable(block):
        wrong = next(line for line in lines if not _is_searchable(line))
    return wrong


def _is_entity(line: bytes) -> bool:
    """Whether a line is one, or the first or last line of the dump, or blank."""
    line = line.rstrip(b"\r,")
    return line in (b"", b"[", b"]") or (line.endswith(b"}") and _ID.match(line) is not None)


def has_blanks(line: bytes) -> bool:
    """Whether a line would begin as an entity does, but for blanks between names and values."""
    return _ID.match(line) is None and _ID.match(b"".join(line[:_HEAD].split())) is not None


def _is_searchable(lines: bytes) -> bool:
    """Whether the search finds where all statements of some lines begin."""
    return lines.count(_KEY) == lines.count(_STATEMENT)


def search(properties: Collection[str], subjects: Collection[str] | None) -> Callable[[bytes], pl.DataFrame]:
    """A function that finds what is wanted in a block: ``subject``, ``property``, ``object``."""
    pick = _texts(subjects) if subjects is not None else _statements(properties)
    schema = dict.fromkeys(("subject", "property", "object"), pl.String)

    def found(block: bytes) -> pl.DataFrame:
        entities = ((match[1].decode(), line) for line in block.split(b"\n") if (match := _ID.match(line)))
        return pl.DataFrame([row for qid, line in entities for row in pick(qid, line)], schema, orient="row")

    return found


_Rows = Callable[[str, bytes], Iterator[tuple[str, str, str]]]


def _statements(properties: Collection[str]) -> _Rows:
    """Finds the statements of some properties in the line of an entity."""
    names = "|".join(name.removeprefix(DIRECT) for name in properties).encode()
    start = re.compile(rb'\{"mainsnak":(?=\{"snaktype":"\w+","property":"(' + names + rb')")')

    def pick(qid: str, line: bytes) -> Iterator[tuple[str, str, str]]:
        ranked: dict[bytes, dict[bytes, list[bytes]]] = defaultdict(lambda: defaultdict(list))
        for match in start.finditer(line):
            following = line.find(_STATEMENT, match.end())
            value, _, rest = line[match.end() : None if following < 0 else following].partition(_END_OF_VALUE)
            rank = _RANK.search(rest)
            if rank is None:
                raise ValueError(f"a statement of {qid} without a rank behind its value")
            ranked[match[1]][rank[1]].append(value)
        for name, values in ranked.items():
            # A best statement that there is no value hides the others as well.
            for value in values[b"preferred"] or values[b"normal"]:
                term = _term(json.loads(value))
                if term is not None:
                    yield f"<{ENTITY}{qid}>", f"<{DIRECT}{name.decode()}>", term

    return pick


def _texts(subjects: Collection[str]) -> _Rows:
    """Finds labels and descriptions in the line of an entity, if it is one of the subjects."""

    def pick(qid: str, line: bytes) -> Iterator[tuple[str, str, str]]:
        if ENTITY + qid in subjects:
            entity = json.loads(line.rstrip(b",\r"))
            for key, name in _TEXTS.items():
                for text in (entity.get(key) or {}).values():  # without any it is an empty list
                    yield f"<{ENTITY}{qid}>", f"<{name}>", _literal(text["value"], text["language"])

    return pick


def _term(snak: dict[str, Any]) -> str | None:
    """A value as the truthy dump writes it; null if the statement is that there is none."""
    if snak["snaktype"] != "value":
        return "_:unknown" if snak["snaktype"] == "somevalue" else None
    value, kind = snak["datavalue"]["value"], snak["datatype"]
    if kind in ("wikibase-item", "wikibase-property", "wikibase-lexeme", "wikibase-form", "wikibase-sense"):
        return f"<{ENTITY}{value['id']}>"
    if kind == "commonsMedia":
        return f"<{_MEDIA}{quote(value, safe='')}>"
    if kind == "url":
        return f"<{value}>"
    if kind in ("string", "external-id"):
        return _literal(value)
    if kind == "monolingualtext":
        return _literal(value["text"], value["language"])
    raise InputError(
        f"values of {snak['property']} are of the type {kind}, which is not read from JSON; "
        "give latest-truthy.nt.gz"
    )


def _literal(text: str, tag: str | None = None) -> str:
    literal = f'"{text.translate(_ESCAPES)}"'
    return literal if tag is None else f"{literal}@{_TAGS.get(tag, tag)}"
