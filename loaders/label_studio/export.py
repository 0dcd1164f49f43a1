"""Exports: tasks with their annotations, as Label Studio writes them."""

from typing import Annotated, Any

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from blend.loaders.label_studio.client import Studio
from blend.loaders.label_studio.plan import RemoteProject
from blend.schemas.errors import ServerError
from blend.schemas.models import field_errors
from blend.schemas.texts import pluralise

ExportedTask = dict[str, Any]
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


def exported(studio: Studio, found: RemoteProject) -> list[ExportedTask]:
    """The tasks of a project, with at least the annotations that the server has listed.

    Raises:
        ServerError: If what the server sends is not an export, or lacks annotations; nothing is taken from it.
    """
    try:
        tasks = [task.model_dump() for task in _TASKS.validate_json(studio.export(found.id))]
    except ValidationError as error:
        first = next(field_errors(error))
        raise ServerError(
            f"{studio.where}: the export of project {found.id} is not one ({first.message}, at "
            f"{first.location or 'its end'}); nothing was taken from it; run the same again"
        ) from None
    here = {task["id"]: len(task["annotations"]) for task in tasks}
    if lacking := [task.id for task in found.tasks if here.get(task.id, 0) < task.annotations]:
        listed = ", ".join(map(str, lacking[:10]))
        raise ServerError(
            f"{studio.where}: its export of project {found.id} lacks annotations that it lists, of "
            f"{pluralise(len(lacking), 'task')} ({listed}); nothing was taken from it; run the same again"
        )
    return tasks
