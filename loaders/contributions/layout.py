"""Layout of a collection: what all contributors share, one folder for each of them, and what stands beside."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from blend.loaders.files.content import location_of
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import SUFFIXES
from blend.loaders.files.tables import TABLE_SUFFIXES, only_named
from blend.loaders.responses.response_files import HIDDEN, ResponseFiles, optional_files
from blend.loaders.responses.response_rows import ResponseRows
from blend.schemas.errors import ArgumentError, InputError, RowError, did_you_mean

CONSENT = "CONSENT.md"
CONTRIBUTOR = "contributor.toml"
FOLDER = "contributions"
"""Folder of the contributions in a collection."""

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LETTERS = "small letters a to z, digits, and hyphens between them, as in mina-ko"
_TABLES = ("templates", "prompts")
_KINDS = ("templates", "questions", "prompts", "responses", "reviews")
_NOTHING_READ = ResponseFiles([], [], [], [], [], frozenset(ResponseRows._fields))
_OWN_TABLES = {
    **dict.fromkeys(("templates", "questions", "prompts"), SUFFIXES),
    "annotators": TABLE_SUFFIXES,
}
_READ_BY_PEOPLE = ("README.md", "LICENSE", "LICENSE.md", "LICENSE.txt")


class ContributorFiles(NamedTuple):
    """The files of one contributor."""

    name: str
    """Name of the folder, which is the contributor's id."""
    responses: ResponseFiles
    contributor: Path | None
    """Null, as all else, where a link is in the folder: then nothing in it is read."""
    profiles: Path | None
    """File of annotators; null where there is none."""


class CollectionFiles(NamedTuple):
    """The files of a collection."""

    root: Path
    """Folder of the contributions, to which locations are relative."""
    shared: ResponseFiles
    """Templates and prompts that all contributors share."""
    contributors: tuple[ContributorFiles, ...]
    """In order of their names."""

    def all(self) -> list[Path]:
        """Every file that is read, in the order of their paths."""
        parts = [self.shared, *(files.responses for files in self.contributors)]
        tables = [path for part in parts for kind in _KINDS for path in getattr(part, kind)]
        own = [path for files in self.contributors for path in (files.contributor, files.profiles) if path]
        return sorted([self.root / CONSENT, *tables, *own])


def collection_layout(folder: Path, diagnostics: Diagnostics) -> CollectionFiles:
    """The files of a collection; whatever would be overlooked, and every part that is missing, is a problem.

    Args:
        folder: Holds ``CONSENT.md``, a folder per contributor, and perhaps templates and prompts for all.
        diagnostics: Takes problems. The parts that are there are returned all the same.

    Raises:
        InputError: If there is no such directory, or no contribution in it.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such directory; give the directory of contributions")
    linked = _linked(folder, diagnostics)
    if not (folder / CONSENT).is_file() and CONSENT not in linked:
        fix = "write what contributors agree to; `blend contribute init` writes a first text"
        diagnostics.problem("the file is missing", where=CONSENT, fix=fix)
    entries = sorted(path for path in folder.iterdir() if not path.name.startswith(HIDDEN))
    names = [path.name for path in entries if path.is_dir()]
    files = [path for path in entries if not path.is_dir() and path.name not in linked]
    _check_known(files, folder, {CONSENT: (), **dict.fromkeys(_TABLES, SUFFIXES)}, diagnostics)
    if not names and not linked:
        raise InputError(
            f"{folder}: no contributor's folder in it; `blend contribute init` writes one for a contributor"
        )
    beside = any((folder / name).is_symlink() for name in linked)
    shared = _NOTHING_READ if beside else shared_files(folder, diagnostics)
    parts = [_contributor(folder / name, folder, diagnostics, is_linked=name in linked) for name in names]
    return CollectionFiles(folder, shared, tuple(parts))


def shared_files(folder: Path, diagnostics: Diagnostics) -> ResponseFiles:
    """The templates and prompts that all contributors share; two files of one name are a problem."""
    found: dict[str, list[Path]] = {}
    for name in _TABLES:
        with _told_at(name, diagnostics):
            path = only_named(folder, name, SUFFIXES)
            found[name] = [] if path is None else [path]
    unread = frozenset({*_TABLES} - {*found})
    return ResponseFiles(found.get("templates", []), [], found.get("prompts", []), [], [], unread)


@contextmanager
def _told_at(where: str, diagnostics: Diagnostics) -> Iterator[None]:
    """Note the error of a block, at a location within the collection."""
    try:
        yield
    except RowError as error:
        diagnostics.problem(error.what, where=where, fix=error.fix)


def check_name(contributor: str) -> None:
    """Refuse what no contributor's folder can be called.

    Raises:
        ArgumentError: Says what it can.
    """
    if not _NAME.fullmatch(contributor):
        raise ArgumentError(f"{contributor!r} cannot be a contributor's folder; choose {_LETTERS}")


def _linked(folder: Path, diagnostics: Diagnostics) -> set[str]:
    """Note every link; returned are the files and folders directly in ``folder`` that are one or hold one.

    Strangers write these folders, and messages quote what is read: a link could lead to any file here.
    """
    links = [path for path in sorted(folder.rglob("*")) if path.is_symlink()]
    for path in links:
        fix = f"put the {'folder' if path.is_dir() else 'file'} there"
        with diagnostics.collected():
            where = location_of(path, folder)
            diagnostics.problem("a link, which is not followed", where=where, fix=fix)
    return {path.relative_to(folder).parts[0] for path in links}


def owner_of(location: str) -> str:
    """The contributor's folder that a location is in; empty for what all share."""
    owner, slash, _ = location.partition("/")
    return owner if slash else ""


def _contributor(folder: Path, root: Path, diagnostics: Diagnostics, *, is_linked: bool) -> ContributorFiles:
    """The files in a contributor's folder; parts that cannot be told apart are left out."""
    name = folder.name
    if not _NAME.fullmatch(name):
        what = "the folder's name cannot be a contributor's"
        diagnostics.problem(what, where=name, fix=f"rename the folder: {_LETTERS}")
    if is_linked:
        return ContributorFiles(name, _NOTHING_READ, None, None)
    contributor = folder / CONTRIBUTOR
    if not contributor.is_file():
        fix = f"say who contributes; `blend contribute init --contributor {name}` writes a first one"
        diagnostics.problem("the file is missing", where=f"{name}/{CONTRIBUTOR}", fix=fix)
    files = [path for path in sorted(folder.iterdir()) if not path.name.startswith(HIDDEN)]
    known = {CONTRIBUTOR: (), **_OWN_TABLES, "responses": (), "reviews": ()}
    misread = [path for path in files if path.name.partition(".")[0].casefold() not in _LISTED]
    _check_known(misread, root, known, diagnostics)
    responses, profiles = _NOTHING_READ, None
    with _told_at(name, diagnostics):
        responses = optional_files(folder, root, diagnostics)
        profiles = only_named(folder, "annotators", TABLE_SUFFIXES)
        if not responses.unread and not any(responses[:-1]):
            fix = "add questions, responses or reviews, as docs/contributing-data.md describes"
            diagnostics.problem("nothing is contributed", where=name, fix=fix)
    return ContributorFiles(name, responses, contributor, profiles)


_LISTED = ("response", "responses", "review", "reviews")
"""Names that `optional_files` looks at itself."""


def _check_known(
    files: Sequence[Path], root: Path, known: Mapping[str, Sequence[str]], diagnostics: Diagnostics
) -> None:
    """Note files that nobody would read, because of their names.

    Args:
        files: Files and folders beside each other.
        root: Folder that locations are relative to.
        known: Names with the endings that they may have.
        diagnostics: Takes the problems.
    """
    for path in files:
        stem, endings = path.name.partition(".")[0], known.get(path.name.partition(".")[0], ())
        if path.name in (*known, *_READ_BY_PEOPLE) or path.name.removeprefix(stem).lower() in endings:
            continue
        if endings:
            fix = f"write it as {', '.join(endings[:-1])} or {endings[-1]}, or keep it elsewhere"
        else:
            hint = did_you_mean(stem, [name for name in known if known[name]])
            fix = f"{hint}rename it, or keep it elsewhere; what is read here: {', '.join(known)}"
        diagnostics.problem("nothing of that name is read", where=location_of(path, root), fix=fix)
