"""Events: every annotation as exports showed it first and later, a line each, only ever added to; their folder.

What a line says goes on counting until a later line says otherwise: an annotation that the server has no more,
or has in an older version only, counts as it was seen last, until the lead accepts that it is gone.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from blend.loaders.files.atomic import (
    append_rows,
    atomic_write,
    complete_rows,
    one_at_a_time,
    storage_errors,
)
from blend.loaders.files.content import read_content
from blend.loaders.label_studio import another_program
from blend.loaders.label_studio.client import RemoteProject, Studio
from blend.schemas.errors import InputError, ServerError
from blend.schemas.personal_data import EVENTS
from blend.schemas.texts import pluralise

_ADDED, _EDITED, _BACK = "added", "edited", "back"
_MISSING, _OLDER = "missing", "older"
"""The server has it no more, or only an older version, after a backup was put back; both are told."""
_ACCEPTED = "accepted"
"""It was missing, and does not count any more, since the lead has accepted that."""
KEPT = "kept"
"""Its task was deleted because it showed answers of somebody who is forgotten; it counts, and is not told."""

_STATE = "state.json"
"""File of a pull folder that remembers what was pulled and written."""

_GIT_FILES = {
    ".gitignore": f"*\n!{EVENTS}\n!.git*\n",
    # Two leads add lines of their own, and their order is of no account.
    ".gitattributes": f"{EVENTS} merge=union\n",
}
"""Files that have git keep the events, and nothing else of a pull folder."""

ExportedTask = dict[str, Any]
"""A task of an export as the server writes it: ``id``, ``data``, ``annotations``, perhaps ``drafts``, more."""

Line = dict[str, Any]
_Author = Callable[[Any], str | None]
"""From what an annotation says of its author, or of who changed it last, to a pseudonym."""

_VERSIONS = (_ADDED, _EDITED)
_ON_SERVER = (_ADDED, _EDITED, _BACK, _OLDER)
_MOMENT = timedelta(seconds=1)


class Held(NamedTuple):
    """An annotation, by the lines about it."""

    version: Line
    """The version that counts."""
    last: Line
    """The last line."""

    @property
    def counts(self) -> bool:
        """Whether it counts."""
        return not self.is_let_go and not self._is_cancelled_skip

    @property
    def is_let_go(self) -> bool:
        """Whether the lead has accepted that it does not count."""
        return bool(self.last["event"] == _ACCEPTED)

    @property
    def is_gone(self) -> bool:
        """Whether it counts although the server has it no more, or not in this version."""
        return self.last["event"] in (_MISSING, _OLDER) and not self._is_cancelled_skip

    @property
    def _is_cancelled_skip(self) -> bool:
        """Whether somebody took back that they skipped a task, which held nothing that could be lost."""
        return bool(self.version["skipped"]) and self.last["event"] == _MISSING

    @property
    def is_there(self) -> bool:
        """Whether the server has it, in whatever version."""
        return self.last["event"] in _ON_SERVER


def read_events(path: Path) -> list[Line]:
    """All lines, in order, but for a last one that a kill has cut off; the next pull says it again.

    Raises:
        InputError: If a line is damaged.
    """
    if not path.exists():
        return []
    lines = []
    complete = complete_rows(read_content(path), _is_complete)
    for number, text in enumerate(complete.splitlines(), start=1):
        try:
            line = json.loads(text)
            if not {"stage", "id", "event"} <= line.keys():
                raise ValueError(text)
            lines.append(line)
        except (ValueError, AttributeError, RecursionError):
            raise InputError(
                f"{path}:{number}: is not a line of the events; bring the file back from git or a backup: what "
                "people gave counts by this file"
            ) from None
    return lines


def append_events(path: Path, lines: Sequence[Line]) -> None:
    """Add lines, on the disk before anything else happens."""
    if lines:
        path.touch()
        append_rows(path, "".join(map(_text, lines)).encode(), _is_complete)


def rewrite_events(path: Path, lines: Sequence[Line]) -> None:
    """Replace all lines: for those who are forgotten, and for nothing else."""
    atomic_write(path, "".join(map(_text, lines)))


def held_in(lines: Sequence[Line], stage: str) -> dict[str, Held]:
    """The annotations of a stage, by what each is known by."""
    held: dict[str, Held] = {}
    for line in lines:
        if line["stage"] == stage:
            before = held.get(line["id"])
            if line["event"] in _VERSIONS:
                # Where git has put the lines of two leads together, the later line may be the older version.
                is_late = before is not None and not line.get("accepted") and _is_older(line, before.version)
                held[line["id"]] = Held(before.version if before is not None and is_late else line, line)
            elif before is not None:
                held[line["id"]] = before._replace(last=line)
    return held


def news(
    held: Mapping[str, Held],
    stage: str,
    project: int,
    tasks: Sequence[ExportedTask],
    author: _Author,
    account: _Author,
) -> list[Line]:
    """Lines about whatever is new, changed, gone or back in an export.

    Args:
        held: Annotations of the stage, from `held_in`.
        stage: The stage.
        project: Number on the server.
        tasks: Of the export, with their annotations.
        author: Names people.
        account: Names accounts, whatever their address.
    """
    lines: list[Line] = []
    present: set[str] = set()
    # By number, so that the order of an export makes no difference to the lines.
    ordered = sorted(
        ((task, one) for task in tasks for one in task["annotations"]), key=lambda pair: pair[1]["id"]
    )
    for task, annotation in ordered:
        version = {"stage": stage, "project": project, **_version(task, annotation, author, account)}
        present.add(version["id"])
        before = held.get(version["id"])
        if before is None:
            by = version["changed_by"] if _is_changed(annotation) else None
            lines.append({**version, "event": _ADDED, "changed_by": by})
        elif (line := _compared(before, version)) is not None:
            lines.append(line)
    lines += [
        about(one, _MISSING)
        for name, one in held.items()
        if name not in present and one.last["event"] in _ON_SERVER
    ]
    return lines


def about(held: Held, event: str) -> Line:
    """A line about an annotation that says nothing of its content."""
    named = ("stage", "id", "task", "annotation", "annotator", "account", "blend_id")
    return {**{name: held.version.get(name) for name in named}, "event": event, "seen": _today()}


def accepted(held: Held) -> Line:
    """The line by which the lead accepts what the server has of an annotation: nothing, or an older version."""
    if held.last["event"] == _OLDER:
        return {**held.last, "event": _EDITED, "accepted": True, "seen": _today()}
    return about(held, _ACCEPTED)


def identity(annotation: Mapping[str, Any]) -> str:
    """Return what an annotation is known by; its number alone another server, or another day, gives again."""
    return str(annotation.get("unique_id") or annotation["id"])


def counted_lines(held: Mapping[str, Held]) -> list[Line]:
    """The versions of annotations that count; those that the server does not have are ``gone``."""
    return [{**one.version, "gone": not one.is_there} for one in held.values() if one.counts]


def _version(task: ExportedTask, annotation: Mapping[str, Any], author: _Author, account: _Author) -> Line:
    by, editor = (author(annotation.get(name)) for name in ("completed_by", "updated_by"))
    return {
        "id": identity(annotation),
        "task": int(task["id"]),
        "annotation": int(annotation["id"]),
        "blend_id": str(task["data"].get("blend_id", "")),
        "annotator": by,
        "account": account(annotation.get("completed_by")),
        "changed_by": None if editor == by else editor,
        "confirmed": editor is not None and editor == by,
        "created_at": annotation.get("created_at"),
        "updated_at": annotation.get("updated_at"),
        "lead_time": annotation.get("lead_time"),
        "skipped": bool(annotation.get("was_cancelled")),
        "data": task["data"],
        "result": annotation.get("result") or [],
        "seen": _today(),
    }


def _compared(before: Held, version: Line) -> Line | None:
    """The line about an annotation that was seen before; null where there is nothing new."""
    counting, last = before.version, before.last
    version["annotator"] = counting["annotator"] or version["annotator"]
    if version["changed_by"] == version["annotator"]:
        version |= {"changed_by": None, "confirmed": True}
    is_confirmed = counting["changed_by"] is not None and version["confirmed"]
    if _is_same(counting, version) and not is_confirmed:
        return None if last["event"] in (*_VERSIONS, _BACK) else about(before, _BACK)
    if _is_older(version, counting):
        return None if last["event"] == _OLDER and _is_same(last, version) else {**version, "event": _OLDER}
    return {**version, "event": _EDITED}


def _is_same(one: Line, other: Line) -> bool:
    return all(one.get(name) == other.get(name) for name in ("result", "skipped"))


def _is_older(one: Line, other: Line) -> bool:
    first, second = (_moment(line.get("updated_at")) for line in (one, other))
    return first is not None and second is not None and first < second


def _is_changed(annotation: Mapping[str, Any]) -> bool:
    """Whether an annotation that is seen for the first time was changed after it was made.

    Whoever enters it for another account, by a program, makes it and changes nothing; the server dates both
    within a moment.
    """
    made, changed = (_moment(annotation.get(name)) for name in ("created_at", "updated_at"))
    return made is not None and changed is not None and changed - made > _MOMENT


def _moment(value: Any) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _is_complete(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _text(line: Line) -> str:
    return json.dumps(line, ensure_ascii=True, sort_keys=True) + "\n"


# Exports: tasks with their annotations, as Label Studio writes them.


_Number = Annotated[int, Field(strict=True, ge=0, lt=2**63)]


class _Annotation(BaseModel):
    id: _Number
    result: list[dict[str, Any]] | None = None


class _Task(BaseModel):
    id: _Number
    data: dict[str, Any]
    annotations: list[_Annotation]
    drafts: list[_Annotation] = []


_TASKS = TypeAdapter(list[_Task])


def exported(studio: Studio, found: RemoteProject) -> list[ExportedTask]:
    """The tasks of a project, with at least the annotations that the server has listed.

    Raises:
        ServerError: If what the server sends is not an export, or lacks annotations; nothing is taken from it.
    """
    tasks: list[ExportedTask] = studio.export(found.id)
    try:
        _TASKS.validate_python(tasks)
    except ValidationError:
        raise another_program(studio.where) from None
    here = {task["id"]: len(task["annotations"]) for task in tasks}
    if lacking := [task.id for task in found.tasks if here.get(task.id, 0) < task.annotations]:
        listed = ", ".join(map(str, lacking[:10]))
        raise ServerError(
            f"{studio.where}: its export of project {found.id} lacks annotations that it lists, of "
            f"{pluralise(len(lacking), 'task')} ({listed}); nothing was taken from it; run the same again"
        )
    return tasks


# The folder, which one process at a time holds; it has people's data.


class Draft(BaseModel):
    """What somebody has begun to type and not sent; nothing of what was typed."""

    task: int
    annotator: str | None
    is_change: bool = False
    """Whether it changes what was sent."""


class ProjectState(BaseModel):
    """A project on the server as a pull has left it."""

    project: int
    dated: str
    """See `client.RemoteProject.dated`."""
    drafts: list[Draft] = []


class _State(BaseModel):
    """What is remembered of the last sync; without it, everything is asked anew."""

    projects: dict[str, ProjectState] = {}
    """Of the server's projects, by name."""
    events: str = ""
    """Digest of the events as that sync left them."""
    written: list[str] = []
    """Digests of the files that it has written, or found."""
    names: dict[str, str] = {}
    """Addresses by pseudonym, as they were first seen: of a removed account a server does not know it."""


class Folder:
    """A pull folder that this process holds.

    Args:
        path: The folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def events(self) -> Path:
        """The file of the events."""
        return self.path / EVENTS

    @property
    def state(self) -> _State:
        """What is remembered."""
        path = self.path / _STATE
        try:
            return _State.model_validate_json(read_content(path) if path.exists() else b"{}", strict=True)
        except ValidationError:
            raise InputError(f"{path}: is damaged; delete it, and everything is asked anew") from None

    def remember(self, **values: Any) -> None:
        """Write down some values, beside those that are there."""
        state = self.state.model_copy(update=values)
        atomic_write(self.path / _STATE, state.model_dump_json(indent=1) + "\n")


@contextmanager
def held(path: Path) -> Iterator[Folder]:
    """A pull folder, made if it is not there, for this process alone.

    Raises:
        ConflictError: If another process holds it.
        StorageError: If it cannot be written.
    """
    with storage_errors(path, fix="change key pulled or permissions"):
        path.mkdir(parents=True, exist_ok=True)
        for name, content in _GIT_FILES.items():
            if not os.path.lexists(path / name):
                atomic_write(path / name, content)
    busy = f"{path}: another `blend annotate` is at work with this folder; wait until it has ended"
    with one_at_a_time(path / EVENTS, busy=busy):
        yield Folder(path)
