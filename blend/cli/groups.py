"""Groups: the fields of a model are options where it stands in a command, and reach it as one object.

What a field is for, its least value and its default are written once, in the model.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from annotated_types import Ge
from pydantic.fields import FieldInfo
from typer.models import OptionInfo

from blend.schemas.models import FrozenModel, field_sentences

_TYPED: Mapping[str, tuple[Any, str]] = {
    "system": (str, "TEXT"),
    "batch_out": (Path, "FILE"),
    "batch_in": (list[Path], "FILE"),
    "shard": (str, "I/N"),
    "price": (str, "IN,OUT"),
}
"""Fields that are typed otherwise than they are kept, and how help shows them."""

_NO_OPTIONS = ("on_plan",)
"""Fields that only a caller in Python can fill."""


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """A command with an option for every field of its parameters that are models, where those stand.

    Args:
        command: Typer reads options off its parameters. A field is an option with the sentence under it as its
            help, unless a ``typer.Option`` says what it is; a field that nobody gives has its default.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {
        name: hint for name, hint in hints.items() if inspect.isclass(hint) and issubclass(hint, FrozenModel)
    }
    parameters: list[Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name in groups:
            parameters += _options(groups[name])
        else:
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[name]))

    @wraps(command)
    def grouped(**typed: Any) -> None:
        for name, group in groups.items():
            values = {field: typed.pop(field) for field in group.model_fields if field in typed}
            typed[name] = group(**{field: value for field, value in values.items() if value not in (None, [])})
        command(**typed)

    grouped.__dict__["__signature__"] = inspect.Signature(parameters)
    grouped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return grouped


def _options(group: type[FrozenModel]) -> list[Parameter]:
    sentences = field_sentences(group)
    return [
        Parameter(name, Parameter.KEYWORD_ONLY, **_option(name, field, sentences.get(name, "")))
        for name, field in group.model_fields.items()
        if name not in _NO_OPTIONS
    ]


def _option(name: str, field: FieldInfo, sentence: str) -> dict[str, Any]:
    """Default and type of the parameter of a command that is a field of a model."""
    if any(isinstance(one, OptionInfo) for one in field.metadata):
        return {"default": field.default, "annotation": Annotated[field.annotation, *field.metadata]}
    kind: Any
    kind, metavar = _TYPED.get(name, (field.annotation, None))
    least: Any = next((one.ge for one in field.metadata if isinstance(one, Ge)), None)
    help_ = " ".join(sentence.replace("when absent", "if absent").split())
    option = typer.Option(min=least, metavar=metavar, help=help_)
    return {"default": None, "annotation": Annotated[kind | None, option]}
