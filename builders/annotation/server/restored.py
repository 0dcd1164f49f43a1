"""Restored annotations: when they were given and in what words, which the server dates and shows anew."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from blend.builders.annotation.stages.reading import ANSWERED, shown_to_author
from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import read_content
from blend.loaders.label_studio.export import Task
from blend.loaders.label_studio.history import identity, is_changed
from blend.loaders.label_studio.plan import WORDS
from blend.schemas.errors import InputError

RESTORED = "restored.json"

_DATES = ("created_at", "updated_at")


def as_given(pulled: Path, tasks: Iterable[Task]) -> list[Task]:
    """Tasks whose annotations have the dates and the words with which they were given.

    One that its author has sent again since then is of that time, and in answer to what its task shows there.

    Args:
        pulled: The pull folder.
        tasks: As they are kept.

    Raises:
        InputError: If what is known of restored annotations is damaged.
    """
    given = {name: one for of_person in _read(pulled).values() for name, one in of_person.items()}
    return [
        {
            **task,
            "annotations": [
                one if is_changed(one) else {**one, **given.get(identity(one), {})}
                for one in task["annotations"]
            ],
        }
        for task in tasks
    ]


def remember_given(pulled: Path, tasks: Iterable[Task]) -> None:
    """Write down when annotations were given and in what words, before the server says otherwise.

    Args:
        pulled: The pull folder.
        tasks: From `as_given`, with the pseudonyms of those who annotated them.
    """
    known = _read(pulled)
    for task in tasks:
        for one in task["annotations"]:
            data = shown_to_author(task["data"], one)
            words = {name: data[name] for name in WORDS if name in data}
            given = {name: one[name] for name in _DATES if one.get(name) is not None} | {ANSWERED: words}
            known.setdefault(one["completed_by"]["pseudonym"], {})[identity(one)] = given
    _write(pulled, known)


def forget_given(pulled: Path, annotator: str) -> None:
    """Remove what is known of a person's restored annotations."""
    known = _read(pulled)
    if known.pop(annotator, None) is not None:
        _write(pulled, known)


def _read(pulled: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """Dates and words by the pseudonym of the author and the identity of the annotation."""
    path = pulled / RESTORED
    if not path.exists():
        return {}
    try:
        found = json.loads(read_content(path))
        return {who: {name: dict(one) for name, one in given.items()} for who, given in found.items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise InputError(
            f"{path}: is damaged; bring it back from a backup, or delete it: annotations that were restored "
            "then count as given on that day, in answer to what their tasks show now"
        ) from None


def _write(pulled: Path, known: Mapping[str, Any]) -> None:
    atomic_write(pulled / RESTORED, json.dumps(known, indent=1, sort_keys=True) + "\n")
