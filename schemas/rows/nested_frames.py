"""Nested rows: a frame of rows with lists and structs in them, made without a series for every list.

From nested Python lists polars makes a series of each, tens of thousands for a table of annotations. Here the
values of a column are laid end to end, level by level, with the lengths of the lists beside them.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa

if TYPE_CHECKING:
    from polars._typing import PolarsDataType


def nested_frame(rows: Sequence[Mapping[str, Any]], schema: pl.Schema) -> pl.DataFrame:
    """Rows as a frame, in order; the same as ``pl.DataFrame(rows, schema)``.

    Args:
        rows: A mapping per row; a column that is missing in it is null.
        schema: The columns.
    """
    columns = {name: _array([row.get(name) for row in rows], dtype) for name, dtype in schema.items()}
    return pl.DataFrame({name: pl.from_arrow(column) for name, column in columns.items()}, schema)


def _array(values: Sequence[Any], dtype: "PolarsDataType") -> pa.Array:
    if isinstance(dtype, pl.List):
        lengths = (0 if value is None else len(value) for value in values)
        # Offsets: the items of list i lie from ``ends[i]`` to ``ends[i + 1]``; a null takes none.
        ends = pl.Series(accumulate(lengths, initial=0), dtype=pl.Int64).to_arrow()
        items = list(chain.from_iterable(value for value in values if value is not None))
        return pa.LargeListArray.from_arrays(ends, _array(items, dtype.inner), mask=_missing(values))
    if isinstance(dtype, pl.Struct):
        fields = {
            field.name: _array([None if v is None else v[field.name] for v in values], field.dtype)
            for field in dtype.fields
        }
        return pa.StructArray.from_arrays([*fields.values()], [*fields], mask=_missing(values))
    return pl.Series(values, dtype=dtype).to_arrow()


def _missing(values: Sequence[Any]) -> pa.Array:
    return pl.Series([value is None for value in values], dtype=pl.Boolean).to_arrow()
