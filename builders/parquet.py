"""Parquet: a table written in streams, the same bytes for the same rows, with digests."""

import hashlib
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel

from blend.schemas.fitting import to_table
from blend.schemas.hub_features import written_schema
from blend.schemas.manifest import TableInfo

ROW_GROUP_ROWS = 10_000
"""Rows per row group: a reader of one page of rows reads little, and statistics stay useful."""

SHARD_ROWS = 200_000
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


def write_table(table: Table, release: Path, *, shard_rows: int = SHARD_ROWS) -> TableInfo:
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
    digest = hashlib.sha256()
    shards: list[Path] = []
    rows = 0
    writer: pq.ParquetWriter | None = None
    try:
        for group in _row_groups(table, schema):
            if rows % shard_rows == 0:
                if writer is not None:
                    writer.close()
                shards.append(folder / f"{table.split}-{len(shards):05}.parquet")
                writer = _open(shards[-1], schema)
            assert writer is not None
            writer.write_table(group, row_group_size=ROW_GROUP_ROWS)
            digest.update(canonical_rows(group))
            rows += len(group)
    finally:
        if writer is not None:
            writer.close()
    return TableInfo(
        config=table.config,
        split=table.split,
        rows=rows,
        content_sha256=digest.hexdigest(),
        schema_sha256=schema_digest(schema),
        files=tuple(shard.relative_to(release).as_posix() for shard in shards),
    )


def canonical_rows(rows: pa.Table) -> bytes:
    """The rows as a content digest sees them: one compact JSON object per line, columns in order, UTF-8.

    This is ``json.dumps(row, ensure_ascii=False, separators=(",", ":"))`` and a line feed for every row.
    """
    lines = io.BytesIO()
    frame = pl.from_arrow(rows)
    assert isinstance(frame, pl.DataFrame)
    frame.write_ndjson(lines)
    return lines.getvalue()


def schema_digest(schema: pa.Schema) -> str:
    """Digest of column names and types, blind to metadata."""
    columns = [[field.name, str(field.type)] for field in schema]
    return hashlib.sha256(json.dumps(columns).encode()).hexdigest()


def _row_groups(table: Table, schema: pa.Schema) -> Iterator[pa.Table]:
    """Tables of exactly `ROW_GROUP_ROWS` rows and a last smaller one, possibly empty if it is the only one."""
    waiting: list[pa.Table] = []
    n_waiting = 0
    n_groups = 0
    for batch in table.batches:
        waiting.append(to_table(batch, table.model).cast(schema))
        n_waiting += len(batch)
        if n_waiting < ROW_GROUP_ROWS:
            continue
        gathered = pa.concat_tables(waiting)
        full = n_waiting - n_waiting % ROW_GROUP_ROWS
        for start in range(0, full, ROW_GROUP_ROWS):
            n_groups += 1
            yield gathered.slice(start, ROW_GROUP_ROWS).combine_chunks()
        waiting, n_waiting = [gathered.slice(full)], n_waiting - full
    if n_waiting or not n_groups:
        # Not ``schema.empty_table()``, for which pyarrow imports pandas, a third of a second.
        none = pa.Table.from_batches([], schema)
        yield pa.concat_tables([none, *waiting]).combine_chunks()


def _open(path: Path, schema: pa.Schema) -> Any:
    return pq.ParquetWriter(path, schema, compression="zstd", use_content_defined_chunking=True)
