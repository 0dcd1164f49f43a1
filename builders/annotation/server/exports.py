"""Exports that are kept: of every stage what the server gave last, and what it gave before and has no more.

Whatever people have done leaves the folder by an edit or a deletion that is seen in a project which is still
there, by `forget`, or because somebody gives it up: never because a project is gone, or another one has come in
its place.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import People
from blend.builders.annotation.server.projects import StageLocale, stage_locales
from blend.loaders.files.atomic import atomic_write
from blend.loaders.label_studio.export import DIGEST_SUFFIX, Task, read_export, write_digest
from blend.loaders.label_studio.history import identity
from blend.schemas.errors import InputError, RowError, RowErrors

RAW = "raw"
_VANISHED = "vanished"
_NEW = ".new"


def raw_export(pulled: Path, stage_locale: StageLocale) -> Path:
    """Return the path of the last export of a stage."""
    return pulled / RAW / f"{stage_locale.slug}.json"


def vanished_exports(pulled: Path, stage_locale: StageLocale) -> list[Path]:
    """Read what is kept of a stage that the server has no more, as tasks with annotations.

    A file per project.
    """
    return sorted((pulled / RAW).glob(f"{stage_locale.slug}.{_VANISHED}-*.json"))


def kept_exports(pulled: Path, stage_locale: StageLocale) -> list[Path]:
    """All files that hold annotations of a stage, the last export first."""
    raw = raw_export(pulled, stage_locale)
    return [*([raw] if raw.exists() else []), *vanished_exports(pulled, stage_locale)]


class Kept(NamedTuple):
    """The tasks of a stage."""

    there: list[Task]
    """Those of the last export."""
    vanished: list[Task]
    """Those with annotations that the server has no more."""


def kept_tasks(pulled: Path, stage_locale: StageLocale) -> Kept:
    """The tasks of a stage with all annotations that count, each of them once.

    Raises:
        InputError, RowError, RowErrors: If a file is damaged.
    """
    raw = raw_export(pulled, stage_locale)
    there = read_export(raw) if raw.exists() else []
    seen = _identities(there)
    vanished: list[Task] = []
    for path in vanished_exports(pulled, stage_locale):
        kept = _without(read_export(path), seen)
        seen |= _identities(kept)
        vanished += kept
    return Kept(there, vanished)


def vanished_counts(file: ProjectFile) -> list[tuple[StageLocale, int]]:
    """Count the annotations that are kept and not on the server any more, by stage.

    Stages without any are left out.
    """
    counts = [
        (stage_locale, sum(len(task["annotations"]) for task in kept_tasks(file.pulled, stage_locale).vanished))
        for stage_locale in stage_locales(file)
    ]
    return [(stage_locale, count) for stage_locale, count in counts if count]


def replace_export(
    pulled: Path, stage_locale: StageLocale, people: People, write: Callable[[Path], object]
) -> None:
    """Take an export in the place of the last one, which is set aside if it is of another project.

    May be stopped at any moment and done again.

    Args:
        pulled: The pull folder.
        stage_locale: The stage.
        people: Who is who in the last export.
        write: Writes the export to a path.
    """
    raw = raw_export(pulled, stage_locale)
    new = raw.with_name(raw.name + _NEW)
    write(new)
    if raw.exists() and not _are_of_one_project(_readable(raw), read_export(new)):
        _keep_aside(raw, stage_locale, people)
    new.replace(raw)


def set_aside(pulled: Path, stage_locale: StageLocale, people: People) -> None:
    """Keep the annotations of a project that the server has no more, apart from what will come of another one.

    Args:
        pulled: The pull folder.
        stage_locale: The stage.
        people: Who is who in the last export; numbers of accounts mean others on another server.
    """
    raw = raw_export(pulled, stage_locale)
    _keep_aside(raw, stage_locale, people)
    for path in (raw, raw.with_name(raw.name + DIGEST_SUFFIX), raw.with_name(raw.name + _NEW)):
        path.unlink(missing_ok=True)


def abandon(pulled: Path, stage_locale: StageLocale) -> None:
    """Remove what is kept of a stage that the server has no more."""
    for path in vanished_exports(pulled, stage_locale):
        path.unlink()
        path.with_name(path.name + DIGEST_SUFFIX).unlink(missing_ok=True)


def let_go(pulled: Path, stage_locale: StageLocale) -> None:
    """Let go of what was set aside and is there again: a project that came back, annotations brought back."""
    raw = raw_export(pulled, stage_locale)
    if not raw.exists() or not (aside := vanished_exports(pulled, stage_locale)):
        return
    tasks = read_export(raw)
    for path in aside:
        before = read_export(path)
        # A project that is back shows by itself what was edited and deleted in it.
        kept = [] if _are_of_one_project(before, tasks) else _without(before, _identities(tasks))
        if not kept:
            path.unlink()
            path.with_name(path.name + DIGEST_SUFFIX).unlink(missing_ok=True)
        elif kept != before:
            atomic_write(path, json.dumps(kept, ensure_ascii=True))
            write_digest(path)


def _keep_aside(raw: Path, stage_locale: StageLocale, people: People) -> None:
    tasks = [_by_pseudonyms(task, people) for task in _readable(raw) if task["annotations"]]
    if tasks:
        # By its content: whoever was stopped here writes the same file again.
        digest = sha256(raw.read_bytes()).hexdigest()[:8]
        aside = raw.with_name(f"{stage_locale.slug}.{_VANISHED}-{digest}.json")
        atomic_write(aside, json.dumps(tasks, ensure_ascii=True))
        write_digest(aside)


def _are_of_one_project(before: Sequence[Task], now: Sequence[Task]) -> bool:
    """Whether they share a task; numbers alone are given again, by a new server or after a deletion."""
    known = {(task["id"], task.get("created_at")) for task in now}
    return any((task["id"], task.get("created_at")) in known for task in before)


def _identities(tasks: Sequence[Task]) -> set[str]:
    return {identity(annotation) for task in tasks for annotation in task["annotations"]}


def _without(tasks: Sequence[Task], seen: set[str]) -> list[Task]:
    """Tasks with their annotations but for those seen; without any, a task goes."""
    left = [
        {**task, "annotations": [one for one in task["annotations"] if identity(one) not in seen]}
        for task in tasks
    ]
    return [task for task in left if task["annotations"]]


def _by_pseudonyms(task: Task, people: People) -> Task:
    """A task whose annotations name people as no other server can misunderstand; drafts are nobody's answer."""

    def named(account: Any) -> Mapping[str, Any] | None:
        pseudonym = people.of(account)
        return None if pseudonym is None else {"pseudonym": pseudonym}

    annotations = [
        {**one, **{key: named(one.get(key)) for key in ("completed_by", "updated_by")}}
        for one in task["annotations"]
    ]
    return {**task, "annotations": annotations, "drafts": [], _VANISHED: True}


def _readable(raw: Path) -> list[Task]:
    """The tasks of the last export, which must not be replaced by what nobody can compare it with."""
    try:
        return read_export(raw)
    except (InputError, RowError, RowErrors):
        raise InputError(
            f"{raw}: is damaged; bring it back from a backup, or delete it: what the server has is "
            "asked anew, and what it has no more stands in the history alone"
        ) from None
