"""Forgetting: a person's work leaves the pull folder and the raw responses, and does not come back."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from blend.builders.annotation.collecting import collected_so_far
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import People, pseudonym, read_key
from blend.builders.annotation.server.forgotten import Done, forgotten, remember, without_people
from blend.builders.annotation.server.projects import places
from blend.builders.annotation.server.pulling import (
    ACCOUNTS,
    HISTORY,
    Pull,
    accounts,
    raw_export,
    take_again,
)
from blend.builders.annotation.stages.model import Material
from blend.builders.saq.collection import NEEDS_RESPONSES
from blend.loaders.files.whole import write_whole
from blend.loaders.label_studio.export import read_export, write_digest
from blend.loaders.label_studio.folder import held
from blend.loaders.label_studio.history import forget
from blend.loaders.responses import read_responses
from blend.schemas.errors import InputError
from blend.schemas.frames import KEY


@dataclass(frozen=True)
class Forgotten:
    """What forgetting somebody changed."""

    annotator: str
    """Pseudonym."""
    annotations: Done
    """What they did, which only a person can delete on the server; also what an earlier, perhaps stopped, order
    has removed."""
    history: int
    """Lines of the history that were removed."""
    reopened: pl.DataFrame
    """The questions that have too few responses now and had enough before: ``template_id``, ``locale``."""
    pull: Pull
    """The files that were written anew."""
    named_in: list[str] = field(default_factory=list)
    """Lists of the project file that name them."""


def forget_person(file: ProjectFile, who: str) -> Forgotten:
    """Remove everything that a person did, and remember the pseudonym, so that no later pull brings it back.

    May be stopped at any moment and run again. What is on the server stays there, and so do releases that were
    published.

    Args:
        file: The project.
        who: Pseudonym or e-mail address.

    Raises:
        InputError: If there is no key, or nobody of that name did anything in this project.
        ConflictError: If another process holds the pull folder, or a file to write anew was edited by hand.
    """
    key = read_key(file.key_file)
    people = People(key, accounts(file.pulled))
    annotator = people.named(who)
    with held(file.pulled) as folder:
        before = _open_questions(file)
        done = _annotations(file, people, annotator)
        gone = forgotten(folder.path)
        if not done and annotator not in gone:
            raise InputError(
                f"{annotator} has done nothing in this project, as far as it was pulled; "
                "`blend annotate status` lists who has"
            )
        # First of all: whatever happens from here on, no pull brings anything back.
        unnamed: dict[str, Done] = {name: {} for name in _numbers(folder.path, annotator, key)}
        remember(folder.path, {annotator: done, **unnamed})
        done = forgotten(folder.path)[annotator]
        lines = 0
        for place in places(file):
            raw = raw_export(folder.path, place)
            if raw.exists():
                without_people(raw, people.of, {annotator})
                write_digest(raw)
            lines += forget(folder.path / HISTORY / f"{place.slug}.jsonl", annotator)
        _forget_address(folder.path, annotator, key)
        pull = take_again(file, folder, key)
        reopened = _open_questions(file).join(before, on=KEY, how="anti")
    return Forgotten(annotator, done, lines, reopened, pull, _lists(file, people, annotator))


def _annotations(file: ProjectFile, people: People, annotator: str) -> Done:
    """What a person did, by stage and locale."""
    found: Done = {}
    for place in places(file):
        raw = raw_export(file.pulled, place)
        own = [
            (int(task["id"]), int(annotation["id"]))
            for task in (read_export(raw) if raw.exists() else ())
            for annotation in task["annotations"]
            if people.of(annotation.get("completed_by")) == annotator
        ]
        if own:
            found[f"{place.stage.name} {place.locale.tag}"] = own
    return found


def _open_questions(file: ProjectFile) -> pl.DataFrame:
    """The questions that need responses; none where nothing is asked yet."""
    none = pl.DataFrame(schema=dict.fromkeys(KEY, pl.String()))
    if not file.collected.is_dir():
        return none
    tables = read_responses(file.collected, locales=file.locales, reviewing=True, collecting=True)
    material = Material(tables.questions, tables.responses, tables.reviews)
    states = collected_so_far(file.project, material)
    return states.filter(pl.col("state") == NEEDS_RESPONSES).select(KEY)


def _numbers(pulled: Path, annotator: str, key: bytes) -> list[str]:
    """What a person's accounts are called where nobody knows their address any more."""
    known = accounts(pulled).items()
    return [pseudonym(f"user:{n}", key) for n, address in known if pseudonym(address, key) == annotator]


def _forget_address(pulled: Path, annotator: str, key: bytes) -> None:
    """Remove a person's e-mail address from what the server said of its accounts."""
    known = accounts(pulled)
    others = {n: address for n, address in known.items() if pseudonym(address, key) != annotator}
    if len(others) < len(known):
        write_whole(pulled / ACCOUNTS, json.dumps(others))


def _lists(file: ProjectFile, people: People, annotator: str) -> list[str]:
    return [
        f"locales[{number}].{role}"
        for number, settings in enumerate(file.project.locales)
        for role, listed in (("annotators", settings.annotators), ("reviewers", settings.reviewers))
        if annotator in map(people.named, listed or ())
    ]
