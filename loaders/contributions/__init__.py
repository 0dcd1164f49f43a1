"""Contributions: a folder per contributor with questions, responses, reviews and consent, read as one.

``docs/contributing-data.md`` describes the folders.
"""

from pathlib import Path
from typing import NamedTuple

import polars as pl

from blend.loaders.contributions.contributors import (
    CollectionFiles,
    collection_layout,
    read_contributor,
    read_profiles,
    terms_problems,
)
from blend.loaders.contributions.merging import merge_rows, with_owners
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.responses import ResponseTables, check_rows, response_tables
from blend.loaders.responses.response_rows import ResponseRows, read_response_rows
from blend.schemas.contributors import Contributor
from blend.schemas.locales import Registry, registry


class Contribution(NamedTuple):
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

    contributions: tuple[Contribution, ...]
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
        Contribution(name, contributor, _part(tables, name), profiles)
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
        parts.append(with_owners(rows, part.name, diagnostics))
    merged = merge_rows(parts, diagnostics)
    check_rows(merged, known, diagnostics, reviewing=reviewing)
    return merged, contributors


def _part(tables: ResponseTables, contributor: str) -> ResponseTables:
    """The rows of the tables that were read in a contributor's folder."""
    own = pl.col("source").str.starts_with(f"{contributor}/")
    return ResponseTables(*(table.filter(own) for table in tables))
