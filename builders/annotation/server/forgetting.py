"""Forgetting: a person's work leaves the events and all files, and does not come back."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import polars as pl

from blend.builders.annotation.beside import read_collected, reviews_beside
from blend.builders.annotation.collecting import collected_so_far
from blend.builders.annotation.forgotten_answers import review_without
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import Account, People, project_key
from blend.builders.annotation.server.forgotten import (
    forgotten,
    is_theirs,
    remember,
)
from blend.builders.annotation.server.pulling import Pull, only_theirs, rewritten
from blend.builders.annotation.stages.model import Material
from blend.builders.saq.collection import NEEDS_RESPONSES
from blend.loaders.label_studio.events import Line, read_events
from blend.loaders.label_studio.folder import Folder, held
from blend.loaders.responses import ResponseTables
from blend.loaders.responses.sheets import rewrite_reviews
from blend.schemas.errors import InputError
from blend.schemas.rows.frame_columns import KEY

_Accounts = dict[int, Account]


@dataclass(frozen=True)
class Forgotten:
    """Changes that forgetting somebody made."""

    annotator: str
    """Pseudonym."""
    names: frozenset[str]
    """All pseudonyms by which they are known again."""
    accounts: Sequence[int]
    """Numbers of their accounts on the server."""
    lines: Sequence[Line]
    """Lines of the events that were removed."""
    gone: set[str]
    """Ids of the answers that nobody else gives."""
    changed: Sequence[Line]
    """Versions of others' annotations that the person has made."""
    reopened: pl.DataFrame
    """The questions that have too few responses now and had enough before: ``template_id``, ``locale``."""
    pull: Pull
    """The files that were written anew."""
    named_in: list[str] = field(default_factory=list)
    """Lists of the project file that name them."""
    own_reviews: Sequence[Path] = ()
    """Files of reviews that no pull writes and from which their answers were removed."""


def forget_person(
    file: ProjectFile, who: str, *, accounts: _Accounts | None = None, within: Folder | None = None
) -> Forgotten:
    """Remove everything that a person did from the files of a project, and remember the pseudonym.

    No later pull brings anything back. The answers that nobody else gave leave the reviews as well, with the
    English that belongs to them; what reviewers decided on others' answers stays. May be stopped at any moment
    and run again. For the server see `erasing.forget_everywhere`; published releases stay as they are.

    Args:
        file: The project.
        who: Pseudonym or e-mail address.
        accounts: Of the server, by number; none when absent.
        within: The pull folder, where it is held already.

    Raises:
        InputError: If there is no key, or nobody of that name did anything in this project.
        ConflictError: If another process holds the pull folder, or a file to write anew was edited by hand.
    """
    if within is None:
        with held(file.pulled) as folder:
            return forget_person(file, who, accounts=accounts, within=folder)
    key, lines = project_key(file), read_events(within.events)
    people = People(key, accounts, lines)
    annotator = _annotator(people, who, accounts or {})
    names = people.names_of(annotator) | people.names_of(people.named(who))
    theirs = [line for line in lines if is_theirs(line, names, key)]
    if not theirs and annotator not in forgotten(file) and len(names) < 2:
        raise InputError(
            f"{annotator} has done nothing in this project, as far as it was pulled; "
            "`blend annotate status` lists who has"
        )
    before = _collected(file)
    # First of all: whatever happens from here on, no pull brings anything back.
    remember(file, names)
    gone = only_theirs(file, lines, names, key)
    without = partial(review_without, gone=gone)
    own_reviews = [path for path in reviews_beside(file) if rewrite_reviews(path, without)]
    pull = rewritten(file, within, names)
    reopened = _open_questions(file, _collected(file)).join(_open_questions(file, before), on=KEY, how="anti")
    return Forgotten(
        annotator,
        names,
        sorted({int(str(line["account"]).split()[0]) for line in theirs if line.get("account")}),
        theirs,
        gone,
        [line for line in lines if line.get("changed_by") in names and line not in theirs],
        reopened,
        pull,
        _lists(file, people, annotator),
        own_reviews,
    )


def _annotator(people: People, who: str, accounts: _Accounts) -> str:
    """The pseudonym of somebody, whose account may have got the address that is given later."""
    named = people.named(who)
    later = (
        people.of(number)
        for number, account in accounts.items()
        if account.address is not None and people.named(account.address) == named
    )
    return next((found for found in later if found is not None), named)


def _collected(file: ProjectFile) -> ResponseTables | None:
    """Read what was collected so far; null where nothing is asked yet."""
    if not file.collected.is_dir():
        return None
    return read_collected(file.collected, file.locales).tables


def _open_questions(file: ProjectFile, tables: ResponseTables | None) -> pl.DataFrame:
    """The questions that need responses."""
    if tables is None:
        return pl.DataFrame(schema=dict.fromkeys(KEY, pl.String()))
    material = Material(tables.questions, tables.responses, tables.reviews)
    states = collected_so_far(file.project, material)
    return states.filter(pl.col("state") == NEEDS_RESPONSES).select(KEY)


def _lists(file: ProjectFile, people: People, annotator: str) -> list[str]:
    return [
        f"locales[{number}].{role}"
        for number, settings in enumerate(file.project.locales)
        for role, listed in (("annotators", settings.annotators), ("reviewers", settings.reviewers))
        if annotator in map(people.named, listed or ())
    ]
