"""The push: makes on the server what a plan says, so that it may be stopped at any moment and run again."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from blend.loaders.files.progress import ProgressCallback
from blend.loaders.label_studio.client import RemoteTask, Studio
from blend.loaders.label_studio.folder import Folder
from blend.loaders.label_studio.inventory import inventory
from blend.loaders.label_studio.plan import ProjectPlan, doubled_tasks, plan_push
from blend.loaders.label_studio.studio_errors import GoneError
from blend.loaders.label_studio.wanted import WantedProject, mark_of

PROPOSALS = "blend"
"""What proposals for an annotation are called on the server."""

_SETTLING_S = 1.0

_SETTINGS = {
    # Questions are finished one after the other, and whoever skips one is not asked again, but others are.
    "sampling": "Sequential sampling",
    "skip_queue": "REQUEUE_FOR_OTHERS",
    # The page says itself what it lacks, in the local language; the server would only grey its button.
    "enable_empty_annotation": True,
    "show_collab_predictions": True,
    "model_version": PROPOSALS,
}


def push(
    studio: Studio, folder: Folder, plans: Sequence[ProjectPlan], *, on_progress: ProgressCallback | None = None
) -> None:
    """Do what plans say.

    Whatever is missing is made, whatever was made twice by another push at the same time is removed by whoever
    looks last. Annotations and drafts stay.

    Args:
        studio: The server.
        folder: Where an import under way is written down, so that the next run waits for one that was stopped.
        plans: From `plan.plan_push`, with the same folder.
        on_progress: Called with the step, the projects done and projects in all.
    """
    for done, plan in enumerate(plans, start=1):
        if plan.changes_anything:
            _push_one(studio, folder, plan)
        if on_progress is not None:
            on_progress("push", done, len(plans))
    _merge(studio, folder, [plan.wanted for plan in plans if plan.remote is None])


def _merge(studio: Studio, folder: Folder, made: Sequence[WantedProject]) -> None:
    """Look again at projects that were made: another push may have made them at the same time.

    Each looks when all of its own is there, so whoever looks last sees both, whatever they saw before.
    """
    if not made:
        return
    marks = Counter(mark.name for project in studio.projects() if (mark := mark_of(project)) is not None)
    if doubled := [wanted for wanted in made if marks[wanted.name] > 1]:
        there = inventory(studio, [wanted.name for wanted in doubled])
        for plan in plan_push(there, doubled, where=studio.where):
            _push_one(studio, folder, plan)


def settle(studio: Studio, folder: Folder) -> None:
    """Wait until the server has done what a stopped push asked of it; called before anything is listed."""
    if (project := folder.importing) is None:
        return
    if any(found.id == project for found in studio.projects()):
        before = -1
        # Done when two looks find as many tasks.
        while (now := len(studio.tasks(project))) != before:
            before = now
            time.sleep(_SETTLING_S)
    folder.end_import()


def _push_one(studio: Studio, folder: Folder, plan: ProjectPlan) -> None:
    project = _project(studio, plan)
    for twin in plan.twins:
        with suppress(GoneError):
            if not any(task.touched for task in studio.tasks(twin.id)):
                studio.delete(twin.id)
    replaced = [task for task, _ in plan.changed]
    removed = _still_untouched(studio, project, [*replaced, *plan.doubled, *plan.outdated])
    studio.delete_tasks(project, sorted(removed))
    for task in plan.closed:
        studio.ask(task.id, task.overlap, closed=True)
    added = [*plan.missing, *(wanted for task, wanted in plan.changed if task.id in removed)]
    if added:
        payloads = [task.payload() for task in sorted(added, key=lambda task: task.blend_id)]
        _import_tasks(studio, folder, project, payloads)


def _import_tasks(studio: Studio, folder: Folder, project: int, payloads: Sequence[Mapping[str, Any]]) -> None:
    """Import tasks that are missing, each once, whoever else does the same at the same time."""
    folder.begin_import(project)
    studio.import_tasks(project, payloads)
    studio.delete_tasks(project, [task.id for task in doubled_tasks(studio.tasks(project))])
    folder.end_import()


def _still_untouched(studio: Studio, project: int, tasks: Sequence[RemoteTask]) -> set[int]:
    """The tasks to remove that nobody has touched since the plan was made, by number."""
    if not tasks:
        return set()
    untouched = {task.id for task in studio.tasks(project) if not task.touched}
    return untouched & {task.id for task in tasks}


def _project(studio: Studio, plan: ProjectPlan) -> int:
    """The number of the project, which is as it should be but for its tasks."""
    wanted = plan.wanted
    if plan.remote is None:
        return _made(studio, wanted)
    changes: dict[str, object] = {}
    if plan.sets_config:
        changes["label_config"] = wanted.config
    if plan.marks:
        changes["description"] = wanted.description
    if plan.sets_overlap:
        changes["maximum_annotations"] = wanted.overlap
    if changes:
        studio.update(plan.remote.id, **changes)
    return plan.remote.id


def _made(studio: Studio, wanted: WantedProject) -> int:
    made = studio.create(
        title=wanted.title,
        description=wanted.description,
        label_config=wanted.config,
        maximum_annotations=wanted.overlap,
        **_SETTINGS,
    )
    # Two pushes at a time make two projects; both see both, and agree on the older one.
    chosen = inventory(studio, [wanted.name])[wanted.name][0].project.id
    if chosen != made:
        with suppress(GoneError):
            studio.delete(made)
    return chosen
