"""The push: projects and tasks as they should be on a server, what is to change there, and changing it.

It may be stopped at any moment and run again: what is missing is made, and what two pushes have made twice is
removed by whoever looks next.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from blend.loaders.files.progress import ProgressCallback
from blend.loaders.label_studio import GoneError
from blend.loaders.label_studio.client import RemoteProject, RemoteTask, Studio
from blend.schemas.errors import ConflictError, ServerError

_MARK = re.compile(r"\[blend:(?P<name>[^\]\s#]+)\]")
"""By what a project of ours is known: the last line of its description. Titles may be changed by hand."""

Inventory = Mapping[str, Sequence[RemoteProject]]
"""Projects by their names, those that are not there left out; of several of a name the oldest first."""

_SETTINGS = {
    # Questions are finished one after the other, and whoever skips one is not asked again, but others are.
    "sampling": "Sequential sampling",
    "skip_queue": "REQUEUE_FOR_OTHERS",
    # The page says itself what it lacks, in the local language; the server would only grey its button.
    "enable_empty_annotation": True,
    "show_collab_predictions": True,
    # What proposals for an annotation are called in `WantedTask.payload`.
    "model_version": "blend",
}


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
        if self.proposal is None:
            return {"data": self.data}
        return {"data": self.data, "predictions": [{"result": self.proposal, "model_version": "blend"}]}


class Quota(NamedTuple):
    """Of how many people a task is asked."""

    overlap: int
    """Annotations in all."""
    closed: bool
    """Whether it is given to nobody any more."""

    def differs_from(self, task: RemoteTask) -> bool:
        """Whether the server is to be told.

        It takes one request per task. One that is still given to people is asked of more only once it is not,
        so that a question costs one request however many do not know it, one after the other.
        """
        if not self.closed and not task.closed:
            return self.overlap < task.overlap
        return (self.overlap, self.closed) != (task.overlap, task.closed)


class WantedProject(NamedTuple):
    """A project that should be on the server."""

    name: str
    """What it is known by, for ever: ``PROJECT/STAGE/LOCALE``."""
    title: str
    config: str
    """Labelling configuration."""
    overlap: int
    """Annotations per task, each by another person."""
    tasks: Sequence[WantedTask]
    asked: Mapping[str, Quota] = MappingProxyType({})
    """Of how many people tasks are asked, by id; others of ``overlap``."""
    closes_unasked: bool = False
    """Whether tasks that do not stand in ``asked`` are given to nobody."""
    waits_until: str = ""
    """What its tasks wait for, if they cannot be made yet; those that are there stay."""
    offers_skip: bool = True
    """Whether people can pass a task on by the server's button, or by its keys, Ctrl+Space."""

    def asked_anew(self, tasks: Sequence[RemoteTask]) -> list[tuple[RemoteTask, Quota]]:
        """Tasks on the server that are asked of another number of people than they should be.

        Left out are those that nobody asks for any more and nobody has touched: they are removed.
        """
        asked = ((task, self._quota(task)) for task in tasks if task.touched or task.blend_id in self.asked)
        return [(task, ask) for task, ask in asked if ask.differs_from(task)]

    def _quota(self, task: RemoteTask) -> Quota:
        if (asked := self.asked.get(task.blend_id or "")) is not None:
            return asked
        return Quota(task.overlap, task.closed or (self.closes_unasked and task.blend_id is not None))


_Kind = Literal["added", "shown anew", "removed", "kept"]


class _TaskChange(NamedTuple):
    """What becomes of a task."""

    kind: _Kind
    """``kept`` are tasks that should be another or gone, and hold somebody's work."""
    there: RemoteTask | None = None
    """On the server."""
    wanted: WantedTask | None = None
    """As it should be."""


class ProjectPlan(NamedTuple):
    """Plan of a push for one project."""

    wanted: WantedProject
    remote: RemoteProject | None
    """The project on the server; null if it is to be made."""
    changes: Sequence[_TaskChange]
    asked: Sequence[tuple[RemoteTask, Quota]] = ()
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
        settings = self.remote is None or self.sets_config or self.sets_overlap
        return settings or bool(self.asked) or any(change.kind != "kept" for change in self.changes)

    def outdated(self) -> list[RemoteTask]:
        """Pages that are kept though others, or none, should be there."""
        if self.wanted.name.split("/")[1] in ("review", "mcq-review"):
            # Their ids hold what is decided on: with further answers, another page follows one that is done.
            return []
        return [one.there for one in self.changes if one.kind == "kept" and one.there is not None]


def inventory(studio: Studio, names: Collection[str]) -> Inventory:
    """Projects of ours with their tasks, by name: one request for all, and one per project for its tasks."""
    found: dict[str, list[RemoteProject]] = {}
    for project in studio.projects():
        mark = _MARK.search(project.description)
        if mark is not None and mark["name"] in names:
            # Another push at the same time removes the copy that it has made.
            with suppress(GoneError):
                found.setdefault(mark["name"], []).append(project._replace(tasks=studio.tasks(project.id)))
    return found


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


def _plan(wanted: WantedProject, found: Sequence[RemoteProject]) -> ProjectPlan:
    if not found:
        return ProjectPlan(wanted, None, [_TaskChange("added", None, task) for task in wanted.tasks])
    remote = found[0]
    doubled = _doubled(remote.tasks)
    changes = [_TaskChange("removed", task) for task in remote.tasks if task.id in doubled]
    there = [task for task in remote.tasks if task.id not in doubled]
    by_id = {task.blend_id: task for task in wanted.tasks}
    for task in there:
        now = by_id.get(task.blend_id or "")
        is_as_wanted = bool(wanted.waits_until) if now is None else now.data == dict(task.data)
        if task.blend_id is not None and not is_as_wanted:
            kind: _Kind = "kept" if task.touched else "removed" if now is None else "shown anew"
            changes.append(_TaskChange(kind, task, now))
    present = {task.blend_id for task in there}
    changes += [_TaskChange("added", None, task) for task in wanted.tasks if task.blend_id not in present]
    return ProjectPlan(wanted, remote, changes, wanted.asked_anew(there))


def _doubled(tasks: Sequence[RemoteTask]) -> set[int]:
    """Second copies of tasks, as two pushes at a time leave them, that nobody has touched, by number.

    The first annotated copy stays, else the first that is begun, else the first of all: whoever looks finds the
    same ones.
    """
    kept: dict[str, int] = {}
    # False sorts before True: annotated copies first.
    for task in sorted(tasks, key=lambda task: (task.annotations == 0, not task.begun, task.id)):
        if task.blend_id is not None:
            kept.setdefault(task.blend_id, task.id)
    return {task.id for task in tasks if task.blend_id and not task.touched and kept[task.blend_id] != task.id}


def push(
    studio: Studio, plans: Sequence[ProjectPlan], *, on_progress: ProgressCallback | None = None
) -> dict[str, int]:
    """Do what plans say; annotations and drafts stay.

    Args:
        studio: The server.
        plans: From `plan_push`.
        on_progress: Called with the step, the projects done and projects in all.

    Returns:
        Numbers of the projects that were changed or made, by name.
    """
    numbers = {}
    for done, plan in enumerate(plans, start=1):
        if plan.changes_anything:
            numbers[plan.wanted.name] = _push_one(studio, plan)
        if on_progress is not None:
            on_progress("push", done, len(plans))
    return numbers


def _push_one(studio: Studio, plan: ProjectPlan) -> int:
    project, asked = _project(studio, plan), plan.asked
    leaving = {one.there.id for one in plan.changes if one.there is not None and one.kind != "kept"}
    removed = set[int]()
    if leaving:
        # Somebody may have begun one since the plan was made.
        removed = leaving & {task.id for task in studio.tasks(project) if not task.touched}
        studio.delete_tasks(project, sorted(removed))
    added = [
        one.wanted
        for one in plan.changes
        if one.wanted is not None and (one.there is None or one.there.id in removed)
    ]
    if added:
        studio.import_tasks(project, [task.payload() for task in sorted(added, key=lambda task: task.blend_id)])
        # Another push, or an earlier one that was stopped, may have made the same.
        studio.delete_tasks(project, sorted(_doubled(studio.tasks(project))))
    if added or plan.sets_overlap:
        # With the project's number the server has set that of all tasks, which suits most of them.
        asked = plan.wanted.asked_anew(studio.tasks(project))
    for task, ask in asked:
        if task.id not in removed:
            studio.ask(task.id, ask.overlap, closed=ask.closed)
    return project


def _project(studio: Studio, plan: ProjectPlan) -> int:
    """The number of the project, which is as it should be but for its tasks."""
    wanted = plan.wanted
    if plan.remote is None:
        return _made(studio, wanted)
    if plan.sets_config:
        try:
            studio.update(plan.remote.id, label_config=wanted.config)
        except ServerError as error:
            # It refuses a page that lacks what annotations refer to.
            raise ConflictError(
                f"{wanted.title}: the server does not take its new page; keep the parts that annotations "
                f"refer to, or begin anew with a project file of another name, in another folder ({error})"
            ) from error
    if plan.sets_overlap:
        studio.update(plan.remote.id, maximum_annotations=wanted.overlap)
    return plan.remote.id


def _made(studio: Studio, wanted: WantedProject) -> int:
    made = studio.create(
        title=wanted.title,
        description=(
            f"Made by `blend annotate`, which finds it by this line; please leave it as it is. "
            f"[blend:{wanted.name}]"
        ),
        label_config=wanted.config,
        maximum_annotations=wanted.overlap,
        show_skip_button=wanted.offers_skip,
        **_SETTINGS,
    )
    # Two pushes at a time make two projects; both see both, and agree on the older one.
    chosen = inventory(studio, [wanted.name])[wanted.name][0].id
    if chosen != made:
        with suppress(GoneError):
            studio.delete("projects", made)
    return chosen
