"""Hub features: what `datasets` finds written in a file and on a card about the columns, without loading it.

Importing `datasets` takes half a second of processor time, a sixth of a build. What a build needs of it is the
description of a few types, in the two notations below; a test holds them against the library's own, letter by
letter. Whoever loads data takes `arrow_types.features`.

References:
    ``Features.to_dict`` and ``Features._to_yaml_list`` of https://github.com/huggingface/datasets, version 5.
"""

import json
from collections.abc import Iterable
from functools import cache
from typing import Any

import pyarrow as pa
from pydantic import BaseModel

from blend.schemas.base.arrow_types import arrow_schema


@cache
def written_schema(model: type[BaseModel]) -> pa.Schema:
    """The columns of a model's published rows with the note of their features that travels in every file."""
    schema = arrow_schema(model)
    noted = {"info": {"features": {field.name: _noted(field.type) for field in schema}}}
    return schema.with_metadata({"huggingface": json.dumps(noted)})


def card_features(model: type[BaseModel]) -> list[dict[str, Any]]:
    """The same columns as the header of a card lists them."""
    return _listed(arrow_schema(model))


def _noted(dtype: pa.DataType) -> dict[str, Any]:
    if pa.types.is_list(dtype):
        return {"feature": _noted(dtype.value_type), "_type": "List"}
    if pa.types.is_struct(dtype):
        return {field.name: _noted(field.type) for field in dtype}
    return {"dtype": _name(dtype), "_type": "Value"}


def _listed(fields: Iterable[pa.Field]) -> list[dict[str, Any]]:
    return [{"name": field.name, **_type_entry(field.type)} for field in fields]


def _type_entry(dtype: pa.DataType) -> dict[str, Any]:
    if pa.types.is_list(dtype):
        item = _type_entry(dtype.value_type)
        # A list of plain values or of structs names them directly; one of lists keeps the level between.
        return {"list": next(iter(item.values())) if item.keys() <= {"dtype", "struct"} else item}
    return {"struct": _listed(dtype)} if pa.types.is_struct(dtype) else {"dtype": _name(dtype)}


def _name(dtype: pa.DataType) -> str:
    """What `datasets` calls a plain type: as Arrow does, but for numbers of double width."""
    return "float64" if pa.types.is_float64(dtype) else str(dtype)
