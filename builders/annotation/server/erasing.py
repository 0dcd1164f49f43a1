"""Erasing: what the server has of somebody who asked to be forgotten is deleted there."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from blend.builders.annotation.forgotten_answers import without_answers
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.server.forgetting import Forgotten, forget_person
from blend.builders.annotation.server.projects import stage_locales
from blend.builders.annotation.server.pulling import expect_news, pull_project
from blend.builders.annotation.server.readings import given_in, readings
from blend.builders.annotation.server.session import session
from blend.builders.annotation.stages.review import ITEMS, task_id
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.label_studio.client import RemoteTask, Studio
from blend.loaders.label_studio.folder import held
from blend.loaders.label_studio.history import HISTORY, renumber
from blend.loaders.label_studio.inventory import InventoriedProject
from blend.loaders.label_studio.studio_errors import GoneError


@dataclass(frozen=True)
class Erased:
    """Annotations and drafts that were deleted on the server."""

    annotations: int
    drafts: int
    reviews: int
    """Tasks of reviews that showed answers which nobody gives any more."""


def forget_everywhere(
    file: ProjectFile, who: str, *, on_progress: ProgressCallback | None = None
) -> tuple[Forgotten, Erased]:
    """Remove everything that a person did, here and on the server.

    Pulls before, so that nothing that came since the last pull is left, and after, so that what is here is what
    is there. May be stopped at any moment and run again.

    Args:
        file: The project.
        who: Pseudonym or e-mail address.
        on_progress: Called with the step, the projects done and projects in all.

    Raises:
        InputError, ConflictError: As `forgetting.forget_person` and `pulling.pull_project`.
        ServerError: If the server fails; what was done stays, and the same again goes on.
    """
    with held(file.pulled) as folder:
        expect_news(folder)  # a draft that nobody has sent in is none for the server
    pull_project(file, on_progress=on_progress)
    done = forget_person(file, who)
    erased = _erase(file, done, on_progress)
    pull_project(file, on_progress=on_progress)
    return done, erased


def _erase(file: ProjectFile, done: Forgotten, on_progress: ProgressCallback | None) -> Erased:
    """Delete what a record names on the server, and the answers in reviews."""
    read = [(stage_locale, reading) for stage_locale, _, reading in readings(file).values()]
    annotations = drafts = reviews = 0
    with session(file) as at:
        studio, wanted = at.studio, list(stage_locales(file))
        for number, stage_locale in enumerate(wanted, start=1):
            for _, annotation in done.record.annotations.get(stage_locale.label, ()):
                with suppress(GoneError):
                    studio.delete_annotation(annotation)
                    annotations += 1
            for draft in done.record.drafts.get(stage_locale.label, ()):
                with suppress(GoneError):
                    studio.delete_draft(draft)
                    drafts += 1
            if stage_locale.stage.name == "review" and (found := at.there.get(stage_locale.name)):
                given = given_in(stage_locale, read)
                reviewing = _Reviews(studio, found[0], done.record.answers - set(given), given)
                reviews += reviewing.clear()
                renumber(at.folder.path / HISTORY / f"{stage_locale.slug}.jsonl", reviewing.numbers)
            if on_progress is not None:
                on_progress("forget", number, len(wanted))
    return Erased(annotations, drafts, reviews)


class _Reviews:
    """The reviews of a project, from which answers are to be removed.

    Args:
        studio: The server.
        project: The project, with its tasks.
        gone: Ids of the answers.
        given: How many people give each of the others, by id.
    """

    def __init__(
        self, studio: Studio, project: InventoriedProject, gone: Collection[str], given: Mapping[str, int]
    ) -> None:
        self._studio = studio
        self._project = project
        self._gone = gone
        self._given = given
        self.numbers: dict[int, int] = {}
        """Numbers of the annotations that took the place of others, by those of the others."""

    def clear(self) -> int:
        """Remove the answers from every task that shows any; returns how many did."""
        tasks = [
            task
            for task in self._project.tasks
            if any(item.get("id") in self._gone for item in task.data.get(ITEMS) or ())
        ]
        for task in tasks:
            self._clear(task)
        return len(tasks)

    def _clear(self, task: RemoteTask) -> None:
        work = self._studio.work_on(task.id)
        left = without_answers({"data": task.data, **work._asdict()}, self._gone, self._given)
        if left is None:
            self._studio.delete_tasks(self._project.project.id, [task.id])
            return
        for change, name in ((self._studio.propose, "predictions"), (self._studio.redraft, "drafts")):
            for entry in left[name]:
                change(int(entry["id"]), entry["result"])
        self._copy(task.id, left["annotations"])
        # Last of all: by what it shows, a run after a stop finds the task again.
        data = left["data"]
        titles = [item["title"] for item in data[ITEMS]]
        name = task_id(data["template_id"], data["locale"], titles)
        self._studio.show(task.id, {**data, "blend_id": name})

    def _copy(self, task: int, annotations: list[dict[str, Any]]) -> None:
        """Put copies in the place of the annotations of a task, the last one last.

        The server keeps with each what was proposed when it was made, and lets nobody change that.
        """
        ordered = sorted(annotations, key=lambda one: (str(one["updated_at"]), one["id"]))
        for position, one in enumerate(ordered):
            author = one["completed_by"]["id"]
            # A run that was stopped may have made the copy already.
            made = next(
                (
                    later["id"]
                    for later in ordered[position + 1 :]
                    if later["completed_by"]["id"] == author and later["result"] == one["result"]
                ),
                None,
            )
            if made is None:
                kept = {name: one[name] for name in ("was_cancelled", "lead_time") if one.get(name) is not None}
                made = self._studio.annotate(task, author, one["result"], **kept)
            self._studio.delete_annotation(one["id"])
            self.numbers = {old: made if new == one["id"] else new for old, new in self.numbers.items()}
            self.numbers[one["id"]] = made
