"""The forgotten: people whose work is left out of everything that is pulled."""

import json
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from blend.loaders.files.content import read_content
from blend.loaders.files.whole import write_whole
from blend.schemas.errors import InputError

FORGOTTEN = "forgotten.json"

Done = dict[str, list[tuple[int, int]]]
"""What somebody did, by stage and locale: task and annotation, as they are numbered on the server."""


def forgotten(pulled: Path) -> dict[str, Done]:
    """Those who asked to be forgotten, by pseudonym, each with what is to be deleted on the server.

    Raises:
        InputError: If the file is damaged: their work must not come back because of that.
    """
    path = pulled / FORGOTTEN
    if not path.exists():
        return {}
    try:
        return {
            name: {stage: [(int(task), int(one)) for task, one in numbers] for stage, numbers in done.items()}
            for name, done in json.loads(read_content(path)).items()
        }
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise InputError(
            f'{path}: is damaged; write it again with pseudonyms as keys, {{"p-…": {{}}}}'
        ) from None


def remember(pulled: Path, people: Mapping[str, Done]) -> None:
    """Write down who is to be forgotten, beside those who are."""
    known = forgotten(pulled)
    for name, done in people.items():
        kept = known.setdefault(name, {})
        for stage, numbers in done.items():
            kept[stage] = sorted({*kept.get(stage, []), *numbers})
    write_whole(pulled / FORGOTTEN, json.dumps(known, indent=1, sort_keys=True) + "\n")


def without_people(raw: Path, annotator: Callable[[Any], str | None], people: Collection[str]) -> None:
    """Remove the annotations of some people from an export; it stays as it is where they made none.

    Args:
        raw: The export, a JSON list of tasks; it is replaced as a whole.
        annotator: From what an annotation says of its author to a pseudonym.
        people: Pseudonyms.
    """
    if not people:
        return
    tasks = json.loads(read_content(raw))
    removed = 0
    for task in tasks:
        for name in ("annotations", "drafts"):
            listed = task.get(name)
            if isinstance(listed, list) and all(isinstance(one, dict) for one in listed):
                kept = [one for one in listed if _author(one, annotator) not in people]
                removed += len(listed) - len(kept)
                task[name] = kept
    if removed:
        write_whole(raw, json.dumps(tasks, ensure_ascii=True))


def _author(annotation: dict[str, Any], annotator: Callable[[Any], str | None]) -> str | None:
    return annotator(annotation.get("completed_by", annotation.get("user")))
