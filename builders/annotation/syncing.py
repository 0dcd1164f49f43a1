"""Syncing: pull, ask, push, in the order in which each needs what the one before has done."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

from blend.builders.annotation.counting import StageReading, counting, stage_locales
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pulling import DECIDED, Pull, accept_missing, pull, session, unlisted
from blend.builders.annotation.questions import collection_plan
from blend.builders.annotation.stage import Material
from blend.builders.annotation.starting import CheckedProject, check_project
from blend.builders.annotation.ui_strings import texts_of
from blend.loaders.files.atomic import atomic_write, storage_errors
from blend.loaders.files.new_files import write_new_files
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.label_studio.events import Draft, Held, read_events
from blend.loaders.label_studio.push import ProjectPlan, Quota, WantedProject, plan_push, push
from blend.schemas.errors import InputError, RowErrors

Half = Literal["pull", "push"]


class Sync(NamedTuple):
    """Steps of a sync that were done, or would be."""

    pull: Pull | None
    plans: Sequence[ProjectPlan] | None
    unlisted: Sequence[str] = ()
    """See `pulling.unlisted`; with names, for the lead's screen alone."""
    drafts: Sequence[Draft] = ()
    """What somebody has begun and not sent, as of the last pull."""
    passed_over: Sequence[str] = ()
    """See `starting.CheckedProject`."""
    links: Mapping[str, str] = MappingProxyType({})
    """Where people begin with projects that were made, by title: the invitation."""

    @property
    def needs_attention(self) -> bool:
        """Whether something is gone from the server, or waits for somebody to send it."""
        return bool(self.drafts) or (self.pull is not None and self.pull.is_any_gone)


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
        ConflictError: As `pull`, or if the server does not take a page.
        ServerError: If the server fails; what was done stays, and the same again goes on from there.
    """
    pulls = only != "push" and not dry_run
    checked, pulled, plans = check_project(path, before_pull=pulls), None, None
    numbers: Mapping[str, int] = {}
    left_out: list[str] = []
    with session(checked.file) as at:
        if not dry_run:
            _begin_verdicts(at.file)
        if pulls:
            pulled = pull(at, on_progress=on_progress)
            if accept is not None and pulled.is_any_gone and accept(pulled):
                pulled = accept_missing(at.file, at.folder)
            left_out += unlisted(at.file, pulled.found, at.folder.state.names)
        if only != "pull":
            if pulls:
                # Responses and reviews have come.
                checked = check_project(path)
            found = counting(at.file, read_events(at.file.events)) if pulled is None else pulled.found
            wanted = _wanted_projects(checked, _asked_people(checked, found))
            plans = plan_push(at.there, wanted, where=at.studio.where)
            if not dry_run:
                numbers = push(at.studio, plans, on_progress=on_progress)
        state = at.folder.state.projects
    drafts = [draft for one in state.values() for draft in one.drafts]
    new = [plan.wanted for plan in plans or () if plan.remote is None and plan.wanted.name in numbers]
    links = {one.title: f"{checked.file.page(numbers[one.name])}?labeling=1" for one in new}
    return Sync(pulled, plans, left_out, drafts, checked.passed_over, links)


def _begin_verdicts(file: ProjectFile) -> None:
    """Write an empty file of verdicts where some are to come: a recipe may name it before anybody gave one."""
    path = file.base / DECIDED / "verdicts.jsonl"
    stages = {one.stage.name for one in stage_locales(file)}
    if not path.exists() and not stages.isdisjoint(("mcq-review", "equivalence")):
        with storage_errors(path, fix="change the permissions"):
            path.parent.mkdir(parents=True, exist_ok=True)
            atomic_write(path, "")


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
    projects = _wanted_projects(check_project(path))
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


def _wanted_projects(
    checked: CheckedProject, asked: Mapping[str, Mapping[str, Quota]] | None = None
) -> list[WantedProject]:
    """List the projects that should be on the server.

    Args:
        checked: The project.
        asked: Of how many people the tasks of a project are asked, from `_asked_people`.

    Raises:
        InputError, RowError, RowErrors: If the recipe, or what it names, is wrong.
    """
    file, project = checked.file, checked.file.project
    material, waits_until = _with_recipe(file, checked.material)
    wanted = []
    for at in stage_locales(file):
        stage, locale, name = at
        own = project.instructions.get(locale.language)
        texts = texts_of(locale.language, stage.name, None if own is None else file.base / own)
        wanted.append(
            WantedProject(
                name=name,
                title=at.title,
                config=stage.config(project, locale, texts),
                overlap=stage.readers(project),
                tasks=stage.tasks(project, locale, replace(material, ui_strings=texts.ui_strings)),
                asked=(asked or {}).get(name, {}),
                # Answers to such questions are left out of the responses.
                closes_unasked=asked is not None and stage.name == "answer",
                waits_until=waits_until if stage.defined.needs_recipe else "",
                # Its page has reasons not to answer, which say more, and which nobody chooses by accident.
                offers_skip=stage.name != "answer",
            )
        )
    return wanted


def _with_recipe(file: ProjectFile, material: Material) -> tuple[Material, str]:
    """The material with the options that a build of the recipe may show, for the stage that needs it.

    Returns:
        The material; and what the stage waits for where a build does not take what people have given so far, or
        makes no questions of it: that is put right elsewhere, and other stages go on meanwhile.
    """
    if file.project.recipe is None or not any(one.stage.defined.needs_recipe for one in stage_locales(file)):
        return material, ""
    from blend.builders.mcq.result import too_few_regions
    from blend.builders.release.reviewing import options_for_natives
    from blend.loaders.recipes import read_recipe

    path = file.base / file.project.recipe
    try:
        options, answered = options_for_natives(read_recipe(path), base=path.parent, known=file.locales)
    except InputError as error:
        first, *others = error.errors if isinstance(error, RowErrors) else (error,)
        more = f", and {len(others)} more: `blend status {path}`" if others else ""
        return material, f"a build takes what people gave ({first}{more})"
    if options.is_empty() and (note := too_few_regions(answered, file.locales)):
        return material, f"the recipe has answers of enough regions ({note})"
    return replace(material, options=options, answered=answered), ""


def _asked_people(checked: CheckedProject, found: Sequence[StageReading]) -> dict[str, dict[str, Quota]]:
    """Return of how many people each task is asked, by the name of its project and its id.

    A task is asked of as many people more as valid responses are missing, besides all who have annotated it,
    whatever came of that; one whose limit of *I don't know* is passed of nobody any more. So are the options of
    *mcq-review* and what judges read, of one more where readers disagree.

    Args:
        checked: The project, read after a pull.
        found: What was pulled.

    Raises:
        RowError, RowErrors: If responses and reviews do not fit together.
    """
    project = checked.file.project
    people = {one.stage_locale.name: _people(one.held) for one in found}
    asked: dict[str, dict[str, Quota]] = {}
    for row in collection_plan(project, checked.material).to_dicts():
        name, task = f"{project.name}/answer/{row['locale']}", row["blend_id"]
        so_far = people.get(name, {}).get(task, 0)
        asked.setdefault(name, {})[task] = _quota(so_far, row["still_needed"])
    for one in found:
        if (plan := one.stage_locale.stage.reading_plan) is not None:
            name = one.stage_locale.name
            needed = plan(one.lines, one.reading, project.readers)
            asked[name] = {task: _quota(people[name][task], n) for task, n in needed.items()}
    return asked


def _quota(so_far: int, needed: int) -> Quota:
    return Quota(so_far + needed, closed=False) if needed else Quota(max(so_far, 1), closed=True)


def _people(held: Mapping[str, Held]) -> dict[str, int]:
    """Count the people whose annotations the server has of each task; whoever only skipped it is not one."""
    there = [one.version for one in held.values() if one.is_there and not one.version["skipped"]]
    return Counter(task for task, _ in {(line["blend_id"], line["annotator"] or line["id"]) for line in there})
