"""Erasing: what the server has of somebody who asked to be forgotten is deleted there."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from blend.builders.annotation.forgotten_answers import shown_in
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import People, project_key
from blend.builders.annotation.server.forgetting import Forgotten, forget_person
from blend.builders.annotation.server.projects import StageLocale, stage_locales
from blend.builders.annotation.server.pulling import accounts_on, ever_given, exported, pull_project
from blend.builders.annotation.server.session import Session, session
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.label_studio.events import KEPT, about, append_events, held_in, identity, read_events
from blend.loaders.label_studio.export import Task
from blend.loaders.label_studio.studio_errors import GoneError


@dataclass
class Erased:
    """What was deleted on the server, and what has to be done there by hand."""

    annotations: int = 0
    drafts: int = 0
    reviews: int = 0
    """Tasks of reviews that showed answers which nobody gives any more."""
    projects: list[int] = field(default_factory=list)
    """Numbers of the projects whose exports held what they did."""
    begun: list[tuple[int, int]] = field(default_factory=list)
    """Project and number of such tasks that others have begun; they stay."""


def forget_everywhere(
    file: ProjectFile, who: str, *, on_progress: ProgressCallback | None = None
) -> tuple[Forgotten, Erased]:
    """Remove everything that a person did, here and on the server.

    Pulls before, so that nothing that came since the last pull is left, and after, so that what is here is what
    is there. Reviews whose page shows what only the person answered stay here without it, and their tasks are
    deleted there: the next push makes them anew, with what was decided. May be stopped at any moment and run
    again.

    Args:
        file: The project.
        who: Pseudonym or e-mail address.
        on_progress: Called with the step, the projects done and projects in all.

    Raises:
        InputError, ConflictError: As `forgetting.forget_person` and `pulling.pull_project`.
        ServerError: If the server fails; what was done stays, and the same again goes on.
    """
    with session(file) as at:
        pull_project(file, on_progress=on_progress, within=at)
        before = read_events(at.folder.events)
        people = People(project_key(file), accounts := accounts_on(at.studio), before)
        done = forget_person(file, who, accounts=accounts, within=at.folder)
        erased, wanted = Erased(), list(stage_locales(file))
        ids = {line["id"] for line in done.lines}
        for number, stage_locale in enumerate(wanted, start=1):
            if found := at.there.get(stage_locale.name):
                tasks, project = exported(at.studio, found[0]), found[0].project.id
                held_theirs = _erase(at, tasks, people, done.names, ids, erased)
                if stage_locale.stage.name == "review":
                    held_theirs |= _clear_reviews(file, at, stage_locale, project, tasks, done, erased)
                if held_theirs:
                    erased.projects.append(project)
            if on_progress is not None:
                on_progress("forget", number, len(wanted))
    pull_project(file, on_progress=on_progress)
    return done, erased


def _erase(
    at: Session,
    tasks: Sequence[Task],
    people: People,
    names: frozenset[str],
    ids: set[str],
    erased: Erased,
) -> bool:
    """Delete the annotations and drafts of somebody in a project; returns whether there were any."""
    before = erased.annotations, erased.drafts
    for task in tasks:
        for one in task["annotations"]:
            # By what was seen before as well: of a deleted account the server does not know the work.
            if identity(one) in ids or not people.aliases(one.get("completed_by")).isdisjoint(names):
                with suppress(GoneError):
                    at.studio.delete_annotation(one["id"])
                    erased.annotations += 1
        for draft in task.get("drafts") or ():
            if isinstance(draft, dict) and not people.aliases(draft.get("user")).isdisjoint(names):
                with suppress(GoneError):
                    at.studio.delete_draft(draft["id"])
                    erased.drafts += 1
    return before != (erased.annotations, erased.drafts)


def _clear_reviews(
    file: ProjectFile,
    at: Session,
    stage_locale: StageLocale,
    project: int,
    tasks: Sequence[Task],
    done: Forgotten,
    erased: Erased,
) -> bool:
    """Delete the tasks of reviews that show answers which nobody gives; those that others have begun stay.

    Returns:
        Whether any showed them.
    """
    lines = read_events(at.folder.events)
    # What nobody ever gave is of a person whose forgetting was stopped.
    given = ever_given(file, lines, done.names) - done.gone
    showing = {task["id"] for task in tasks if shown_in(task["data"]) - given}
    drafts = {task.id for task in at.studio.tasks(project) if task.begun} & showing
    erased.begun += [(project, task) for task in sorted(drafts)]
    removed = showing - drafts
    held = held_in(lines, stage_locale.slug)
    here = {identity(one) for task in tasks if task["id"] in removed for one in task["annotations"]}
    # Before they go: no pull takes them for missing.
    append_events(at.folder.events, [about(held[one], KEPT) for one in sorted(here & held.keys())])
    at.studio.delete_tasks(project, sorted(removed))
    erased.reviews += len(removed)
    return bool(showing)
