"""The release under check, opened once, whose tables every check reads in streams."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, get_args

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from blend.builders.parquet import ContentDigest, schema_digest
from blend.builders.validate.repeated import REPEATED, regions_agree, texts_agree
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.files.unpacked import check_unpacked_size
from blend.loaders.releases import parse_manifest
from blend.schemas.base.arrow_types import arrow_schema, published_names
from blend.schemas.errors import InputError, UnknownNameError
from blend.schemas.language.locales import Locale, Registry
from blend.schemas.release.manifest import ReleaseManifest, TableInfo
from blend.schemas.release.release_layout import leads_out
from blend.schemas.rows.configs import (
    MULTIPLE_CHOICE_CONFIGS,
    QUESTION_CONFIGS,
    base_config,
    key_of,
    model_of,
)
from blend.schemas.rows.vectorised_validation import published_columns, suspect_rows

if TYPE_CHECKING:
    from polars._typing import PolarsDataType

T = TypeVar("T")

BATCH_ROWS = 10_000
"""Rows that a check holds at a time."""

KEPT_BYTES = 192 << 20
"""Memory for columns that are kept once they are read: twenty checks look at the same ones."""

Doubt = Literal["rows", "texts", "regions"]
"""What may be wrong with a row: its types and limits, or its columns that repeat others."""


class Batch(NamedTuple):
    """Some rows of a table."""

    table: TableInfo
    """The table."""
    file: str
    """The file they stand in, relative to the release."""
    number: int
    """The how many-th batch of the file it is, from 0."""
    rows: pl.DataFrame
    """The rows, columns by their published names."""

    def location(self, row_id: object) -> str:
        """Return where a row stands: file and id."""
        return f"{self.file}:{row_id}"

    def complete(self) -> "Batch":
        """The rows without a null anywhere in them; the others are told by the check of rows."""
        columns_complete = [_is_complete(pl.col(name), dtype) for name, dtype in self.rows.schema.items()]
        are_complete = self.rows.select(pl.all_horizontal(columns_complete)).to_series()
        return self if are_complete.all() else self._replace(rows=self.rows.filter(are_complete))


class Survey(NamedTuple):
    """Contents of a table's files as they really are."""

    rows: int
    content_sha256: str
    schema_sha256: str
    schema: pa.Schema
    doubts: Mapping[Doubt, frozenset[tuple[str, int]]]
    """The batches with rows about which there is a doubt, by file and number; of most releases none."""


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
    def _kept(self) -> dict[str, list[pl.DataFrame]]:
        """By file its batches, without the columns that are `REPEATED`."""
        return {}

    @cached_property
    def _bytes_left(self) -> list[int]:
        """In a list of one, the bytes that may still be kept."""
        # A frozen dataclass sets no attribute anew; the number in a list can change.
        return [KEPT_BYTES]

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

    def suspect_rows(
        self, doubt: Doubt, *configs: str, columns: Sequence[str] | None = None
    ) -> Iterator[Batch]:
        """Those of `batches` that hold rows about which there is a doubt; all others are surely well."""
        for table in self.valid_tables:
            if not configs or table.config in configs:
                yield from self.read(table, columns, only=self.doubts(table, doubt))

    def doubts(self, table: TableInfo, doubt: Doubt) -> frozenset[tuple[str, int]]:
        """The batches of a valid table about which there is a doubt, by file and number."""
        survey = self.surveys[table.config, table.split]
        assert isinstance(survey, Survey)
        return survey.doubts[doubt]

    def read(
        self,
        table: TableInfo,
        columns: Sequence[str] | None = None,
        *,
        only: Collection[tuple[str, int]] | None = None,
    ) -> Iterator[Batch]:
        """The rows of a valid table, some at a time.

        Args:
            table: The table.
            columns: As `batches` takes them.
            only: Batches to read, by file and number; all when absent.
        """
        every = arrow_schema(model_of(table.config)).names
        wanted = every if columns is None else self._columns(table.config, columns)
        for file in table.files:
            if only is not None and not any(file == held for held, _ in only):
                continue
            for number, rows in enumerate(self._frames(file, wanted)):
                if only is None or (file, number) in only:
                    yield Batch(table, file, number, rows)

    def _frames(self, file: str, columns: list[str]) -> Iterator[pl.DataFrame]:
        """Some columns of a file, batch by batch."""
        if file in self._kept and REPEATED.isdisjoint(columns):
            return (kept.select(columns) for kept in self._kept[file])
        return map(_frame, _read(self.path / file, columns))

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

    def _columns(self, config: str, wanted: Sequence[str]) -> list[str]:
        name = id_column(config)
        held = arrow_schema(model_of(config)).names
        return [name, *(column for column in held if column in wanted and column != name)]

    def _survey(self, table: TableInfo, rows_read: "_RowsRead") -> Survey | str:
        digest = ContentDigest()
        rows = 0
        schema: pa.Schema | None = None
        doubts: dict[Doubt, set[tuple[str, int]]] = {"rows": set(), "texts": set(), "regions": set()}
        for name in table.files:
            if leads_out(name):
                return f"{name!r} leads out of the release"
            if (self.path / name).exists() and not (self.path / name).is_file():
                return f"{name} is not a regular file"  # reading from a pipe would never end
            try:
                check_unpacked_size(self.path / name, where=name)
                for number, batch in enumerate(_read(self.path / name, None)):
                    if schema is not None and batch.schema != schema:
                        return f"{name} has other columns than the file before it"
                    schema = batch.schema
                    batch.validate(full=True)
                    frame = _frame(batch)
                    digest.add(frame)
                    rows += len(batch)
                    self._keep(name, number, frame)
                    for doubt in self._doubts(table.config, frame):
                        doubts[doubt].add((name, number))
                    rows_read.add(table.config, len(batch))
            except FileNotFoundError:
                return f"{name} is missing"
            except InputError as refused:
                return f"{name} is not read ({refused})"
            except (OSError, pa.ArrowException, pl.exceptions.PolarsError) as broken:
                return f"{name} cannot be read as parquet ({str(broken).splitlines()[0]})"
        if schema is None:
            return "it has no files"
        schema = _as_written(schema)
        found = {doubt: frozenset(batches) for doubt, batches in doubts.items()}
        return Survey(rows, digest.hexdigest(), schema_digest(schema), schema, found)

    def _doubts(self, config: str, rows: pl.DataFrame) -> Iterator[Doubt]:
        """Find out what may be wrong with any of the rows, while all their columns are at hand."""
        if not is_known(config) or rows.schema != published_columns(model_of(config)):
            yield from get_args(Doubt)
            return
        if len(suspect_rows(rows, model_of(config))):
            yield "rows"
        if config in MULTIPLE_CHOICE_CONFIGS:
            if not texts_agree(rows).all():
                yield "texts"
            if not regions_agree(rows, self.locales).all():
                yield "regions"

    def _keep(self, file: str, number: int, rows: pl.DataFrame) -> None:
        """Keep a batch of a file, if there is room for it and the batches before it were kept."""
        short = rows.drop(REPEATED, strict=False)
        of_file = self._kept.setdefault(file, []) if number == 0 else self._kept.get(file)
        if of_file is None:
            return
        self._bytes_left[0] -= int(short.estimated_size())
        if self._bytes_left[0] < 0:
            # All batches of a file or none.
            self._bytes_left[0] += sum(int(batch.estimated_size()) for batch in (*self._kept.pop(file), short))
        else:
            of_file.append(short)

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


def _as_written(schema: pa.Schema) -> pa.Schema:
    """The columns as they were before parquet called the items of every list ``element``."""
    return pa.schema([pa.field(field.name, _type_as_written(field.type)) for field in schema])


def _type_as_written(dtype: pa.DataType) -> pa.DataType:
    if pa.types.is_list(dtype):
        return pa.list_(_type_as_written(dtype.value_type))
    if pa.types.is_struct(dtype):
        return pa.struct([pa.field(field.name, _type_as_written(field.type)) for field in dtype])
    return dtype


def _frame(rows: pa.Table) -> pl.DataFrame:
    frame = pl.from_arrow(rows)
    assert isinstance(frame, pl.DataFrame)
    return frame


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
