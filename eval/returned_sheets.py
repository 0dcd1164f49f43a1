"""Returned sheets: what people say in files that they have filled in, row by row of what they were asked."""

import re
from collections.abc import Callable, Container, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from blend.loaders.files.content import file_sha256
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Cells, Columns, read_rows
from blend.schemas.errors import InputError, RowError, raise_all


class Judgement(NamedTuple):
    """Judgement of one person on one thing."""

    location: str
    """Where it stands, ``file:row``."""
    id: str
    """Row of the sheet."""
    annotator: str
    """Who judges."""
    about: str
    """Which thing of the row; its id where it is about one."""
    verdict: Any
    """What somebody says of it."""


_COPY = re.compile(r"\s*\(\d+\)$")
"""What a browser adds to the name of a file that it has fetched before."""

ReadSheet = Callable[[Sequence[Cells], str, list[RowError]], Iterable[Judgement]]
"""Reads the rows of a sheet of somebody, or of a table that names who judges; adds to the problems."""


def read_returned(paths: Sequence[Path], columns: Columns, read: ReadSheet, *, fill_in: str) -> list[Judgement]:
    """The judgements of sheets that came back, by file and row.

    Args:
        paths: Filled-in sheets, each of the annotator whose name the file has; or tables in their place.
        columns: Columns of a file.
        read: What reads its rows.
        fill_in: What to write where, for the message that nobody judged anything.

    Raises:
        InputError: If a file is absent or of no kind that can be read, looks like a copy of another one by its
            name, or if nobody judged anything.
        RowError, RowErrors: If a file cannot be read, ``read`` has found problems, or somebody judges a thing
            twice; names file and row.
    """
    _check_copies(paths)
    problems: list[RowError] = []
    found: dict[tuple[str, ...], tuple[Path, Judgement]] = {}
    for path in paths:
        for one in read(_rows(path, columns), path.stem, problems):
            first, earlier = found.setdefault(one[1:4], (path, one))
            if earlier is not one:
                # Copies of a sheet can have one name in several folders.
                there = f"{first}:{earlier.location.rpartition(':')[2]}"
                fix = f"delete this row or {there}; sheets of two people have two names"
                what = f"{one.annotator!r} judges {one.about!r} twice"
                problems.append(RowError(what, where=one.location, fix=fix))
    raise_all(problems)
    if not found:
        raise InputError(f"{', '.join(path.name for path in paths)}: nothing is judged; {fill_in}")
    return [one for _, one in found.values()]


def _check_copies(paths: Sequence[Path]) -> None:
    """Refuse ``anna (1).xlsx`` or a copy of another name beside ``anna.xlsx``: one would agree with oneself."""
    first: dict[str, Path] = {}
    held: dict[str, Path] = {}
    for path in paths:
        earlier = first.setdefault(_COPY.sub("", path.stem).casefold(), path)
        if earlier.stem != path.stem:
            raise InputError(
                f"{path}: looks like a copy of {earlier}, and the name of a file says who judged; leave one "
                "of them out, or rename one if two people filled them in"
            )
        same = held.setdefault(file_sha256(path), path) if path.is_file() else path
        if same.stem != path.stem:
            raise InputError(
                f"{path}: holds byte for byte what {same} does, and the name of a file says who judged; leave "
                "one of them out, or save one as a file of another kind if two people agree on everything"
            )


def _rows(path: Path, columns: Columns) -> list[Cells]:
    if not path.is_file():
        raise InputError(f"{path}: no such file; name sheets that were filled in")
    diagnostics = Diagnostics()
    rows = read_rows(path, path.parent, diagnostics, columns)
    diagnostics.raise_problems()
    return rows


def is_unknown(cells: Cells, name: str, asked: Container[str], problems: list[RowError]) -> bool:
    """Whether a row is about something that was not asked, which is then a problem."""
    if name in asked:
        return False
    fix = "name the run whose sheet it is; a run that was scored anew with other answers has another sheet"
    problems.append(RowError(f"{name!r} is not of this run", where=f"{cells.location}, column id", fix=fix))
    return True
