"""Exports: tasks with their annotations, as Label Studio writes them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from blend.loaders.files.content import read_content
from blend.schemas.errors import InputError, RowError, beyond_limits, raise_all

Task = dict[str, Any]
"""A task of an export: ``id``, ``data``, ``annotations`` and more, as the server writes them."""


def read_export(path: Path) -> list[Task]:
    """The tasks of an export in the format JSON.

    Args:
        path: As the server's page *Export* gives it,

    Raises:
        RowError: If the file cannot be read.
        InputError: If it is cut off, or not an export in the format JSON.
        RowErrors: If tasks or annotations are not what the server writes; names them all.
    """
    content = read_content(path, what="export")
    try:
        tasks = json.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start} is not UTF-8; export the project again as JSON") from None
    except json.JSONDecodeError as error:
        if not content.rstrip().endswith(b"]"):
            raise InputError(
                f"{path}: is cut off after {len(content):,} bytes; nothing was taken from it; export the "
                "project again, and look that the download ends"
            ) from None
        raise InputError(
            f"{path}:{error.lineno}: not JSON ({error.msg}); export the project again as JSON"
        ) from None
    except (RecursionError, ValueError) as error:
        raise InputError(f"{path}: {beyond_limits(error)}; export the project again as JSON") from None
    if not isinstance(tasks, list):
        raise InputError(f"{path}: not a list of tasks; export the project as JSON, not in another format")
    raise_all(list(_problems(tasks, path)))
    return tasks


def _problems(tasks: list[Any], path: Path) -> Iterator[RowError]:
    fix = "export the project as JSON, not as JSON-MIN or in another format"
    for number, task in enumerate(tasks, start=1):
        where = f"{path}, task {number}"
        if not (isinstance(task, dict) and _is_number(task.get("id")) and isinstance(task.get("data"), dict)):
            yield RowError("not a task with id and data", where=where, fix=fix)
            continue
        annotations = task.get("annotations")
        if not isinstance(annotations, list):
            yield RowError("no list of annotations", where=where, fix=fix)
            continue
        for index, annotation in enumerate(annotations, start=1):
            if not _is_annotation(annotation):
                yield RowError(
                    "not an annotation with id and result", where=f"{where}, annotation {index}", fix=fix
                )


def _is_annotation(annotation: Any) -> bool:
    return (
        isinstance(annotation, dict)
        and _is_number(annotation.get("id"))
        and isinstance(annotation.get("result") or [], list)
        and all(isinstance(result, dict) for result in annotation.get("result") or [])
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63
