"""Schemas compared: which columns came, went or changed their type, down to the fields inside them."""

from collections.abc import Iterator, Mapping

import polars as pl
from polars.datatypes import DataTypeClass

from blend.builders.diff.model import ColumnChange

Types = Mapping[str, pl.DataType]
"""Column to type."""


def schema_changes(old: Types, new: Types) -> tuple[ColumnChange, ...]:
    """Columns and nested fields that are not in both, or not with one type, in the order of ``new``.

    Fields of a column that came or went as a whole are not named again.
    """
    return tuple(_field_changes(old, new, ""))


def shared_types(old: Types, new: Types) -> dict[str, pl.DataType]:
    """The columns whose values can be compared, in the order of ``new``: those that both have with one type."""
    return {name: dtype for name, dtype in new.items() if old.get(name) == dtype}


def is_reordered(old: Types, new: Types) -> bool:
    """Whether the columns that both have stand in another order."""
    return [name for name in old if name in new] != [name for name in new if name in old]


def type_text(dtype: pl.DataType) -> str:
    """A type as people read it: ``list of {answers: list of string, count: int64}``."""
    if isinstance(dtype, pl.List):
        return f"list of {type_text(_item(dtype))}"
    if isinstance(dtype, pl.Struct):
        return "{" + ", ".join(f"{name}: {type_text(field)}" for name, field in _fields(dtype).items()) + "}"
    return str(dtype).lower()


def _field_changes(old: Types, new: Types, prefix: str) -> Iterator[ColumnChange]:
    for name in [*new, *(name for name in old if name not in new)]:
        path = f"{prefix}{name}"
        if name not in old:
            yield ColumnChange(path=path, old=None, new=type_text(new[name]))
        elif name not in new:
            yield ColumnChange(path=path, old=type_text(old[name]), new=None)
        else:
            yield from _type_changes(old[name], new[name], path)


def _type_changes(old: pl.DataType, new: pl.DataType, path: str) -> Iterator[ColumnChange]:
    if isinstance(old, pl.Struct) and isinstance(new, pl.Struct):
        yield from _field_changes(_fields(old), _fields(new), f"{path}.")
    elif isinstance(old, pl.List) and isinstance(new, pl.List):
        yield from _type_changes(_item(old), _item(new), f"{path}[]")
    elif old != new:
        yield ColumnChange(path=path, old=type_text(old), new=type_text(new))


def _fields(dtype: pl.Struct) -> dict[str, pl.DataType]:
    return {field.name: _instance(field.dtype) for field in dtype.fields}


def _item(dtype: pl.List) -> pl.DataType:
    return _instance(dtype.inner)


def _instance(dtype: DataTypeClass | pl.DataType) -> pl.DataType:
    # Both pl.List(pl.String) and pl.List(pl.String()) can be written.
    return dtype if isinstance(dtype, pl.DataType) else dtype()
