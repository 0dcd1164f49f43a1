"""Pulling: annotations become the files that builds read; whatever came is kept, and whatever went is told."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from blend.builders.annotation.lost_answers import without_lost_answers
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import People, read_key
from blend.builders.annotation.server.accounts import accounts, accounts_in, addresses_of, keep_accounts
from blend.builders.annotation.server.changed_answers import changed_by_others
from blend.builders.annotation.server.exports import (
    RAW,
    Kept,
    kept_exports,
    kept_tasks,
    let_go,
    raw_export,
    replace_export,
    set_aside,
)
from blend.builders.annotation.server.files import Written, json_lines, write_files
from blend.builders.annotation.server.forgotten import (
    forgotten,
    note_on_server,
    without_people,
    without_their_answers,
)
from blend.builders.annotation.server.projects import Place, places
from blend.builders.annotation.server.session import Session, session
from blend.builders.annotation.stages.model import Reading
from blend.loaders.files.content import read_content
from blend.loaders.files.progress import Notify
from blend.loaders.files.whole import write_whole
from blend.loaders.label_studio.export import Task, is_intact, read_export, write_digest
from blend.loaders.label_studio.folder import Folder, held
from blend.loaders.label_studio.history import Change, record
from blend.loaders.label_studio.plan import both_annotated
from blend.loaders.responses.decisions import Decision, decisions_text, pair_key
from blend.schemas.answer_sheets import digest_of
from blend.schemas.errors import ConflictError, InputError
from blend.schemas.frames import FINDINGS
from blend.schemas.text import clean, counted

HISTORY, FINDINGS_FILE = "history", "findings.csv"
_PROJECTS = "projects"

_BY_LOCALE = frozenset({"responses", "reviews"})
"""Kinds of rows with a file per locale, in the folder of their name of the directory of raw responses."""

DECIDED = "decided"
"""Folder beside the project file for what the other stages yield, a file per kind."""


@dataclass(frozen=True)
class PulledProject:
    """What a pull found in one project."""

    place: Place
    tasks: int
    annotations: int
    changes: Sequence[Change]
    """Since the last pull."""
    fetched: bool
    """Whether the server had news."""
    vanished: int = 0
    """How many of the annotations are kept although they are not on the server any more."""
    is_gone: bool = False
    """Whether the project itself was there at the last pull, and is not any more."""


@dataclass(frozen=True)
class Pull:
    """What a pull did."""

    path: Path
    """The project file."""
    projects: Sequence[PulledProject]
    absent: Sequence[Place]
    """Stages that were never pushed."""
    written: Sequence[Written]
    findings: pl.DataFrame
    """`frames.FINDINGS` of all projects, which the pull folder's ``findings.csv`` holds too."""


def pull_project(
    file: ProjectFile,
    *,
    exports: Sequence[Path] = (),
    accounts_file: Path | None = None,
    notify: Notify | None = None,
    within: Session | None = None,
) -> Pull:
    """Get the annotations, keep them as they are, and write raw responses and reviews.

    Asks only for projects with news. May be stopped at any moment.

    Args:
        file: The project.
        exports: Files that the server's page *Export* gave, in the format JSON; then no server is asked, unless
            for the addresses of accounts that are not known.
        accounts_file: Table of accounts, ``id`` and ``email``, for exports; see `accounts.addresses_of`.
        notify: Called with the step, the projects done and projects in all.
        within: The session to do it in; one of its own when absent.

    Raises:
        InputError, RowError, RowErrors: If there is no key or no token, or a file is wrong.
        ConflictError: If another process is at work with the pull folder, or would lose its work by this pull,
            or nothing of the project is on the server, or one of its projects twice, both with annotations.
        ServerError: If the server fails; what was pulled stays.
    """
    key = read_key(file.key_file)
    if exports:
        with held(file.pulled) as folder:
            return _taken(file, folder, key, _from_files(file, folder, exports, accounts_file))
    with session(file, within) as at:
        return _taken(file, at.folder, key, _from_server(file, at, notify))


def readings(file: ProjectFile) -> dict[str, tuple[Place, list[Task], Reading]]:
    """What was pulled so far, by `Place.slug`, read anew: what a project file says now of people counts."""
    people = People(read_key(file.key_file), accounts(file.pulled))
    found = {}
    for place in places(file):
        if kept_exports(file.pulled, place):
            kept = kept_tasks(file.pulled, place)
            tasks = [*kept.there, *kept.vanished]
            desk = place.stage.desk(file.project, place.locale, people, file.locales)
            found[place.slug] = place, tasks, place.stage.read(tasks, desk)
    return found


def expect_news(folder: Folder) -> None:
    """Have the next pull ask for every project, whether or not the server says that anything is new."""
    known = folder.state.get(_PROJECTS, {})
    unsure = {name: {**extent, "dated": None} for name, extent in known.items()}
    folder.write_state({**folder.state, _PROJECTS: unsure})


def pulled_projects(folder: Folder, of: Iterable[Place]) -> set[int]:
    """Numbers on the server of the projects of some stages, as of the last pull."""
    state = folder.state.get(_PROJECTS, {})
    return {state[place.name]["project"] for place in of if place.name in state}


@dataclass(frozen=True)
class _Fetched:
    """What came, before it is read."""

    state: Mapping[str, Any]
    """Of the projects, to be remembered once everything is written."""
    news: frozenset[str]
    """Names of projects that were exported anew."""
    gone: frozenset[str] = frozenset()
    abandoned: frozenset[str] = frozenset()
    """Names of projects of which what is kept beside the last export is given up."""
    addresses: Mapping[int, str] = field(default_factory=dict)
    """Of accounts, by number."""
    is_fresh: bool = False
    """Whether it is what the server has now."""


def _from_server(file: ProjectFile, at: Session, notify: Notify | None) -> _Fetched:
    """Export what has news; the state is that of before each export, so that nothing can fall in between."""
    _make_folders(at.folder)
    studio, folder, wanted = at.studio, at.folder, list(places(file))
    before, key = folder.state.get(_PROJECTS, {}), read_key(file.key_file)
    # Of the accounts as they were: another server has others of the same numbers.
    people = People(key, accounts(folder.path))
    if not at.there and not any(kept_exports(folder.path, place) for place in wanted):
        raise ConflictError(
            f"{studio.where}: holds nothing of project {file.project.name!r}; bring it there with "
            f"`blend annotate push {file.path}`"
        )
    doubled = [both_annotated(studio.where, name, found) for name, found in at.there.items()]
    if any(doubled):
        raise ConflictError("\n".join(filter(None, doubled)))
    state, news, gone = {}, set(), set()
    for done, place in enumerate(wanted, start=1):
        if found := at.there.get(place.name):
            state[place.name] = found[0].state()
            raw = raw_export(folder.path, place)
            if before.get(place.name) != state[place.name] or not is_intact(raw):
                export = partial(studio.export, found[0].project.id)
                replace_export(folder.path, place, people, export)
                news.add(place.name)
        elif raw_export(folder.path, place).exists():
            set_aside(folder.path, place, people)
            gone.add(place.name)
        if notify is not None:
            notify("pull", done, len(wanted))
    # After the exports: whoever came while they were made is known.
    return _Fetched(state, frozenset(news), frozenset(gone), addresses=studio.addresses(), is_fresh=True)


def _make_folders(folder: Folder) -> None:
    for name in (RAW, HISTORY):
        (folder.path / name).mkdir(exist_ok=True)


def _from_files(
    file: ProjectFile, folder: Folder, exports: Sequence[Path], accounts_file: Path | None
) -> _Fetched:
    """Take export files in the place of the server's answers."""
    _make_folders(folder)
    people = People(read_key(file.key_file), accounts(folder.path))
    by_prefix = {place.prefix: place for place in places(file)}
    taken: dict[str, Path] = {}
    read = {path: read_export(path) for path in exports}
    # Before anything is written: with another address, everybody would have another pseudonym.
    addresses = addresses_of(file, read, accounts_file)
    for path, tasks in read.items():
        place = _place_of(path, tasks, by_prefix)
        if place.name in taken:
            raise InputError(
                f"{path}: is about {place.title!r}, as {taken[place.name]} is; give one of the two"
            )
        taken[place.name] = path
        copy = partial(write_whole, content=read_content(path))
        replace_export(folder.path, place, people, copy)
    before = folder.state.get(_PROJECTS, {})
    # Whatever the server said last does not hold for what a file says.
    state = {name: state for name, state in before.items() if name not in taken}
    return _Fetched(state, frozenset(taken), addresses=addresses)


def _place_of(path: Path, tasks: Sequence[Task], by_prefix: Mapping[str, Place]) -> Place:
    """The stage and locale of an export: of most of its tasks, should others have been added by hand."""
    ids = (str(task["data"].get("blend_id", "")) for task in tasks)
    prefixes = Counter("/".join(one.split("/")[:2]) + "/" for one in ids if one.count("/") > 1)
    if not prefixes:
        raise InputError(
            f"{path}: holds {counted(len(tasks), 'task')}, none of which was made by blend; give the export of "
            "a project that `blend annotate push` has made"
        )
    most = prefixes.most_common(1)[0][0]
    if most not in by_prefix:
        listed = ", ".join(prefix.rstrip("/") for prefix in by_prefix)
        raise InputError(f"{path}: is about {most.rstrip('/')}, and the project file names only {listed}")
    return by_prefix[most]


def _taken(file: ProjectFile, folder: Folder, key: bytes, fetched: _Fetched) -> Pull:
    """Read everything that was ever pulled, tell what is new, and write the files."""
    addresses = {**accounts(folder.path), **fetched.addresses}
    people = People(key, addresses)
    pulled: list[PulledProject] = []
    absent: list[Place] = []
    gone = forgotten(folder.path)
    their_answers = {answer for record in gone.values() for answer in record.answers}
    found: list[tuple[Place, Reading]] = []
    working: set[int] = set()
    for place in places(file):
        let_go(folder.path, place)
        exports = kept_exports(folder.path, place)
        for path in exports:
            removed = without_people(path, people.of, gone, label=place.label)
            is_last = place.name in fetched.news and path == raw_export(folder.path, place)
            if is_last and fetched.is_fresh:
                note_on_server(folder.path, place.label, removed)
            if place.stage.name == "review":
                without_their_answers(path, their_answers, given_in(place, found))
            write_digest(path)
        if not exports:
            if place.name in fetched.gone:
                pulled.append(PulledProject(place, 0, 0, (), fetched=False, is_gone=True))
            else:
                absent.append(place)
            continue
        kept = kept_tasks(folder.path, place)
        working |= accounts_in(kept.there)
        one, reading = _read(file, folder, place, people, kept, fetched)
        pulled.append(one)
        found.append((place, reading))
    found = [(place, _settled(place, reading, found)) for place, reading in found]
    findings = pl.concat([reading.findings for _, reading in found] or [pl.DataFrame(schema=FINDINGS)])
    written = write_files(folder, dict(_contents(file, found)))
    write_whole(folder.path / FINDINGS_FILE, findings.write_csv())
    keep_accounts(folder.path, addresses, working)
    folder.write_state({**folder.state, _PROJECTS: fetched.state})
    return Pull(file.path, pulled, absent, written, findings)


def _read(
    file: ProjectFile, folder: Folder, place: Place, people: People, kept: Kept, fetched: _Fetched
) -> tuple[PulledProject, Reading]:
    """Read what is kept of a stage, and write down what happened to it since the last pull."""
    vanished = [] if place.name in fetched.abandoned else kept.vanished
    tasks, news = [*kept.there, *vanished], place.name in fetched.news
    desk = place.stage.desk(file.project, place.locale, people, file.locales)
    reading = place.stage.read(tasks, desk)
    history = folder.path / HISTORY / f"{place.slug}.jsonl"
    # Without news it stands there already: a pull that was stopped before it left no state, and finds news.
    changes = record(history, tasks, people.of) if news or place.name in fetched.abandoned else []
    changed = changed_by_others(history, tasks, place.locale.tag)
    lost = sum(len(task["annotations"]) for task in vanished)
    annotations = sum(len(task["annotations"]) for task in tasks)
    is_gone = place.name in fetched.gone
    one = PulledProject(place, len(kept.there), annotations, changes, news, lost, is_gone)
    return one, reading._replace(findings=pl.concat([reading.findings, changed]))


def take_again(file: ProjectFile, folder: Folder, key: bytes, *, without: Collection[Place] = ()) -> Pull:
    """Write the files anew from what was pulled before, without asking anybody.

    Args:
        file: The project.
        folder: Its pull folder.
        key: Of the pseudonyms.
        without: Stages of which what the server has no more is left out, and told as deleted.
    """
    abandoned = frozenset(place.name for place in without)
    return _taken(
        file, folder, key, _Fetched(folder.state.get(_PROJECTS, {}), frozenset(), abandoned=abandoned)
    )


def given_in(place: Place, found: Sequence[tuple[Place, Reading]]) -> Mapping[str, int]:
    """How many people give each answer in the locale of a stage, by the id that reviews show."""
    tag = place.locale.tag
    return Counter(
        digest_of(row["template_id"], tag, answer)
        for at, reading in found
        if at.locale.tag == tag
        for row in reading.rows.get("responses", ())
        for answer in {clean(typed) for typed in row.get("answers", ())}
    )


def _settled(place: Place, reading: Reading, found: Sequence[tuple[Place, Reading]]) -> Reading:
    """A reading whose reviews decide only on answers that are still given; others stay as they are."""
    tag = place.locale.tag
    given = [
        other.rows["responses"] for at, other in found if at.locale.tag == tag and "responses" in other.rows
    ]
    if "reviews" not in reading.rows or not given:
        return reading
    kept = without_lost_answers(reading.rows["reviews"], given[0], tag)
    findings = pl.concat([reading.findings, kept.findings])
    return Reading({**reading.rows, "reviews": kept.reviews}, findings, reading.work)


def _contents(
    file: ProjectFile, found: Sequence[tuple[Place, Reading]]
) -> Iterable[tuple[Path, tuple[str | None, int]]]:
    """Content and number of rows of every file that the readings fill.

    A file of reviews or responses goes with its last row: an empty one would read as if it had lost its rows.
    """
    others: dict[str, list[dict[str, Any]]] = {}
    for place, reading in found:
        for kind, rows in reading.rows.items():
            if kind in _BY_LOCALE:
                path = file.collected / kind / f"{place.locale.tag}.jsonl"
                yield path, (json_lines(rows) or None, len(rows))
            else:
                others.setdefault(kind, []).extend(rows)
    for kind, rows in sorted(others.items()):
        if kind == "decisions":
            once = {pair_key(row["answer_a"], row["answer_b"]): row for row in reversed(rows)}
            decisions = [Decision.model_validate(row) for _, row in sorted(once.items())]
            yield file.base / DECIDED / "decisions.tsv", (decisions_text(decisions), len(decisions))
        else:
            yield file.base / DECIDED / f"{kind}.jsonl", (json_lines(rows), len(rows))
