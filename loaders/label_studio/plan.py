"""The plan of a push: projects and tasks as a server has them and as they should be, and what is to change."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple

from blend.schemas.errors import ConflictError

_MARK = re.compile(r"\[blend:(?P<name>[^\]\s#]+)\]")
_DESCRIPTION = "Made by `blend annotate`, which finds it by this line; please leave it as it is. [blend:{}]"


@dataclass(frozen=True, slots=True)
class RemoteTask:
    """A task on the server."""

    id: int
    data: Mapping[str, Any]
    annotations: int
    """Annotations, skipped ones included."""
    overlap: int
    """Annotations after which the task is given to nobody any more."""
    closed: bool = False
    """Whether it is given to nobody any more."""
    updated: str = ""
    """When it, or an annotation of it, was last made, changed or deleted."""
    begun: bool = False
    """Whether it has a draft: what somebody has begun and not sent in."""

    @property
    def blend_id(self) -> str | None:
        """The id by which the task is known again; null for a task that somebody else made."""
        value = self.data.get("blend_id")
        return value if isinstance(value, str) else None

    @property
    def touched(self) -> bool:
        """Whether it holds anybody's work, so that it may not be removed or shown anew."""
        return self.annotations > 0 or self.begun


@dataclass(frozen=True, slots=True)
class RemoteProject:
    """A project on the server."""

    id: int
    title: str
    description: str
    config: str
    """Labelling configuration."""
    overlap: int
    """Annotations per task, where a task has no number of its own."""
    tasks: Sequence[RemoteTask] = ()
    """Its tasks when it was looked at."""

    @property
    def name(self) -> str | None:
        """The name in the mark of its description; null if it is not one of ours."""
        found = _MARK.search(self.description)
        return None if found is None else found["name"]

    @property
    def dated(self) -> str:
        """A digest that differs once anything of its tasks, annotations or drafts was made or changed.

        The server dates a task anew whenever an annotation of it is. All of the dates count, not the latest:
        which one that is, an answer in an order of the server's own choosing does not show, and after a clock
        was set back it is not that of the last change.
        """
        dated = sha256()
        for task in sorted(self.tasks, key=lambda task: task.id):
            dated.update(f"{task.id} {task.updated} {task.annotations} {task.begun}\n".encode())
        return dated.hexdigest()


Inventory = Mapping[str, Sequence[RemoteProject]]
"""Projects by their names, those that are not there left out; of several of a name the oldest first."""


def marked(name: str) -> str:
    """The description of a project on the server, with its mark."""
    return _DESCRIPTION.format(name)


class WantedTask(NamedTuple):
    """A task that should be on the server."""

    data: dict[str, Any]
    """What the labelling configuration shows; ``data["blend_id"]`` is the task's id, the same for ever."""
    proposal: list[dict[str, Any]] | None = None
    """Result to begin with, as Label Studio's predictions have it; null for none."""

    @property
    def blend_id(self) -> str:
        """The id by which the task is found again."""
        return str(self.data["blend_id"])

    def payload(self) -> dict[str, Any]:
        """The task as Label Studio imports it."""
        proposals = [] if self.proposal is None else [{"result": self.proposal, "model_version": "blend"}]
        return {"data": self.data, **({"predictions": proposals} if proposals else {})}


class Quota(NamedTuple):
    """Of how many people a task is asked."""

    overlap: int
    """Annotations in all."""
    closed: bool
    """Whether it is given to nobody any more."""
    why: str = ""
    """Why it is closed, for the lead; empty where that is no news."""


@dataclass(frozen=True, slots=True)
class WantedProject:
    """A project that should be on the server."""

    name: str
    """What it is known by, for ever: ``PROJECT/STAGE/LOCALE``. Titles may be changed by hand."""
    title: str
    config: str
    """Labelling configuration."""
    overlap: int
    """Annotations per task, each by another person."""
    tasks: Sequence[WantedTask]
    asked: Mapping[str, Quota] = field(default_factory=dict)
    """Of how many people tasks are asked, by id; others of ``overlap``."""
    closes_unasked: bool = False
    """Whether tasks that do not stand in ``asked`` are given to nobody."""
    waits_until: str = ""
    """What its tasks wait for, if they cannot be made yet; those that are there stay."""

    def asked_anew(self, tasks: Sequence[RemoteTask]) -> tuple[tuple[RemoteTask, Quota], ...]:
        """Tasks on the server that are asked of another number of people than they should be.

        Left out are those that nobody asks for any more and nobody has touched: they are removed.
        """
        asked = ((task, self._quota(task)) for task in tasks if task.touched or task.blend_id in self.asked)
        return tuple(
            (task, ask) for task, ask in asked if (ask.overlap, ask.closed) != (task.overlap, task.closed)
        )

    def _quota(self, task: RemoteTask) -> Quota:
        if (asked := self.asked.get(task.blend_id or "")) is not None:
            return asked
        return Quota(task.overlap, task.closed or (self.closes_unasked and task.blend_id is not None))


@dataclass(frozen=True, slots=True)
class ProjectPlan:
    """Plan of a push for one project."""

    wanted: WantedProject
    remote: RemoteProject | None
    """The project on the server; null if it is to be made."""
    missing: tuple[WantedTask, ...]
    """Tasks to import."""
    changed: tuple[tuple[RemoteTask, WantedTask], ...] = ()
    """Tasks that nobody has touched and that show something else than they should; replaced."""
    outdated: tuple[RemoteTask, ...] = ()
    """Tasks that nobody has touched and the project file does not ask for any more; removed."""
    kept: tuple[RemoteTask, ...] = ()
    """Tasks of either kind that hold somebody's work; left as they are."""
    doubled: tuple[RemoteTask, ...] = ()
    """Second copies of tasks that nobody has touched; removed."""
    asked: tuple[tuple[RemoteTask, Quota], ...] = ()
    """Tasks that are asked of more people from now on, or of nobody any more."""

    @property
    def sets_config(self) -> bool:
        """Whether the labelling configuration is replaced."""
        return self.remote is not None and self.remote.config.strip() != self.wanted.config.strip()

    @property
    def sets_overlap(self) -> bool:
        """Whether another number of annotations per task is wanted."""
        return self.remote is not None and self.remote.overlap != self.wanted.overlap

    @property
    def changes_anything(self) -> bool:
        """Whether a push would do anything to it."""
        tasks = (self.missing, self.changed, self.outdated, self.doubled, self.asked)
        return self.remote is None or self.sets_config or self.sets_overlap or any(tasks)


def plan_push(there: Inventory, wanted: Sequence[WantedProject], *, where: str) -> list[ProjectPlan]:
    """Plan a push, project by project.

    Args:
        there: What the server has of them.
        wanted: The projects that should be there.
        where: What messages call the server.

    Raises:
        ConflictError: As `check_unique`.
    """
    check_unique(there, where=where)
    return [_plan(one, there.get(one.name, ())) for one in wanted]


def check_unique(there: Inventory, *, where: str) -> None:
    """Check that no two projects have one name.

    Raises:
        ConflictError: If some have; names all of them.
    """
    problems = [
        f"{where}: projects {' and '.join(str(one.id) for one in found)} are both marked as {name}; remove the "
        "last line from the description of the one that is not to count"
        for name, found in there.items()
        if len(found) > 1
    ]
    if problems:
        raise ConflictError("\n".join(problems))


def doubled_tasks(tasks: Sequence[RemoteTask]) -> tuple[RemoteTask, ...]:
    """Second copies of tasks, as two pushes at a time leave them, that nobody has touched.

    The first annotated copy stays, else the first that is begun, else the first of all: whoever looks finds the
    same ones.
    """
    kept: dict[str, RemoteTask] = {}
    # False sorts before True: annotated copies first.
    for task in sorted(tasks, key=lambda task: (task.annotations == 0, not task.begun, task.id)):
        if task.blend_id is not None:
            kept.setdefault(task.blend_id, task)
    return tuple(
        task
        for task in tasks
        if not task.touched and task.blend_id is not None and kept[task.blend_id] is not task
    )


def _plan(wanted: WantedProject, found: Sequence[RemoteProject]) -> ProjectPlan:
    if not found:
        return ProjectPlan(wanted, None, tuple(wanted.tasks))
    remote = found[0]
    doubled = doubled_tasks(remote.tasks)
    there = [task for task in remote.tasks if task not in doubled]
    by_id: Mapping[str | None, WantedTask] = {task.blend_id: task for task in wanted.tasks}
    present = {task.blend_id for task in there}
    differing = [
        (task, by_id[task.blend_id])
        for task in there
        if task.blend_id in by_id and by_id[task.blend_id].data != dict(task.data)
    ]
    unasked = [task for task in there if task.blend_id is not None and task.blend_id not in by_id]
    if wanted.waits_until:
        unasked = []
    return ProjectPlan(
        wanted,
        remote,
        missing=tuple(task for task in wanted.tasks if task.blend_id not in present),
        changed=tuple((task, now) for task, now in differing if not task.touched),
        outdated=tuple(task for task in unasked if not task.touched),
        kept=tuple(task for task in (*(task for task, _ in differing), *unasked) if task.touched),
        doubled=doubled,
        asked=wanted.asked_anew(there),
    )
