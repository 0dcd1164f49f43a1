"""Remote: projects and tasks as a server has them, and the mark by which ours are found there again."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

_MARK = re.compile(r"\[blend:(?P<name>[^\]\s#]+)\]")
_DESCRIPTION = "Made by `blend annotate`, which finds it by this line; please leave it as it is. [blend:{}]"


@dataclass(frozen=True, slots=True)
class RemoteTask:
    """A task on the server."""

    id: int
    data: Mapping[str, Any]
    annotations: int
    """Annotations, skipped ones included."""
    overlap: int
    """Annotations after which the task is given to nobody any more."""
    closed: bool = False
    """Whether it is given to nobody any more."""
    updated: str = ""
    """When it, or an annotation of it, was last made, changed or deleted."""
    begun: bool = False
    """Whether it has a draft: what somebody has begun and not sent in."""

    @property
    def blend_id(self) -> str | None:
        """The id by which the task is known again; null for a task that somebody else made."""
        value = self.data.get("blend_id")
        return value if isinstance(value, str) else None

    @property
    def touched(self) -> bool:
        """Whether it holds anybody's work, so that it may not be removed or shown anew."""
        return self.annotations > 0 or self.begun


@dataclass(frozen=True, slots=True)
class RemoteProject:
    """A project on the server."""

    id: int
    title: str
    description: str
    config: str
    """Labelling configuration."""
    overlap: int
    """Annotations per task, where a task has no number of its own."""
    tasks: Sequence[RemoteTask] = ()
    """Its tasks when it was looked at."""

    @property
    def annotations(self) -> int:
        """Number of annotations, skipped ones included."""
        return sum(task.annotations for task in self.tasks)

    @property
    def touched(self) -> bool:
        """Whether it holds anybody's work."""
        return any(task.touched for task in self.tasks)

    def state(self) -> dict[str, Any]:
        """Values that differ from before once anything of its tasks, annotations or drafts was made or changed.

        The server dates a task anew whenever an annotation of it is. All of the dates count, not the latest:
        which one that is, an answer in an order of the server's own choosing does not show, and after a clock
        was set back it is not that of the last change.
        """
        dated = sha256()
        for task in sorted(self.tasks, key=lambda task: task.id):
            dated.update(f"{task.id} {task.updated} {task.annotations} {task.begun}\n".encode())
        return {"project": self.id, "dated": dated.hexdigest()}


Inventory = Mapping[str, Sequence[RemoteProject]]
"""Projects by their names, those that are not there left out. Where two pushes at a time have made several of a
name, the one with the most annotations comes first, then one with drafts, then the oldest; the next push
removes others that nobody has touched."""


def marked(name: str) -> str:
    """The description of a project on the server, with its mark."""
    return _DESCRIPTION.format(name)


def name_of(project: RemoteProject) -> str | None:
    """The name in the mark of a project; null if it is not one of ours."""
    found = _MARK.search(project.description)
    return None if found is None else found["name"]
