"""Verdicts on options: added to the file that a recipe names as ``mcq.exclusions``, each with its author."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import NamedTuple

from blend.loaders.files.atomic import append_rows, atomic_write, one_at_a_time, storage_errors
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Cells, Columns, read_rows
from blend.loaders.responses.exclusions import read_exclusions
from blend.loaders.responses.option_sheets import OptionVerdict, subject
from blend.schemas.errors import InputError, RowError, raise_all
from blend.schemas.personal_data import is_model
from blend.schemas.sheets import OK, stands_by_natives

_COLUMNS = (
    "template_id",
    "locale",
    "question",
    "option",
    "kind",
    "reviewer",
    "native",
    "confidence",
    "when",
    "why",
)
_NEEDED = ("template_id", "locale", "option", "kind", "reviewer")
_OPTIONAL = ("question", "native", "confidence", "when", "why")
_SEPARATORS = {".tsv": "\t", ".csv": ","}
"""By name of a file to which verdicts can be added, what stands between its cells."""


class AddedVerdicts(NamedTuple):
    """What became of verdicts that were to be added to a file."""

    by_kind: Counter[str]
    """Added ones, by kind."""
    known: int
    """Those that this reviewer had given before."""
    disputed: int
    """Added ones on options about which other people say something else: one says ok, another not."""
    overruled: int
    """Those of them on options that stand, since most of three or more natives accept them."""


def add_verdicts(
    path: Path, verdicts: Sequence[OptionVerdict], *, reviewer: str, native: bool, when: date
) -> AddedVerdicts:
    """Add a reader's verdicts to a file, which is made where there is none; others' rows stay as they are.

    Args:
        path: The file, .tsv or .csv.
        verdicts: From one sheet.
        reviewer: Pseudonym of whoever gave them.
        native: Whether this is a native of the region that the verdicts are about.
        when: Day of the verdicts.

    Raises:
        InputError: If the file is of another kind, the reviewer has no name or that of a model, or a native's
            verdicts are about several locales.
        RowError, RowErrors: If the file cannot be read, or says of this reviewer something else: another
            verdict on an option, or another relation to the region.
        StorageError: If the file cannot be written; then it is as before.
    """
    if not reviewer.strip():
        raise InputError("`reviewer` is empty; give the pseudonym of a person")
    if is_model(reviewer):
        raise InputError(f"`reviewer` {reviewer!r}: models are named so; give the pseudonym of a person")
    _check_kind_of_file(path)
    locales = sorted({verdict.locale for verdict in verdicts})
    if native and len(locales) > 1:
        raise InputError(
            f"`native`: the verdicts are about {', '.join(locales)}, and nobody is taken for a native of "
            "several regions; bring back a sheet for each locale"
        )
    with storage_errors(path, kept="the file is as before; ", fix="choose another `out`"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with one_at_a_time(path):
            earlier = _rows(path)
            new, added = _compared(verdicts, earlier, reviewer, "yes" if native else "no")
            if new:
                _write_anew(path, earlier, [_row(one, reviewer, native, when) for one in new])
    return added


def append_verdicts(path: Path, verdicts: Sequence[OptionVerdict], *, reviewer: str, when: date) -> None:
    """Add a model's verdicts to the end of a file, which is made where there is none.

    They are on the disk when the function returns; a row that a killed process cut off is taken away, also
    where there are none to add.

    Args:
        path: The file, .tsv or .csv.
        verdicts: On options on which this model has given none.
        reviewer: The model.
        when: Day of the verdicts.

    Raises:
        InputError: If the file is of another kind.
        RowError, RowErrors: If the file cannot be read.
        StorageError: If it cannot be written; then it is as before.
    """
    _check_kind_of_file(path)
    rows = [_row(one, reviewer, False, when) for one in verdicts]
    with storage_errors(path, kept="the file is as before; ", fix="choose another `out`"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with one_at_a_time(path):
            if _is_ours(path):
                append_rows(path, _lines(rows, path).encode(), partial(_is_complete, path))
            elif rows:
                _write_anew(path, _rows(path), rows)


def _check_kind_of_file(path: Path) -> None:
    if path.suffix.lower() not in _SEPARATORS:
        raise InputError(f"{path}: verdicts are added to .tsv or .csv; save it as one of these and name that")


def _is_ours(path: Path) -> bool:
    """Whether a file has the columns that we write, in our order and our encoding."""
    if not path.exists():
        return False
    with path.open("rb") as file:
        return file.readline() == _header(path).encode()


def _is_complete(path: Path, line: bytes) -> bool:
    separator = _SEPARATORS[path.suffix.lower()]
    try:
        [cells] = csv.reader([line.decode()], delimiter=separator, strict=True)
    except (UnicodeDecodeError, csv.Error):
        return False
    return len(cells) >= len(_COLUMNS)


def _rows(path: Path) -> list[Cells]:
    """The rows of the file, once it is known to be one of verdicts; none where there is no file."""
    if not path.exists():
        return []
    read_exclusions(path)
    diagnostics = Diagnostics()
    rows = read_rows(path, path.parent, diagnostics, Columns(_NEEDED, _OPTIONAL))
    diagnostics.raise_problems()
    return rows


def _compared(
    verdicts: Iterable[OptionVerdict], earlier: Iterable[Cells], reviewer: str, native: str
) -> tuple[list[OptionVerdict], AddedVerdicts]:
    """Part new verdicts from those that stand there, and raise for contradictions."""
    given: dict[tuple[str, ...], list[Cells]] = {}
    relations: dict[str, Cells] = {}
    for cells in earlier:
        row = cells.values
        about = subject(row["template_id"], row["locale"], row.get("question") or "", row["option"])
        given.setdefault(about, []).append(cells)
        if row["reviewer"] == reviewer:
            relations.setdefault(row["locale"], cells)
    problems: list[RowError] = []
    new: list[OptionVerdict] = []
    known = disputed = overruled = 0
    for verdict in verdicts:
        there = given.get(verdict.subject, [])
        own = [cells for cells in there if cells.values["reviewer"] == reviewer]
        relation = relations.get(verdict.locale)
        if relation is not None and (relation.values.get("native") or "no") != native:
            problems.append(_other_relation(verdict, reviewer, relation, native))
            break  # it is of the reviewer, not of a verdict
        if any(cells.values["kind"] != verdict.kind for cells in own):
            problems.append(_other_verdict(verdict, reviewer, own[0]))
        elif own:
            known += 1
        else:
            new.append(verdict)
            # People overrule models.
            people = [row for cells in there if not is_model((row := cells.values)["reviewer"])]
            if any((row["kind"] == OK) != (verdict.kind == OK) for row in people):
                disputed += 1
                natives = [row["kind"] for row in people if row.get("native") == "yes"]
                overruled += stands_by_natives([*natives, verdict.kind] if native == "yes" else natives)
    raise_all(problems)
    return new, AddedVerdicts(Counter(verdict.kind for verdict in new), known, disputed, overruled)


def _other_verdict(verdict: OptionVerdict, reviewer: str, earlier: Cells) -> RowError:
    return RowError(
        f"{reviewer!r} says that {verdict.option!r} is {verdict.kind!r}, "
        f"but {earlier.values['kind']!r} in {earlier.location}",
        where=f"{verdict.location}, column verdict",
        fix="correct one of the two",
    )


def _other_relation(verdict: OptionVerdict, reviewer: str, earlier: Cells, native: str) -> RowError:
    now, then = ("a native", "none") if native == "yes" else ("no native", "one")
    return RowError(
        f"{reviewer!r} is {now} of the region of {verdict.locale} here, but {then} in {earlier.location}",
        where=verdict.location,
        fix="give `native` as before, or correct the column native there",
    )


def _row(verdict: OptionVerdict, reviewer: str, native: bool, when: date) -> dict[str, str]:
    return {
        **{
            name: getattr(verdict, name)
            for name in ("template_id", "locale", "question", "option", "kind", "why")
        },
        "reviewer": reviewer,
        "native": "yes" if native else "",
        "confidence": "" if verdict.confidence is None else f"{verdict.confidence:g}",
        "when": when.isoformat(),
    }


def _write_anew(path: Path, earlier: Iterable[Cells], new: Iterable[Mapping[str, str]]) -> None:
    atomic_write(path, _header(path) + _lines([*(cells.values for cells in earlier), *new], path))


def _header(path: Path) -> str:
    return _SEPARATORS[path.suffix.lower()].join(_COLUMNS) + "\n"


def _lines(rows: Iterable[Mapping[str, str]], path: Path) -> str:
    text = io.StringIO(newline="")
    separator = _SEPARATORS[path.suffix.lower()]
    writer = csv.DictWriter(text, _COLUMNS, restval="", delimiter=separator, lineterminator="\n")
    writer.writerows(rows)
    return text.getvalue()
