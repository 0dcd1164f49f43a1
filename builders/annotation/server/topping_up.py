"""Topping up: more responses are asked for exactly where the five-valid rule wants them, and nowhere else."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from blend.builders.annotation.check import CheckedProject
from blend.builders.annotation.collecting import collection_plan
from blend.builders.annotation.server.projects import StageLocale, stage_locales
from blend.builders.annotation.server.readings import readings
from blend.builders.annotation.server.session import Session, session
from blend.builders.saq.collection import STOPPED
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.files.pulled_files import EVENTS
from blend.loaders.label_studio.client import RemoteTask
from blend.loaders.label_studio.events import Held, held_in, read_events


@dataclass(frozen=True)
class TopUp:
    """Changes of a top-up to the questions of a locale."""

    stage_locale: StageLocale
    asked_again: tuple[str, ...]
    """Templates for which more responses are asked than before."""
    complete: tuple[str, ...]
    """Templates that nobody is asked any more, because they have the valid responses or the readers wanted."""
    dropped: tuple[str, ...]
    """Templates that nobody is asked any more, because too many do not know."""


def top_up_project(
    checked: CheckedProject,
    *,
    dry_run: bool = False,
    on_progress: ProgressCallback | None = None,
    within: Session | None = None,
) -> list[TopUp]:
    """Ask for more responses where they are wanted, and drop questions whose limit of *I don't know* is passed.

    Counts what was pulled: the five-valid rule needs responses and reviews. A task is asked of as many people
    more as valid responses are missing, besides all who have annotated it, whatever came of that. So are the
    options of *mcq-review* and the replies of *replies*, of one more where readers disagree.

    Args:
        checked: The project, read after the last pull.
        dry_run: Whether to say what would be done, and change nothing.
        on_progress: Called with the step, the locales done and locales in all.
        within: The session to do it in; one of its own when absent.

    Returns:
        What was done, or would be, by locale; nothing where nothing has changed.

    Raises:
        InputError, RowError, RowErrors: If there is no token, or responses and reviews do not fit together.
        ConflictError: If another process is at work with the pull folder.
        ServerError: If the server fails; the same command goes on.
    """
    file = checked.file
    asking = [one for one in stage_locales(file) if one.stage.name == "answer" or one.stage.reading_plan]
    plan, lines = _plan(checked, asking), read_events(file.pulled / EVENTS)
    done = []
    with session(file, within) as at:
        for number, stage_locale in enumerate(asking, start=1):
            if found := at.there.get(stage_locale.name):
                people = _people(held_in(lines, stage_locale.slug))
                changes = [
                    (task, row, wanted)
                    for task in found[0].tasks
                    if (row := plan.get(task.blend_id or "")) is not None
                    and (wanted := _wanted(row, people)) != (task.overlap, task.closed)
                ]
                if not dry_run:
                    for task, _, (overlap, closed) in changes:
                        at.studio.ask(task.id, overlap, closed=closed)
                done.append(_account(stage_locale, changes))
            if on_progress is not None:
                on_progress("top up", number, len(asking))
    return [one for one in done if one.asked_again or one.complete or one.dropped]


def _plan(checked: CheckedProject, asking: Sequence[StageLocale]) -> dict[str, dict[str, Any]]:
    """What is still wanted, by id of the task."""
    file = checked.file
    plan = {row["blend_id"]: row for row in collection_plan(file.project, checked.material).to_dicts()}
    if any(one.stage.reading_plan for one in asking):
        for one in readings(file):
            if (reading_plan := one.stage_locale.stage.reading_plan) is not None:
                plan |= reading_plan(one.tasks, one.reading, file.project.readers)
    return plan


def _people(held: Mapping[str, Held]) -> dict[str, int]:
    """Count the people whose annotations the server has of each task; whoever only skipped it is not one."""
    there = [one.version for one in held.values() if one.is_there and not one.version["skipped"]]
    return Counter(task for task, _ in {(line["blend_id"], line["annotator"] or line["id"]) for line in there})


def _wanted(row: Mapping[str, Any], people: Mapping[str, int]) -> tuple[int, bool]:
    """Return how many people a task is to be annotated by in all, and whether it is closed."""
    so_far = people.get(row["blend_id"], 0)
    return (so_far + row["still_needed"], False) if row["open"] else (max(so_far, 1), True)


def _account(
    stage_locale: StageLocale, changes: list[tuple[RemoteTask, dict[str, Any], tuple[int, bool]]]
) -> TopUp:
    def names(*, closed: bool, dropped: bool) -> tuple[str, ...]:
        return tuple(
            row["template_id"]
            for task, row, (overlap, closes) in changes
            if closes == closed and (row["state"] == STOPPED) == dropped
            if closed or overlap > task.overlap or task.closed
        )

    return TopUp(
        stage_locale,
        asked_again=names(closed=False, dropped=False),
        complete=names(closed=True, dropped=False),
        dropped=names(closed=True, dropped=True),
    )
