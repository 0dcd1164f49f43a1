"""The inventory: which projects of ours a server has, with their tasks, asked for once per command."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from blend.loaders.label_studio.client import RemoteProject, RemoteTask, Studio
from blend.loaders.label_studio.studio_errors import GoneError
from blend.loaders.label_studio.wanted import mark_of


@dataclass(frozen=True, slots=True)
class InventoriedProject:
    """A project on the server, and its tasks when it was looked at."""

    project: RemoteProject
    tasks: Sequence[RemoteTask]

    @property
    def annotations(self) -> int:
        """Number of annotations, skipped ones included."""
        return sum(task.annotations for task in self.tasks)

    @property
    def touched(self) -> bool:
        """Whether it holds anybody's work."""
        return any(task.touched for task in self.tasks)

    def state(self) -> dict[str, Any]:
        """Values that differ from before once anything of its tasks or annotations was made.

        Changed or deleted.

        The server dates a task anew whenever an annotation of it is. All of the dates count, not the latest:
        which one that is, an answer in an order of the server's own choosing does not show, and after a clock
        was set back it is not that of the last change.
        """
        dated = sha256()
        for task in sorted(self.tasks, key=lambda task: task.id):
            dated.update(f"{task.id} {task.updated} {task.annotations}\n".encode())
        return {
            "project": self.project.id,
            "tasks": len(self.tasks),
            "annotations": self.annotations,
            "dated": dated.hexdigest(),
        }


Inventory = Mapping[str, Sequence[InventoriedProject]]
"""Projects by their names, those that are not there left out. Where a push was stopped and there are several of
a name, the one with the most annotations comes first, then one with drafts, then the oldest; the next push
removes others that nobody has touched."""


def inventory(studio: Studio, names: Collection[str]) -> Inventory:
    """Ask what a server has of some projects: one request for all, and one per project for its tasks.

    Args:
        studio: The server.
        names: Of `wanted.WantedProject`; others are not looked at.

    Raises:
        ConflictError: If tasks change while they are listed.
        ServerError: If the server fails.
    """
    found: dict[str, list[InventoriedProject]] = {}
    for project in studio.projects():
        mark = mark_of(project)
        if mark is not None and mark.name in names:
            # Another push at the same time removes the copy that it has made.
            with suppress(GoneError):
                found.setdefault(mark.name, []).append(InventoriedProject(project, studio.tasks(project.id)))
    return {
        name: sorted(projects, key=lambda one: (-one.annotations, not one.touched, one.project.id))
        for name, projects in found.items()
    }
