"""New files: what somebody goes on working with appears as a whole or not at all, and replaces nothing."""

import os
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from types import MappingProxyType

import polars as pl

from blend.loaders.files.atomic import atomic_write, check_own_folder, storage_errors
from blend.loaders.files.workbooks import WORKBOOK, Choices, write_workbook
from blend.schemas.errors import InputError
from blend.schemas.sheets import Sheet, guarded

_ATTRIBUTES = """\
# Text has the same bytes on every system, and data are kept byte for byte: every clone builds the same release.
* text=auto eol=lf
*.csv -text
*.tsv -text
*.jsonl -text
*.xlsx binary
*.parquet binary
"""
_MARK = "\ufeff"
_OWNER_ALONE = 0o600


def write_new_files(
    folder: Path,
    contents: Mapping[str, str | bytes],
    *,
    folders: Collection[str] = (),
    private: Collection[str] = (),
    beside_others: bool = False,
    parameter: str = "folder",
    remedy: str = "move that away",
) -> list[str]:
    """Write files into a folder, all of them or none; nothing is ever replaced.

    After an error or Ctrl-C the folder is as it was. After a kill, whole files may be there, and the next run
    names them.

    Args:
        folder: Made if it is not there, with those above it; it may hold nothing yet but hidden files.
        contents: The files by their paths, relative to the folder, with ``/``. Text of CSV gets a byte order
            mark, without which spreadsheets take it for another encoding and destroy it when they save it.
        folders: Paths of folders to make that may hold nothing yet; they may be there already.
        private: Which of the files are for their owner's eyes only.
        beside_others: Whether files of other names may be in the folder already, as in a repository.
        parameter: What the caller calls the folder, for the messages.
        remedy: What else to do where a file is there already, than to choose another folder.

    Returns:
        The paths of the files, relative to the folder, in text order.

    Raises:
        InputError: If something else than a folder has that name, or if it holds something already.
        StorageError: If the folder cannot be written.
    """
    check_own_folder(folder, parameter=parameter, is_ours=lambda name: beside_others or name.startswith("."))
    taken = [path for path in sorted(contents) if os.path.lexists(folder / path)]
    if taken:
        raise InputError(
            f"{folder}: holds {', '.join(map(repr, taken))} already, so nothing is written there; "
            f"choose another `{parameter}`, or {remedy}"
        )
    with storage_errors(folder, fix=f"choose another `{parameter}`"), ExitStack() as undo:
        for path in (folder, *(folder / name for name in folders)):
            _make_folder(path, undo)
        for name, content in contents.items():
            path = folder / name
            _make_folder(path.parent, undo)
            undo.callback(_remove, Path.unlink, path)
            if name.endswith(".csv") and isinstance(content, str):
                content = f"{_MARK}{content.removeprefix(_MARK)}"
            atomic_write(path, content, mode=_OWNER_ALONE if name in private else None)
        undo.pop_all()
    return sorted(contents)


def git_attributes(folder: Path) -> dict[str, str]:
    """What keeps the bytes of a folder's files in git, by its path; nothing where the folder has its own."""
    name = ".gitattributes"
    return {} if os.path.lexists(folder / name) else {name: _ATTRIBUTES}


def _make_folder(folder: Path, undo: ExitStack) -> None:
    """Make a folder and those above it; ``undo`` then removes those that were not there."""
    for path in (*reversed(folder.parents), folder):
        if not path.is_dir():
            path.mkdir()
            undo.callback(_remove, Path.rmdir, path)


def _remove(remove: Callable[[Path], None], path: Path) -> None:
    # What cannot be removed, as a folder that is not empty any more, must not hide what went wrong before.
    with suppress(OSError):
        remove(path)


def write_new_sheet(out: Path, rows: pl.DataFrame, choices: Choices = MappingProxyType({})) -> None:
    """Write a sheet for people to fill in: a workbook if it is named .xlsx, JSON Lines if .jsonl, or CSV.

    CSV begins with a byte order mark, by which spreadsheets know UTF-8.

    Args:
        out: The file; its folder must be there.
        rows: One cell per value; null is an empty cell, and an empty text one in quotes.
        choices: What can be chosen in a column of a workbook (see `workbooks.write_workbook`).

    Raises:
        InputError: If the file is there, or named as one of another kind.
        StorageError: If it cannot be written.
    """
    writers: Mapping[str, Callable[[], str | bytes]] = {
        ".csv": lambda: rows.write_csv(include_bom=True),
        ".jsonl": lambda: rows.fill_null("").write_ndjson(),
        WORKBOOK: lambda: write_workbook(rows, choices, out.name),
    }
    if out.suffix.lower() not in writers:
        raise InputError(f"{out}: a sheet is .csv, .xlsx or .jsonl; choose another `out`")
    if os.path.lexists(out):
        raise InputError(f"{out}: exists, and may hold somebody's work; choose another `out` or move it away")
    with storage_errors(out):
        atomic_write(out, writers[out.suffix.lower()]())


def write_sheet(sheet: Sheet, rows: pl.DataFrame, path: Path) -> None:
    """Write a sheet for people to fill in; see `write_new_sheet`.

    Args:
        sheet: What it is like.
        rows: With its columns; others are left out.
        path: Where.

    Raises:
        InputError, StorageError: As `write_new_sheet`.
    """
    cells = rows.select(list(sheet.columns))
    if path.suffix.lower() == ".csv":  # the cells of a workbook are text
        texts = pl.selectors.string().exclude(sheet.numbers)
        cells = cells.with_columns(texts.map_elements(guarded, return_dtype=pl.String, skip_nulls=True))
    choices = {column: offered for column, offered in sheet.filled.items() if offered}
    write_new_sheet(path, cells.with_columns(pl.col(pl.String).replace("", None)), choices)
