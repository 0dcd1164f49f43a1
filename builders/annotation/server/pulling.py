"""Pulling: what people did is written down as events, and the files that builds read are made of these."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from blend.builders.annotation.beside import (
    BY_LOCALE,
    Beside,
    beside,
    passed_over,
    read_collected,
    that_counts,
)
from blend.builders.annotation.lost_answers import without_lost_answers
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import Account, People, key_line, project_key
from blend.builders.annotation.server.account_tables import accounts_for
from blend.builders.annotation.server.files import Contents, Written, json_lines, write_files
from blend.builders.annotation.server.forgotten import (
    answer_ids,
    forgotten,
    is_theirs,
    line_without,
    unnamed,
    without_people,
    without_shown,
)
from blend.builders.annotation.server.projects import StageLocale, stage_locales
from blend.builders.annotation.server.readings import StageReading, read_stages
from blend.builders.annotation.server.session import Session, session
from blend.builders.annotation.stages.model import Reading
from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.label_studio.client import Studio
from blend.loaders.label_studio.events import (
    Held,
    Line,
    accepted,
    append_events,
    held_in,
    news,
    read_events,
    rewrite_events,
)
from blend.loaders.label_studio.export import Task, read_export
from blend.loaders.label_studio.folder import Folder, held
from blend.loaders.label_studio.inventory import InventoriedProject
from blend.loaders.label_studio.plan import both_annotated
from blend.loaders.responses.decisions import Decision, decisions_text, pair_key
from blend.schemas.errors import ConflictError, InputError, ServerError
from blend.schemas.language.text_comparison import clean, pluralise
from blend.schemas.sheets.answer_sheets import digest_of

FINDINGS_FILE, _PROJECTS, _EVENTS = "findings.csv", "projects", "events"

DECIDED = "decided"
"""Folder beside the project file for what the other stages yield, a file per kind."""


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
    """Get the annotations, write them down as events, and write raw responses and reviews.

    Asks only for projects with news. May be stopped at any moment.

    Args:
        file: The project.
        exports: Files that the server's page *Export* gave, in the format JSON; then no server is asked, unless
            for the addresses of accounts that are not known.
        accounts_file: Table of accounts, ``id`` and ``email``, for exports; see `account_tables.accounts_for`.
        on_progress: Called with the step, the projects done and projects in all.
        within: The session to do it in; one of its own when absent.

    Raises:
        InputError, RowError, RowErrors: If there is no key or no token, or a file is wrong.
        ConflictError: If another process is at work with the pull folder, or would lose its work by this pull,
            or nothing of the project is on the server, or one of its projects twice, both with annotations.
        ServerError: If the server fails, or its export holds less than it lists; what was pulled stays.
    """
    if exports:
        with held(file.pulled) as folder:
            log = _Log(file, folder)
            log.forget(log.gone)
            return _written(log, _from_files(log, exports, accounts_file))
    with session(file, within) as at:
        log = _Log(file, at.folder)
        # They may have been forgotten by another lead.
        log.forget(log.gone)
        return _written(log, _from_server(log, at, on_progress))


def accept_missing(file: ProjectFile, *, within: Session | None = None) -> Pull:
    """Let go of all annotations that count although the server has them no more.

    The events say so, and keep them: one that comes back there counts again.

    Args:
        file: The project, after a pull.
        within: The session to do it in; the pull folder alone is held when absent.
    """
    if within is None:
        with held(file.pulled) as folder:
            return _accept(file, folder)
    return _accept(file, within.folder)


def _accept(file: ProjectFile, folder: Folder) -> Pull:
    log = _Log(file, folder)
    lines: dict[str, list[Line]] = {}
    for at in stage_locales(file):
        if gone := [one for one in log.held(at).values() if one.is_gone]:
            lines[at.name] = [accepted(one) for one in gone]
            log.add(lines[at.name])
    return _written(log, _Fetched(log.projects, lines))


def rewritten(file: ProjectFile, folder: Folder, names: Collection[str]) -> Pull:
    """Remove what some people did from the events, and write all files anew; asks no server.

    Args:
        file: The project.
        folder: Its pull folder.
        names: Pseudonyms of the people.
    """
    log = _Log(file, folder)
    seen = {at.name: () for at in stage_locales(file) if log.held(at)}
    log.forget(names)
    return _written(log, _Fetched(log.projects, seen))


def only_theirs(file: ProjectFile, lines: Sequence[Line], names: Collection[str], key: bytes) -> set[str]:
    """Ids of the answers that some people ever gave, and that nobody else gives now."""
    if not (theirs := [line for line in lines if is_theirs(line, names, key)]):
        return set()
    left = [line for line in lines if not is_theirs(line, names, key)]
    now = (one.version for at in stage_locales(file) for one in held_in(left, at.slug).values())
    return answer_ids(theirs) - ever_given(file, now, names)


def ever_given(file: ProjectFile, lines: Iterable[Line], besides: Collection[str] = ()) -> set[str]:
    """Ids of all answers that anybody ever gave on the server, or gives in files, but for some people."""
    given = answer_ids(lines)
    if file.collected.is_dir():
        responses = read_collected(file.collected, file.locales).tables.responses
        given |= {
            digest_of(row["template_id"], row["locale"], clean(answer))
            for row in responses.filter(~pl.col("annotator").is_in(list(besides))).iter_rows(named=True)
            for answer in row["answers"] or ()
        }
    return given


class _Log:
    """The events of a project, in the pull folder that this process holds."""

    def __init__(self, file: ProjectFile, folder: Folder) -> None:
        self.file, self.folder = file, folder
        self.key, self.gone = project_key(file), forgotten(file)
        self.lines = read_events(folder.events)
        if not self.lines:
            self.add([key_line(self.key)])
        self.before = self.lines
        state = folder.state
        # With other events than at the last pull, as git brings them, nothing is known of what is new.
        self.projects = state.get(_PROJECTS, {}) if state.get(_EVENTS) == _digest(folder) else {}

    def held(self, stage_locale: StageLocale) -> dict[str, Held]:
        return held_in(self.lines, stage_locale.slug)

    def add(self, lines: Sequence[Line]) -> None:
        append_events(self.folder.events, lines)
        self.lines = [*self.lines, *lines]

    def forget(self, names: Collection[str]) -> None:
        """Remove what some people did, and from reviews the answers that nobody else gives."""
        if not names:
            return
        gone = only_theirs(self.file, self.lines, names, self.key)
        left = (unnamed(line, names) for line in self.lines if not is_theirs(line, names, self.key))
        kept = [line for line in (line_without(line, gone) for line in left) if line is not None]
        if kept != self.lines:
            rewrite_events(self.folder.events, kept)
        self.lines = kept

    def take(
        self, stage_locale: StageLocale, project: int, tasks: Sequence[Task], people: People
    ) -> Sequence[Line]:
        """Write down what is new in an export, before anything else happens with it."""
        tasks = without_people(tasks, people, self.gone)
        if self.gone and stage_locale.stage.name == "review":
            # Pages may show answers of the forgotten still.
            given = ever_given(self.file, self.lines, self.gone)
            reviewed = [task for task in tasks if task["annotations"]]
            tasks = without_shown(reviewed, lambda shown: shown - given)
        found = news(self.held(stage_locale), stage_locale.slug, project, tasks, people.of, people.account)
        self.add([unnamed(line, self.gone) for line in found])
        return found


def _digest(folder: Folder) -> str:
    return sha256(folder.events.read_bytes()).hexdigest()


@dataclass(frozen=True)
class _Fetched:
    """What was written down, and what is to be remembered of it once everything is written."""

    state: Mapping[str, Any]
    """Of the projects."""
    news: Mapping[str, Sequence[Line]] = field(default_factory=dict)
    """Lines by the name of the stage and locale, of those that were exported or are gone."""


def _from_server(log: _Log, at: Session, on_progress: ProgressCallback | None) -> _Fetched:
    """Export what has news; the state is that of before each export, so that nothing can fall in between."""
    file, studio, wanted = log.file, at.studio, list(stage_locales(log.file))
    before = log.projects
    if not at.there and not any(log.held(stage_locale) for stage_locale in wanted):
        raise ConflictError(
            f"{studio.where}: holds nothing of project {file.project.name!r}; bring it there with "
            f"`blend annotate push {file.path}`"
        )
    doubled = [both_annotated(studio.where, name, found) for name, found in at.there.items()]
    if any(doubled):
        raise ConflictError("\n".join(filter(None, doubled)))
    state, found_news = {}, {}
    for done, stage_locale in enumerate(wanted, start=1):
        name, held_here = stage_locale.name, log.held(stage_locale)
        found = at.there[name][0] if name in at.there else None
        if found is not None:
            state[name] = found.state()
        if (found is not None and before.get(name) != state[name]) or (
            found is None and any(one.is_there for one in held_here.values())
        ):
            tasks = [] if found is None else exported(studio, found)
            # After the export: whoever came while it was made is known.
            people = People(log.key, accounts_on(studio), log.lines)
            found_news[name] = log.take(stage_locale, 0 if found is None else found.project.id, tasks, people)
        if on_progress is not None:
            on_progress("pull", done, len(wanted))
    return _Fetched(state, found_news)


def accounts_on(studio: Studio) -> dict[int, Account]:
    """The accounts of a server by their number."""
    return {number: Account(*found) for number, found in studio.accounts().items()}


def exported(studio: Studio, found: InventoriedProject) -> list[Task]:
    """The tasks of a project, with at least the annotations that the server has listed."""
    with TemporaryDirectory(prefix="blend-export-") as folder:
        path = Path(folder) / f"project-{found.project.id}.json"
        studio.export(found.project.id, path)
        tasks = read_export(path)
    here = {task["id"]: len(task["annotations"]) for task in tasks}
    if lacking := [task.id for task in found.tasks if here.get(task.id, 0) < task.annotations]:
        listed = ", ".join(map(str, lacking[:10]))
        raise ServerError(
            f"{studio.where}: its export of project {found.project.id} lacks annotations that it lists, of "
            f"{pluralise(len(lacking), 'task')} ({listed}); nothing was taken from it; run the same again"
        )
    return tasks


def _from_files(log: _Log, exports: Sequence[Path], accounts_file: Path | None) -> _Fetched:
    """Take export files in the place of the server's answers."""
    by_prefix = {stage_locale.prefix: stage_locale for stage_locale in stage_locales(log.file)}
    taken: dict[str, Path] = {}
    read = {path: read_export(path) for path in exports}
    # Before anything is written: with another address, everybody would have another pseudonym.
    people = accounts_for(log.file, log.key, log.lines, log.gone, read, accounts_file)
    stages: list[tuple[StageLocale, Sequence[Task]]] = []
    for path, tasks in read.items():
        stage_locale = _stage_locale_of(path, tasks, by_prefix)
        if stage_locale.name in taken:
            raise InputError(
                f"{path}: is about {stage_locale.title!r}, as {taken[stage_locale.name]} is; give one of the "
                "two"
            )
        taken[stage_locale.name] = path
        stages.append((stage_locale, tasks))
    # Answers before their reviews.
    order = list(by_prefix)
    stages.sort(key=lambda one: order.index(one[0].prefix))
    found_news = {at.name: log.take(at, 0, tasks, people) for at, tasks in stages}
    before = log.projects
    # Whatever the server said last does not hold for what a file says.
    return _Fetched({name: state for name, state in before.items() if name not in taken}, found_news)


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


def _written(log: _Log, fetched: _Fetched) -> Pull:
    """Write the files that the events make, and tell what is new."""
    file, others = log.file, beside(log.file)
    also = {*fetched.state, *fetched.news}
    found = _that_count(read_stages(file, log.lines, others, also=also), others)
    responses = _responses_in(found)
    reviewed = {
        (row["template_id"], one.stage_locale.locale.tag)
        for one in found
        for row in one.reading.rows.get("reviews", ())
    }
    in_files = passed_over(others, responses, reviewed)
    findings = pl.concat([*(one.reading.findings for one in found), in_files])

    def earlier() -> Contents:
        return dict(_contents(file, _that_count(read_stages(file, log.before, others), others)))

    written = write_files(log.folder, dict(_contents(file, found)), earlier)
    atomic_write(log.folder.path / FINDINGS_FILE, findings.write_csv())
    log.folder.write_state({**log.folder.state, _PROJECTS: fetched.state, _EVENTS: _digest(log.folder)})
    read = {one.stage_locale.name for one in found}
    absent = [stage_locale for stage_locale in stage_locales(file) if stage_locale.name not in read]
    pulled = [_account(one, fetched) for one in found]
    return Pull(file.path, file.project.server.url, pulled, absent, written, findings)


def _account(one: StageReading, fetched: _Fetched) -> PulledProject:
    name = one.stage_locale.name
    return PulledProject(
        one.stage_locale,
        annotations=sum(held.counts for held in one.held.values()),
        changes=fetched.news.get(name, ()),
        fetched=name in fetched.news,
        gone=one.gone,
        number=fetched.state[name]["project"] if name in fetched.state else None,
    )


def _that_count(read: Iterator[StageReading], others: Beside) -> list[StageReading]:
    """Readings of what is asked now, with reviews that decide only on answers that are still given."""
    found = list(read)
    responses = _responses_in(found)
    counting = [
        one._replace(
            reading=that_counts(one.reading, tag := one.stage_locale.locale.tag, others, responses.get(tag))
        )
        for one in found
    ]
    responses = _responses_in(counting)
    return [one._replace(reading=_settled(one, responses)) for one in counting]


def _responses_in(found: Sequence[StageReading]) -> dict[str, list[dict[str, Any]]]:
    return {
        one.stage_locale.locale.tag: one.reading.rows["responses"]
        for one in found
        if "responses" in one.reading.rows
    }


def _settled(one: StageReading, responses: Mapping[str, Sequence[Mapping[str, Any]]]) -> Reading:
    """A reading whose reviews decide only on answers that are still given; others stay as they are."""
    reading, tag = one.reading, one.stage_locale.locale.tag
    if "reviews" not in reading.rows or tag not in responses:
        return reading
    kept = without_lost_answers(reading.rows["reviews"], responses[tag], tag)
    findings = pl.concat([reading.findings, kept.findings])
    return Reading({**reading.rows, "reviews": kept.reviews}, findings, reading.work)


def _contents(
    file: ProjectFile, found: Sequence[StageReading]
) -> Iterable[tuple[Path, tuple[str | None, int]]]:
    """Content and number of rows of every file that the readings fill.

    A file of reviews or responses goes with its last row: an empty one would read as if it had lost its rows.
    """
    others: dict[str, list[dict[str, Any]]] = {}
    for one in found:
        for kind, rows in one.reading.rows.items():
            if kind in BY_LOCALE:
                path = file.collected / kind / f"{one.stage_locale.locale.tag}.jsonl"
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
