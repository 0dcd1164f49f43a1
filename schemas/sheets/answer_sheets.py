"""The answer sheet: what reviewers fill in with a spreadsheet, and how its texts survive one.

Spreadsheets turn ``18:00`` into ``18:00:00`` or ``0.75``, ``5/10`` into a day of this year, ``=1`` into a
formula. Two things make up for it. Texts that one would rewrite are written with an apostrophe before them,
which keeps them text. And every row ends with a mark that is computed from the answer, so that an answer is
recognised even where it was rewritten, and never guessed.
"""

import re
from hashlib import sha256
from typing import NamedTuple

import polars as pl

from blend.schemas.sheets.spreadsheet_cells import may_be_rewritten

ANSWER_SHEET = pl.Schema(
    {
        "template_id": pl.String(),
        "locale": pl.String(),
        "question": pl.String(),
        "format": pl.String(),
        "answer": pl.String(),
        "annotators": pl.String(),
        "group": pl.String(),
        "english": pl.String(),
        "invalid": pl.String(),
        "reason": pl.String(),
        "notes": pl.String(),
        "check": pl.String(),
        "source": pl.String(),
    }
)
"""One row per answer to a question, all text; the reviewer edits ``group``, ``english``, ``invalid`` and
``reason``.

``answer`` is cleaned (`text_comparison.clean`), ``annotators`` how many gave it, ``format`` empty for free
text, ``check`` the mark of the row (`Mark`). ``source`` is the place of the row, and stands in no file.
"""

READ_AGAIN = ("template_id", "locale", "answer", "group", "english", "invalid", "reason", "check")
"""Columns that a sheet cannot come back without: a mark in one that was renamed would not be seen."""

INVALID = "x"
"""What marks an answer as none; `TICKS` are understood as well."""

TICKS = frozenset({"x", "yes", "true", "1", "invalid"})
NO_TICKS = frozenset({"", "no", "false", "0"})

_BETWEEN = re.compile(r"(?<!\\)[|｜]")
_MARK = re.compile(r"(\d+) of (\d+) ([0-9a-f]{8})")


class Mark(NamedTuple):
    """What the column ``check`` says: ``2 of 5 9f3c2b1d``."""

    number: int
    """Number of the row among those of its question, from 1: the order in which they were proposed."""
    total: int
    """Rows of the question."""
    digest: str
    """What tells the answer from every other one, whatever becomes of its text."""

    @classmethod
    def parse(cls, text: str) -> "Mark | None":
        """The mark in a cell, or null where it is none."""
        found = _MARK.fullmatch(text.strip())
        return None if found is None else cls(int(found[1]), int(found[2]), found[3])

    def __str__(self) -> str:
        """The mark as it stands in the cell."""
        return f"{self.number} of {self.total} {self.digest}"


def digest_of(template_id: str, locale: str, answer: str) -> str:
    """What tells a row from all others."""
    return sha256(f"{template_id}\0{locale}\0{answer}".encode()).hexdigest()[:8]


def guarded(text: str) -> str:
    """A text as it is written into a sheet: behind an apostrophe if a spreadsheet might rewrite it."""
    return f"'{text}" if text.startswith("'") or may_be_rewritten(text) else text


def unguarded(cell: str) -> str:
    """The text of a cell, whether or not the apostrophe came back."""
    return cell.removeprefix("'")


def joined(texts: list[str]) -> str:
    """Several English answers as one cell, the preferred one first."""
    return " | ".join(re.sub(r"([|｜])", r"\\\1", text) for text in texts)


def parted(cell: str) -> list[str]:
    """The English answers of a cell, each once, in its order; a wide ｜, as in East Asia, parts as | does."""
    parts = (re.sub(r"\\([|｜])", r"\1", part).strip() for part in _BETWEEN.split(cell))
    return list(dict.fromkeys(part for part in parts if part))
