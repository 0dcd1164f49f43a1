"""The history: every version of every annotation that was ever pulled, one line each, only ever added to."""

import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import read_content
from blend.loaders.label_studio.export import Task
from blend.schemas.errors import InputError

HISTORY = "history"
"""Folder of the histories in a pull folder, a file per stage and locale."""

Event = Literal["added", "edited", "deleted"]

_MOMENT = timedelta(seconds=1)
_SOMEBODY = "somebody who is forgotten"


@dataclass(frozen=True, slots=True)
class Change:
    """Change of an annotation since the last pull."""

    event: Event
    annotation: int
    blend_id: str
    annotator: str | None
    """Pseudonym."""
    changed_by: str | None = None
    """Pseudonym of the account that made this version, if it is not the author's."""


def identity(annotation: Mapping[str, Any]) -> str:
    """Return what an annotation is known by wherever it is.

    Its number is given again, by another server for one.
    """
    return str(annotation.get("unique_id") or annotation["id"])


def record(path: Path, tasks: Sequence[Task], annotator: Callable[[Any], str | None]) -> list[Change]:
    """Add to a history what is new, changed or gone in an export; a line that a kill has cut off is dropped.

    Args:
        path: Of the history of a stage; made if it is not there.
        tasks: All that is there of the stage, or is kept.
        annotator: From what an annotation says of its author, and of who changed it last, to a pseudonym.

    Returns:
        What was added, by number of the annotation.

    Raises:
        InputError: If the history is damaged.
    """
    known = last_versions(path)
    lines: list[dict[str, Any]] = []
    present: set[str] = set()
    # By number, so that the order of an export makes no difference to the lines.
    ordered = sorted(
        ((task, one) for task in tasks for one in task["annotations"]), key=lambda pair: int(pair[1]["id"])
    )
    for task, annotation in ordered:
        editor = annotator(annotation.get("updated_by"))
        version = _version(task, annotation, annotator(annotation.get("completed_by")), editor)
        name, number = identity(annotation), str(annotation["id"])
        # Lines of copies have the number alone.
        if name not in known and known.get(number, {}).get("annotator") == version["annotator"]:
            name = number
        present.add(name)
        before = known.get(name)
        if before is None or before["event"] == "deleted":
            by = version["changed_by"] if is_changed(annotation) else None
            lines.append({**version, "event": "added", "changed_by": by})
        elif _is_another(version, before, editor):
            lines.append({**version, "event": "edited"})
    lines += [
        {**before, "event": "deleted"}
        for name, before in sorted(known.items(), key=lambda pair: int(pair[1]["annotation"]))
        if name not in present and before["event"] != "deleted"
    ]
    _append(path, lines)
    return [
        Change(line["event"], line["annotation"], line["blend_id"], line["annotator"], line.get("changed_by"))
        for line in lines
    ]


def last_versions(path: Path) -> dict[str, Mapping[str, Any]]:
    """The last line of every annotation, by its `identity`."""
    return {str(line.get("unique_id") or line["annotation"]): line for line in versions(path)}


def versions(path: Path) -> Sequence[Mapping[str, Any]]:
    """Every line of a history, in order; none where there is no such file."""
    return _lines(path)


Results = list[dict[str, Any]]


def forget(path: Path, people: Collection[str], results: Callable[[Results], Results] = list) -> int:
    """Remove the lines of some people, the one case in which a history loses any; returns how many.

    Args:
        path: Of the history.
        people: Whose lines to remove.
        results: From the results of other people's lines to what is left of them; lines that they have changed
            name nobody for it.
    """
    lines = _lines(path)
    kept = [
        {**line, **_changed_by_somebody(line, people), "result": results(line.get("result") or [])}
        for line in lines
        if line["annotator"] not in people
    ]
    if kept != lines:
        atomic_write(path, "".join(map(_line, kept)))
    return len(lines) - len(kept)


def renumber(path: Path, numbers: Mapping[int, int]) -> None:
    """Write other numbers of annotations into a history: those of copies that have taken their place."""
    lines = _lines(path)
    if any(line["annotation"] in numbers for line in lines):
        changed = (
            {**line, "annotation": numbers[line["annotation"]], "unique_id": None}
            if line["annotation"] in numbers
            else line
            for line in lines
        )
        atomic_write(path, "".join(map(_line, changed)))


def _changed_by_somebody(line: Mapping[str, Any], people: Collection[str]) -> Mapping[str, str]:
    return {"changed_by": _SOMEBODY} if line.get("changed_by") in people else {}


def _version(
    task: Task, annotation: Mapping[str, Any], author: str | None, editor: str | None
) -> dict[str, Any]:
    account = annotation.get("completed_by")
    return {
        "annotation": int(annotation["id"]),
        "unique_id": annotation.get("unique_id"),
        "blend_id": str(task["data"].get("blend_id", "")),
        "task": int(task["id"]),
        "annotator": author,
        "account": account if isinstance(account, int) else None,
        "skipped": bool(annotation.get("was_cancelled")),
        "result": annotation.get("result") or [],
        "changed_by": None if editor == author else editor,
    }


def is_changed(annotation: Mapping[str, Any]) -> bool:
    """Whether an annotation that is seen for the first time was changed after it was made.

    Whoever enters it for another account, by a program, makes it and changes nothing; the server dates both
    within a moment.
    """
    try:
        made, changed = (
            datetime.fromisoformat(str(annotation.get(key))) for key in ("created_at", "updated_at")
        )
        return changed - made > _MOMENT
    except (ValueError, TypeError):
        return False


def _is_another(version: Mapping[str, Any], before: Mapping[str, Any], editor: str | None) -> bool:
    """Whether an annotation says something else than before, is somebody else's, or its author confirms it."""
    return (
        any(before.get(key) != version[key] for key in ("result", "skipped"))
        # Both: an account may get another address, and on another server a person has another account.
        or (
            before["annotator"] != version["annotator"]
            and None not in (before.get("account"), version["account"])
            and before["account"] != version["account"]
        )
        or (before.get("changed_by") is not None and editor is not None and editor == version["annotator"])
    )


def _append(path: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    if not lines:
        return
    day = datetime.now(UTC).date().isoformat()
    with path.open("ab") as file:
        file.write("".join(_line({**line, "pulled": day}) for line in lines).encode())
        file.flush()
        os.fsync(file.fileno())


def _lines(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    content = read_content(path)
    complete_lines, _, cut = content.rpartition(b"\n")
    if cut:
        # A kill in the middle of a line; what it said is said again by this pull.
        atomic_write(path, complete_lines + b"\n" if complete_lines else b"")
    lines: list[dict[str, Any]] = []
    for number, line in enumerate(complete_lines.splitlines(), start=1):
        try:
            value = json.loads(line)
            lines.append({**value, "annotation": int(value["annotation"]), "event": str(value["event"])})
        except (ValueError, KeyError, TypeError, RecursionError):
            raise InputError(
                f"{path}:{number}: not a line of a history; bring the file back from a backup, or move it "
                "away, which forgets what was edited and deleted before"
            ) from None
    return lines


def _line(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=True, sort_keys=True) + "\n"
