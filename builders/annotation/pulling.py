"""Pulling: what people did is written down as events, and the files that builds read are made of these."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.builders.annotation.counting import (
    BY_LOCALE,
    StageLocale,
    StageReading,
    counting,
    ever_given,
    forgotten,
    is_theirs,
    shown_in,
    stage_locales,
    unnamed,
    without_answers,
    without_lines,
)
from blend.builders.annotation.project import People, ProjectFile, key_line, project_key
from blend.loaders.files.atomic import atomic_write, storage_errors
from blend.loaders.files.content import read_content
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.label_studio import events
from blend.loaders.label_studio.client import Account, Studio, label_studio
from blend.loaders.label_studio.events import (
    Draft,
    ExportedTask,
    Folder,
    Held,
    Line,
    ProjectState,
    exported,
)
from blend.loaders.label_studio.push import Inventory, check_unique, inventory
from blend.schemas.errors import ConflictError
from blend.schemas.frames import FINDINGS
from blend.schemas.texts import agreeing, pluralise

_FINDINGS_FILE = "findings.csv"

DECIDED = "decided"
"""Folder beside the project file for what other stages than *answer* and *review* yield, a file per kind."""

# The events and the server, held by one command at a time.


class Log:
    """The events, without those who are forgotten; another lead may have forgotten somebody meanwhile.

    The answers that nobody else gave leave the reviews as well.

    Args:
        file: The project.
        folder: Its pull folder.

    Raises:
        InputError: If there is no key, or another one, or the events are damaged.
    """

    def __init__(self, file: ProjectFile, folder: Folder) -> None:
        self.file, self.folder = file, folder
        self.key, self.gone = project_key(file), forgotten(file)
        self.lines = events.read_events(folder.events)
        if not self.lines:
            self.add([key_line(self.key)])
        self.before = self.lines
        state = folder.state
        self.names: Mapping[str, str] = state.names
        """Addresses by pseudonym."""
        # With other events than at the last pull, as git brings them, nothing is known of what is new.
        self.projects: Mapping[str, ProjectState] = state.projects if state.events == self.digest() else {}
        self.lines, _ = without_lines(file, self.lines, self.gone, self.key)
        if self.lines != self.before:
            events.rewrite_events(folder.events, self.lines)

    def digest(self) -> str:
        """Digest of the file."""
        return sha256(self.folder.events.read_bytes()).hexdigest()

    def held(self, stage_locale: StageLocale) -> dict[str, Held]:
        """The annotations of a stage in a locale."""
        return events.held_in(self.lines, stage_locale.slug)

    def add(self, lines: Sequence[Line]) -> None:
        """Write lines down, before anything else happens with them."""
        events.append_events(self.folder.events, lines)
        self.lines = [*self.lines, *lines]

    def take(
        self, stage_locale: StageLocale, project: int, tasks: Sequence[ExportedTask], people: People
    ) -> tuple[Sequence[Line], list[Draft]]:
        """Write down what is new in an export; returns these lines, and what is begun and not sent."""
        drafts = [
            Draft(
                task=task["id"],
                annotator=people.of(draft.get("user")),
                is_change=draft.get("annotation") is not None,
            )
            for task in tasks
            for draft in task.get("drafts", ())
            if people.aliases(draft.get("user")).isdisjoint(self.gone)
        ]
        if self.gone and stage_locale.stage.name == "review":
            # Pages may show answers of the forgotten still.
            given = ever_given(self.file, self.lines, self.gone)
            left = (
                without_answers(task, shown_in(task["data"]) - given) for task in tasks if task["annotations"]
            )
            tasks = [task for task in left if task is not None]
        held = self.held(stage_locale)
        lines = events.news(held, stage_locale.slug, project, tasks, people.of, people.account)
        lines = [unnamed(line, self.gone) for line in lines if not is_theirs(line, self.gone, self.key)]
        self.add(lines)
        return lines, drafts


@dataclass
class Session:
    """The pull folder, held for this process alone, and the server."""

    file: ProjectFile
    folder: Folder
    studio: Studio
    there: Inventory
    """What the server had when the session began; whoever removes anything looks again."""

    @cached_property
    def accounts(self) -> dict[int, Account]:
        """The accounts of the server by their number, asked for once."""
        return self.studio.accounts()


@contextmanager
def session(file: ProjectFile) -> Iterator[Session]:
    """Hold the pull folder, ask the server who it is, and look what it has of a project.

    Args:
        file: The project.

    Raises:
        InputError: If there is no token.
        ConflictError: If another process is at work with the pull folder.
        ServerError: If the server fails.
    """
    with events.held(file.pulled) as folder, label_studio(file.project.server.url) as studio:
        yield Session(file, folder, studio, inventory(studio, {one.name for one in stage_locales(file)}))


# What comes, and the files that are made of it.


class Pull(NamedTuple):
    """Outcome of a pull."""

    file: ProjectFile
    found: Sequence[StageReading]
    """What the events say of each stage that is on the server, or was."""
    changes: Mapping[str, Sequence[Line]]
    """Lines of the events that this pull has added, by the name of the stage and locale."""
    projects: Mapping[str, ProjectState]
    """Projects on the server, likewise."""
    written: Mapping[Path, int]
    """Files that were written, and their rows."""
    findings: pl.DataFrame
    """`frames.FINDINGS` of all projects, which `findings_path` holds too."""

    @property
    def findings_path(self) -> Path:
        """File of the pull folder with all findings."""
        return self.file.pulled / _FINDINGS_FILE

    @property
    def is_any_gone(self) -> bool:
        """Whether anything counts although the server has it no more."""
        return any(one.gone for one in self.found)


def pull_project(file: ProjectFile, *, on_progress: ProgressCallback | None = None) -> Pull:
    """Pull in a session of its own; see `pull`."""
    with session(file) as at:
        return pull(at, on_progress=on_progress)


def pull(at: Session, *, on_progress: ProgressCallback | None = None) -> Pull:
    """Get the annotations, write them down as events, and write raw responses and reviews.

    Asks only for projects with news. May be stopped at any moment.

    Args:
        at: The session.
        on_progress: Called with the step, the projects done and projects in all.

    Raises:
        InputError, RowError, RowErrors: If there is no key or no token, or a file is wrong.
        ConflictError: If another process is at work with the pull folder, or would lose its work by this pull,
            or one of the projects is there twice.
        ServerError: If the server fails, or its export holds less than it lists; what was pulled stays.
    """
    check_unique(at.there, where=at.studio.where)
    log, wanted = Log(at.file, at.folder), list(stage_locales(at.file))
    state: dict[str, ProjectState] = {}
    exports: list[tuple[StageLocale, int, list[ExportedTask]]] = []
    for done, stage_locale in enumerate(wanted, start=1):
        name = stage_locale.name
        if found := at.there.get(name):
            # The state of before each export, so that nothing can fall in between.
            number, dated, before = found[0].id, found[0].dated, log.projects.get(name)
            if before is not None and (before.project, before.dated) == (number, dated):
                state[name] = before
            else:
                state[name] = ProjectState(project=number, dated=dated)
                exports.append((stage_locale, number, exported(at.studio, found[0])))
        elif any(one.is_there for one in log.held(stage_locale).values()):
            # The server has the project no more, and nothing that it held; no project has the number 0.
            exports.append((stage_locale, 0, []))
        if on_progress is not None:
            on_progress("pull", done, len(wanted))
    changes: dict[str, Sequence[Line]] = {}
    if exports:
        # After the exports: whoever came while they were made is known.
        people = People(log.key, _accounts(at, exports), log.lines)
        # Addresses that were seen before stay: of a removed account the server does not know any.
        log.names = {**people.addresses(besides=log.gone), **log.names}
    for stage_locale, project, tasks in exports:
        changes[stage_locale.name], drafts = log.take(stage_locale, project, tasks, people)
        if project:
            state[stage_locale.name].drafts = drafts
    return _written(log, state, changes)


def unlisted(file: ProjectFile, found: Sequence[StageReading], names: Mapping[str, str]) -> Iterator[str]:
    """Say whose annotations are left out since the project file names others.

    Args:
        file: The project.
        found: What was pulled.
        names: Addresses by pseudonym.
    """
    people = People(project_key(file))
    for one in found:
        tag, role = one.stage_locale.locale.tag, one.stage_locale.stage.role
        known = one.stage_locale.stage.context(file.project, one.stage_locale.locale, people).known
        if known is None:
            continue
        left_out = Counter(who for who in one.reading.work["annotator"] if who is not None and who not in known)
        for who, number in sorted(left_out.items()):
            yield (
                f"{pluralise(number, 'annotation')} by {names.get(who, who)} in {tag} "
                f"{agreeing(number, 'is', 'are')} left out, since the project file names {role} there and not "
                "them"
            )


def _accounts(
    at: Session, exports: Sequence[tuple[StageLocale, int, list[ExportedTask]]]
) -> dict[int, Account]:
    """The accounts, listed again where authors are missing: a list cut short would rename them for ever."""
    authors = [
        one.get("completed_by") for _, _, tasks in exports for task in tasks for one in task["annotations"]
    ]
    if any(isinstance(author, int) and author not in at.accounts for author in authors):
        # A cached property: once deleted, it is asked for again.
        del at.accounts
    return at.accounts


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
            lines[at.name] = [events.accepted(one) for one in gone]
            log.add(lines[at.name])
    return _written(log, log.projects, lines)


def rewritten(file: ProjectFile, folder: Folder) -> Pull:
    """Write all files anew, without those who are forgotten; asks no server."""
    log = Log(file, folder)
    # By the lines of before: the files of a stage of which nothing is left are made anew as well.
    seen = {at.name: () for at in stage_locales(file) if events.held_in(log.before, at.slug)}
    # The next pull asks for everything: what is remembered of drafts names people.
    return _written(log, {}, seen)


def _written(log: Log, state: Mapping[str, ProjectState], changes: Mapping[str, Sequence[Line]]) -> Pull:
    """Write the files that the events make."""
    found = counting(log.file, log.lines, also={*state, *changes})
    findings = pl.concat([pl.DataFrame(schema=FINDINGS), *(one.reading.findings for one in found)])
    written = _write_files(log, found)
    atomic_write(log.folder.path / _FINDINGS_FILE, findings.write_csv())
    names = {who: address for who, address in log.names.items() if who not in log.gone}
    log.folder.remember(projects=dict(state), events=log.digest(), names=names)
    return Pull(log.file, found, changes, state, written, findings)


# Files: responses, reviews and all that other stages yield, whole, and nothing of others replaced.


_Contents = Mapping[Path, tuple[str, int]]
"""Content and number of rows by path; of nothing no file is made."""


def _contents(file: ProjectFile, found: Sequence[StageReading]) -> _Contents:
    """Content and number of rows of every file that readings fill.

    A file of reviews or responses goes with its last row: an empty one would read as if it had lost its rows.
    """
    contents: dict[Path, tuple[str, int]] = {}
    others: dict[str, list[dict[str, Any]]] = {}
    for one in found:
        for kind, rows in one.reading.rows.items():
            if kind in BY_LOCALE:
                path = file.collected / kind / f"{one.stage_locale.locale.tag}.jsonl"
                contents[path] = _json_lines(rows), len(rows)
            else:
                others.setdefault(kind, []).extend(rows)
    for kind, rows in sorted(others.items()):
        contents[file.base / DECIDED / f"{kind}.jsonl"] = _json_lines(rows), len(rows)
    return contents


def _json_lines(rows: Sequence[Mapping[str, Any]]) -> str:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def _write_files(log: Log, found: Sequence[StageReading]) -> dict[Path, int]:
    """Write files, each whole, those that are as they should be not at all.

    Args:
        log: Its folder remembers digests of what was written, so that somebody else's work is never replaced.
        found: What the files hold.

    Returns:
        The files that were written, and their rows.

    Raises:
        ConflictError: If a file is there that no pull has written, or was edited since; names all of them, and
            nothing is written.
        StorageError: If one cannot be written.
    """
    folder, contents = log.folder, _contents(log.file, found)
    before = {path: _digest(read_content(path)) for path in contents if path.exists()}
    after = {path: _digest(content.encode()) for path, (content, _) in contents.items()}
    nothing = _digest(b"")
    strange = [path for path in before if before[path] not in (after[path], nothing, *folder.state.written)]
    if strange:
        # In a clone nothing is known of what was written: it is what the events of before make.
        pulled = _contents(log.file, counting(log.file, log.before))
        strange = [p for p in strange if p not in pulled or before[p] != _digest(pulled[p][0].encode())]
    if strange:
        raise ConflictError(
            "\n".join(
                f"{path}: is not as the pulls before have written it, and would be replaced; delete it, or "
                "move rows of your own into a file beside it, as "
                f"{path.stem}.own{path.suffix}, and run the same again"
                for path in strange
            )
        )
    # Both digests before the first file is written: a kill in between leaves files of either kind.
    folder.remember(written=sorted({*before.values(), *after.values()}))
    # A file that is not there is as good as an empty one: of nothing no file is made.
    changed = [path for path in contents if before.get(path, nothing) != after[path]]
    for path in changed:
        with storage_errors(path, fix="change the permissions"):
            content, _ = contents[path]
            if content or path.parent.name not in BY_LOCALE:
                path.parent.mkdir(parents=True, exist_ok=True)
                atomic_write(path, content)
            else:
                path.unlink()
    return {path: contents[path][1] for path in changed}


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()
