"""The plan of a push: what is missing on the server, and what stands in the way; nothing is changed here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from blend.loaders.label_studio.remote import Inventory, RemoteProject, RemoteTask
from blend.schemas.errors import ConflictError

_WORDS = ("question", "en_question")
"""What tasks show of their question; the rest follows from it and from what others have done."""


class WantedTask(Protocol):
    """A task that should be on the server."""

    @property
    def data(self) -> Mapping[str, Any]:
        """Data that it shows; ``blend_id`` is the id by which it is known again."""

    @property
    def blend_id(self) -> str:
        """The same id."""

    def payload(self) -> Mapping[str, Any]:
        """The task as the server imports it."""


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

    def asks(self, task: RemoteTask) -> Quota:
        """Return of how many people a task on the server is to be asked."""
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
    answered: tuple[RemoteTask, ...] = ()
    """The same, but annotated; left as they are."""
    reworded: tuple[RemoteTask, ...] = ()
    """Those of them that show their question in other words than it has now."""
    begun: tuple[RemoteTask, ...] = ()
    """Tasks that would be replaced or removed, had not somebody begun them; left as they are."""
    left: tuple[RemoteTask, ...] = ()
    """Tasks that the project file does not ask for any more and that somebody has annotated; they stay."""
    outdated: tuple[RemoteTask, ...] = ()
    """Tasks that the project file does not ask for any more and that nobody has touched; removed."""
    doubled: tuple[RemoteTask, ...] = ()
    """Second copies of tasks that nobody has touched; removed."""
    twins: tuple[RemoteProject, ...] = ()
    """Second copies of the project that nobody has touched; removed."""
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
    def renamed(self) -> str | None:
        """Title that somebody gave it by hand; kept."""
        return None if self.remote is None or self.remote.title == self.wanted.title else self.remote.title

    @property
    def changes_anything(self) -> bool:
        """Whether a push would do anything to it."""
        tasks = (self.missing, self.changed, self.outdated, self.doubled, self.asked)
        return self.remote is None or self.sets_config or self.sets_overlap or any(tasks) or bool(self.twins)


def plan_push(there: Inventory, wanted: Sequence[WantedProject], *, where: str) -> list[ProjectPlan]:
    """Plan a push, project by project.

    Args:
        there: What the server has of them.
        wanted: The projects that should be there.
        where: What messages call the server.

    Raises:
        ConflictError: If there are two projects of one name with annotations in both; names all of them.
    """
    check_unique(there, where=where)
    return [_plan(one, there.get(one.name, ())) for one in wanted]


def check_unique(there: Inventory, *, where: str) -> None:
    """Check that no two projects of one name have annotations.

    Raises:
        ConflictError: If some have; names all of them.
    """
    problems = []
    for name, found in there.items():
        used = [str(one.id) for one in found if one.annotations > 0]
        if len(used) > 1:
            problems.append(
                f"{where}: projects {' and '.join(used)} are both marked as {name}, and both have annotations; "
                "remove the last line from the description of the one that is not to count"
            )
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


def asked_anew(wanted: WantedProject, tasks: Sequence[RemoteTask]) -> tuple[tuple[RemoteTask, Quota], ...]:
    """Tasks on the server that are asked of another number of people than they should be.

    Left out are those that nobody asks for any more and nobody has touched: they are removed.
    """
    asked = ((task, wanted.asks(task)) for task in tasks if task.touched or task.blend_id in wanted.asked)
    return tuple((task, ask) for task, ask in asked if (ask.overlap, ask.closed) != (task.overlap, task.closed))


def _plan(wanted: WantedProject, found: Sequence[RemoteProject]) -> ProjectPlan:
    if not found:
        return ProjectPlan(wanted, None, tuple(wanted.tasks))
    remote, *others = found
    doubled = doubled_tasks(remote.tasks)
    there = [task for task in remote.tasks if task not in doubled]
    by_id: Mapping[str | None, WantedTask] = {task.blend_id: task for task in wanted.tasks}
    present = {task.blend_id for task in there}
    differing = [
        (task, by_id[task.blend_id])
        for task in there
        if task.blend_id in by_id and dict(by_id[task.blend_id].data) != dict(task.data)
    ]
    unasked = [task for task in there if task.blend_id is not None and task.blend_id not in by_id]
    if wanted.waits_until:
        unasked = []
    return ProjectPlan(
        wanted,
        remote,
        missing=tuple(task for task in wanted.tasks if task.blend_id not in present),
        changed=tuple((task, now) for task, now in differing if not task.touched),
        answered=tuple(task for task, _ in differing if task.annotations > 0),
        reworded=tuple(task for task, now in differing if task.annotations > 0 and _is_reworded(task, now)),
        begun=tuple(
            task
            for task in (*(task for task, _ in differing), *unasked)
            if task.begun and task.annotations == 0
        ),
        left=tuple(task for task in unasked if task.annotations > 0),
        outdated=tuple(task for task in unasked if not task.touched),
        doubled=doubled,
        twins=tuple(one for one in others if not one.touched),
        asked=asked_anew(wanted, there),
    )


def _is_reworded(task: RemoteTask, now: WantedTask) -> bool:
    return any(task.data.get(name) != now.data.get(name) for name in _WORDS)
