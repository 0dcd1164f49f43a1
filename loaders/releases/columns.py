"""Columns of a release's table, read one at a time: memory holds a number per row, never the texts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
from polars.datatypes import DataTypeClass
from pydantic import JsonValue

from blend.loaders.files.content import check_unpacked_size
from blend.schemas.errors import InputError
from blend.schemas.manifest import MANIFEST_NAME, TableInfo

Digests = npt.NDArray[np.uint64]
"""A digest per row: equal values have equal digests, and unequal ones differ but for a chance of 2^-64."""

_ROW = "row number"


class TableColumns:
    """One split of one configuration of a release directory, as its parquet files hold it."""

    def __init__(self, release: Path, info: TableInfo) -> None:
        """Look at the files' schema; no rows are read.

        Args:
            release: Release directory.
            info: The table, as the manifest names it.

        Raises:
            InputError: If a file is missing or cannot be read.
        """
        missing = [file for file in info.files if not (release / file).is_file()]
        if missing:
            raise InputError(
                f"{release}: {', '.join(missing)} of {MANIFEST_NAME} is missing; "
                "copy or build the release again"
            )
        self._where = f"{release}, {info.config}/{info.split}"
        self._rows = pl.scan_parquet([release / file for file in info.files], glob=False)
        with self._readable():
            for file in info.files:
                check_unpacked_size(release / file, where=str(release / file))
            self.types: Mapping[str, pl.DataType] = self._rows.collect_schema()
            """Type of every column, in the order of the columns."""
            self.n_rows: int = self._rows.select(pl.len()).collect().item()
            """Rows in all files."""

    def digests(self, columns: Mapping[str, pl.DataType], *, seed: int = 0) -> Digests:
        """A digest of some columns for every row, in the order of the rows.

        Args:
            columns: Names, and the type in which to look at each: its own, or one without some nested fields.
            seed: Other seeds give other digests. Digests of the same seed and types can be compared, in this
                process alone.

        Returns:
            Shape ``(rows,)``.
        """
        parts = [
            pl.col(name) if self.types[name] == dtype else _narrowed(pl.col(name), dtype).alias(name)
            for name, dtype in columns.items()
        ]
        simple = len(parts) == 1 and not next(iter(columns.values())).is_nested()
        # JSON text is unambiguous where a hash of lists in lists would not have to be.
        value = parts[0] if simple else pl.struct(parts).struct.json_encode()
        with self._readable():
            hashed = self._rows.select(value.hash(seed)).collect(engine="streaming")
        return hashed.to_series().to_numpy()

    def values(self, columns: Sequence[str], rows: Iterable[int]) -> dict[int, dict[str, JsonValue]]:
        """The values of some columns in a few rows.

        Args:
            columns: Names.
            rows: Row numbers from 0, in any order.

        Returns:
            Row number to its values by column.
        """
        wanted = sorted(set(rows))
        if not wanted:
            return {}
        first, last = wanted[0], wanted[-1]
        span = self._rows.select(columns).slice(first, last - first + 1).with_row_index(_ROW, offset=first)
        with self._readable():
            found = span.filter(pl.col(_ROW).is_in(wanted)).collect(engine="streaming")
        return {row.pop(_ROW): row for row in found.iter_rows(named=True)}

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (OSError, pa.ArrowException, pl.exceptions.PolarsError) as error:
            reason = str(error).partition("\n")[0]
            raise InputError(
                f"{self._where}: cannot be read ({reason}); copy or build the release again"
            ) from error


def _narrowed(value: pl.Expr, dtype: DataTypeClass | pl.DataType) -> pl.Expr:
    """The value without the nested fields that ``dtype`` does not have."""
    if isinstance(dtype, pl.List):
        return value.list.eval(_narrowed(pl.element(), dtype.inner))
    if isinstance(dtype, pl.Struct):
        fields = [_narrowed(value.struct.field(f.name), f.dtype).alias(f.name) for f in dtype.fields]
        return pl.when(value.is_not_null()).then(pl.struct(fields))
    return value
