"""Pushing: what the project file asks for is brought to the server, as far as it is not there."""

from collections.abc import Sequence

from blend.builders.annotation.check import CheckedProject
from blend.builders.annotation.server.projects import wanted_projects
from blend.builders.annotation.server.session import Session, session
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.label_studio.plan import ProjectPlan, plan_push
from blend.loaders.label_studio.push import push


def push_project(
    checked: CheckedProject,
    *,
    dry_run: bool = False,
    replace_edited: bool = False,
    on_progress: ProgressCallback | None = None,
    within: Session | None = None,
) -> Sequence[ProjectPlan]:
    """Create or update the projects of all locales and stages on the server.

    The same again changes nothing. May be stopped at any moment, and run by several people at a time.

    Args:
        checked: The project, from `check.check_project`.
        dry_run: Whether to say what would be done, and change nothing.
        replace_edited: Whether labelling configurations that were edited by hand are replaced.
        on_progress: Called with the step, the projects done and projects in all.
        within: The session to do it in; one of its own when absent.

    Returns:
        What was done, or would be, project by project.

    Raises:
        InputError, RowError, RowErrors: If what the project file names is wrong, or there is no token.
        ConflictError: As `plan.plan_push`, or if another process is at work with the pull folder.
        ServerError: If the server fails; what was done stays, and the next push goes on from there.
    """
    wanted = wanted_projects(checked)
    with session(checked.file, within) as at:
        plans = plan_push(at.there, wanted, where=at.studio.where, replace_edited=replace_edited)
        if not dry_run:
            push(at.studio, at.folder, plans, on_progress=on_progress)
    return plans
