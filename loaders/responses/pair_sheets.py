"""Files on the way to decisions: the pair sheet, out and in."""

from datetime import date
from pathlib import Path

import polars as pl

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.new_files import write_new_sheet
from blend.loaders.files.rows import Cells, Columns, read_rows
from blend.loaders.responses.decisions import Decision
from blend.schemas.errors import InputError, RowError
from blend.schemas.language.text_comparison import clean
from blend.schemas.sheets.answer_sheets import guarded, unguarded
from blend.schemas.sheets.pair_sheets import PAIR_SHEET, pair_mark

_COLUMNS = Columns(
    ("answer_a", "answer_b", "verdict", "why", "check"),
    others=True,
    rewritten=("answer_a", "answer_b", "check"),  # of which the mark tells what was there
    returned=True,
)
_VERDICTS = {"same": "same", "s": "same", "different": "different", "d": "different"}


def write_pair_sheet(sheet: pl.DataFrame, path: Path) -> None:
    """Write a sheet for people to fill in; see `files.new_files.write_new_sheet`.

    Args:
        sheet: `pair_sheets.PAIR_SHEET`.
        path: Where.

    Raises:
        InputError, StorageError: As `files.new_files.write_new_sheet`.
    """
    texts = pl.col(pl.String).map_elements(guarded, return_dtype=pl.String, skip_nulls=True)
    cells = sheet.select(list(PAIR_SHEET)).with_columns(texts).with_columns(pl.col(pl.String).replace("", None))
    write_new_sheet(path, cells, choices={"verdict": ("same", "different")})


def read_pair_sheet(path: Path, *, who: str, when: date, encoding: str | None = None) -> tuple[Decision, ...]:
    """The decisions in a sheet that came back; rows without a verdict are left out.

    Args:
        path: The table.
        who: Pseudonym of whoever decided.
        when: Day of the decisions.
        encoding: Of the table; see `loaders.files.encodings.read_text`.

    Raises:
        RowError, RowErrors: If the file cannot be read, a verdict is unknown, or the answers of a decided row
            are not those that were proposed.
        InputError: If no row has a verdict.
    """
    diagnostics = Diagnostics()
    decisions: list[Decision] = []
    for cells in read_rows(path, path.parent, diagnostics, _COLUMNS, encoding=encoding):
        if cells.values["verdict"].strip():
            with diagnostics.collected():
                decisions.append(_decision(cells, who, when))
                diagnostics.check_own_words(decisions[-1].why, where=f"{cells.location}, column why")
    diagnostics.raise_problems()
    if not decisions:
        raise InputError(f"{path}: no row has a verdict; write 'same' or 'different' into the column verdict")
    return tuple(decisions)


def _decision(cells: Cells, who: str, when: date) -> Decision:
    values = cells.values
    verdict = _VERDICTS.get(values["verdict"].strip().casefold())
    if verdict is None:
        raise RowError(
            f"unknown verdict {values['verdict']!r}",
            where=f"{cells.location}, column verdict",
            fix="write 'same' or 'different', or leave the cell empty",
        )
    a, b = (unguarded(clean(values[column])) for column in ("answer_a", "answer_b"))
    if pair_mark(a, b) != unguarded(values["check"].strip()):
        raise RowError(
            f"{a!r} and {b!r} are not the answers that were proposed in this row",
            where=cells.location,
            fix="bring back the two answers and the column check as they were proposed, and decide again",
        )
    row = {"answer_a": a, "answer_b": b, "verdict": verdict, "who": who, "when": when}
    return Decision.model_validate({**row, "why": clean(unguarded(values["why"]))})
