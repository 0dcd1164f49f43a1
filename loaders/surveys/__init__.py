"""Surveys of values, from the user's copy: Hofstede's dimensions, the World Values Survey, or another table.

Their publishers have terms of their own, so this package brings no survey: a file is read from where its user
keeps it. What comes in is CSV with a column ``Demonym`` (or ``group``, or ``country``) and one column of
numbers per dimension; what goes out is a `Survey`. Nothing here knows how distances are made.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from blend.loaders.files.notes import Notes
from blend.loaders.files.rows import csv_records, read_text
from blend.schemas.errors import InputError, RowError
from blend.schemas.nationalities import demonym_of_country
from blend.schemas.surveys import Survey
from blend.schemas.text import counted

GROUP_COLUMNS = ("Demonym", "group")
"""Columns that can name a row; the first one that the file has counts."""

NAME_COLUMNS = ("ctr", "country")
"""Columns that hold names and no answers."""

MISSING = frozenset(["#NULL!", ""])
"""How the tables write that there is no value."""

NOMINAL: Mapping[str, tuple[str, ...]] = {"wvs": ("Q223",)}
"""By survey, the dimensions whose numbers are codes of answers: Q223 of the World Values Survey is the party
that people would vote for."""

WHERE_TO_GET: Mapping[str, str] = {
    "hofstede": "https://geerthofstede.com/research-and-vsm/dimension-data-matrix/",
    "wvs": "https://www.worldvaluessurvey.org/WVSDocumentationWV7.jsp",
}
"""By survey, the page of its publisher."""

PAPER_TABLES = "https://github.com/shaily99/eecc"
"""Where the tables with demonyms are that Bhatt and Diaz (2024) used."""


def read_survey(path: Path, name: str) -> Survey:
    """A survey from a CSV file, with commas or semicolons between its cells.

    Args:
        path: The file.
        name: What the survey is called in scores; ``hofstede`` and ``wvs`` are known by name.

    Returns:
        Rows and dimensions in the order of the file; what is ``#NULL!`` or blank is NaN.

    Raises:
        InputError: If there is no such file; says where to get it.
        RowError, RowErrors: If a column that names the rows is missing, if a value is not a number, or if a
            demonym is blank or there twice; names file, row and column of each.
    """
    if not path.is_file():
        raise InputError(f"survey {name}: no such file: {path}; {_how_to_get(name)}")
    notes = Notes()
    text = read_text(path, path.parent, notes)
    first_line = text.partition("\n")[0]
    separator = ";" if ";" in first_line and "," not in first_line else ","
    header, *records = [*csv_records(text, path.name, separator=separator)] or [[]]
    column = _group_column(header, path)
    dimensions = [key for key in header if key not in (*GROUP_COLUMNS, *NAME_COLUMNS)]
    if not dimensions:
        raise RowError("no column of answers", where=f"{path.name}:1", fix="add one column per dimension")
    rows = [
        _Row(f"{path.name}:{number}", dict(zip(header, record, strict=False)), len(record))
        for number, record in enumerate(records, start=2)
        if record
    ]
    _check_cells(rows, len(header), notes)
    groups = _groups(rows, column, notes)
    values = [[_number(row, key, notes) for key in dimensions] for row in rows]
    notes.raise_problems()
    if not rows:
        raise RowError("no rows", where=path.name, fix=_how_to_get(name))
    return Survey(name, groups, tuple(dimensions), np.array(values, dtype=np.float64), NOMINAL.get(name, ()))


class _Row(NamedTuple):
    """A line of the table."""

    place: str
    """``file:row``."""
    cells: dict[str, str]
    """By column."""
    n_cells: int
    """Cells that it has."""


def _how_to_get(name: str) -> str:
    if name not in WHERE_TO_GET:
        return "give the path of a CSV file with a column 'Demonym' and one column of numbers per dimension"
    return (
        "this package does not bring the survey, since its publisher has terms of use: see "
        f"{WHERE_TO_GET[name]}, or the folder data of {PAPER_TABLES} for the tables of the paper"
    )


def _group_column(header: Sequence[str], path: Path) -> str:
    for column in (*GROUP_COLUMNS, "country"):
        if column in header:
            return column
    raise RowError(
        "no column names the nationalities",
        where=f"{path.name}:1",
        fix=f"add a column {GROUP_COLUMNS[0]!r} with demonyms such as 'Brazilian'",
    )


def _check_cells(rows: Sequence[_Row], n_columns: int, notes: Notes) -> None:
    for row in rows:
        if row.n_cells != n_columns:
            notes.problem(
                f"{counted(row.n_cells, 'cell')}, but the header has {n_columns}",
                where=row.place,
                fix="put cells that contain commas in double quotes, and leave empty cells empty",
            )
    notes.raise_problems()


def _groups(rows: Sequence[_Row], column: str, notes: Notes) -> tuple[str, ...]:
    """The demonym of every row; by the name of its country where the table has no demonyms."""
    places: dict[str, str] = {}
    groups = []
    for row in rows:
        group = row.cells[column].strip()
        if column == "country":
            group = demonym_of_country(group) or group
        where = f"{row.place}, column {column}"
        if not group:
            notes.problem("the demonym is blank", where=where, fix="fill it in, or delete the row")
        elif group in places:
            notes.problem(f"{group!r} is there twice", where=where, fix=f"delete this row or {places[group]}")
        places.setdefault(group, row.place)
        groups.append(group)
    return tuple(groups)


def _number(row: _Row, column: str, notes: Notes) -> float:
    text = row.cells[column].strip()
    if text in MISSING:
        return float("nan")
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not math.isfinite(value):
        notes.problem(
            f"{text!r} is not a number",
            where=f"{row.place}, column {column}",
            fix="write a number, or #NULL! where there is none",
        )
    return value
