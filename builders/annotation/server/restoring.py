"""Restoring: what is kept although the server has it no more is brought back there, or given up."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from blend.builders.annotation.check import check_project
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import pseudonym
from blend.builders.annotation.server.exports import abandon, kept_tasks, vanished_exports
from blend.builders.annotation.server.project_key import project_key
from blend.builders.annotation.server.projects import StageLocale, stage_locales
from blend.builders.annotation.server.pulling import Pull, pull_project, take_again
from blend.builders.annotation.server.pushing import push_project
from blend.builders.annotation.server.restored import as_given, remember_given
from blend.builders.annotation.server.session import Session, session
from blend.builders.annotation.stages.reading import order_of, shown_to_author
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.label_studio.client import RemoteTask, Studio
from blend.loaders.label_studio.export import Task
from blend.loaders.label_studio.folder import held
from blend.loaders.label_studio.plan import asks_otherwise
from blend.loaders.label_studio.push import import_tasks
from blend.schemas.errors import InputError


@dataclass(frozen=True)
class Restored:
    """Annotations that were brought back."""

    annotations: int
    without_account: Mapping[str, int]
    """Annotations that could not be, by the pseudonym of whoever has no account on the server."""
    pull: Pull
    """What is there now."""
    asked_otherwise: Sequence[str] = ()
    """Ids of tasks that others have annotated or begun meanwhile, and that ask in other words than before."""


def restore(path: Path, only: Collection[str] = (), *, on_progress: ProgressCallback | None = None) -> Restored:
    """Bring annotations back to the server that are kept although it has them no more.

    Projects and tasks that are missing are made; an annotation is entered for the account of the same person,
    and keeps everything but its date on the server. Pulls know when it was given and in what words its task
    asked then, so that what counts stays so. May be stopped at any moment and run again: nothing is entered
    twice.

    Args:
        path: The project file.
        only: Stages to restore, as ``STAGE/LOCALE``; all when empty.
        on_progress: Called with the step, the annotations done and annotations in all.

    Raises:
        InputError: If nothing of a stage is kept, or there is no token.
        ConflictError, ServerError: As `pulling.pull_project` and `pushing.push_project`.
    """
    file = check_project(path).file
    chosen = _chosen(file, only)
    # Before, since what a run that was stopped has entered is there; after, since what was entered is.
    pull_project(file, on_progress=on_progress)
    push_project(check_project(path), on_progress=on_progress)
    entered, without_account, otherwise = 0, dict[str, int](), list[str]()
    with session(file) as at:
        accounts = _accounts(file, at.studio)
        for stage_locale in chosen:
            vanished = as_given(file.pulled, kept_tasks(file.pulled, stage_locale).vanished)
            # First of all: a pull that comes between knows what has been entered.
            remember_given(file.pulled, vanished)
            shown = {task["data"]["blend_id"]: task["data"] for task in vanished}
            tasks = _tasks(at, stage_locale, shown)
            otherwise += [name for name in shown if _asks_otherwise(tasks[name], vanished)]
            given = [(task["data"]["blend_id"], one) for task in vanished for one in task["annotations"]]
            # Each gets a new date: whoever pulls into another folder finds the last of them last.
            given.sort(key=lambda pair: order_of(pair[1]))
            for done, (name, annotation) in enumerate(given, start=1):
                who = annotation["completed_by"]["pseudonym"]
                if (person := accounts.get(who)) is None:
                    without_account[who] = without_account.get(who, 0) + 1
                else:
                    _enter(at.studio, tasks[name].id, person, annotation)
                    entered += 1
                if on_progress is not None:
                    on_progress("restore", done, len(given))
    return Restored(entered, without_account, pull_project(file, on_progress=on_progress), otherwise)


def give_up(file: ProjectFile, only: Sequence[str]) -> Pull:
    """Remove annotations that are kept although the server has them no more; the history keeps them as deleted.

    Args:
        file: The project.
        only: Stages, as ``STAGE/LOCALE``.

    Raises:
        InputError: If nothing of a stage is kept, or there is no key.
        ConflictError: If another process holds the pull folder, or a file to write anew was edited by hand.
    """
    key = project_key(file)
    with held(file.pulled) as folder:
        chosen = _chosen(file, only)
        done = take_again(file, folder, key, without=chosen)
        # Last of all: a run after a stop finds them again.
        for stage_locale in chosen:
            abandon(folder.path, stage_locale)
    return done


def _chosen(file: ProjectFile, only: Collection[str]) -> list[StageLocale]:
    """The stages of which something is kept that the server has no more."""
    kept = {
        stage_locale.path: stage_locale
        for stage_locale in stage_locales(file)
        if vanished_exports(file.pulled, stage_locale)
    }
    if unknown := [one for one in only if one not in kept]:
        listed = f"it is of {', '.join(kept)}" if kept else "there is nothing at all"
        raise InputError(
            f"{file.path}: nothing is kept of {', '.join(unknown)} that is not on the server; {listed}"
        )
    if not kept:
        raise InputError(f"{file.path}: nothing is kept that is not on the server; there is nothing to restore")
    return [kept[one] for one in only or kept]


def _tasks(at: Session, stage_locale: StageLocale, shown: Mapping[str, Any]) -> dict[str | None, RemoteTask]:
    """Tasks on the server by their ids of ours, which show what was annotated unless others work with them.

    Those that no push makes any more are made.
    """
    project = at.there[stage_locale.name][0]
    there = {task.blend_id: task for task in project.tasks}
    for name, data in shown.items():
        if name in there and not there[name].touched and dict(there[name].data) != data:
            at.studio.show(there[name].id, data)
            there[name] = replace(there[name], data=data)
    if missing := [{"data": data} for name, data in shown.items() if name not in there]:
        import_tasks(at.studio, at.folder, project.project.id, missing)
        there = {task.blend_id: task for task in at.studio.tasks(project.project.id)}
    return there


def _asks_otherwise(there: RemoteTask, vanished: Sequence[Task]) -> bool:
    """Whether a task asks in other words than what is brought back to it answered."""
    return any(
        asks_otherwise(there.data, shown_to_author(task["data"], one))
        for task in vanished
        if task["data"]["blend_id"] == there.blend_id
        for one in task["annotations"]
    )


def _enter(studio: Studio, task: int, person: int, annotation: Mapping[str, Any]) -> None:
    """Enter an annotation under the identity that it had, by which every pull knows it again."""
    kept = ("unique_id", "was_cancelled", "lead_time", "ground_truth")
    others = {name: annotation[name] for name in kept if annotation.get(name) is not None}
    studio.annotate(task, person, annotation["result"], **others)


def _accounts(file: ProjectFile, studio: Studio) -> dict[str, int]:
    """Numbers of the server's accounts by pseudonym."""
    key = project_key(file)
    return {pseudonym(address, key): number for number, address in studio.addresses().items()}
