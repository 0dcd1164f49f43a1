"""From a row model to its Arrow schema, ``datasets`` features and polars columns: one definition for all."""

import types
from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin

import polars as pl
import pyarrow as pa
from pydantic import BaseModel

if TYPE_CHECKING:
    import datasets

_SCALARS: dict[type, pa.DataType] = {
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
    str: pa.string(),
}


@cache
def arrow_schema(model: type[BaseModel]) -> pa.Schema:
    """The Arrow schema of a model's published rows: columns by alias, in the model's order.

    Integers are 64 bits wide, enumerations and literals are text, tuples and lists are lists, models are
    structs. Every column is nullable in Arrow's sense; what may really be null is the model's to say.

    Raises:
        TypeError: If a field has a type that has no column type.
    """
    return pa.schema([pa.field(name, dtype) for name, dtype in _columns(model).items()])


def features(model: type[BaseModel]) -> "datasets.Features":
    """The ``datasets`` features of a model's published rows, the same columns as `arrow_schema`."""
    from datasets import Features

    return Features.from_arrow_schema(arrow_schema(model))


@cache
def frame_schema(model: type[BaseModel]) -> pl.Schema:
    """The polars columns of the same rows inside the package: named by field, nested fields by alias."""
    names = {alias: name for name, alias in published_names(model).items()}
    return pl.Schema({names[alias]: dtype for alias, dtype in published_columns(model).items()})


def published(rows: pl.DataFrame, model: type[BaseModel]) -> pl.DataFrame:
    """The frame as published rows, each checked against the model: its columns, by their published names.

    Args:
        rows: Columns named by the model's fields, in any order; further columns are left out.
        model: What each row must be.

    Raises:
        pydantic.ValidationError: If a row is not what the model says: an error of ours, not of the input.
        polars.exceptions.ColumnNotFoundError: If a field has no column.
    """
    names = published_names(model)
    chosen = rows.select([pl.col(name).alias(alias) for name, alias in names.items()])
    for row in chosen.iter_rows(named=True):
        model.model_validate(row)
    return chosen.cast(published_columns(model))


@cache
def published_columns(model: type[BaseModel]) -> pl.Schema:
    """The columns of published rows, as polars has them."""
    return pl.DataFrame(pa.Table.from_batches([], arrow_schema(model))).schema


def published_names(model: type[BaseModel]) -> Mapping[str, str]:
    """Field name to published column name, in the model's order."""
    return {name: field.alias or name for name, field in model.model_fields.items()}


def _columns(model: type[BaseModel]) -> dict[str, pa.DataType]:
    fields = model.model_fields.items()
    return {
        field.alias or name: _data_type(field.annotation, f"{model.__name__}.{name}") for name, field in fields
    }


def _data_type(annotation: Any, where: str) -> pa.DataType:
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _data_type(args[0], where)
    if origin in (Union, types.UnionType):
        inner = [arg for arg in args if arg is not type(None)]
        if len(inner) == 1:
            return _data_type(inner[0], where)
    if origin is list or (origin is tuple and args[1:] == (Ellipsis,)):
        return pa.list_(_data_type(args[0], where))
    if isinstance(annotation, type):
        if issubclass(annotation, BaseModel):
            return pa.struct([pa.field(name, dtype) for name, dtype in _columns(annotation).items()])
        if issubclass(annotation, Enum):
            return pa.string()
        if annotation in _SCALARS:
            return _SCALARS[annotation]
    raise TypeError(
        f"{where}: no column type for {annotation!r}; use a scalar, a list, a model or an enumeration"
    )
