"""The plan of a push: what is missing on the server, and what stands in the way; nothing is changed here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from blend.loaders.label_studio.client import RemoteProject, RemoteTask
from blend.loaders.label_studio.controls import lost
from blend.loaders.label_studio.inventory import InventoriedProject, Inventory
from blend.loaders.label_studio.wanted import WantedProject, WantedTask, digest, mark_of
from blend.schemas.errors import ConflictError, InputError
from blend.schemas.language.text_comparison import agreeing, pluralise

_WORDS = ("question", "en_question")
"""What tasks show of their question; the rest follows from it and from what others have done."""

MAX_TITLE = 50
"""Characters that the server takes in a title."""


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
    closed: tuple[RemoteTask, ...] = ()
    """Those of them, and of the ones that somebody has begun, that are given to nobody from now on."""
    outdated: tuple[RemoteTask, ...] = ()
    """Tasks that the project file does not ask for any more and that nobody has touched; removed."""
    doubled: tuple[RemoteTask, ...] = ()
    """Second copies of tasks that nobody has touched; removed."""
    twins: tuple[RemoteProject, ...] = ()
    """Second copies of the project that nobody has touched; removed."""
    renamed: str | None = None
    """Title that somebody gave it by hand; kept."""

    @property
    def sets_config(self) -> bool:
        """Whether the labelling configuration is replaced."""
        return self.remote is not None and self.remote.config.strip() != self.wanted.config.strip()

    @property
    def sets_overlap(self) -> bool:
        """Whether another number of annotations per task is wanted."""
        return self.remote is not None and self.remote.overlap != self.wanted.overlap

    @property
    def marks(self) -> bool:
        """Whether the mark is behind the configuration: a push was stopped between the two."""
        return self.remote is not None and self.remote.description != self.wanted.description

    @property
    def changes_anything(self) -> bool:
        """Whether a push would do anything to it."""
        return (
            self.remote is None
            or self.sets_config
            or self.sets_overlap
            or self.marks
            or bool(self.missing or self.changed or self.closed or self.outdated or self.doubled or self.twins)
        )


def plan_push(
    there: Inventory, wanted: Sequence[WantedProject], *, where: str, replace_edited: bool = False
) -> list[ProjectPlan]:
    """Plan a push, project by project.

    Args:
        there: What the server has of them.
        wanted: The projects that should be there.
        where: What messages call the server.
        replace_edited: Whether a configuration that was edited by hand is replaced.

    Raises:
        InputError: If two projects have one title, or one is too long.
        ConflictError: If a configuration was edited by hand, or its change would orphan annotations, or there
            are two projects of one name with annotations in both; names all of them at once.
    """
    _check_titles(wanted)
    problems: list[str] = []
    plans = [_plan(where, one, there.get(one.name, ()), replace_edited, problems) for one in wanted]
    if problems:
        count = "" if len(problems) == 1 else f"{len(problems)} problems; nothing was changed:\n"
        raise ConflictError(count + "\n".join(problems))
    return plans


def _asks_otherwise(shown: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether a task that shows something shows its question in other words than what it is to show now."""
    return any(shown.get(name) != now.get(name) for name in _WORDS)


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


def _check_titles(wanted: Sequence[WantedProject]) -> None:
    seen: dict[str, str] = {}
    for project in wanted:
        if len(project.title) > MAX_TITLE:
            raise InputError(
                f"{project.name}: the title {project.title!r} has more than 50 characters; shorten it"
            )
        if project.title in seen:
            raise InputError(f"{project.name} and {seen[project.title]} have one title, {project.title!r}")
        seen[project.title] = project.name


def _plan(
    where: str,
    wanted: WantedProject,
    found: Sequence[InventoriedProject],
    replace_edited: bool,
    problems: list[str],
) -> ProjectPlan:
    if not found:
        return ProjectPlan(wanted, None, tuple(wanted.tasks))
    if (doubled := both_annotated(where, wanted.name, found)) is not None:
        problems.append(doubled)
    chosen, *others = found
    twins = tuple(one.project for one in others if not one.touched)
    plan = _compared(wanted, chosen, twins)
    problems += _objections(where, plan, chosen.annotations, replace_edited=replace_edited)
    return plan


def both_annotated(where: str, name: str, found: Sequence[InventoriedProject]) -> str | None:
    """Say what to do where two projects of one name have annotations; null where they have not."""
    used = [one.project.id for one in found if one.annotations > 0]
    if len(used) < 2:
        return None
    numbers = " and ".join(map(str, used))
    return (
        f"{where}: projects {numbers} are both marked as {name}, and both have annotations; remove the last "
        "line from the description of the one that is not to count"
    )


def _compared(
    wanted: WantedProject, found: InventoriedProject, twins: tuple[RemoteProject, ...]
) -> ProjectPlan:
    remote, doubled = found.project, doubled_tasks(found.tasks)
    there = [task for task in found.tasks if task not in doubled]
    by_id: Mapping[str | None, WantedTask] = {task.blend_id: task for task in wanted.tasks}
    present = {task.blend_id for task in there}
    differing = [
        (task, wanted_task)
        for task in there
        if (wanted_task := by_id.get(task.blend_id)) is not None and dict(wanted_task.data) != dict(task.data)
    ]
    unasked = [task for task in there if task.blend_id is not None and task.blend_id not in by_id]
    if wanted.waits_until:
        unasked = []
    outdated = [task for task in unasked if task.annotations == 0]
    unanswered = [(task, wanted_task) for task, wanted_task in differing if task.annotations == 0]
    return ProjectPlan(
        wanted,
        remote,
        missing=tuple(task for task in wanted.tasks if task.blend_id not in present),
        changed=tuple(pair for pair in unanswered if not pair[0].begun),
        answered=tuple(task for task, _ in differing if task.annotations > 0),
        reworded=tuple(
            task
            for task, wanted_task in differing
            if task.annotations > 0 and _asks_otherwise(task.data, wanted_task.data)
        ),
        begun=tuple(task for task in (*(task for task, _ in unanswered), *outdated) if task.begun),
        left=tuple(task for task in unasked if task.annotations > 0),
        closed=tuple(task for task in unasked if wanted.closes_unasked and task.touched and not task.closed),
        outdated=tuple(task for task in outdated if not task.begun),
        doubled=doubled,
        twins=twins,
        renamed=None if remote.title == wanted.title else remote.title,
    )


def _objections(where: str, plan: ProjectPlan, annotations: int, *, replace_edited: bool) -> list[str]:
    """Say why the configuration may not be replaced."""
    if plan.remote is None or not plan.sets_config:
        return []
    where = f"{where}: project {plan.remote.title!r}"
    mark = mark_of(plan.remote)
    edited = mark is not None and mark.config != digest(plan.remote.config)
    if annotations and (gone := lost(plan.remote.config, plan.wanted.config)):
        orphans = pluralise(annotations, "annotation")
        refer = agreeing(annotations, "it refers", "they refer")
        problem = (
            f"{where}: the new labelling configuration lacks {', '.join(gone)}, so that {orphans} would lose "
            f"what {refer} to; give the project file another name, which makes new projects, or keep these "
            "parts"
        )
        return [problem]
    if edited and not replace_edited:
        problem = (
            f"{where}: its labelling configuration was edited by hand; put it back as it was, or replace it "
            "with `blend annotate push --replace-edited`, which keeps all annotations"
        )
        return [problem]
    return []
