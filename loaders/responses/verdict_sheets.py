"""Sheets of verdicts on options or on pairs of answers that came back, as verdicts."""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.new_files import read_sheet
from blend.loaders.files.rows import Cells, Columns, read_rows, read_table
from blend.loaders.responses.verdicts import GivenVerdict
from blend.schemas.errors import InputError, RowError
from blend.schemas.personal_data import own_words
from blend.schemas.sheets import (
    ALL_VERDICTS,
    DIFFERENT,
    ON_PAIRS,
    OPTION_SHEET,
    PAIR_SHEET,
    SAME,
    VERDICTS,
    Sheet,
)
from blend.schemas.texts import clean


class _Kind(NamedTuple):
    """A kind of sheet of verdicts."""

    sheet: Sheet
    verdicts: Mapping[str, str]
    """By what people write, the verdict of the table."""
    given: Callable[..., GivenVerdict]
    """From verdict, reason, location and the proposed texts."""


_OPTIONS = _Kind(
    OPTION_SHEET,
    {verdict: verdict for verdict in ALL_VERDICTS},
    lambda verdict, why, location, template_id, locale, question, option, _role: GivenVerdict(
        option, verdict, why, location, template_id, locale, question
    ),
)
_PAIRS = _Kind(
    PAIR_SHEET,
    {word: ON_PAIRS[meant] for meant in (SAME, DIFFERENT) for word in (meant, meant[0])},
    lambda verdict, why, location, a, b: GivenVerdict(a, verdict, why, location, other=b),
)


def read_option_sheet(path: Path, *, diagnostics: Diagnostics | None = None) -> tuple[GivenVerdict, ...]:
    """The verdicts in a sheet of options that came back; rows without a verdict are left out.

    Args:
        path: The table.
        diagnostics: Takes findings about the file, such as what its looks say; dropped when absent.

    Raises:
        RowError, RowErrors: If the file cannot be read, a verdict is unknown or not one on such an option, a
            reason has none, a row is not as it was proposed, or an option has two different verdicts.
        InputError: If no row has a verdict.
    """
    return _read(_OPTIONS, path, Diagnostics() if diagnostics is None else diagnostics)


def is_pair_sheet(path: Path) -> bool:
    """Whether a sheet that came back is one of pairs, by its columns; false for one that cannot be read."""
    with suppress(InputError):
        return any("answer_a" in row.values for row in read_table(path)[:1])
    return False


def read_pair_sheet(path: Path, *, diagnostics: Diagnostics | None = None) -> tuple[GivenVerdict, ...]:
    """The verdicts in a sheet of pairs that came back; arguments and errors as of `read_option_sheet`."""
    return _read(_PAIRS, path, Diagnostics() if diagnostics is None else diagnostics)


def _read(kind: _Kind, path: Path, diagnostics: Diagnostics) -> tuple[GivenVerdict, ...]:
    verdicts: dict[tuple[str, ...], GivenVerdict] = {}
    for cells in read_sheet(kind.sheet, path, diagnostics):
        if not cells.values["verdict"].strip():
            if cells.values["why"].strip():
                fix = "choose a verdict, or empty the cell"
                diagnostics.problem(
                    "a reason without a verdict", where=f"{cells.location}, column why", fix=fix
                )
            continue
        with diagnostics.collected():
            verdict = _verdict(kind, cells)
            diagnostics.add(own_words(verdict.why, where=f"{verdict.location}, column why", of_answers=True))
            earlier = verdicts.setdefault(verdict.subject, verdict)
            if earlier.verdict != verdict.verdict:
                what = f"{verdict.option!r} is {verdict.verdict!r} here, but {earlier.verdict!r}"
                where = f"{verdict.location}, column verdict"
                raise RowError(f"{what} in {earlier.location}", where=where, fix="remove one of the two rows")
    diagnostics.raise_problems()
    if not verdicts:
        known = ", ".join(kind.sheet.filled["verdict"])
        raise InputError(f"{path}: no row has a verdict; write one of {known} into the column verdict")
    return tuple(verdicts.values())


def _verdict(kind: _Kind, cells: Cells) -> GivenVerdict:
    sheet, written = kind.sheet, cells.values["verdict"]
    where = f"{cells.location}, column verdict"
    verdict = kind.verdicts.get(re.sub(r"[\s-]+", "_", written.strip().casefold()))
    if verdict is None:
        fix = f"write one of {', '.join(sheet.filled['verdict'])}, or leave the cell empty"
        raise RowError(f"unknown verdict {written!r}", where=where, fix=fix)
    proposed = {name: clean(cells.values[name]) for name in sheet.proposed}
    given = kind.given(verdict, clean(cells.values["why"]), cells.location, *proposed.values())
    role = proposed.get("role", "")
    if role and verdict not in VERDICTS[role]:
        fits = ", ".join(f"{one!r} if {meaning}" for one, meaning in VERDICTS[role].items())
        fix = f"look whether the column verdict has moved or was sorted alone; else write {fits}"
        raise RowError(f"{given.option!r} is a {role}, which cannot be {verdict!r}", where=where, fix=fix)
    return given


def read_suspects(path: Path) -> frozenset[tuple[str, str]]:
    """Read which questions a sheet of options is about, by template and locale, with verdicts or without.

    Raises:
        RowError, RowErrors: If the file cannot be read.
    """
    diagnostics, columns = Diagnostics(), Columns(("template_id", "locale"), others=True, returned=True)
    rows = [row.values for row in read_rows(path, path.parent, diagnostics, columns)]
    diagnostics.raise_problems()
    return frozenset((clean(row["template_id"]), clean(row["locale"])) for row in rows)
