"""Pulling: what people did is written down as events, and the files that builds read are made of these."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from blend.builders.annotation.beside import beside, passed_over
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import People
from blend.builders.annotation.server.files import Contents, Written, contents_of, write_files
from blend.builders.annotation.server.log import Log
from blend.builders.annotation.server.projects import StageLocale, stage_locales
from blend.builders.annotation.server.readings import StageReading, counting, responses_in
from blend.builders.annotation.server.session import Session, session
from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.label_studio.client import Studio
from blend.loaders.label_studio.events import Held, Line, accepted
from blend.loaders.label_studio.export import Task, exported
from blend.loaders.label_studio.folder import Folder, ProjectState
from blend.loaders.label_studio.plan import check_unique
from blend.loaders.label_studio.remote import RemoteProject
from blend.schemas.errors import ServerError
from blend.schemas.texts import pluralise

FINDINGS_FILE = "findings.csv"


@dataclass(frozen=True)
class PulledProject:
    """Findings and counts of a pull of one stage in a locale."""

    stage_locale: StageLocale
    annotations: int
    """That count."""
    changes: Sequence[Line]
    """Lines of the events that this pull has added."""
    fetched: bool
    """Whether the server had news."""
    gone: Sequence[Held] = ()
    """Annotations that count although they are not on the server any more, or only an older version is."""
    number: int | None = None
    """Of the project on the server, if it is there."""


@dataclass(frozen=True)
class Pull:
    """Outcome of a pull."""

    path: Path
    """The project file."""
    server: str
    """Address of the server."""
    projects: Sequence[PulledProject]
    absent: Sequence[StageLocale]
    """Stages that are not on the server yet."""
    written: Sequence[Written]
    findings: pl.DataFrame
    """`frame_columns.FINDINGS` of all projects, which the pull folder's ``findings.csv`` holds too."""
    found: Sequence[StageReading] = field(repr=False, default=())
    """What was read of each stage."""


def pull_project(
    file: ProjectFile, *, on_progress: ProgressCallback | None = None, within: Session | None = None
) -> Pull:
    """Get the annotations, write them down as events, and write raw responses and reviews.

    Asks only for projects with news. May be stopped at any moment.

    Args:
        file: The project.
        on_progress: Called with the step, the projects done and projects in all.
        within: The session to do it in; one of its own when absent.

    Raises:
        InputError, RowError, RowErrors: If there is no key or no token, or a file is wrong.
        ConflictError: If another process is at work with the pull folder, or would lose its work by this pull,
            or one of the projects is there twice, both with annotations.
        ServerError: If the server fails, or its export holds less than it lists; what was pulled stays.
    """
    with session(file) if within is None else nullcontext(within) as at:
        log = Log(file, at.folder)
        return _written(log, *_fetched(log, at, on_progress))


def accept_missing(file: ProjectFile, folder: Folder) -> Pull:
    """Let go of all annotations that count although the server has them no more.

    The events say so, and keep them: one that comes back there counts again.

    Args:
        file: The project, after a pull.
        folder: Its pull folder.
    """
    log = Log(file, folder)
    lines: dict[str, Sequence[Line]] = {}
    for at in stage_locales(file):
        if gone := [one for one in log.held(at).values() if one.is_gone]:
            lines[at.name] = [accepted(one) for one in gone]
            log.add(lines[at.name])
    return _written(log, log.projects, lines)


def rewritten(file: ProjectFile, folder: Folder, names: Collection[str]) -> Pull:
    """Remove what some people did from the events, and write all files anew; asks no server.

    Args:
        file: The project.
        folder: Its pull folder.
        names: Pseudonyms of the people.
    """
    log = Log(file, folder)
    seen = {at.name: () for at in stage_locales(file) if log.held(at)}
    log.forget(names)
    return _written(log, log.projects, seen)


_State = Mapping[str, ProjectState]
_News = Mapping[str, Sequence[Line]]
"""Lines by the name of the stage and locale, of those that were exported or are gone."""


def _fetched(log: Log, at: Session, on_progress: ProgressCallback | None) -> tuple[_State, _News]:
    """Export what has news; the state is that of before each export, so that nothing can fall in between."""
    wanted = list(stage_locales(log.file))
    check_unique(at.there, where=at.studio.where)
    state: dict[str, ProjectState] = {}
    exports: list[tuple[StageLocale, int, list[Task]]] = []
    for done, stage_locale in enumerate(wanted, start=1):
        name = stage_locale.name
        if found := at.there.get(name):
            state[name] = ProjectState(**found[0].state())
            if log.projects.get(name) != state[name]:
                exports.append((stage_locale, found[0].id, export_of(at.studio, found[0])))
        elif any(one.is_there for one in log.held(stage_locale).values()):
            exports.append((stage_locale, 0, []))
        if on_progress is not None:
            on_progress("pull", done, len(wanted))
    if not exports:
        return state, {}
    # After the exports: whoever came while they were made is known.
    people = People(log.key, at.accounts, log.lines)
    return state, {one.name: log.take(one, project, tasks, people) for one, project, tasks in exports}


def export_of(studio: Studio, found: RemoteProject) -> list[Task]:
    """The tasks of a project, with at least the annotations that the server has listed."""
    with TemporaryDirectory(prefix="blend-export-") as folder:
        tasks = exported(studio, found.id, Path(folder) / f"project-{found.id}.json")
    here = {task["id"]: len(task["annotations"]) for task in tasks}
    if lacking := [task.id for task in found.tasks if here.get(task.id, 0) < task.annotations]:
        listed = ", ".join(map(str, lacking[:10]))
        raise ServerError(
            f"{studio.where}: its export of project {found.id} lacks annotations that it lists, of "
            f"{pluralise(len(lacking), 'task')} ({listed}); nothing was taken from it; run the same again"
        )
    return tasks


def _written(log: Log, state: _State, found_news: _News) -> Pull:
    """Write the files that the events make, and tell what is new."""
    file, others = log.file, beside(log.file)
    found = counting(file, log.lines, others, also={*state, *found_news})
    reviewed = {
        (row["template_id"], one.stage_locale.locale.tag)
        for one in found
        for row in one.reading.rows.get("reviews", ())
    }
    in_files = passed_over(others, responses_in(found), reviewed)
    findings = pl.concat([*(one.reading.findings for one in found), in_files])

    def earlier() -> Contents:
        return contents_of(file, counting(file, log.before, others))

    written = write_files(log.folder, contents_of(file, found), earlier)
    atomic_write(log.folder.path / FINDINGS_FILE, findings.write_csv())
    log.folder.remember(projects=dict(state), events=log.digest())
    read = {one.stage_locale.name for one in found}
    absent = [stage_locale for stage_locale in stage_locales(file) if stage_locale.name not in read]
    pulled = [
        PulledProject(
            one.stage_locale,
            annotations=sum(held.counts for held in one.held.values()),
            changes=found_news.get(one.stage_locale.name, ()),
            fetched=one.stage_locale.name in found_news,
            gone=one.gone,
            number=state[one.stage_locale.name].project if one.stage_locale.name in state else None,
        )
        for one in found
    ]
    return Pull(file.path, file.project.server.url, pulled, absent, written, findings, found)
