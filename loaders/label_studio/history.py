"""The history: every version of every annotation that was ever pulled, one line each, only ever added to."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from blend.loaders.files.content import read_content
from blend.loaders.files.whole import write_whole
from blend.loaders.label_studio.export import Task
from blend.schemas.errors import InputError

Event = Literal["added", "edited", "deleted"]


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to an annotation since the last pull."""

    event: Event
    annotation: int
    blend_id: str
    annotator: str | None
    """Pseudonym."""


def record(path: Path, tasks: Sequence[Task], annotator: Callable[[Any], str | None]) -> list[Change]:
    """Add to a history what is new, changed or gone in an export; a line that a kill has cut off is dropped.

    Args:
        path: Of the history of one project on the server; made if it is not there.
        tasks: Of an export of the whole project.
        annotator: From what an annotation says of its author to a pseudonym.

    Returns:
        What was added, by number of the annotation.

    Raises:
        InputError: If the history is damaged.
    """
    known = last_versions(path)
    present = {int(a["id"]): (task, a) for task in tasks for a in task["annotations"]}
    lines: list[dict[str, Any]] = []
    for number, (task, annotation) in sorted(present.items()):
        version = _version(task, annotation, annotator)
        before = known.get(number)
        if before is None or before["event"] == "deleted":
            lines.append({"event": "added", "annotation": number, **version})
        elif any(before.get(key) != version[key] for key in ("result", "skipped")):
            lines.append({"event": "edited", "annotation": number, **version})
    lines += [
        {**before, "event": "deleted"}
        for number, before in sorted(known.items())
        if number not in present and before["event"] != "deleted"
    ]
    _append(path, lines)
    return [Change(line["event"], line["annotation"], line["blend_id"], line["annotator"]) for line in lines]


def last_versions(path: Path) -> dict[int, Mapping[str, Any]]:
    """The last line of every annotation, by its number."""
    return {int(line["annotation"]): line for line in versions(path)}


def versions(path: Path) -> Sequence[Mapping[str, Any]]:
    """Every line of a history, in order; none where there is no such file."""
    return _lines(path)


Results = list[dict[str, Any]]


def forget(path: Path, annotator: str, results: Callable[[Results], Results] = list) -> int:
    """Remove the lines of a person, the one case in which a history loses any; returns how many.

    Args:
        path: Of the history.
        annotator: Whose lines to remove.
        results: From the results of other people's lines to what is left of them.
    """
    lines = _lines(path)
    kept = [
        {**line, "result": results(line.get("result") or [])}
        for line in lines
        if line["annotator"] != annotator
    ]
    if kept != lines:
        write_whole(path, "".join(map(_line, kept)))
    return len(lines) - len(kept)


def renumber(path: Path, numbers: Mapping[int, int]) -> None:
    """Write other numbers of annotations into a history: those of copies that have taken their place."""
    lines = _lines(path)
    if any(line["annotation"] in numbers for line in lines):
        changed = (
            {**line, "annotation": numbers.get(line["annotation"], line["annotation"])} for line in lines
        )
        write_whole(path, "".join(map(_line, changed)))


def _version(
    task: Task, annotation: Mapping[str, Any], annotator: Callable[[Any], str | None]
) -> dict[str, Any]:
    return {
        "blend_id": str(task["data"].get("blend_id", "")),
        "task": int(task["id"]),
        "annotator": annotator(annotation.get("completed_by")),
        "skipped": bool(annotation.get("was_cancelled")),
        "result": annotation.get("result") or [],
    }


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
    whole, _, cut = content.rpartition(b"\n")
    if cut:
        # A kill in the middle of a line; what it said is said again by this pull.
        write_whole(path, whole + b"\n" if whole else b"")
    lines: list[dict[str, Any]] = []
    for number, line in enumerate(whole.splitlines(), start=1):
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
