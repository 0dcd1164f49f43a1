"""Contributions: a folder per contributor with questions, responses, reviews and consent, read as one.

``docs/contributing-data.md`` describes the folders.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import polars as pl

from blend.loaders.contributions.contributors import (
    CONSENT,
    FOLDER,
    CollectionFiles,
    annotator_id,
    collection_layout,
    owner_of,
    read_contributor,
    read_profiles,
    terms_problems,
)
from blend.loaders.files.diagnostics import Checked, Diagnostics, Placed
from blend.loaders.responses import ResponseTables, response_tables
from blend.loaders.responses.checks import check_rows
from blend.loaders.responses.response_rows import CALLED, KEYS, ResponseRows, read_response_rows
from blend.schemas.errors import InputError, RowError
from blend.schemas.frames import PROFILES, empty
from blend.schemas.locales import Registry, registry
from blend.schemas.models import FrozenModel, Row
from blend.schemas.personal_data import Contributor, contact_data
from blend.schemas.reports import NO_REMEDY, finding_kinds
from blend.schemas.rows import Response
from blend.schemas.texts import clean


class Collection(NamedTuple):
    """What all contributors brought."""

    contributors: Mapping[str, Contributor]
    """Who they are, how to credit them, and what they agreed to; by name of their folders, in text order."""
    tables: ResponseTables
    """All rows together, those that all contributors share among them."""
    profiles: pl.DataFrame
    """`frames.PROFILES`, of annotators who agreed to tell something, ordered by annotator."""


def read_collection(
    folder: Path | str,
    *,
    locales: Registry | None = None,
    reviewing: bool = False,
) -> Collection:
    """The contributions in a directory with a folder for each contributor.

    Annotators and reviewers are called ``<folder>/<pseudonym>``, so that those of two contributors stay apart.
    Locations are relative to the directory: ``mina-ko/responses/ko-KR.csv:7``. A template, question,
    prompt or review that says the same in two folders counts where it comes first, with a finding
    ``repeated-row``.

    Args:
        folder: Holds ``CONSENT.md``, a folder per contributor, and perhaps ``templates`` and ``prompts`` that
            all share.
        locales: Known locales; the packaged registry when absent.
        reviewing: Whether the answers are about to be reviewed (`loaders.responses.read_responses`).

    Raises:
        InputError: If the directory does not exist, or holds no folder of a contributor.
        RowError, RowErrors: If anything in the folders breaks its contract, or if two of them contradict each
            other; names all places at once.
    """
    diagnostics = Diagnostics()
    known = registry() if locales is None else locales
    files = collection_layout(Path(folder), diagnostics)
    rows, contributors, profiles = _read(files, known, diagnostics, reviewing=reviewing)
    diagnostics.raise_problems()
    there = {name: who for name, who in contributors.items() if who is not None}
    return Collection(there, response_tables(rows, known, diagnostics), profiles)


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
    rows, contributors, _ = _read(files, registry() if locales is None else locales, diagnostics)
    given = [(name, who) for name, who in contributors.items() if who is not None]
    diagnostics.problems.extend(terms_problems(given, released))
    names = tuple(contributors)
    errors = [_problem("error", error, names) for error in diagnostics.problems]
    warnings = [_problem("warning", oddity, names) for oddity in _oddities(diagnostics)]
    chosen = [found for found in (*errors, *warnings) if only is None or found.contributor in ("", only)]
    return ContributionCheck(
        folder=root,
        contributors=names if only is None else (only,),
        problems=tuple(sorted(chosen, key=lambda found: (found.contributor, found.file, found.row or 0))),
        is_complete=len(given) == len(names) and all(part.is_complete for part in rows),
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


def _problem(level: Literal["error", "warning"], error: RowError, names: Sequence[str]) -> _ContributionProblem:
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


def _read(
    files: CollectionFiles,
    known: Registry,
    diagnostics: Diagnostics,
    *,
    reviewing: bool = False,
) -> tuple[ResponseRows, dict[str, Contributor | None], pl.DataFrame]:
    """All rows, merged and checked, the contributors by folder, and all profiles."""
    root = files.root
    parts = [read_response_rows(files.shared, root, known, diagnostics)]
    contributors, profiles = {}, [empty(PROFILES)]
    for part in files.contributors:
        rows = read_response_rows(part.responses, root, known, diagnostics)
        annotators = {row.annotator for _, row in rows.responses.rows} if rows.responses.is_complete else None
        contributors[part.name] = read_contributor(part, root, diagnostics)
        profiles.append(read_profiles(part, root, annotators, diagnostics))
        parts.append(_with_owners(rows, part.name, diagnostics))
    merged = _merge_rows(parts, diagnostics)
    check_rows(merged, known, diagnostics, reviewing=reviewing)
    return merged, contributors, pl.concat(profiles).sort("annotator")


def part_of(tables: ResponseTables, contributor: str) -> ResponseTables:
    """The rows of the tables that were read in a contributor's folder."""
    own = pl.col("source").str.starts_with(f"{contributor}/")
    return ResponseTables(*(table.filter(own) for table in tables))


def _with_owners(rows: ResponseRows, contributor: str, diagnostics: Diagnostics) -> ResponseRows:
    """A contributor's rows, with annotators and reviewers as the release tells them apart.

    Responses that hold an e-mail address or a phone number are problems, which name the location and the kind.
    They are left out: no other problem quotes what they hold.
    """

    def renamed(placed: Placed[Any], field: str) -> Placed[Any]:
        name = annotator_id(contributor, getattr(placed.row, field))
        return Placed(placed.location, placed.row.model_copy(update={field: name}))

    kept = []
    for placed in rows.responses.rows:
        found = list(_contacts(placed.row))
        for what in found:
            fix = "take it out: files in a repository stay public for ever"
            diagnostics.problem(what, where=placed.location, fix=fix)
        kept += [] if found else [renamed(placed, "annotator")]
    is_complete = rows.responses.is_complete and len(kept) == len(rows.responses.rows)
    reviews = [renamed(placed, "reviewer") for placed in rows.reviews.rows]
    return rows._replace(responses=Checked(kept, is_complete), reviews=rows.reviews._replace(rows=reviews))


def _merge_rows(parts: Sequence[ResponseRows], diagnostics: Diagnostics) -> ResponseRows:
    """The rows of all contributors as one set of rows.

    A template, question, prompt or review that an earlier part has as well is left out: with a finding where
    both say the same, with a problem where they do not.

    Args:
        parts: What all share, then what each brings, in the order in which the first counts.
        diagnostics: Takes findings and problems.
    """
    merged = {}
    for kind in ResponseRows._fields:
        of_kind = [getattr(part, kind) for part in parts]
        rows = [placed for part in of_kind for placed in part.rows]
        if kind != "responses":  # in which annotators of two folders stay apart
            rows = list(_first_of_each(rows, kind, diagnostics))
        merged[kind] = Checked(rows, all(part.is_complete for part in of_kind))
    return ResponseRows(**merged)


def _first_of_each(rows: Sequence[Placed[Any]], kind: str, diagnostics: Diagnostics) -> Iterator[Placed[Any]]:
    """The rows, without those that an earlier folder has as well."""
    first: dict[tuple[str, ...], Placed[Any]] = {}
    for placed in rows:
        location, row = placed
        earlier = first.setdefault(tuple(getattr(row, name) for name in KEYS[kind]), placed)
        if owner_of(earlier.location) == owner_of(location):
            yield placed
            continue
        named, now, before = CALLED[kind].format(row), _content_of(row), _content_of(earlier.row)
        other = next((name for name in now if now[name] != before[name]), None)
        if other is None:
            detail = f"{named} says the same as in {earlier.location}; left out here"
            diagnostics.oddity("repeated-row", placed, detail)
        else:
            # Told at both, since either may be mistaken; what all share is nobody's.
            for here, there in ((location, earlier.location), (earlier.location, location)):
                if owner_of(here):
                    fix = "agree on one of the two; what is meant to be another needs an id of its own"
                    if kind == "reviews":
                        fix = (
                            "delete it in one of the two, then let `blend reviews propose` take up the question"
                        )
                    what = f"{named} says something else than in {there}"
                    diagnostics.problem(what, where=f"{here}, column {other}", fix=fix)


def _content_of(row: Row) -> dict[str, Any]:
    """What a row says, but for blanks and for who reviewed it; what is not recorded is like a blank."""
    values = row.model_dump(exclude={"reviewer", "reasons", "answer_format"})
    return {name: clean(value) if isinstance(value, str) else value or "" for name, value in values.items()}


def _contacts(response: Response) -> Iterator[str]:
    for number, answer in enumerate(response.answers, start=1):
        for kind in contact_data(answer, is_answer=True):
            yield f"answer {number} holds {kind} (not shown)"
    for kind in contact_data(response.reason or "", is_answer=False):
        yield f"the reason holds {kind} (not shown)"
