"""Dumps in N-Triples, a statement a line: which lines are wanted, decided before any is parsed."""

import re
from collections.abc import Callable, Collection

import polars as pl

from blend.loaders.wikidata.store import ENTITY

_TRIPLE = re.compile(rb"(?:<[^<>\s]+>|_:\S+) <[^<>\s]+> \S.* \.$|#|$", re.MULTILINE)
"""A line as Wikidata writes it: one blank between the terms, as the search for properties expects."""

_ID_CHARACTERS = 12
"""The longest identifier with the ``>`` behind it; so short a text is held in the column, not beside it."""


def misfit(block: bytes) -> bytes | None:
    """The first or last line of a block of whole lines, if it is not a triple; others are parsed if wanted."""
    for start in (0, block.rfind(b"\n", 0, -1) + 1):
        # Found in place: to cut a line out of a block must not copy the block.
        if not _TRIPLE.match(block, start):
            return block[start : start + 80].partition(b"\n")[0]
    return None


def search(properties: Collection[str], subjects: Collection[str] | None) -> Callable[[bytes], pl.DataFrame]:
    """A function that finds the wanted lines of a block: ``subject``, ``property``, ``object``."""
    iris = [f"<{name}>" for name in properties]
    terms = pl.col("line").str.splitn(" ", 3).struct.rename_fields(["subject", "property", "object"])
    is_wanted = pl.col("property").is_in(iris)
    if subjects is None:
        is_wanted &= pl.col("subject").str.starts_with("<")
        # Most lines hold no such ending. It is looked for without what all addresses begin with, since the
        # engine looks for the first characters, and these should be rare.
        endings = "|".join(re.escape(re.split("[/#]", name)[-1]) for name in properties)
        may_be_wanted = pl.col("line").str.contains(f"[/#](?:{endings})> ")
    else:
        # Categories are hashed once; `is_in` would hash all subjects again for every block.
        ids = pl.Enum([name.removeprefix(ENTITY) for name in subjects])
        addresses = pl.Enum([f"<{name}>" for name in subjects])
        start = pl.col("line").str.slice(len(f"<{ENTITY}"), _ID_CHARACTERS)
        id_of = start.str.splitn(">", 2).struct.field("field_0")
        may_be_wanted = id_of.cast(ids, strict=False).is_not_null()
        is_wanted &= pl.col("subject").cast(addresses, strict=False).is_not_null()

    def found(block: bytes) -> pl.DataFrame:
        lines = pl.read_lines(block).lazy().filter(may_be_wanted).select(terms).unnest("line").filter(is_wanted)
        return lines.with_columns(pl.col("object").str.strip_suffix(" .")).collect()

    return found
