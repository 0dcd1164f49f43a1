"""Dumps in N-Triples, a statement a line: which lines are wanted, decided before any is parsed."""

import re
from collections.abc import Callable, Collection

import polars as pl

from blend.loaders.wikidata.store import ENTITY

_TRIPLE = re.compile(rb"(?:<[^<>\s]+>|_:\S+) <[^<>\s]+> \S.* \.\r?$|#|\r?$", re.MULTILINE)
"""A line as Wikidata writes it: one blank between the terms, as the search for properties expects."""

_LITERAL = r'"(?:[^"\\]|\\.)*"(?:@[A-Za-z0-9-]+|\^\^<[^<>]+>)?'
_EXACT = rf"^(?:<[^<>]+>|_:[^<> ]+) <[^<>]+> (?:<[^<>]+>|_:[^<> ]+|{_LITERAL}) \.$|^#"
"""The same to the end of the object. It takes too long for every line that may be wanted."""

_SUBJECT_BYTES = 2 * len(f"<{ENTITY}") - 1
"""Longest subject of a plain line: one that begins as an item does cannot hold another beginning in so few."""

_SHORT_BYTES = 80
"""Few lines are shorter, so their ends are looked at; to look at those of all takes a tenth of the search."""

_ID_CHARACTERS = 12
"""The longest identifier with the ``>`` behind it; so short a text is held in the column, not beside it."""


class WrongLine(ValueError):
    """A line is not as Wikidata's dumps write them."""

    def __init__(self, line: bytes) -> None:
        super().__init__(line)
        self.line = line


def misfit(block: bytes) -> bytes | None:
    """The first or last line of a block of whole lines, if it is not a triple; `search` sees to the others."""
    for start in (0, block.rfind(b"\n", 0, -1) + 1):
        # Found in place: to cut a line out of a block must not copy the block.
        if not _TRIPLE.match(block, start):
            end = block.find(b"\n", start)
            return block[start : None if end < 0 else end].rstrip(b"\r")
    return None


def search(properties: Collection[str], subjects: Collection[str] | None) -> Callable[[bytes], pl.DataFrame]:
    """A function that finds the wanted lines of a block: ``subject``, ``property``, ``object``.

    Where there are no subjects it raises `WrongLine` over a short line that does not end as a triple does, and
    over one that holds the ending of a wanted property and is not a triple, such as two lines in one.
    """
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
    is_short = pl.col("subject").str.len_bytes() <= _SUBJECT_BYTES
    is_item = pl.col("subject").str.starts_with(f"<{ENTITY}") & is_short
    is_plain = is_wanted & is_item & ~pl.col("object").str.contains(" <", literal=True)

    def found(block: bytes) -> pl.DataFrame:
        lines = pl.read_lines(block)
        may = lines.lazy().filter(may_be_wanted).select(terms).unnest("line")
        strip = pl.col("object").str.strip_suffix(" .")
        if subjects is not None:  # the first reading has seen every line
            return may.filter(is_wanted).with_columns(strip).collect()
        short = lines.filter(pl.col("line").str.len_bytes() < _SHORT_BYTES)
        _check_none(short.filter(~pl.col("line").str.contains(r" \.$|^#|^$")))
        kept = may.with_columns(is_plain=is_plain).collect()
        if not kept["is_plain"].all(ignore_nulls=False):
            _check_none(lines.filter(may_be_wanted).filter(~pl.col("line").str.contains(_EXACT)))
            kept = kept.filter(is_wanted)
        return kept.select("subject", "property", strip)

    return found


def _check_none(wrong: pl.DataFrame) -> None:
    if wrong.height:
        raise WrongLine(wrong["line"][0].encode())
