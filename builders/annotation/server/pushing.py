"""Pushing: what the project file asks for is brought to the server, as far as it is not there."""

from collections.abc import Sequence
from contextlib import AbstractContextManager

from blend.builders.annotation.check import CheckedProject
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.server.projects import wanted_projects
from blend.loaders.files.progress import Notify
from blend.loaders.label_studio.client import Studio, label_studio
from blend.loaders.label_studio.folder import held
from blend.loaders.label_studio.plan import ProjectPlan, plan_push
from blend.loaders.label_studio.push import push, settle


def push_project(
    checked: CheckedProject,
    *,
    dry_run: bool = False,
    replace_edited: bool = False,
    notify: Notify | None = None,
) -> Sequence[ProjectPlan]:
    """Create or update the projects of all locales and stages on the server.

    The same again changes nothing. May be stopped at any moment, and run by several people at a time.

    Args:
        checked: The project, from `check.check_project`.
        dry_run: Whether to say what would be done, and change nothing.
        replace_edited: Whether labelling configurations that were edited by hand are replaced.
        notify: Called with the step, the projects done and projects in all.

    Returns:
        What was done, or would be, project by project.

    Raises:
        InputError, RowError, RowErrors: If what the project file names is wrong, or there is no token.
        ConflictError: As `plan.plan_push`, or if another process is at work with the pull folder.
        ServerError: If the server fails; what was done stays, and the next push goes on from there.
    """
    file, wanted = checked.file, wanted_projects(checked)
    with held(file.pulled) as folder, studio_of(file) as studio:
        settle(studio, folder)
        plans = plan_push(studio, wanted, replace_edited=replace_edited)
        if not dry_run:
            push(studio, folder, plans, notify=notify)
    return plans


def studio_of(file: ProjectFile) -> AbstractContextManager[Studio]:
    """The server of a project; arguments and errors as of `label_studio`."""
    server = file.project.server
    return label_studio(server.url, variable=server.key_variable)
