"""Rendering: the package's Jinja templates filled with values, and row models in words."""

import types
from collections.abc import Iterator
from enum import Enum
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel

from blend.schemas.errors import DISTRIBUTION
from blend.schemas.models import field_sentences, packaged_templates, packaged_text
from blend.schemas.summaries import markdown_text


def render(template: str, **values: Any) -> str:
    """A template of `blend.dataset_cards` as text.

    A value that the template names and nobody gave is an error. The filter ``cell`` makes a value fit for the
    cell of a table, and ``text`` makes it be read as it was typed.

    Args:
        template: File name, for example ``README.md.j2``.
        values: What its names stand for.
    """
    templates = packaged_templates("blend.dataset_cards", autoescape=False, keep_trailing_newline=True)
    templates.filters |= {"cell": _cell, "markdown": markdown, "text": markdown_text}
    templates.globals["sdk"] = DISTRIBUTION
    return templates.get_template(template).render(values)


def text_of(name: str) -> str:
    """A file of `blend.dataset_cards`."""
    return packaged_text(name, "blend.dataset_cards")


def _cell(value: object) -> str:
    return " ".join(str(value).split()).replace("|", "\\|")


# Described fields: what row models say of themselves, for people and machines that never see the models.


class _DescribedField(NamedTuple):
    """A column, or a field inside one."""

    name: str
    """Published name; inside a column with the way to it, ``annotations[].count``."""
    type: str
    """``string``, ``int64``, ``struct`` and so on, with ``list of`` before a list's."""
    description: str
    """The sentence under the field, as it stands in the model."""


def described_fields(model: type[BaseModel], prefix: str = "") -> Iterator[_DescribedField]:
    """The published columns of a model in order, each followed by the fields inside it.

    Args:
        model: Row model.
        prefix: What stands before every name.
    """
    for name, info in model.model_fields.items():
        kind, is_list = kind_of(info.annotation)
        published = f"{prefix}{info.alias or name}"
        type_name = kind if isinstance(kind, str) else "struct"
        yield _DescribedField(
            published,
            f"list of {type_name}" if is_list else type_name,
            field_sentences(model).get(name, ""),
        )
        if not isinstance(kind, str):
            yield from described_fields(kind, f"{published}[]." if is_list else f"{published}.")


def kind_of(annotation: Any) -> tuple[str | type[BaseModel], bool]:
    """Name of an Arrow type, or a model, and whether the annotation is a list of such."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return kind_of(args[0])
    if origin in (Union, types.UnionType):
        # Whether a value may be null is no part of its type here.
        return kind_of(next(arg for arg in args if arg is not type(None)))
    if origin in (list, tuple):
        return kind_of(args[0])[0], True
    assert isinstance(annotation, type)
    if issubclass(annotation, BaseModel):
        return annotation, False
    return ("string" if issubclass(annotation, Enum) else _SCALARS[annotation]), False


_SCALARS: dict[type, str] = {bool: "bool", int: "int64", float: "double", str: "string"}


def markdown(text: str) -> str:
    """A docstring as one line of Markdown: its double backticks become single ones."""
    return " ".join(text.split()).replace("``", "`")


def plain(text: str) -> str:
    """A docstring as one line of plain text: what stood in backticks stands in quotation marks."""
    return " ".join(text.split()).replace("``", '"')
