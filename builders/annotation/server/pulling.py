"""Pulling: annotations become the files that builds read; whatever came is kept, and whatever went is told."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from blend.builders.annotation.beside import BY_LOCALE, beside, passed_over, that_counts
from blend.builders.annotation.forgotten_answers import results_without
from blend.builders.annotation.lost_answers import without_lost_answers
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import People, keep_fingerprint
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
    Record,
    forgotten,
    new_here,
    note_on_server,
    remember,
    without_people,
    without_their_answers,
)
from blend.builders.annotation.server.project_key import check_key, project_key
from blend.builders.annotation.server.projects import StageLocale, stage_locales
from blend.builders.annotation.server.readings import context_of, given_in, words_now
from blend.builders.annotation.server.restored import as_given, forget_given
from blend.builders.annotation.server.session import Session, session
from blend.builders.annotation.server.typed_answers import typed_answers
from blend.builders.annotation.stages.model import Reading
from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import read_content
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.label_studio.export import Task, is_intact, read_export, write_digest
from blend.loaders.label_studio.folder import Folder, held
from blend.loaders.label_studio.history import HISTORY, Change, forget, record
from blend.loaders.label_studio.plan import both_annotated
from blend.loaders.responses.decisions import Decision, decisions_text, pair_key
from blend.schemas.errors import ConflictError, InputError
from blend.schemas.language.text_comparison import pluralise

FINDINGS_FILE, _PROJECTS = "findings.csv", "projects"

DECIDED = "decided"
"""Folder beside the project file for what the other stages yield, a file per kind."""


@dataclass(frozen=True)
class PulledProject:
    """Findings and counts of a pull of one project."""

    stage_locale: StageLocale
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
    """Outcome of a pull."""

    path: Path
    """The project file."""
    projects: Sequence[PulledProject]
    absent: Sequence[StageLocale]
    """Stages that were never pushed."""
    written: Sequence[Written]
    findings: pl.DataFrame
    """`frame_columns.FINDINGS` of all projects, which the pull folder's ``findings.csv`` holds too."""


def pull_project(
    file: ProjectFile,
    *,
    exports: Sequence[Path] = (),
    accounts_file: Path | None = None,
    on_progress: ProgressCallback | None = None,
    within: Session | None = None,
) -> Pull:
    """Get the annotations, keep them as they are, and write raw responses and reviews.

    Asks only for projects with news. May be stopped at any moment.

    Args:
        file: The project.
        exports: Files that the server's page *Export* gave, in the format JSON; then no server is asked, unless
            for the addresses of accounts that are not known.
        accounts_file: Table of accounts, ``id`` and ``email``, for exports; see `accounts.addresses_of`.
        on_progress: Called with the step, the projects done and projects in all.
        within: The session to do it in; one of its own when absent.

    Raises:
        InputError, RowError, RowErrors: If there is no key or no token, or a file is wrong.
        ConflictError: If another process is at work with the pull folder, or would lose its work by this pull,
            or nothing of the project is on the server, or one of its projects twice, both with annotations.
        ServerError: If the server fails; what was pulled stays.
    """
    key = project_key(file)
    if exports:
        with held(file.pulled) as folder:
            return _taken(file, folder, key, _from_files(file, folder, exports, accounts_file))
    with session(file, within) as at:
        return _taken(file, at.folder, key, _from_server(file, at, on_progress))


def expect_news(folder: Folder) -> None:
    """Have the next pull ask for every project, whether or not the server says that anything is new."""
    known = folder.state.get(_PROJECTS, {})
    unsure = {name: {**extent, "dated": None} for name, extent in known.items()}
    folder.write_state({**folder.state, _PROJECTS: unsure})


def pulled_projects(folder: Folder, of: Iterable[StageLocale]) -> set[int]:
    """Numbers on the server of the projects of some stages, as of the last pull."""
    state = folder.state.get(_PROJECTS, {})
    return {state[stage_locale.name]["project"] for stage_locale in of if stage_locale.name in state}


@dataclass(frozen=True)
class _Fetched:
    """Export of a project, before it is read."""

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


def _from_server(file: ProjectFile, at: Session, on_progress: ProgressCallback | None) -> _Fetched:
    """Export what has news; the state is that of before each export, so that nothing can fall in between."""
    _make_folders(at.folder)
    studio, folder, wanted = at.studio, at.folder, list(stage_locales(file))
    before, key = folder.state.get(_PROJECTS, {}), project_key(file)
    # Of the accounts as they were: another server has others of the same numbers.
    people = People(key, accounts(folder.path))
    if not at.there and not any(kept_exports(folder.path, stage_locale) for stage_locale in wanted):
        raise ConflictError(
            f"{studio.where}: holds nothing of project {file.project.name!r}; bring it there with "
            f"`blend annotate push {file.path}`"
        )
    doubled = [both_annotated(studio.where, name, found) for name, found in at.there.items()]
    if any(doubled):
        raise ConflictError("\n".join(filter(None, doubled)))
    state, news, gone = {}, set(), set()
    for done, stage_locale in enumerate(wanted, start=1):
        if found := at.there.get(stage_locale.name):
            state[stage_locale.name] = found[0].state()
            raw = raw_export(folder.path, stage_locale)
            if before.get(stage_locale.name) != state[stage_locale.name] or not is_intact(raw):
                export = partial(studio.export, found[0].project.id)
                replace_export(folder.path, stage_locale, people, export)
                news.add(stage_locale.name)
        elif raw_export(folder.path, stage_locale).exists():
            set_aside(folder.path, stage_locale, people)
            gone.add(stage_locale.name)
        if on_progress is not None:
            on_progress("pull", done, len(wanted))
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
    people = People(project_key(file), accounts(folder.path))
    by_prefix = {stage_locale.prefix: stage_locale for stage_locale in stage_locales(file)}
    taken: dict[str, Path] = {}
    read = {path: read_export(path) for path in exports}
    # Before anything is written: with another address, everybody would have another pseudonym.
    addresses = addresses_of(file, read, accounts_file)
    for path, tasks in read.items():
        stage_locale = _stage_locale_of(path, tasks, by_prefix)
        if stage_locale.name in taken:
            raise InputError(
                f"{path}: is about {stage_locale.title!r}, as {taken[stage_locale.name]} is; give one of the "
                "two"
            )
        taken[stage_locale.name] = path
        copy = partial(atomic_write, content=read_content(path))
        replace_export(folder.path, stage_locale, people, copy)
    before = folder.state.get(_PROJECTS, {})
    # Whatever the server said last does not hold for what a file says.
    state = {name: state for name, state in before.items() if name not in taken}
    return _Fetched(state, frozenset(taken), addresses=addresses)


def _stage_locale_of(path: Path, tasks: Sequence[Task], by_prefix: Mapping[str, StageLocale]) -> StageLocale:
    """The stage and locale of an export: of most of its tasks, should others have been added by hand."""
    ids = (str(task["data"].get("blend_id", "")) for task in tasks)
    prefixes = Counter("/".join(one.split("/")[:2]) + "/" for one in ids if one.count("/") > 1)
    if not prefixes:
        raise InputError(
            f"{path}: holds {pluralise(len(tasks), 'task')}, none of which was made by blend; give the export "
            "of a project that `blend annotate push` has made"
        )
    most = prefixes.most_common(1)[0][0]
    if most not in by_prefix:
        listed = ", ".join(prefix.rstrip("/") for prefix in by_prefix)
        raise InputError(f"{path}: is about {most.rstrip('/')}, and the project file names only {listed}")
    return by_prefix[most]


def _taken(file: ProjectFile, folder: Folder, key: bytes, fetched: _Fetched) -> Pull:
    """Read everything that was ever pulled, tell what is new, and write the files."""
    addresses = {**accounts(folder.path), **fetched.addresses}
    people, others = People(key, addresses), beside(file)
    asked = words_now(others)
    check_key(file, key, addresses)
    keep_fingerprint(folder.path, key)
    pulled: list[PulledProject] = []
    absent: list[StageLocale] = []
    elsewhere = new_here(file)
    remember(file, {name: _done_by(file, people, addresses, name) for name in elsewhere})
    for annotator in elsewhere:
        forget_given(folder.path, annotator)
    gone = forgotten(file)
    their_answers = {answer for record in gone.values() for answer in record.answers}
    found: list[tuple[StageLocale, Reading]] = []
    working: set[int] = set()
    for stage_locale in stage_locales(file):
        let_go(folder.path, stage_locale)
        exports = kept_exports(folder.path, stage_locale)
        for path in exports:
            removed = without_people(path, people.of, gone, label=stage_locale.label)
            is_last = stage_locale.name in fetched.news and path == raw_export(folder.path, stage_locale)
            if is_last and fetched.is_fresh:
                note_on_server(file, stage_locale.label, removed)
            if stage_locale.stage.name == "review":
                without_their_answers(path, their_answers, given_in(stage_locale, found))
            write_digest(path)
        _forget_lines(folder, stage_locale, gone, their_answers - given_in(stage_locale, found).keys())
        if not exports:
            if stage_locale.name in fetched.gone:
                pulled.append(PulledProject(stage_locale, 0, 0, (), fetched=False, is_gone=True))
            else:
                absent.append(stage_locale)
            continue
        kept = kept_tasks(folder.path, stage_locale)
        working |= accounts_in(kept.there)
        vanished = [] if stage_locale.name in fetched.abandoned else kept.vanished
        context = context_of(file, stage_locale, people, found, asked)
        given = as_given(folder.path, [*kept.there, *vanished])
        reading = stage_locale.stage.read(given, context)
        one, changed = _account(folder, stage_locale, people, kept._replace(vanished=vanished), fetched)
        pulled.append(one)
        found.append((stage_locale, reading._replace(findings=pl.concat([reading.findings, changed]))))
    responses = {at.locale.tag: one.rows["responses"] for at, one in found if "responses" in one.rows}
    found = [
        (at, that_counts(reading, tag := at.locale.tag, others, responses.get(tag))) for at, reading in found
    ]
    found = [(stage_locale, _settled(stage_locale, reading, found)) for stage_locale, reading in found]
    reviewed = {
        (row["template_id"], at.locale.tag) for at, reading in found for row in reading.rows.get("reviews", ())
    }
    in_files = passed_over(others, responses, reviewed)
    findings = pl.concat([*(reading.findings for _, reading in found), in_files])
    written = write_files(folder, dict(_contents(file, found)))
    atomic_write(folder.path / FINDINGS_FILE, findings.write_csv())
    keep_accounts(folder.path, addresses, working)
    folder.write_state({**folder.state, _PROJECTS: fetched.state})
    return Pull(file.path, pulled, absent, written, findings)


def _done_by(file: ProjectFile, people: People, addresses: Mapping[int, str], annotator: str) -> Record:
    """What this pull folder holds of somebody who was forgotten with another one."""
    accounts_of = frozenset(number for number in addresses if people.of(number) == annotator)
    return Record(answers=typed_answers(file, people, annotator), accounts=accounts_of)


def _forget_lines(
    folder: Folder, stage_locale: StageLocale, people: Collection[str], answers: Collection[str]
) -> None:
    """Remove from a history what the forgotten did: they may have been forgotten with another pull folder."""
    is_review = stage_locale.stage.name == "review"
    results = partial(results_without, gone=answers) if is_review else list
    if people:
        forget(folder.path / HISTORY / f"{stage_locale.slug}.jsonl", people, results)


def _account(
    folder: Folder, stage_locale: StageLocale, people: People, kept: Kept, fetched: _Fetched
) -> tuple[PulledProject, pl.DataFrame]:
    """Write down what happened to a stage since the last pull; with findings about what others have changed."""
    tasks, news = [*kept.there, *kept.vanished], stage_locale.name in fetched.news
    history = folder.path / HISTORY / f"{stage_locale.slug}.jsonl"
    # Without news it stands there already: a pull that was stopped before it left no state, and finds news.
    changes = record(history, tasks, people.of) if news or stage_locale.name in fetched.abandoned else []
    changed = changed_by_others(history, tasks, stage_locale.locale.tag)
    lost = sum(len(task["annotations"]) for task in kept.vanished)
    annotations = sum(len(task["annotations"]) for task in tasks)
    is_gone = stage_locale.name in fetched.gone
    return PulledProject(stage_locale, len(kept.there), annotations, changes, news, lost, is_gone), changed


def take_again(file: ProjectFile, folder: Folder, key: bytes, *, without: Collection[StageLocale] = ()) -> Pull:
    """Write the files anew from what was pulled before, without asking anybody.

    Args:
        file: The project.
        folder: Its pull folder.
        key: Of the pseudonyms.
        without: Stages of which what the server has no more is left out, and told as deleted.
    """
    abandoned = frozenset(stage_locale.name for stage_locale in without)
    return _taken(
        file, folder, key, _Fetched(folder.state.get(_PROJECTS, {}), frozenset(), abandoned=abandoned)
    )


def _settled(
    stage_locale: StageLocale, reading: Reading, found: Sequence[tuple[StageLocale, Reading]]
) -> Reading:
    """A reading whose reviews decide only on answers that are still given; others stay as they are."""
    tag = stage_locale.locale.tag
    given = [
        other.rows["responses"] for at, other in found if at.locale.tag == tag and "responses" in other.rows
    ]
    if "reviews" not in reading.rows or not given:
        return reading
    kept = without_lost_answers(reading.rows["reviews"], given[0], tag)
    findings = pl.concat([reading.findings, kept.findings])
    return Reading({**reading.rows, "reviews": kept.reviews}, findings, reading.work)


def _contents(
    file: ProjectFile, found: Sequence[tuple[StageLocale, Reading]]
) -> Iterable[tuple[Path, tuple[str | None, int]]]:
    """Content and number of rows of every file that the readings fill.

    A file of reviews or responses goes with its last row: an empty one would read as if it had lost its rows.
    """
    others: dict[str, list[dict[str, Any]]] = {}
    for stage_locale, reading in found:
        for kind, rows in reading.rows.items():
            if kind in BY_LOCALE:
                path = file.collected / kind / f"{stage_locale.locale.tag}.jsonl"
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
