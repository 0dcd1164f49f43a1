"""From a row model to its Arrow schema, ``datasets`` features and polars columns: one definition for all.

Importing `datasets` takes half a second of processor time, a sixth of a build. What a build needs of it is the
description of a few types, in the two notations below; a test holds them against the library's own, letter by
letter. Whoever loads data takes `arrow_types.features`.

References:
    ``Features.to_dict`` and ``Features._to_yaml_list`` of https://github.com/huggingface/datasets, version 5.
"""

import json
import types
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

import polars as pl
from pydantic import BaseModel

if TYPE_CHECKING:
    import pyarrow as pa


_DataType: TypeAlias = "pl.DataType | pl.datatypes.DataTypeClass"

_SCALARS: Mapping[type, tuple[pl.DataType, str]] = {
    bool: (pl.Boolean(), "bool"),
    int: (pl.Int64(), "int64"),
    float: (pl.Float64(), "float64"),
    str: (pl.String(), "string"),
}
"""Plain types: the column of each, and what `datasets` and Arrow call it."""
_NAMES: Mapping[_DataType, str] = dict(_SCALARS.values())


@cache
def arrow_schema(model: type[BaseModel]) -> "pa.Schema":
    """The Arrow schema of a model's published rows: columns by alias, in the model's order.

    Integers are 64 bits wide, enumerations and literals are text, tuples and lists are lists, models are
    structs. Every column is nullable in Arrow's sense; what may really be null is the model's to say.

    Raises:
        TypeError: If a field has a type that has no column type.
    """
    import pyarrow as pa

    return pa.schema([pa.field(name, _arrow_type(dtype)) for name, dtype in published_columns(model).items()])


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
    return pl.Schema(_columns(model))


def published_names(model: type[BaseModel]) -> Mapping[str, str]:
    """Field name to published column name, in the model's order."""
    return {name: field.alias or name for name, field in model.model_fields.items()}


def _columns(model: type[BaseModel]) -> dict[str, pl.DataType]:
    fields = model.model_fields.items()
    return {field.alias or name: _data_type(field.annotation) for name, field in fields}


def _data_type(annotation: Any) -> pl.DataType:
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _data_type(args[0])
    if origin in (Union, types.UnionType):
        inner = [arg for arg in args if arg is not type(None)]
        if len(inner) == 1:
            return _data_type(inner[0])
    if origin is Literal:
        return pl.String()
    if origin is list or (origin is tuple and args[1:] == (Ellipsis,)):
        return pl.List(_data_type(args[0]))
    if isinstance(annotation, type):
        if issubclass(annotation, BaseModel):
            return pl.Struct(_columns(annotation))
        if issubclass(annotation, Enum):
            return pl.String()
        if annotation in _SCALARS:
            return _SCALARS[annotation][0]
    raise TypeError(f"no column type for {annotation!r}")


def _arrow_type(dtype: _DataType) -> "pa.DataType":
    # Imported here: numpy comes with it, and a command that writes no release needs neither.
    import pyarrow as pa

    if isinstance(dtype, pl.List):
        return pa.list_(_arrow_type(dtype.inner))
    if isinstance(dtype, pl.Struct):
        return pa.struct([pa.field(name, _arrow_type(inner)) for name, inner in dtype])
    return pa.type_for_alias(_NAMES[dtype])


@cache
def written_schema(model: type[BaseModel]) -> "pa.Schema":
    """The columns of a model's published rows with the note of their features that travels in every file."""
    noted = {"info": {"features": {name: _noted(dtype) for name, dtype in published_columns(model).items()}}}
    return arrow_schema(model).with_metadata({"huggingface": json.dumps(noted)})


def _noted(dtype: _DataType) -> dict[str, Any]:
    if isinstance(dtype, pl.List):
        return {"feature": _noted(dtype.inner), "_type": "List"}
    if isinstance(dtype, pl.Struct):
        return {name: _noted(inner) for name, inner in dtype}
    return {"dtype": _NAMES[dtype], "_type": "Value"}


def nested_frame(rows: Sequence[Mapping[str, Any]], schema: pl.Schema) -> pl.DataFrame:
    """Rows as a frame, in order; the same as ``pl.DataFrame(rows, schema)``, in a fifth of the time.

    Args:
        rows: A mapping per row; a column that is missing in it is null.
        schema: The columns.
    """
    import pyarrow as pa

    columns = pl.DataFrame(schema=schema).to_arrow(compat_level=pl.CompatLevel.oldest()).schema
    return pl.DataFrame(pl.from_arrow(pa.Table.from_pylist(list(rows), schema=columns)), schema)
