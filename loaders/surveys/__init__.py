"""Surveys of values, from the user's copy: Hofstede's dimensions, the World Values Survey, or another table.

Their publishers have terms of their own, so this package brings no survey: a file is read from where its user
keeps it. What comes in is a table with a column ``Demonym`` (or ``group``, or ``country``) and one column of
numbers per dimension; what goes out is a `Survey`. Nothing here knows how distances are made.
"""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Cells, Columns, read_rows, refuse_rewritten
from blend.schemas.errors import InputError, RowError
from blend.schemas.languages import demonym_of_country
from blend.schemas.texts import clean, fold

_GROUP_COLUMNS = ("Demonym", "group")
"""Columns that can name a row; the first one that the file has counts."""

_NAME_COLUMNS = ("ctr", "country")
"""Columns that hold names and no answers."""

_MISSING = frozenset(["#NULL!", ""])
"""How the tables write that there is no value."""

_NOMINAL: Mapping[str, tuple[str, ...]] = {"wvs": ("Q223",)}
"""By survey, the dimensions whose numbers are codes of answers: Q223 of the World Values Survey is the party
that people would vote for."""

_WHERE_TO_GET: Mapping[str, str] = {
    "hofstede": "https://geerthofstede.com/research-and-vsm/dimension-data-matrix/",
    "wvs": "https://www.worldvaluessurvey.org/WVSDocumentationWV7.jsp",
}
"""By survey, the page of its publisher."""

_PAPER_TABLES = "https://github.com/shaily99/eecc"
"""Where the tables with demonyms are that Bhatt and Diaz (2024) used."""


_COLUMNS = Columns((), optional=(*_GROUP_COLUMNS, *_NAME_COLUMNS), every=True)
_INDEX = re.compile(r"|Unnamed: \d+(?:\.\d+)?|__index_level_\d+__")
"""What pandas calls the numbers of rows that it writes along: nothing in CSV, ``Unnamed: 0`` once read."""
_THOUSANDS = re.compile(r"-?\d{1,3}(?:,\d{3})+")


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """A table of countries and dimensions."""

    name: str
    """Its name, for example ``hofstede``."""
    groups: tuple[str, ...]
    """The demonym of every row."""
    dimensions: tuple[str, ...]
    """The name of every column."""
    values: NDArray[np.float64]
    """Shape ``(n_groups, n_dimensions)``; NaN where the survey has no value."""
    nominal: tuple[str, ...] = ()
    """Dimensions whose numbers are codes of answers, of which a mean means nothing."""

    def renamed(self, aliases: Mapping[str, str], wanted: Collection[str]) -> "Survey":
        """The survey with the usual names of rows that go by another one.

        Args:
            aliases: Usual name by other name. A row takes its usual name where no row has that already.
            wanted: The names that are of use; no row that has one of them loses it.
        """
        held = {*self.groups}
        names = tuple(
            aliases[name]
            if name not in wanted and aliases.get(name) in wanted and aliases[name] not in held
            else name
            for name in self.groups
        )
        return replace(self, groups=names)


def read_survey(path: Path, name: str) -> Survey:
    """A survey from a table.

    A comma in numbers is the decimal sign where no number of the file has a point, unless each could be one of
    thousands.

    Args:
        path: The file.
        name: What the survey is called in scores; ``hofstede`` and ``wvs`` are known by name.

    Returns:
        Rows and dimensions in the order of the file; what is ``#NULL!`` or blank is NaN.

    Raises:
        InputError: If there is no such file; says where to get it.
        RowError, RowErrors: If a column that names the rows is missing or one has no name, if a value is not a
            number, or if a demonym is blank or there twice, be it in another case; names file, row and column
            of each.
    """
    if not path.is_file():
        raise InputError(f"survey {name}: no such file: {path}; {_how_to_get(name)}")
    diagnostics = Diagnostics()
    rows = read_rows(path, path.parent, diagnostics, _COLUMNS)
    diagnostics.raise_problems()
    if not rows:
        raise RowError("no rows", where=path.name, fix=_how_to_get(name))
    # An object of JSON Lines may lack what it has no value of.
    header = list(dict.fromkeys(key for row in rows for key in row.values))
    _refuse_index(header, path)
    column = _group_column(header, path)
    dimensions = [key for key in header if key not in (*_GROUP_COLUMNS, *_NAME_COLUMNS)]
    if not dimensions:
        raise RowError("no column of answers", where=f"{path.name}:1", fix="add one column per dimension")
    groups = _groups(rows, column, diagnostics)
    sign = _decimal_sign(row.values.get(key) for row in rows for key in dimensions)
    values = [[_number(row, key, sign, diagnostics) for key in dimensions] for row in rows]
    diagnostics.raise_problems()
    return Survey(name, groups, tuple(dimensions), np.array(values, dtype=np.float64), _NOMINAL.get(name, ()))


def _how_to_get(name: str) -> str:
    if name not in _WHERE_TO_GET:
        return "give the path of a CSV file with a column 'Demonym' and one column of numbers per dimension"
    return (
        "this package does not bring the survey, since its publisher has terms of use: see "
        f"{_WHERE_TO_GET[name]}, or the folder data of {_PAPER_TABLES} for the tables of the paper"
    )


def _refuse_index(header: Sequence[str], path: Path) -> None:
    """Refuse a column without a name of its own: numbers of rows would be taken for answers."""
    for number, column in enumerate(header, start=1):
        if _INDEX.fullmatch(column.strip()):
            what = f"column {number} is called {column!r}" if column.strip() else f"column {number} has no name"
            fix = "delete it (pandas: save with index=False), or name it if it is a dimension"
            raise RowError(what, where=f"{path.name}:1", fix=fix)


def _group_column(header: Sequence[str], path: Path) -> str:
    for column in (*_GROUP_COLUMNS, "country"):
        if column in header:
            return column
    raise RowError(
        "no column names the nationalities",
        where=f"{path.name}:1",
        fix=f"add a column {_GROUP_COLUMNS[0]!r} with demonyms such as 'Brazilian'",
    )


def _groups(rows: Sequence[Cells], column: str, diagnostics: Diagnostics) -> tuple[str, ...]:
    """The demonym of every row; by the name of its country where the table has no demonyms."""
    earlier: dict[str, tuple[str, str]] = {}
    groups = []
    for row in rows:
        group = clean(_text(row.values.get(column)))
        if column == "country":
            group = demonym_of_country(group) or group
        where = f"{row.location}, column {column}"
        if not group:
            diagnostics.problem("the demonym is blank", where=where, fix="fill it in, or delete the row")
            continue
        first, before = earlier.setdefault(fold(group, accents=False), (group, row.location))
        if before != row.location:
            what = "twice" if first == group else f"as {first!r} already"
            diagnostics.problem(f"{group!r} is there {what}", where=where, fix=f"delete this row or {before}")
        groups.append(group)
    return tuple(groups)


def _text(cell: object) -> str:
    """A cell as a CSV file has it; what JSON Lines and Parquet hold may be a number or null."""
    return "" if cell is None else str(cell).strip()


def _decimal_sign(cells: Iterable[object]) -> str:
    """Find what parts the integers from the decimals.

    A comma where no number has a point, as spreadsheets of many languages write it, unless every comma could be
    one of thousands.
    """
    numbers = [cell for cell in cells if isinstance(cell, str) and ("." in cell or "," in cell)]
    has_points = any("." in cell for cell in numbers)
    return "." if has_points or all(_THOUSANDS.fullmatch(cell.strip()) for cell in numbers) else ","


def _number(row: Cells, column: str, sign: str, diagnostics: Diagnostics) -> float:
    cell = row.values.get(column)
    text, where = _text(cell), f"{row.location}, column {column}"
    if text in _MISSING:
        return float("nan")
    if isinstance(cell, str):
        refuse_rewritten(cell, where, diagnostics)
    try:
        # Commas of thousands stay, so that such a number is refused and not read as a small one.
        value = float(text.replace(sign, "."))
    except ValueError:
        value = float("nan")
    if not math.isfinite(value):
        diagnostics.problem(
            f"{text!r} is not a number", where=where, fix="write a number, or #NULL! where there is none"
        )
    return value
