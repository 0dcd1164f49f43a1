"""Contributions: a folder per contributor with questions, responses, reviews and consent, read as one.

``docs/contributing-data.md`` describes the folders.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.loaders.contributions.contributors import (
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
from blend.loaders.responses.response_rows import KEYS, ResponseRows, read_response_rows
from blend.schemas.locales import Registry, registry
from blend.schemas.personal_data import Contributor, contact_data
from blend.schemas.rows import Response
from blend.schemas.texts import clean


class _Contribution(NamedTuple):
    """What one contributor brought."""

    name: str
    """Name of the contributor's folder."""
    contributor: Contributor
    """Who it is, how to credit them, and what they agreed to."""
    tables: ResponseTables
    """The rows of the folder's own files; without those that an earlier folder has as well."""
    profiles: pl.DataFrame
    """`frames.PROFILES`, of annotators who agreed to tell something, ordered by annotator."""


class Collection(NamedTuple):
    """What all contributors brought."""

    contributions: tuple[_Contribution, ...]
    """In order of the folders' names."""
    tables: ResponseTables
    """All rows together, those that all contributors share among them."""
    profiles: pl.DataFrame
    """All profiles together, ordered by annotator."""


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
    rows, contributors = _read(files, known, diagnostics, reviewing=reviewing)
    diagnostics.raise_problems()
    tables = response_tables(rows, known, diagnostics)
    contributions = tuple(
        _Contribution(name, contributor, _part(tables, name), profiles)
        for name, (contributor, profiles) in contributors.items()
        if contributor is not None
    )
    profiles = pl.concat([contribution.profiles for contribution in contributions]).sort("annotator")
    return Collection(contributions, tables, profiles)


def note_problems(
    files: CollectionFiles,
    known: Registry,
    diagnostics: Diagnostics,
    *,
    released: str | None = None,
) -> bool:
    """Note everything that `read_collection` would raise for, its findings, and licences that do not fit.

    Args:
        files: The collection's.
        known: Known locales.
        diagnostics: Where it is noted.
        released: Licence of the dataset, as of `contributors.terms_problems`.

    Returns:
        Whether every file and row could be read; otherwise some checks were not made.
    """
    rows, contributors = _read(files, known, diagnostics)
    named = [(name, who) for name, (who, _) in contributors.items() if who is not None]
    diagnostics.problems.extend(terms_problems(named, released))
    return len(named) == len(contributors) and all(part.is_complete for part in rows)


def _read(
    files: CollectionFiles,
    known: Registry,
    diagnostics: Diagnostics,
    *,
    reviewing: bool = False,
) -> tuple[ResponseRows, dict[str, tuple[Contributor | None, pl.DataFrame]]]:
    """All rows, merged and checked, and the contributors with their profiles, by folder."""
    root = files.root
    parts = [read_response_rows(files.shared, root, known, diagnostics)]
    contributors = {}
    for part in files.contributors:
        rows = read_response_rows(part.responses, root, known, diagnostics)
        annotators = {row.annotator for _, row in rows.responses.rows} if rows.responses.is_complete else None
        contributors[part.name] = (
            read_contributor(part, root, diagnostics),
            read_profiles(part, root, annotators, diagnostics),
        )
        parts.append(_with_owners(rows, part.name, diagnostics))
    merged = _merge_rows(parts, diagnostics)
    check_rows(merged, known, diagnostics, reviewing=reviewing)
    return merged, contributors


def _part(tables: ResponseTables, contributor: str) -> ResponseTables:
    """The rows of the tables that were read in a contributor's folder."""
    own = pl.col("source").str.starts_with(f"{contributor}/")
    return ResponseTables(*(table.filter(own) for table in tables))


_ONCE = {
    "templates": (
        "template {0.template_id!r}",
        ("text", "topic", "source_locale"),
        "write the same, or give this template an id of its own",
    ),
    "questions": (
        "question {0.template_id!r} in {0.locale}",
        ("question", "en_question"),
        "agree on one wording, since a locale is asked a question in the same words by everybody",
    ),
    "prompts": (
        "prompt {0.prompt_id!r} of {0.locale}",
        ("prompt", "en_prompt"),
        "agree on one wording, or give this prompt an id of its own",
    ),
    "reviews": (
        "review of {0.template_id!r} in {0.locale}",
        ("invalid", "groups"),
        "delete it in one of the two folders, then let `blend reviews propose` take up the question again",
    ),
}
"""What counts once (`response_rows.KEYS`): how it is called, in which columns two rows of one key must agree,
and what to do where they do not."""


def _with_owners(rows: ResponseRows, contributor: str, diagnostics: Diagnostics) -> ResponseRows:
    """A contributor's rows, with annotators and reviewers as the release tells them apart.

    Responses that hold an e-mail address or a phone number are problems, which name the location and the kind.
    They are left out: no other problem quotes what they hold.
    """
    kept = []
    for location, row in rows.responses.rows:
        found = list(_contacts(row))
        for what in found:
            fix = "take it out: files in a repository stay public for ever"
            diagnostics.problem(what, where=location, fix=fix)
        if not found:
            kept.append(Placed(location, _renamed(row, "annotator", contributor)))
    is_complete = rows.responses.is_complete and len(kept) == len(rows.responses.rows)
    reviews = [Placed(where, _renamed(row, "reviewer", contributor)) for where, row in rows.reviews.rows]
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
        if kind in _ONCE:
            rows = list(_first_of_each(rows, kind, diagnostics))
        merged[kind] = Checked(rows, all(part.is_complete for part in of_kind))
    return ResponseRows(**merged)


def _first_of_each(rows: Sequence[Placed[Any]], kind: str, diagnostics: Diagnostics) -> Iterator[Placed[Any]]:
    """The rows, without those that an earlier folder has as well."""
    called, fields, fix = _ONCE[kind]
    first: dict[tuple[str, ...], Placed[Any]] = {}
    for placed in rows:
        location, row = placed
        earlier = first.setdefault(tuple(getattr(row, name) for name in KEYS[kind]), placed)
        if owner_of(earlier.location) == owner_of(location):
            yield placed
            continue
        named = called.format(row)
        other = next((name for name in fields if not _agree(row, earlier.row, name)), None)
        if other is None:
            detail = f"{named} says the same as in {earlier.location}; left out here"
            diagnostics.oddity("repeated-row", placed, detail)
        else:
            places = f"{location}, column {other}", f"{earlier.location}, column {other}"
            _tell_both(*places, f"{named} says something else than in", fix, diagnostics)


def _tell_both(later: str, earlier: str, what: str, fix: str, diagnostics: Diagnostics) -> None:
    """Note a contradiction at both locations, since either contributor may be the one who is mistaken.

    What all share is no contributor's; then the later alone is told. The other location comes behind ``what``.
    """
    for here, there in ((later, earlier), (earlier, later)):
        if owner_of(here):
            diagnostics.problem(f"{what} {there.partition(',')[0]}", where=here, fix=fix)


def _renamed(row: Any, field: str, contributor: str) -> Any:
    return row.model_copy(update={field: annotator_id(contributor, getattr(row, field))})


def _agree(one: Any, other: Any, field: str) -> bool:
    """Whether two rows say the same in a field, but for blanks; one that is not recorded is like a blank."""
    values = getattr(one, field) or "", getattr(other, field) or ""
    if isinstance(values[0], str) and isinstance(values[1], str):
        return clean(values[0]) == clean(values[1])
    return values[0] == values[1]


def _contacts(response: Response) -> Iterator[str]:
    for number, answer in enumerate(response.answers, start=1):
        for kind in contact_data(answer, is_answer=True):
            yield f"answer {number} holds {kind} (not shown)"
    for kind in contact_data(response.reason or "", is_answer=False):
        yield f"the reason holds {kind} (not shown)"
