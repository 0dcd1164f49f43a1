"""The forgotten: people whose work is left out of everything that is pulled."""

import json
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from blend.loaders.files.whole import write_whole
from blend.schemas.errors import InputError

FORGOTTEN = "forgotten.json"


def forgotten(pulled: Path) -> frozenset[str]:
    """The pseudonyms of those who asked to be forgotten.

    Raises:
        InputError: If the file is damaged: their work must not come back because of that.
    """
    path = pulled / FORGOTTEN
    if not path.exists():
        return frozenset()
    try:
        names = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        names = None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError(f'{path}: is damaged; write it again as a list of pseudonyms, ["p-…"]')
    return frozenset(names)


def without_people(raw: Path, annotator: Callable[[Any], str | None], people: Collection[str]) -> None:
    """Remove the annotations of some people from an export; it stays as it is where they made none.

    Args:
        raw: The export, a JSON list of tasks; it is replaced as a whole.
        annotator: From what an annotation says of its author to a pseudonym.
        people: Pseudonyms.
    """
    if not people:
        return
    tasks = json.loads(raw.read_bytes())
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
