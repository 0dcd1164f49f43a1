"""Files of raw responses: which ones there are in a directory, by what they hold."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rapidfuzz import fuzz, process

from blend.loaders.files.content import location_of, open_content
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import SUFFIXES, unknown_kind
from blend.loaders.files.tables import only_named
from blend.loaders.files.workbooks import OTHER_WORKBOOKS
from blend.schemas.errors import InputError

HIDDEN = (".", "~$", "__", "Thumbs.db", "desktop.ini", "Icon\r")
"""How names begin that are passed over: a spreadsheet's mark of an open file, and what desktops leave."""
_SINGLE = ("templates", "questions", "prompts")
"""Names of the files of which there is one of each."""
_FOLDERS = ("responses", "reviews")
"""Names of the folders with a file for each locale."""
_LEAST_ALIKE = 80
"""Likeness, of 100, from which a name is one of these by mistake; ``exclusions`` and ``questions`` have 63."""
NOT_READ = "not-read"
"""Kind of the findings about what else lies in a directory of raw responses."""
_LOCALE_FILE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]+)+(\.own)?\.(csv|tsv|jsonl|parquet|xlsx)")
_CALLED = "the folders with a file for each locale are called 'responses' and 'reviews'"
_TEXT_SUFFIXES = (".csv", ".tsv", ".txt")
_LONGEST_HEADER = 1 << 12
_REVIEW_SUFFIXES = (".jsonl", ".parquet")  # lists of groups have no place in CSV


class ResponseFiles(NamedTuple):
    """Files of raw responses by what they hold."""

    templates: Sequence[Path]
    questions: Sequence[Path]
    prompts: Sequence[Path]
    responses: Sequence[Path]
    reviews: Sequence[Path]
    unread: frozenset[str] = frozenset()
    """Parts of which something stands where nobody reads it."""


def response_layout(folder: Path, diagnostics: Diagnostics, *, collecting: bool = False) -> ResponseFiles:
    """The files of a directory of raw responses; whatever would be overlooked is a problem.

    Raises:
        InputError: If the directory or one of its parts does not exist.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such directory; give a directory of raw responses")
    templates, questions = _single_file(folder, "templates"), _single_file(folder, "questions")
    files = optional_files(folder, folder, diagnostics)
    _check_unread(folder, diagnostics)
    if not files.responses and not diagnostics.problems and not collecting:
        raise InputError(
            f"{folder}: no files in its folder 'responses'; add them as docs/responses.md describes"
        )
    return files._replace(templates=[templates], questions=[questions])


def optional_files(folder: Path, root: Path, diagnostics: Diagnostics) -> ResponseFiles:
    """The files of a folder that holds some parts of raw responses; see `response_layout`.

    Args:
        folder: Any part may be missing.
        root: Folder that locations are relative to.
        diagnostics: Takes problems.

    Raises:
        RowError: If two files of one name stand side by side.
    """
    own = diagnostics.part()
    _check_overlooked(folder, root, own)
    single = {name: only_named(folder, name, SUFFIXES) for name in _SINGLE}
    present = {name: [] if path is None else [path] for name, path in single.items()}
    responses = _files(folder / "responses", root, SUFFIXES, own)
    reviews = _files(folder / "reviews", root, _REVIEW_SUFFIXES, own)
    diagnostics.problems.extend(own.problems)
    unread = frozenset(_FOLDERS if own.problems else ())
    return ResponseFiles(**present, responses=responses, reviews=reviews, unread=unread)


def _check_overlooked(folder: Path, root: Path, diagnostics: Diagnostics) -> None:
    """Note what nobody would read because of its name: ``Reviews/``, ``review/``, ``reviews.jsonl``."""
    for path in sorted(folder.iterdir()):
        base = path.name.partition(".")[0].casefold()
        for name in _FOLDERS:
            meant = base in (name, name.removesuffix("s"))
            # A file system without regard for case finds the folder under the right name as well.
            if meant and path.name != name and not _is_same(path, folder / name):
                fix = f"the files belong into the folder {name!r}, one per locale; move or rename it"
                diagnostics.problem("nothing of that name is read", where=location_of(path, root), fix=fix)


def _check_unread(folder: Path, diagnostics: Diagnostics) -> None:
    """Note what nobody reads: ``prompt.csv``, ``reveiws/``, and responses beside the folder of responses."""
    read = {f"{name}{suffix}" for name in _SINGLE for suffix in SUFFIXES}
    for path in sorted(folder.iterdir()):
        suffix = path.suffix.lower()
        if path.name in read or path.name.startswith(HIDDEN):
            continue
        if path.is_dir():
            _check_folder(path, diagnostics)
            continue
        if suffix in OTHER_WORKBOOKS and path.stem.casefold() in _SINGLE:
            diagnostics.problems.append(unknown_kind(path, where=path.name))
        if suffix not in SUFFIXES:
            continue
        alike = process.extractOne(path.stem.casefold(), _SINGLE, scorer=fuzz.ratio, score_cutoff=_LEAST_ALIKE)
        close = None if alike is None else alike[0]
        if close is not None and not _is_same(path, folder / f"{close}{suffix}"):
            fix = f"did you mean {close}{suffix}? Rename it, or move it elsewhere"
            diagnostics.problem("nothing of that name is read", where=path.name, fix=fix)
        elif close is None and (_LOCALE_FILE.fullmatch(path.name) or _holds_responses(path)):
            fix = "move it into the folder 'responses', or elsewhere"
            diagnostics.problem("responses that are not read here", where=path.name, fix=fix)
        elif close is None and suffix != ".txt":
            diagnostics.finding(
                NOT_READ, path.name, f"no file of raw responses is called {path.name}; not read"
            )


def _check_folder(path: Path, diagnostics: Diagnostics) -> None:
    """Note a folder that nobody reads, as a problem if its name or its files are those of one that is read."""
    name = path.name.partition(".")[0].casefold()
    if f"{name.removesuffix('s')}s" in _FOLDERS:
        return  # read, or told by `_check_overlooked`
    alike = process.extractOne(name, _FOLDERS, scorer=fuzz.ratio, score_cutoff=_LEAST_ALIKE)
    if alike is not None or any(_LOCALE_FILE.fullmatch(file.name) for file in path.glob("*")):
        meant = f"the folder of {alike[0]} is called {alike[0]!r}" if alike else _CALLED
        diagnostics.problem(
            "a folder that is not read", where=path.name, fix=f"{meant}; rename it, or move it elsewhere"
        )
    else:
        detail = f"the folders read here are called 'responses' and 'reviews', not {path.name!r}; not read"
        diagnostics.finding(NOT_READ, path.name, detail)


def _holds_responses(path: Path) -> bool:
    if path.suffix.lower() not in _TEXT_SUFFIXES:
        return False
    with open_content(path) as file:
        header = file.readline(_LONGEST_HEADER)
    return all(name in header for name in (b"template_id", b"annotator", b"answer_1"))


def _is_same(path: Path, other: Path) -> bool:
    return path.exists() and other.exists() and path.samefile(other)


def _single_file(folder: Path, name: str) -> Path:
    found = only_named(folder, name, SUFFIXES)
    if found is None:
        endings = f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
        raise InputError(f"{folder}: no file {name}{endings}; add one as docs/responses.md describes")
    return found


def _files(part: Path, root: Path, suffixes: tuple[str, ...], diagnostics: Diagnostics) -> list[Path]:
    """The files in a folder, by name; one of another kind is a problem, a hidden one is not."""
    if not os.path.lexists(part):
        return []
    try:
        # Not `glob`, for which a folder that may not be read is an empty one.
        files = sorted(path for path in part.iterdir() if not path.name.startswith(HIDDEN))
    except OSError as error:
        fix = "make it a folder that may be read"
        diagnostics.problem(
            f"cannot be read as a folder ({error.strerror})", where=location_of(part, root), fix=fix
        )
        return []
    for path in files:
        if path.suffix.lower() not in suffixes:
            fix = f"write it as {' or '.join(suffixes)}, or keep it elsewhere"
            if suffixes == _REVIEW_SUFFIXES and path.suffix.lower() in SUFFIXES:
                fix = "if it is a reviewed sheet, keep it elsewhere, and let `blend reviews accept` read it"
            diagnostics.problem("not a file of rows", where=location_of(path, root), fix=fix)
    return [path for path in files if path.suffix.lower() in suffixes]
