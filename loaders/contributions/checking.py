"""Checking contributions: everything that is wrong or odd, each at its location in a file."""

import re
from pathlib import Path
from typing import Literal

from blend.loaders.contributions import note_problems
from blend.loaders.contributions.contributors import CONSENT, FOLDER, collection_layout, owner_of
from blend.loaders.files.diagnostics import Diagnostics
from blend.schemas.errors import InputError, RowError
from blend.schemas.locales import Registry, registry
from blend.schemas.models import FrozenModel
from blend.schemas.reports import NO_REMEDY, finding_kinds

# A contributor may call a file anything, also with a line break in its name.
_LOCATION = re.compile(r"(?P<file>.*?)(?:\[[^\]/]*\])?(?::(?P<row>\d+))?(?:, (?P<field>[a-z]+ .+))?", re.DOTALL)


class _ContributionProblem(FrozenModel):
    """Something wrong in a contribution, or something odd that does not keep it from being read."""

    level: Literal["error", "warning"]
    """``error`` keeps the collection from being built; of a ``warning`` it says what was done about it."""
    contributor: str
    """Name of the contributor's folder; empty for what all contributors share."""
    file: str
    """File or folder, relative to the folder of all contributions, with ``/``."""
    row: int | None
    """Row that a spreadsheet shows, the header being row 1; in JSON Lines the line; null for the whole file."""
    where: str
    """The location within the contributor's folder: ``responses/ko-KR.csv:7, column answer_1``."""
    what: str
    """What is wrong."""
    fix: str
    """What to do about it."""

    def __str__(self) -> str:
        return f"{self.where}: {self.what}; {self.fix}"


class ContributionCheck(FrozenModel):
    """What a check of contributions found."""

    folder: Path
    """Folder of all contributions."""
    contributors: tuple[str, ...]
    """Folders that were checked, in text order."""
    problems: tuple[_ContributionProblem, ...]
    """Errors and warnings, by contributor, file and row."""
    is_complete: bool
    """Whether every check was made; otherwise more errors may appear once these are mended."""

    @property
    def errors(self) -> tuple[_ContributionProblem, ...]:
        """The problems that keep the collection from being built."""
        return tuple(problem for problem in self.problems if problem.level == "error")

    @property
    def passes(self) -> bool:
        """Whether there is no error."""
        return not self.errors

    def of(self, contributor: str) -> tuple[_ContributionProblem, ...]:
        """The problems of one contributor; of what all share for an empty name."""
        return tuple(problem for problem in self.problems if problem.contributor == contributor)


def check_contributions(
    folder: Path | str,
    *,
    locales: Registry | None = None,
    released: str | None = None,
) -> ContributionCheck:
    """Everything that is wrong with a collection, or with one contributor's folder in it.

    The collection is read as a whole even for one folder, since responses may be to the questions of others and
    two contributors may contradict each other; what is wrong with other folders alone is then left out.

    Args:
        folder: The collection, its folder ``contributions``, or one contributor's folder in that.
        locales: Known locales; the packaged registry when absent.
        released: Licence of the dataset, which those of contributors have to allow; any of them will do when
            absent.

    Raises:
        InputError: If it is none of these, or if no contributor's folder is there.
    """
    root, only = collection_of(Path(folder))
    diagnostics = Diagnostics()
    files = collection_layout(root, diagnostics)
    known = registry() if locales is None else locales
    is_complete = note_problems(files, known, diagnostics, released=released)
    names = tuple(part.name for part in files.contributors)
    errors = [_problem("error", error, names) for error in diagnostics.problems]
    warnings = [_problem("warning", oddity, names) for oddity in _oddities(diagnostics)]
    chosen = [found for found in (*errors, *warnings) if only is None or found.contributor in ("", only)]
    return ContributionCheck(
        folder=root,
        contributors=names if only is None else (only,),
        problems=tuple(sorted(chosen, key=lambda found: (found.contributor, found.file, found.row or 0))),
        is_complete=is_complete,
    )


def collection_of(folder: Path) -> tuple[Path, str | None]:
    """The folder of all contributions, and which one of them is meant; null for all.

    Raises:
        InputError: If it is neither a collection nor a contributor's folder in one.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such directory; give a collection, or a contributor's folder in one")
    if (folder / FOLDER).is_dir():
        return folder / FOLDER, None
    if (folder / CONSENT).is_file():
        return folder, None
    absolute = folder.resolve()  # `.` has neither a name nor a parent
    if (absolute.parent / CONSENT).is_file():
        return absolute.parent, absolute.name
    raise InputError(
        f"{folder}: neither a collection nor a contributor's folder in one, since no {CONSENT} is in it or "
        "beside it; give the folder where it lies in the collection, or start one with `blend contribute init`"
    )


def _oddities(diagnostics: Diagnostics) -> list[RowError]:
    """Findings about which somebody can do something; not a byte order mark, which is left out."""
    kinds = finding_kinds()
    return [
        RowError(detail, where=source, fix=kinds[kind].remedy[:1].lower() + kinds[kind].remedy[1:])
        for kind, source, _, _, detail in diagnostics.findings
        if kinds[kind].remedy != NO_REMEDY
    ]


def _problem(
    level: Literal["error", "warning"], error: RowError, names: tuple[str, ...]
) -> _ContributionProblem:
    """A problem at its location, in words that the contributor knows."""
    found = _LOCATION.fullmatch(error.where)
    assert found is not None  # every part of the expression may be empty
    file = found["file"]
    owner = file if file in names else owner_of(file)
    return _ContributionProblem(
        level=level,
        contributor=owner,
        file=file,
        row=None if found["row"] is None else int(found["row"]),
        where=error.where.removeprefix(owner).removeprefix("/") or "the folder",
        # Whoever writes a01 into a sheet does not know that the release says mina-ko/a01.
        what=error.what.replace(f"'{owner}/", "'") if owner else error.what,
        fix=error.fix,
    )
