"""Parquet: a table written in streams, the same bytes for the same rows, with digests."""

import hashlib
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel

from blend.schemas.arrow_types import published, published_columns, written_schema
from blend.schemas.manifest import TableInfo

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer

ROW_GROUP_ROWS = 10_000
"""Rows per row group: a reader of one page of rows reads little, and statistics stay useful."""

_DIGESTED_ROWS = 1_000

_SHARD_ROWS = 200_000
"""Rows per file: some ten megabytes of multiple-choice questions."""


@dataclass(frozen=True, slots=True)
class Table:
    """A split of a configuration, to be written."""

    config: str
    """Configuration, for example ``annotations``."""
    split: str
    """Split, for example ``KR``."""
    model: type[BaseModel]
    """What each row must be."""
    batches: Iterable[pl.DataFrame]
    """The rows, in frames of any size; columns named by the model's fields."""
    are_published: bool = False
    """Whether the rows are published rows already (`arrow_types.published`), checked before they were
    cut into tables: of sixteen small tables that takes a third of the time."""


def write_table(table: Table, release: Path, *, shard_rows: int = _SHARD_ROWS) -> TableInfo:
    """Write a table below ``release/data`` and say what was written.

    Rows are checked against the model, gathered into row groups of a fixed size whatever the sizes of the
    incoming frames, compressed with zstd and cut by content-defined chunking, so that a small change of the
    rows changes few bytes. Memory holds one row group.

    Args:
        table: The rows and their place.
        release: Root of the release.
        shard_rows: Rows per file, a multiple of the row group's.

    Returns:
        Rows, files and digests.
    """
    folder = release / "data" / table.config
    folder.mkdir(parents=True, exist_ok=True)
    schema = written_schema(table.model)
    digest = ContentDigest()
    shards: list[Path] = []
    rows = 0
    writer: pq.ParquetWriter | None = None
    try:
        for group in _row_groups(table):
            # A file holds whole row groups, as `shard_rows` is a multiple of their size.
            if rows % shard_rows == 0:
                if writer is not None:
                    writer.close()
                shards.append(folder / f"{table.split}-{len(shards):05}.parquet")
                writer = _open(shards[-1], schema)
            assert writer is not None
            writer.write_table(_in_arrow(group, schema), row_group_size=ROW_GROUP_ROWS)
            digest.add(group)
            rows += len(group)
    finally:
        if writer is not None:
            writer.close()
    # Arrow keeps memory for later: the tables of a release are written once.
    pa.default_memory_pool().release_unused()
    return TableInfo(
        config=table.config,
        split=table.split,
        rows=rows,
        content_sha256=digest.hexdigest(),
        schema_sha256=schema_digest(schema),
        files=tuple(shard.relative_to(release).as_posix() for shard in shards),
    )


class ContentDigest:
    """SHA-256 over rows as one compact JSON object per line, columns in order, UTF-8; rows may come in parts.

    A line is ``json.dumps(row, ensure_ascii=False, separators=(",", ":"))`` and a line feed.
    """

    def __init__(self) -> None:
        self._lines = _Digesting()

    def add(self, rows: pl.DataFrame) -> None:
        """Take in further rows."""
        # As JSON, rows take several times their memory: some of them at a time.
        for some in rows.iter_slices(_DIGESTED_ROWS):
            some.write_ndjson(cast(IO[bytes], self._lines))

    def hexdigest(self) -> str:
        """The digest of all rows so far."""
        return self._lines.digest.hexdigest()


class _Digesting(io.RawIOBase):
    """A file that keeps the digest of what is written to it, and nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.digest = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, content: "Buffer", /) -> int:
        self.digest.update(content)
        return memoryview(content).nbytes


def schema_digest(schema: pa.Schema) -> str:
    """Digest of column names and types, blind to metadata."""
    columns = [[field.name, str(field.type)] for field in schema]
    return hashlib.sha256(json.dumps(columns).encode()).hexdigest()


def _row_groups(table: Table) -> Iterator[pl.DataFrame]:
    """Frames of exactly `ROW_GROUP_ROWS` rows and a last smaller one, possibly empty if it is the only one."""
    waiting: list[pl.DataFrame] = []
    n_waiting = 0
    n_groups = 0
    for batch in table.batches:
        waiting.append(batch if table.are_published else published(batch, table.model))
        n_waiting += len(batch)
        if n_waiting < ROW_GROUP_ROWS:
            continue
        gathered = pl.concat(waiting)
        # Whole row groups go out; what is left waits for the next frame, so that groups do not depend on how
        # rows came.
        full = n_waiting - n_waiting % ROW_GROUP_ROWS
        for start in range(0, full, ROW_GROUP_ROWS):
            n_groups += 1
            yield gathered.slice(start, ROW_GROUP_ROWS)
        waiting, n_waiting = [gathered.slice(full)], n_waiting - full
    if n_waiting or not n_groups:
        none = pl.DataFrame(schema=published_columns(table.model))
        yield pl.concat([none, *waiting])


def _in_arrow(rows: pl.DataFrame, schema: pa.Schema) -> pa.Table:
    assert rows.columns == schema.names, "rows of another model"
    # One column at a time: on its way, all of a row group would be in memory four times.
    columns = [rows[column.name].to_arrow().cast(column.type) for column in schema]
    return pa.Table.from_arrays(columns, schema=schema)


def _open(path: Path, schema: pa.Schema) -> Any:
    return pq.ParquetWriter(path, schema, compression="zstd", use_content_defined_chunking=True)
