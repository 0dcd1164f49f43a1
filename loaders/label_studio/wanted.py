"""Wanted: a project as it should be on the server, and the mark by which it is found there again."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

from blend.loaders.label_studio.client import RemoteProject

_MARK = re.compile(r"\[blend:(?P<name>[^\]\s#]+)#(?P<config>[0-9a-f]{8})\]")
_DESCRIPTION = "Made by `blend annotate`, which finds it by this line; please leave it as it is. [blend:{}#{}]"


class WantedTask(Protocol):
    """A task that should be on the server."""

    @property
    def data(self) -> Mapping[str, Any]:
        """Data that it shows; ``blend_id`` is the id by which it is known again."""

    @property
    def blend_id(self) -> str:
        """The same id."""

    def payload(self) -> Mapping[str, Any]:
        """The task as the server imports it."""


@dataclass(frozen=True, slots=True)
class WantedProject:
    """A project that should be on the server."""

    name: str
    """What it is known by, for ever: ``PROJECT/STAGE/LOCALE``. Titles may be changed by hand."""
    title: str
    """Up to 50 characters; the server takes several projects of one title, so it must be unique here."""
    config: str
    """Labelling configuration."""
    overlap: int
    """Annotations per task, each by another person."""
    tasks: Sequence[WantedTask]
    closes_unasked: bool = False
    """Whether tasks that are not asked for any more are given to nobody; once they are, a top-up opens them."""
    waits_until: str = ""
    """What its tasks wait for, if they cannot be made yet; those that are there stay."""

    @property
    def description(self) -> str:
        """The description on the server, with the mark."""
        return _DESCRIPTION.format(self.name, digest(self.config))


class Mark(NamedTuple):
    """Mark in the description of a project."""

    name: str
    config: str
    """Digest of the configuration that was last put there by us."""


def mark_of(project: RemoteProject) -> Mark | None:
    """The mark of a project; null if it is not one of ours."""
    found = _MARK.search(project.description)
    return None if found is None else Mark(found["name"], found["config"])


def digest(config: str) -> str:
    """A short digest of a configuration."""
    return sha256(config.strip().encode()).hexdigest()[:8]
