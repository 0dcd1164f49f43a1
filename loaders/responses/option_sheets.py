"""Files on the way to verdicts on options: the option sheet, out and in."""

import re
from pathlib import Path
from typing import NamedTuple

import polars as pl

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.new_files import write_text_sheet
from blend.loaders.files.rows import Cells, Columns, read_rows
from blend.loaders.responses.decisions import answer_key
from blend.schemas.errors import InputError, RowError
from blend.schemas.sheets import (
    ALL_VERDICTS,
    OPTION_SHEET,
    VERDICTS,
    option_mark,
    unguarded,
)
from blend.schemas.texts import clean

_MARKED = ("template_id", "locale", "question", "option", "role")
"""Columns of which the mark tells whether they are as they were proposed."""
_COLUMNS = Columns(
    (*_MARKED, "verdict", "why", "check"),
    others=True,
    rewritten=(*_MARKED, "check"),
    returned=True,
)


class OptionVerdict(NamedTuple):
    """A reader's verdict on an option of a question."""

    template_id: str
    locale: str
    """The locale asked about."""
    question: str
    """In English."""
    option: str
    verdict: str
    """One of `sheets.ALL_VERDICTS`."""
    why: str
    """Reason; may be empty."""
    location: str
    """Where it stands; empty for one that a model has just given."""
    confidence: float | None = None
    """How sure a model is of it, a fraction; null for a person's."""

    @property
    def subject(self) -> tuple[str, ...]:
        """What it is about, as compared."""
        return subject(self.template_id, self.locale, self.question, self.option)


def subject(template_id: str, locale: str, question: str, option: str) -> tuple[str, ...]:
    """What a verdict is about: two with the same are about one option of one question."""
    return template_id, locale, clean(question), answer_key(option)


def write_option_sheet(sheet: pl.DataFrame, path: Path) -> None:
    """Write a sheet for people to fill in; see `files.new_files.write_text_sheet`.

    Args:
        sheet: `sheets.OPTION_SHEET`.
        path: Where.

    Raises:
        InputError, StorageError: As `files.new_files.write_new_sheet`.
    """
    write_text_sheet(path, sheet, OPTION_SHEET, choices={"verdict": ALL_VERDICTS})


def read_suspects(path: Path) -> frozenset[tuple[str, str]]:
    """Read which questions a sheet of options is about, by template and locale, with verdicts or without.

    Raises:
        RowError, RowErrors: If the file cannot be read.
    """
    diagnostics, columns = Diagnostics(), Columns(("template_id", "locale"), others=True, returned=True)
    rows = [row.values for row in read_rows(path, path.parent, diagnostics, columns)]
    diagnostics.raise_problems()
    return frozenset((unguarded(clean(row["template_id"])), unguarded(clean(row["locale"]))) for row in rows)


def read_option_sheet(path: Path, *, encoding: str | None = None) -> tuple[OptionVerdict, ...]:
    """The verdicts in a sheet that came back; rows without a verdict are left out.

    Args:
        path: The table.
        encoding: Of the table; see `loaders.files.content.read_text`.

    Raises:
        RowError, RowErrors: If the file cannot be read, a verdict is unknown or not one on such an option, a
            reason has none, a row is not as it was proposed, or an option has two different verdicts.
        InputError: If no row has a verdict.
    """
    diagnostics = Diagnostics()
    verdicts: dict[tuple[str, ...], OptionVerdict] = {}
    for cells in read_rows(path, path.parent, diagnostics, _COLUMNS, encoding=encoding):
        if not cells.values["verdict"].strip():
            if cells.values["why"].strip():
                fix = "choose a verdict, or empty the cell"
                diagnostics.problem(
                    "a reason without a verdict", where=f"{cells.location}, column why", fix=fix
                )
            continue
        with diagnostics.collected():
            verdict = _verdict(cells)
            diagnostics.check_own_words(verdict.why, where=f"{verdict.location}, column why")
            earlier = verdicts.setdefault(verdict.subject, verdict)
            if earlier.verdict != verdict.verdict:
                raise RowError(
                    f"{verdict.option!r} is {verdict.verdict!r} here, "
                    f"but {earlier.verdict!r} in {earlier.location}",
                    where=f"{verdict.location}, column verdict",
                    fix="remove one of the two rows",
                )
    diagnostics.raise_problems()
    if not verdicts:
        known = ", ".join(ALL_VERDICTS)
        raise InputError(f"{path}: no row has a verdict; write one of {known} into the column verdict")
    return tuple(verdicts.values())


def _verdict(cells: Cells) -> OptionVerdict:
    values = cells.values
    where = f"{cells.location}, column verdict"
    verdict = re.sub(r"[\s-]+", "_", values["verdict"].strip().casefold())
    if verdict not in ALL_VERDICTS:
        fix = f"write one of {', '.join(ALL_VERDICTS)}, or leave the cell empty"
        raise RowError(f"unknown verdict {values['verdict']!r}", where=where, fix=fix)
    template_id, locale, question, option, role = (unguarded(clean(values[name])) for name in _MARKED)
    if option_mark(template_id, locale, question, option, role) != unguarded(values["check"].strip()):
        raise RowError(
            f"{option!r} of {template_id} about {locale} is not the row that was proposed",
            where=cells.location,
            fix=f"bring back {', '.join(_MARKED)} and check as they were proposed, and decide again",
        )
    if verdict not in VERDICTS[role]:
        fits = ", ".join(f"{one!r} if {meaning}" for one, meaning in VERDICTS[role].items())
        fix = f"look whether the column verdict has moved or was sorted alone; else write {fits}"
        raise RowError(f"{option!r} is a {role}, which cannot be {verdict!r}", where=where, fix=fix)
    return OptionVerdict(
        template_id, locale, question, option, verdict, clean(unguarded(values["why"])), cells.location
    )
