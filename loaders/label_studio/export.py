"""Exports: tasks with their annotations, as Label Studio writes them."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from blend.loaders.files.content import read_content
from blend.loaders.label_studio.client import Studio
from blend.schemas.errors import ServerError
from blend.schemas.models import field_errors

Task = dict[str, Any]
"""A task of an export: ``id``, ``data``, ``annotations``, ``drafts`` and more, as the server writes them."""

_Number = Annotated[int, Field(strict=True, ge=0, lt=2**63)]


class _Annotation(BaseModel, extra="allow"):
    id: _Number
    result: list[dict[str, Any]] | None = None


class _Draft(BaseModel, extra="allow"):
    id: _Number


class _Task(BaseModel, extra="allow"):
    id: _Number
    data: dict[str, Any]
    annotations: list[_Annotation]
    drafts: list[_Draft] = []


_TASKS = TypeAdapter(list[_Task])


def exported(studio: Studio, project: int, path: Path) -> list[Task]:
    """The tasks of a project with their annotations.

    Args:
        studio: The server.
        project: Number of the project.
        path: A file for what the server writes.

    Raises:
        ServerError: If that is not an export; nothing is taken from it then.
    """
    studio.export(project, path)
    try:
        return [task.model_dump() for task in _TASKS.validate_json(read_content(path))]
    except ValidationError as error:
        first = next(field_errors(error))
        raise ServerError(
            f"{studio.where}: the export of project {project} is not one ({first.message}, at "
            f"{first.location or 'its end'}); nothing was taken from it; run the same again"
        ) from None
