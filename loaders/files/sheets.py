"""Sheets: CSV files that a person has edited in a spreadsheet, whichever it was and however it writes them.

With a byte order mark or without, separated by commas, semicolons or tabs, perhaps with ``sep=;`` on top, with
rows and columns moved, added or left empty. `rows.read_rows` is for what programs write.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from blend.loaders.files.content import place_of
from blend.loaders.files.notes import Notes
from blend.loaders.files.rows import Cells, csv_records, read_text
from blend.schemas.errors import RowError
from blend.schemas.text import counted

_SEPARATORS = (",", ";", "\t")
_SAID = "sep="


def read_sheet(path: Path, columns: Sequence[str], *, required: Sequence[str]) -> list[Cells]:
    """The rows of a sheet that hold anything, each with its place.

    Args:
        path: A file in UTF-8.
        columns: Columns to read, in any order; case and blanks around their names do not count. Others, which
            people add for themselves, are left out.
        required: Those of them that must be there.

    Returns:
        One text per column, empty where the file has no such column or cell. The row of a place is the one that
        a spreadsheet shows.

    Raises:
        RowError: If nothing can be read: not UTF-8, not CSV, a column is missing or there twice.
        RowErrors: If rows have more cells than the header.
    """
    notes, place = Notes(), place_of(path, path.parent)
    text = read_text(path, path.parent, notes)
    separator, text = _separated(text, required)
    records = list(csv_records(text, place, separator=separator))
    header = [name.strip().casefold() for name in records[0]] if records else []
    _check_header(header, required, f"{place}:1")
    rows: list[Cells] = []
    for row, record in enumerate(records[1:], start=2):
        if not any(cell.strip() for cell in record):
            continue
        if any(cell.strip() for cell in record[len(header) :]):
            notes.problem(
                f"{counted(len(record), 'cell')}, but the header has {len(header)}",
                where=f"{place}:{row}",
                fix="move what stands to the right of the last column, or put quotes around a cell that holds "
                f"{separator!r}",
            )
        else:
            cells = dict(zip(header, record, strict=False))
            rows.append(Cells(f"{place}:{row}", {name: cells.get(name, "") for name in columns}))
    notes.raise_problems()
    return rows


def _separated(text: str, required: Sequence[str]) -> tuple[str, str]:
    """What separates the cells, and the text from the header on."""
    first, _, rest = text.partition("\n")
    said = first.strip().strip('"')
    if said.startswith(_SAID) and len(said) <= len(_SAID) + 1:
        return said.removeprefix(_SAID) or "\t", rest
    found = {mark: {name.strip(' "\r').casefold() for name in first.split(mark)} for mark in _SEPARATORS}
    return max(_SEPARATORS, key=lambda mark: len(found[mark].intersection(required))), text


def _check_header(header: Sequence[str], required: Sequence[str], where: str) -> None:
    repeated = sorted(name for name, times in Counter(header).items() if times > 1 and name in required)
    if repeated:
        raise RowError(f"column {repeated[0]!r} occurs twice", where=where, fix="remove one of the two")
    missing = [name for name in required if name not in header]
    if missing:
        names, one = ", ".join(map(repr, missing)), len(missing) == 1
        what = f"column {names} is missing" if one else f"columns {names} are missing"
        fix = f"bring {'it' if one else 'them'} back as proposed; a sheet is saved as CSV, with all its columns"
        raise RowError(what, where=where, fix=fix)
