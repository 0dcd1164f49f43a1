"""Foreign answers: what people answered elsewhere, one row per person or annotation, from a table or export."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Cells, read_json, read_table, text_of
from blend.schemas.errors import InputError

_WHO = "annotator"
_VALUES = ("text", "choices", "taxonomy", "rating", "number", "datetime", "labels")


def read_answers(path: Path, *, encoding: str | None = None) -> tuple[list[Cells], bool]:
    """Answers in a table, or the annotations of an export, whatever the labelling configuration.

    Args:
        path: A table, of which every cell with JSON may hold several answers; an export, JSON or JSON-MIN
            (``.json``), as the page *Export* gives it; or a folder with a JSON file per annotation, as Label
            Studio keeps them in cloud storage.
        encoding: Of a table; see `loaders.files.content.read_text`.

    Returns:
        One row per row of a table, or annotation: fields of the task and results by names of their controls, as
        text or as a list of texts; ``annotator``, as the file names it. In JSON, a control that is called
        like a field or ``annotator`` is ``control NAME``, and a field ``annotator`` is ``field annotator``.
        Skipped tasks are left out. And whether rows are annotations, of which several may be one person's.

    Raises:
        InputError, RowError, RowErrors: If the file cannot be read, or is not an export.
    """
    if path.is_dir():
        return [row for file in _annotation_files(path) for row in _json_rows(file)], True
    if path.suffix.lower() == ".json":
        return _json_rows(path), True
    cells = read_table(path, encoding=encoding)
    rows = [Cells(row.location, {name: _parsed(value) for name, value in row.values.items()}) for row in cells]
    return rows, False


def _annotation_files(folder: Path) -> list[Path]:
    """The files of annotations in a folder, which have their number as name, with or without ``.json``."""
    found = [
        path
        for path in sorted(folder.iterdir(), key=lambda path: (len(path.name), path.name))
        if path.is_file() and path.suffix.lower() in ("", ".json") and not path.name.startswith(".")
    ]
    if not found:
        raise InputError(f"{folder}: no files of annotations; give an export, or a folder of JSON files")
    return found


def _json_rows(path: Path) -> list[Cells]:
    tasks = read_json(path, path.parent, Diagnostics())
    if _is_annotation(tasks):
        return _annotation_rows(path.name, [tasks], tasks["task"])
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        raise InputError(f"{path}: not a list of tasks; export the project as JSON, JSON-MIN, CSV or TSV")
    rows = []
    for number, task in enumerate(tasks, start=1):
        location = f"{path.name}:{number}"
        if _is_annotation(task):
            rows += _annotation_rows(location, [task], task["task"])
        elif isinstance(task.get("annotations"), list):
            rows += _annotation_rows(location, task["annotations"], task)
        else:  # JSON-MIN: one object per annotation
            rows.append(Cells(location, {name: _texts(value) for name, value in task.items()}))
    return rows


def _is_annotation(value: object) -> bool:
    """Whether something is an annotation with its task in it, as cloud storage keeps them."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("task"), dict)
        and isinstance(value.get("result"), list)
    )


def _annotation_rows(location: str, annotations: Sequence[Any], task: Mapping[str, Any]) -> list[Cells]:
    """A row for every annotation of a task that somebody did not skip."""
    held = task.get("data")
    data: dict[str, Any] = held if isinstance(held, dict) else {}
    fields = {"field annotator" if name == _WHO else name: _texts(value) for name, value in data.items()}
    rows = []
    for number, annotation in enumerate(annotations, start=1):
        if isinstance(annotation, dict) and not annotation.get("was_cancelled"):
            who, results = _results(annotation)
            taken = {*data, _WHO}
            given = {f"control {name}" if name in taken else name: texts for name, texts in results.items()}
            where = f"{location}, annotation {annotation.get('id', number)}"
            rows.append(Cells(where, {**fields, _WHO: who, **given}))
    return rows


def _results(annotation: Mapping[str, Any]) -> tuple[str | None, dict[str, list[str]]]:
    """Return by whom an annotation is, and what it says by control."""
    who = annotation.get("completed_by")
    if isinstance(who, dict):
        who = who.get("email") or who.get("id")
    found: dict[str, list[str]] = {}
    for result in annotation.get("result") or []:
        if isinstance(result, dict) and "from_name" in result:
            found.setdefault(str(result["from_name"]), []).extend(_listed(result.get("value")))
    return None if who is None else str(who), found


def _listed(value: Any) -> list[str]:
    texts = _texts(value)
    return texts if isinstance(texts, list) else [] if texts is None else [texts]


def _texts(value: Any) -> Any:
    """A value as a text or a list of texts; of an object, what its control says."""
    if isinstance(value, dict):
        value = next((value[name] for name in _VALUES if name in value), json.dumps(value, ensure_ascii=False))
    if isinstance(value, list):
        return [text for one in value for text in _listed(one)]
    return None if value is None else text_of(value)


def _parsed(cell: Any) -> Any:
    """A cell of a table, in which several answers stand as JSON; in JSON Lines and Parquet any value."""
    if not isinstance(cell, str):
        return _texts(cell)
    if cell.startswith(("[", "{")):
        try:
            return _texts(json.loads(cell))
        except (ValueError, RecursionError):
            return cell
    return cell
