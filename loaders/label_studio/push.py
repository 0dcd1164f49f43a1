"""The push: makes on the server what a plan says, so that it may be stopped at any moment and run again."""

import time
from collections.abc import Sequence
from contextlib import suppress

from blend.loaders.files.progress import ProgressCallback
from blend.loaders.label_studio.client import Studio
from blend.loaders.label_studio.events import Folder
from blend.loaders.label_studio.plan import (
    ProjectPlan,
    RemoteTask,
    WantedProject,
    WantedTask,
    doubled_tasks,
    marked,
)
from blend.loaders.label_studio.studio_errors import GoneError
from blend.schemas.errors import ConflictError, ServerError

_SETTLING_S = 1.0

_SETTINGS = {
    # Questions are finished one after the other, and whoever skips one is not asked again, but others are.
    "sampling": "Sequential sampling",
    "skip_queue": "REQUEUE_FOR_OTHERS",
    # The page says itself what it lacks, in the local language; the server would only grey its button.
    "enable_empty_annotation": True,
    "show_collab_predictions": True,
    # What proposals for an annotation are called in `plan.WantedTask.payload`.
    "model_version": "blend",
}


def push(
    studio: Studio, folder: Folder, plans: Sequence[ProjectPlan], *, on_progress: ProgressCallback | None = None
) -> None:
    """Do what plans say.

    Whatever is missing is made; tasks that were made twice by another push at the same time are removed by
    whoever looks last, now or at the next push. Annotations and drafts stay.

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


def settle(studio: Studio, folder: Folder) -> None:
    """Wait until the server has done what a stopped push asked of it; called before anything is listed."""
    if (project := folder.state.importing) is None:
        return
    if any(found.id == project for found in studio.projects()):
        before = -1
        # Done when two looks find as many tasks.
        while (now := len(studio.tasks(project))) != before:
            before = now
            time.sleep(_SETTLING_S)
    folder.remember(importing=None)


def _push_one(studio: Studio, folder: Folder, plan: ProjectPlan) -> None:
    project, asked = _project(studio, plan), plan.asked
    replaced = [task for task, _ in plan.changed]
    removed = _still_untouched(studio, project, [*replaced, *plan.doubled, *plan.outdated])
    studio.delete_tasks(project, sorted(removed))
    added = [*plan.missing, *(wanted for task, wanted in plan.changed if task.id in removed)]
    if added:
        _import_tasks(studio, folder, project, added)
    if added or plan.sets_overlap:
        # With the project's number the server has set that of all tasks, which suits most of them.
        asked = plan.wanted.asked_anew(studio.tasks(project))
    for task, ask in asked:
        if task.id not in removed:
            studio.ask(task.id, ask.overlap, closed=ask.closed)


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
                f"{wanted.title}: the server does not take its new page; give the project file another name, "
                f"which makes new projects, or keep the parts that annotations refer to ({error})"
            ) from error
    if plan.sets_overlap:
        studio.update(plan.remote.id, maximum_annotations=wanted.overlap)
    return plan.remote.id


def _made(studio: Studio, wanted: WantedProject) -> int:
    made = studio.create(
        title=wanted.title,
        description=marked(wanted.name),
        label_config=wanted.config,
        maximum_annotations=wanted.overlap,
        **_SETTINGS,
    )
    # Two pushes at a time make two projects; both see both, and agree on the older one.
    chosen = studio.inventory([wanted.name])[wanted.name][0].id
    if chosen != made:
        with suppress(GoneError):
            studio.delete(made)
    return chosen


def _still_untouched(studio: Studio, project: int, tasks: Sequence[RemoteTask]) -> set[int]:
    """The tasks to remove that nobody has touched since the plan was made, by number."""
    if not tasks:
        return set()
    untouched = {task.id for task in studio.tasks(project) if not task.touched}
    return untouched & {task.id for task in tasks}


def _import_tasks(studio: Studio, folder: Folder, project: int, added: Sequence[WantedTask]) -> None:
    """Import tasks that are missing, each once, whoever else does the same at the same time."""
    folder.remember(importing=project)
    studio.import_tasks(project, [task.payload() for task in sorted(added, key=lambda task: task.blend_id)])
    studio.delete_tasks(project, [task.id for task in doubled_tasks(studio.tasks(project))])
    folder.remember(importing=None)
