"""New files: what somebody goes on working with appears as a whole or not at all, and replaces nothing."""

import json
import os
from collections.abc import Collection, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import polars as pl

from blend.loaders.files.atomic import atomic_file, atomic_write, check_own_folder, storage_errors
from blend.loaders.files.content import read_content
from blend.schemas.errors import InputError

EVENTS = "events.jsonl"
"""File of a pull folder with everything that people did, as it was seen."""

KEY = "key"
"""Event of its first line, by which the key of the pseudonyms is known again."""

STATE = "state.json"
"""File of a pull folder that remembers what was pulled and written."""

WRITTEN = "written"
"""Its key with the digests of the files that were written, by their paths from the folder."""


def is_pulled(path: Path) -> bool:
    """Whether a pull folder that lies beside the file's directory of raw responses says that pulls write it.

    Args:
        path: Of a file of responses or reviews, whether or not it is there at the moment.
    """
    for state in path.absolute().parent.parent.parent.glob(f"*/{STATE}"):
        # What cannot be read is no state of ours, or one that the next pull complains about.
        with suppress(InputError, ValueError, RecursionError, AttributeError, TypeError):
            if os.path.relpath(path, state.parent) in json.loads(read_content(state)).get(WRITTEN, ()):
                return True
    return False


ATTRIBUTES = ".gitattributes"
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
            f"choose another `{parameter}`, or move that away"
        )
    with storage_errors(folder, fix=f"choose another `{parameter}`"), ExitStack() as undo:
        for path in (folder, *(folder / name for name in folders)):
            _make_folder(path, undo)
        for name, content in contents.items():
            path = folder / name
            _make_folder(path.parent, undo)
            undo.callback(_remove_file, path)
            if name.endswith(".csv") and isinstance(content, str):
                content = f"{_MARK}{content.removeprefix(_MARK)}"
            atomic_write(path, content, mode=_OWNER_ALONE if name in private else None)
        undo.pop_all()
    return sorted(contents)


def git_attributes(folder: Path) -> dict[str, str]:
    """What keeps the bytes of a folder's files in git, by its path; nothing where the folder has its own."""
    return {} if os.path.lexists(folder / ATTRIBUTES) else {ATTRIBUTES: _ATTRIBUTES}


def _make_folder(folder: Path, undo: ExitStack) -> None:
    """Make a folder and those above it; ``undo`` then removes those that were not there."""
    if folder.is_dir():
        return
    if not os.path.lexists(folder.parent):
        _make_folder(folder.parent, undo)
    folder.mkdir()
    undo.callback(_remove_folder, folder)


# What cannot be removed must not hide what went wrong before.


def _remove_file(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def _remove_folder(path: Path) -> None:
    with suppress(OSError):  # somebody may have put something into it meanwhile
        path.rmdir()


def write_frames(
    frames: Mapping[str, pl.DataFrame],
    figures: Mapping[str, Any],
    out: Path,
    *,
    name: str,
    what: str,
) -> None:
    """Write every frame as ``{name}.parquet``, and all figures with their definitions as one file of JSON.

    Args:
        frames: Figures by name.
        figures: The same as plain JSON.
        out: Directory, made if need be; one that holds something must hold an earlier file ``name``. Files of
            these names are replaced, each at once; others stay.
        name: Name of the file with all figures.
        what: What the error calls them.

    Raises:
        InputError: If the directory holds something else.
        StorageError: If it cannot be written.
    """
    is_known = (out / name).is_file()
    check_own_folder(out, what=f"a folder of {what}", is_ours=lambda _: is_known)
    text = json.dumps(figures, ensure_ascii=False, indent=2) + "\n"
    with storage_errors(out):
        out.mkdir(parents=True, exist_ok=True)
        for table, frame in frames.items():
            with atomic_file(out / f"{table}.parquet") as part:
                frame.write_parquet(part)
        atomic_write(out / name, text)
