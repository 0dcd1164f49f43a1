"""Labels: what people say of a sample of a run's answers, drawn with known probabilities.

Verdicts in sheets that came back are read row by row of what was asked.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from blend.eval.runs.run_directory import read_frame, write_frame
from blend.loaders.files.content import file_sha256
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Cells, Columns, read_rows
from blend.schemas.errors import InputError, RowError, raise_all
from blend.schemas.sheets import CORRECT, REPLY_VERDICTS, guarded
from blend.schemas.texts import clean

LABELS_NAME = "labels.parquet"

TIE = "|"
"""Stands between the verdicts of a tie that nobody has decided, ``correct|wrong``, and between annotators."""

LABELS = pl.Schema(
    {"item_id": pl.String(), "probability": pl.Float64(), "verdict": pl.String(), "annotators": pl.String()}
)
"""One row per item whose answer people judged: the probability with which it came to have a label, what most
people said, and who they are."""


def read_labels(directory: Path) -> pl.DataFrame | None:
    """The labels in the directory of a run.

    Returns:
        `LABELS` and ``correct``: 1 where people say *correct*, 0 where they say something else, of a tie the
        share of its verdicts that do. Null where nobody has labelled anything.

    Raises:
        RowError: If the file is not as it was written.
    """
    path = directory / LABELS_NAME
    if not os.path.lexists(path):
        return None
    is_correct = pl.col("verdict").str.split(TIE).list.eval((pl.element() == CORRECT).cast(pl.Float64))
    fix = "read the sheets again: blend eval judged RUN SHEET…"
    return read_frame(path, *LABELS, fix=fix).with_columns(correct=is_correct.list.mean())


def labels_digest(directory: Path) -> str:
    """The first digits of the digest of a run's labels, for signatures."""
    return file_sha256(directory / LABELS_NAME)[:4]


def write_labels(directory: Path, labels: pl.DataFrame) -> None:
    """Keep labels, `LABELS`, in the directory of their run, in place of earlier ones."""
    write_frame(directory / LABELS_NAME, labels.select(list(LABELS)))


_COLUMNS = Columns(("id", "verdict"), optional=("annotator", "reply"), others=True, returned=True)
_VERDICTS = pl.Schema(dict.fromkeys(("id", "annotator", "verdict"), pl.String()))

_COPY = re.compile(r"\s*\(\d+\)$")
"""What a browser adds to the name of a file that it has fetched before."""


def read_reply_verdicts(paths: Sequence[Path], asked: Mapping[str, str]) -> pl.DataFrame:
    """What people say of replies: ``id``, ``annotator`` and ``verdict``, by file and row.

    Args:
        paths: Filled-in sheets, each of the annotator whose name the file has; or tables with ``id``,
            ``annotator`` and ``verdict``.
        asked: The replies that were asked about, by id.

    Returns:
        Rows without a verdict are left out.

    Raises:
        InputError: If a file is absent or of no kind that can be read, looks like a copy of another one by its
            name, or if nobody judged anything.
        RowError, RowErrors: If a file cannot be read, a row is about something else, names no verdict, or is
            somebody's second on a reply; names file and row.
    """
    _check_copies(paths)
    problems: list[RowError] = []
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for path in paths:
        for cells in _rows(path):
            name, verdict = (str(cells.values[key] or "").strip() for key in ("id", "verdict"))
            if not verdict:
                continue
            annotator = str(cells.values.get("annotator", path.stem) or "").strip()
            problems += _problems(cells, asked.get(name), annotator)
            # Copies of a sheet can have one name in several folders.
            here = f"{path}:{cells.location.rpartition(':')[2]}"
            _, first = found.setdefault((name, annotator), (verdict.casefold(), here))
            if first != here:
                fix = f"delete this row or {first}; sheets of two people have two names"
                what = f"{annotator!r} judges {name!r} twice"
                problems.append(RowError(what, where=cells.location, fix=fix))
    raise_all(problems)
    if not found:
        raise InputError(
            f"{', '.join(path.name for path in paths)}: nothing is judged; write one of "
            f"{', '.join(REPLY_VERDICTS)} into the column verdict"
        )
    rows = [(*key, verdict) for key, (verdict, _) in found.items()]
    return pl.DataFrame(rows, schema=_VERDICTS, orient="row")


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


def _rows(path: Path) -> list[Cells]:
    if not path.is_file():
        raise InputError(f"{path}: no such file; name sheets that were filled in")
    diagnostics = Diagnostics()
    rows = read_rows(path, path.parent, diagnostics, _COLUMNS)
    diagnostics.raise_problems()
    return rows


def _problems(cells: Cells, reply: str | None, annotator: str) -> Iterator[RowError]:
    """What is wrong with a verdict on a reply; null is one that was not asked about."""
    name, verdict, shown = (cells.values.get(key) for key in ("id", "verdict", "reply"))
    if reply is None:
        fix = "name the run whose sheet it is; a run that was scored anew with other answers has another sheet"
        what = f"{str(name).strip()!r} is not of this run"
        yield RowError(what, where=f"{cells.location}, column id", fix=fix)
        return
    if shown is not None and clean(str(shown)) not in {clean(reply), clean(guarded(reply))}:
        what = f"it is not the reply of {str(name).strip()!r}"
        fix = "sort whole rows only, and leave replies as they are"
        yield RowError(what, where=f"{cells.location}, column reply", fix=fix)
    if str(verdict).strip().casefold() not in REPLY_VERDICTS:
        what, fix = f"{str(verdict).strip()!r} is no verdict", f"write one of {', '.join(REPLY_VERDICTS)}"
        yield RowError(what, where=f"{cells.location}, column verdict", fix=fix)
    if not annotator or TIE in annotator:
        what = f"{annotator!r} is no name" if annotator else "the cell is blank"
        yield RowError(what, where=f"{cells.location}, column annotator", fix=f"say who judged, without {TIE}")
