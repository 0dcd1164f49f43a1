"""The release under check, read once, and the report: what each check found, how serious, where, what to do."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Self

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ValidationError, computed_field

from blend.loaders.files.content import check_unpacked_size
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.releases import read_manifest
from blend.schemas.arrow_types import published_columns, published_names
from blend.schemas.errors import LINES_PER_CAUSE, InputError, UnknownNameError, cause_of
from blend.schemas.locales import Locale, Registry
from blend.schemas.manifest import ReleaseManifest, TableInfo
from blend.schemas.models import FrozenModel, first_reason
from blend.schemas.rows import QUESTION_CONFIGS, key_of, model_of
from blend.schemas.summaries import Summarised, Table
from blend.schemas.texts import pluralise

REBUILD = "rebuild the release"
"""What to do where the build, not its input, is at fault."""

CORRECT_AND_REBUILD = "correct the source and rebuild the release"
"""What to do where the input is at fault."""


class Level(StrEnum):
    """Seriousness of a problem; the worst first."""

    ERROR = "error"
    """The release is not what it says it is, or would harm its users: it must not be published."""
    WARNING = "warning"
    """A person should look at it; known irregularities of the sources are warnings."""


class Problem(FrozenModel):
    """One thing that a check found."""

    level: Level
    """How serious it is."""
    where: str
    """Place: ``data/annotations/KR-00000.parquet:Al-en-01`` for a row, else a file or a part of one."""
    what: str
    """What was found there."""
    fix: str = ""
    """What to do about it; empty where there is nothing to do."""

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" + (f"; {self.fix}" if self.fix else "")


class CheckResult(FrozenModel):
    """Problems that one check found."""

    check: str
    """Name of the check."""
    title: str
    """What it looks at, in a few words."""
    errors: int
    """Number of errors."""
    warnings: int
    """Number of warnings."""
    examples: tuple[Problem, ...]
    """Problems of every level, worst level first: all where they are few, else some of every cause."""

    @computed_field  # type: ignore[prop-decorator]  # mypy knows no decorated properties
    @property
    def level(self) -> Level | None:
        """The worst level met; null when all is well."""
        return Level.ERROR if self.errors else Level.WARNING if self.warnings else None

    @classmethod
    def of(cls, check: str, title: str, problems: Iterable[Problem], *, examples: int) -> Self:
        """Count the problems of a check, and keep some of each level as examples."""
        found: dict[Level, list[Problem]] = {level: [] for level in Level}
        for problem in problems:
            found[problem.level].append(problem)
        return cls(
            check=check,
            title=title,
            errors=len(found[Level.ERROR]),
            warnings=len(found[Level.WARNING]),
            examples=tuple(problem for level in Level for problem in _examples(found[level], examples)),
        )


class ValidationReport(Summarised, FrozenModel):
    """Everything that was checked about a release."""

    release: str
    """The release as it was named."""
    name: str
    """Name of the dataset."""
    version: str
    """Version of the release."""
    rows: int
    """Rows of all its tables, as its manifest says."""
    sdk_version: str
    """Version of the SDK that checked it."""
    checks: tuple[CheckResult, ...]
    """One result per check, in the order in which they ran."""

    def as_tables(self) -> list[Table]:
        """A row per check: what it looks at, and how many problems of each level it found."""
        rows = [(one.check, one.title, one.errors or None, one.warnings or None) for one in self.checks]
        columns = ("check", "what it looks at", "errors", "warnings")
        return [Table.of(f"{self.name} {self.version}, {pluralise(self.rows, 'row')}", columns, rows)]

    @computed_field  # type: ignore[prop-decorator]  # as above
    @property
    def errors(self) -> int:
        """Number of errors of all checks."""
        return sum(check.errors for check in self.checks)

    @computed_field  # type: ignore[prop-decorator]  # as above
    @property
    def warnings(self) -> int:
        """Number of warnings of all checks."""
        return sum(check.warnings for check in self.checks)

    def passes(self, *, strict: bool = False) -> bool:
        """Whether the release may be published: no errors, and with ``strict`` no warnings either."""
        return not self.errors and not (strict and self.warnings)


def _examples(problems: Sequence[Problem], n: int) -> Sequence[Problem]:
    """All where they are few; else a few of every cause, and more of the first ones while there is room."""
    if len(problems) <= n:
        return problems
    met: Counter[tuple[str, str]] = Counter()
    few: list[Problem] = []
    more: list[Problem] = []
    for problem in problems:
        cause = cause_of(problem.what, problem.fix)
        met[cause] += 1
        (few if met[cause] <= LINES_PER_CAUSE else more).append(problem)
    return [*few, *more][:n]


def error(where: str, what: str, fix: str = "") -> Problem:
    """A problem that forbids publishing."""
    return Problem(level=Level.ERROR, where=where, what=what, fix=fix)


def warning(where: str, what: str, fix: str = "") -> Problem:
    """A problem that a person should look at."""
    return Problem(level=Level.WARNING, where=where, what=what, fix=fix)


# The release under check: every table as a frame whose rows say where they stand.


class _InvalidRow(NamedTuple):
    """A row that its model refuses."""

    location: str
    row_id: str
    error: ValidationError


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
    """Told about the tables that were read, and how many there are."""

    @classmethod
    def open(cls, path: Path, locales: Registry, on_progress: ProgressCallback = silent) -> "Release":
        """The release in a directory.

        Raises:
            BlendError: As `loaders.releases.read_manifest`.
        """
        return cls(path, read_manifest(path), locales, on_progress)

    @cached_property
    def contents(self) -> Mapping[tuple[str, str], pl.DataFrame | str]:
        """By configuration and split, the rows that the files hold, or why they cannot be read; reads all.

        The first column is the ``location`` of a row, file and id; the others have their published names.
        """
        found = {}
        for done, table in enumerate(self.manifest.tables, start=1):
            found[table.config, table.split] = self._content(table)
            self.on_progress("read the tables", done, len(self.manifest.tables))
        return found

    @cached_property
    def tables(self) -> Mapping[TableInfo, pl.DataFrame]:
        """All rows of the tables that can be read and have the columns of their model, sound or not."""
        found = {}
        for table in self.manifest.tables:
            content = self.contents[table.config, table.split]
            if isinstance(content, str) or not is_known(table.config):
                continue
            if content.drop("location").schema == published_columns(model_of(table.config)):
                found[table] = content
        return found

    @cached_property
    def invalid_rows(self) -> Mapping[TableInfo, Sequence[_InvalidRow]]:
        """The rows of `tables` that their model refuses; the check of rows tells of them, and no other."""
        return {table: list(_refused(table, rows)) for table, rows in self.tables.items()}

    def rows(self, config: str) -> pl.DataFrame:
        """The valid rows of a configuration, with the ``location`` and the ``split`` of each."""
        columns = {"location": pl.String(), **published_columns(model_of(config)), "split": pl.String()}
        parts = [pl.DataFrame(schema=columns)]
        for table, rows in self.tables.items():
            if table.config == config:
                wrong = [row.location for row in self.invalid_rows[table]]
                valid = rows.filter(~pl.col("location").is_in(wrong)) if wrong else rows
                parts.append(valid.with_columns(split=pl.lit(table.split)))
        return pl.concat(parts)

    def is_damaged(self, config: str) -> bool:
        """Whether some rows of a configuration cannot be read: what refers to them is not judged."""
        of_config = [table for table in self.manifest.tables if table.config == config]
        return any(table not in self.tables or self.invalid_rows[table] for table in of_config)

    def locale_of(self, table: TableInfo) -> Locale | None:
        """The locale whose split a table is; null for splits of other kinds, or if nobody registered it."""
        if table.config not in QUESTION_CONFIGS:
            return None
        return next((locale for locale in self.locales if locale.split == table.split), None)

    def _content(self, table: TableInfo) -> pl.DataFrame | str:
        parts: list[pl.DataFrame] = []
        for name in table.files:
            if (self.path / name).exists() and not (self.path / name).is_file():
                return f"{name} is not a regular file"  # reading from a pipe would never end
            try:
                with (self.path / name).open("rb") as file:
                    check_unpacked_size(file, where=name)
                    rows = pq.ParquetFile(file).read(use_threads=False)
                # Reading looks at neither offsets nor UTF-8; with ``full`` this does.
                rows.validate(full=True)
                frame = _located(pl.DataFrame(rows), name, table.config)
            except FileNotFoundError:
                return f"{name} is missing"
            except InputError as refused:
                return f"{name} is not read ({refused})"
            except (OSError, pa.ArrowException, pl.exceptions.PolarsError) as broken:
                return f"{name} cannot be read as parquet ({first_reason(broken)})"
            if parts and frame.schema != parts[0].schema:
                return f"{name} has other columns than the file before it"
            parts.append(frame)
        return pl.concat(parts) if parts else "it has no files"


def is_known(config: str) -> bool:
    """Whether there is a model for the rows of a configuration."""
    try:
        return bool(model_of(config))
    except UnknownNameError:
        return False


def id_column(config: str) -> str:
    """The column that names the rows of a configuration."""
    return published_names(model_of(config))[key_of(config)]


def _located(rows: pl.DataFrame, file: str, config: str) -> pl.DataFrame:
    name = id_column(config) if is_known(config) else ""
    row_id = pl.col(name).cast(pl.String).fill_null("None") if name in rows.columns else pl.lit("None")
    return rows.select(pl.format("{}:{}", pl.lit(file), row_id).alias("location"), pl.all())


def _refused(table: TableInfo, rows: pl.DataFrame) -> Iterator[_InvalidRow]:
    model, name = model_of(table.config), id_column(table.config)
    for row in rows.iter_rows(named=True):
        location = row.pop("location")
        try:
            model.model_validate(row)
        except ValidationError as error:
            yield _InvalidRow(location, row[name], error)
