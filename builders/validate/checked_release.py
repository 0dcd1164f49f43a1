"""The release under check, opened once, whose tables every check reads in streams."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from blend.builders.parquet import ContentDigest, schema_digest
from blend.loaders.files.content import check_unpacked_size
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.releases import parse_manifest
from blend.schemas.arrow_types import arrow_schema, published_names
from blend.schemas.errors import InputError, UnknownNameError
from blend.schemas.locales import Locale, Registry
from blend.schemas.manifest import ReleaseManifest, TableInfo, leads_out
from blend.schemas.rows import (
    MULTIPLE_CHOICE_CONFIGS,
    QUESTION_CONFIGS,
    base_config,
    key_of,
    model_of,
)

if TYPE_CHECKING:
    from polars._typing import PolarsDataType

T = TypeVar("T")

BATCH_ROWS = 10_000
"""Rows that a check holds at a time."""


class Batch(NamedTuple):
    """Some rows of a table."""

    table: TableInfo
    """The table."""
    file: str
    """The file they stand in, relative to the release."""
    rows: pl.DataFrame
    """The rows, columns by their published names."""

    def location(self, row_id: object) -> str:
        """Return where a row stands: file and id."""
        return f"{self.file}:{row_id}"

    def complete(self) -> "Batch":
        """The rows without a null anywhere in them; the others are told by the check of rows."""
        columns = [_is_complete(pl.col(name), dtype) for name, dtype in self.rows.schema.items()]
        return self._replace(rows=self.rows.filter(pl.all_horizontal(columns)))


class Survey(NamedTuple):
    """Contents of a table's files as they really are."""

    rows: int
    content_sha256: str
    schema_sha256: str
    schema: pa.Schema


@dataclass(frozen=True)
class Release:
    """A release to be checked."""

    path: Path
    """Its directory."""
    manifest: ReleaseManifest
    """Its manifest."""
    locales: Registry
    """The known locales."""
    on_progress: ProgressCallback = silent
    """Told about the rows that a check has read of a configuration, and how many there are."""

    @classmethod
    def open(cls, path: Path, locales: Registry, on_progress: ProgressCallback = silent) -> "Release":
        """The release in a directory.

        Raises:
            BlendError: If the directory holds no manifest that this version reads.
        """
        return cls(path, parse_manifest(path), locales, on_progress)

    @cached_property
    def surveys(self) -> Mapping[tuple[str, str], Survey | str]:
        """By configuration and split, what the files hold, or why they cannot be read; reads all."""
        rows_read = _RowsRead(self.on_progress, self.manifest.tables)
        return {(table.config, table.split): self._survey(table, rows_read) for table in self.manifest.tables}

    @cached_property
    def _made(self) -> dict[Callable[["Release"], Any], Any]:
        """Results that `once` keeps, by the function that made them."""
        return {}

    @cached_property
    def valid_tables(self) -> Sequence[TableInfo]:
        """Tables that can be read and have the columns of their model: those that checks of rows look at."""
        return tuple(table for table in self.manifest.tables if self._is_valid(table))

    def once(self, make: Callable[["Release"], T]) -> T:
        """Compute something of the release once, for the first check that asks, and keep it for the others."""
        if make not in self._made:
            self._made[make] = make(self)
        made: T = self._made[make]
        return made

    def tables(self, config: str) -> list[TableInfo]:
        """The valid tables of a configuration, in the manifest's order."""
        return [table for table in self.valid_tables if table.config == config]

    def batches(self, *configs: str, columns: Sequence[str] | None = None) -> Iterator[Batch]:
        """The rows of the valid tables, some at a time.

        Args:
            configs: Configurations to read; all without any.
            columns: Columns to read, of those that the configuration has; all when absent. The id column is
                always among them.
        """
        tables = [table for table in self.valid_tables if not configs or table.config in configs]
        rows_read = _RowsRead(self.on_progress, tables)
        for table in tables:
            for batch in self.read(table, columns):
                yield batch
                rows_read.add(table.config, batch.rows.height)

    def made_here(self, columns: Sequence[str]) -> Iterator[Batch]:
        """`batches` of multiple-choice questions without the rows that a source has with their options.

        Whose answers their options are, nobody knows.
        """
        for batch in self.batches(*MULTIPLE_CHOICE_CONFIGS, columns=[*columns, "source"]):
            yield batch._replace(rows=batch.rows.filter(pl.col("source").is_null()).drop("source"))

    def read(self, table: TableInfo, columns: Sequence[str] | None = None) -> Iterator[Batch]:
        """The rows of a valid table, some at a time; columns as `batches` takes them."""
        held = arrow_schema(model_of(table.config)).names
        key = id_column(table.config)
        wanted = held if columns is None else [key, *(name for name in held if name in columns and name != key)]
        for file in table.files:
            for rows in _read(self.path / file, wanted):
                yield Batch(table, file, pl.DataFrame(rows))

    def unread(self, config: str) -> frozenset[str]:
        """Locales whose table of a configuration cannot be read: what refers to their rows is not judged.

        That the table is damaged or missing is told once, by the check of tables, not once for every row that
        refers to it.
        """
        damaged = [t for t in self.manifest.tables if t.config == config and t not in self.valid_tables]
        locales = map(self.locale_of, damaged)
        return frozenset(locale.tag for locale in locales if locale is not None)

    def locale_of(self, table: TableInfo) -> Locale | None:
        """The locale whose split a table is; null for splits of other kinds, or if nobody registered it."""
        if table.config not in QUESTION_CONFIGS:
            return None
        return next((locale for locale in self.locales if locale.split == table.split), None)

    def _survey(self, table: TableInfo, rows_read: "_RowsRead") -> Survey | str:
        digest = ContentDigest()
        rows = 0
        schema: pa.Schema | None = None
        for name in table.files:
            if leads_out(name):
                return f"{name!r} leads out of the release"
            if (self.path / name).exists() and not (self.path / name).is_file():
                return f"{name} is not a regular file"  # reading from a pipe would never end
            try:
                check_unpacked_size(self.path / name, where=name)
                for batch in _read(self.path / name, None):
                    if schema is not None and batch.schema != schema:
                        return f"{name} has other columns than the file before it"
                    schema = batch.schema
                    batch.validate(full=True)
                    digest.add(pl.DataFrame(batch))
                    rows += len(batch)
                    rows_read.add(table.config, len(batch))
            except FileNotFoundError:
                return f"{name} is missing"
            except InputError as refused:
                return f"{name} is not read ({refused})"
            except (OSError, pa.ArrowException, pl.exceptions.PolarsError) as broken:
                return f"{name} cannot be read as parquet ({str(broken).splitlines()[0]})"
        if schema is None:
            return "it has no files"
        # Parquet calls the items of every list ``element``.
        schema = pa.schema([pa.field(field.name, _type_as_written(field.type)) for field in schema])
        return Survey(rows, digest.hexdigest(), schema_digest(schema), schema)

    def _is_valid(self, table: TableInfo) -> bool:
        survey = self.surveys[table.config, table.split]
        return (
            isinstance(survey, Survey)
            and is_known(table.config)
            and survey.schema_sha256 == schema_digest(arrow_schema(model_of(table.config)))
        )


class _RowsRead:
    """Tells about the rows that were read of some tables, by configuration."""

    def __init__(self, on_progress: ProgressCallback, tables: Iterable[TableInfo]) -> None:
        self._on_progress = on_progress
        self._done: Counter[str] = Counter()
        self._total: Counter[str] = Counter()
        for table in tables:
            self._total[table.config] += table.rows

    def add(self, config: str, rows: int) -> None:
        self._done[config] += rows
        self._on_progress(f"read rows of {config}", self._done[config], self._total[config])


def is_known(config: str) -> bool:
    """Whether there is a model for the rows of a configuration."""
    try:
        return bool(base_config(config))
    except UnknownNameError:
        return False


def id_column(config: str) -> str:
    """The column that names the rows of a configuration."""
    return published_names(model_of(config))[key_of(config)]


def _is_complete(value: pl.Expr, dtype: "PolarsDataType") -> pl.Expr:
    """Whether a value is not null, nor any value inside it."""
    held = value.is_not_null()
    if isinstance(dtype, pl.List):
        return held & value.list.eval(_is_complete(pl.element(), dtype.inner)).list.all()
    if isinstance(dtype, pl.Struct):
        return held & pl.all_horizontal(
            _is_complete(value.struct.field(field.name), field.dtype) for field in dtype.fields
        )
    return held


def _type_as_written(dtype: pa.DataType) -> pa.DataType:
    if pa.types.is_list(dtype):
        return pa.list_(_type_as_written(dtype.value_type))
    if pa.types.is_struct(dtype):
        return pa.struct([pa.field(field.name, _type_as_written(field.type)) for field in dtype])
    return dtype


def _read(path: Path, columns: list[str] | None) -> Iterator[pa.Table]:
    """The rows of a file in tables of at most `BATCH_ROWS`; one empty table if there are none."""
    with pq.ParquetFile(path) as file:
        empty = True
        for batch in file.iter_batches(batch_size=BATCH_ROWS, columns=columns, use_threads=False):
            empty = False
            yield pa.Table.from_batches([batch])
        if empty:
            schema = file.schema_arrow
            yield (schema if columns is None else pa.schema([schema.field(c) for c in columns])).empty_table()
