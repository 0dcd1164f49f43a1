"""Syncing: pull, ask, push, in the order in which each needs what the one before has done."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from blend.builders.annotation.check import check_project
from blend.builders.annotation.server.asking import asked_people
from blend.builders.annotation.server.projects import stage_locales, wanted_projects
from blend.builders.annotation.server.pulling import Pull, accept_missing, pull_project
from blend.builders.annotation.server.readings import readings
from blend.builders.annotation.server.session import session
from blend.loaders.files.new_files import write_new_files
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.label_studio.events import Line, drafts_in, read_events
from blend.loaders.label_studio.plan import ProjectPlan, plan_push
from blend.loaders.label_studio.push import push
from blend.schemas.errors import InputError

Half = Literal["pull", "push"]


@dataclass(frozen=True)
class Sync:
    """Steps of a sync that were done, or would be."""

    pull: Pull | None
    plans: Sequence[ProjectPlan] | None
    drafts: Sequence[Line] = ()
    """What somebody has begun and not sent, as of the last pull."""

    @property
    def needs_attention(self) -> bool:
        """Whether something is gone from the server, or waits for somebody to send it."""
        return bool(self.drafts) or (self.pull is not None and any(one.gone for one in self.pull.projects))


def sync_project(
    path: Path,
    *,
    only: Half | None = None,
    dry_run: bool = False,
    accept: Callable[[Pull], bool] | None = None,
    on_progress: ProgressCallback | None = None,
) -> Sync:
    """Pull and push, in one session; may be stopped at any moment, and run by several leads at a time.

    What is missing on the server is made, and more is asked where responses are missing. The same again changes
    nothing. Annotations and drafts are never deleted.

    Args:
        path: The project file.
        only: The half to do; both when absent.
        dry_run: Whether to say what a push would do, by what was pulled last, and change nothing.
        accept: Asked after the pull whether to let go of what counts and is not on the server any more.
        on_progress: Called with the step, its parts done and its parts in all.

    Raises:
        InputError, RowError, RowErrors: If what the project file names is wrong, or there is no token.
        ConflictError: As `pull_project`, or if the server does not take a page.
        ServerError: If the server fails; what was done stays, and the same again goes on from there.
    """
    pulls = only != "push" and not dry_run
    file, pulled, plans = check_project(path, before_pull=pulls).file, None, None
    with session(file) as at:
        if pulls:
            pulled = pull_project(file, on_progress=on_progress, within=at)
            if accept is not None and any(one.gone for one in pulled.projects) and accept(pulled):
                pulled = accept_missing(file, at.folder)
        if only != "pull":
            # Read anew: responses and reviews have come.
            checked = check_project(path)
            found = readings(file) if pulled is None else pulled.found
            wanted = wanted_projects(checked, asked_people(checked, found))
            plans = plan_push(at.there, wanted, where=at.studio.where)
            if not dry_run:
                push(at.studio, at.folder, plans, on_progress=on_progress)
        lines = read_events(at.folder.events)
        drafts = [draft for one in stage_locales(file) for draft in drafts_in(lines, one.slug).values()]
    return Sync(pulled, plans, drafts)


def write_tasks(path: Path, folder: Path) -> tuple[list[str], list[str]]:
    """Write what a push would bring to a server: ``STAGE.LOCALE.json`` (tasks) and ``.xml`` (page) of each.

    Args:
        path: The project file.
        folder: Made if it is not there.

    Returns:
        The files, relative to the folder; and what is left out, and until when.

    Raises:
        InputError: If no project has any task.
        ConflictError, StorageError: As `files.new_files.write_new_files`.
    """
    projects = wanted_projects(check_project(path))
    contents: dict[str, str | bytes] = {}
    for project in projects:
        _, stage, locale = project.name.split("/")
        if project.tasks:
            tasks = [task.payload() for task in project.tasks]
            contents[f"{stage}.{locale}.json"] = json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"
            contents[f"{stage}.{locale}.xml"] = project.config
    if not contents:
        raise InputError(f"{path}: there are no tasks; collect questions or answers first")
    waiting = [f"{one.title}: left out until {one.waits_until}" for one in projects if one.waits_until]
    return write_new_files(folder, contents), waiting
