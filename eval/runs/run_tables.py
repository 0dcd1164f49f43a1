"""Tables of a run: Parquet files that appear whole, and are read only as they were written.

The SHA-256 of each stands beside it, ``gold.parquet.sha256``, as ``sha256sum`` prints it. A table without
one is read unchecked.
"""

import errno
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from pathlib import Path

import polars as pl

from blend.loaders.files.atomic import atomic_file, atomic_write
from blend.loaders.files.content import file_identity, is_directory, open_content, parquet_rows, read_content
from blend.loaders.files.pins import file_sha256
from blend.loaders.files.unpacked import check_tables
from blend.schemas.errors import RowError

RESTORE = "restore it from a copy, or run again into another directory"
"""What to do about a table that is not as the run has written it."""

_ENDING = ".sha256"


def write_frame(path: Path, rows: pl.DataFrame) -> None:
    """Write a table that appears complete under its name or not at all, with its digest beside it."""
    with atomic_table(path) as beside:
        rows.write_parquet(beside, compression="zstd")


@contextmanager
def atomic_table(path: Path) -> Iterator[Path]:
    """A path to write a table to, as `atomic_file`; its digest is written when the block ends."""
    if is_directory(path):  # before digests change for a table that cannot have its name
        raise IsADirectoryError(errno.EISDIR, "Is a directory", str(path))
    digest = ""
    with atomic_file(path) as beside:
        yield beside
        digest = file_sha256(beside)
        # Until the table has its name, the one before it counts as well: a kill leaves either.
        _write_digests(path, [*_digests(path), digest])
    _write_digests(path, [digest])


@contextmanager
def rows_to(path: Path) -> Iterator[Callable[[pl.DataFrame], None]]:
    """A function that adds rows to a table, which appears as `write_frame` writes it when the block ends.

    The first rows, of which there may be none, say which columns there are.
    """
    from pyarrow.parquet import ParquetWriter

    with atomic_table(path) as beside, ExitStack() as opened:
        writers: list[ParquetWriter] = []

        def add(rows: pl.DataFrame) -> None:
            table = rows.to_arrow()
            if not writers:
                writers.append(opened.enter_context(ParquetWriter(beside, table.schema, compression="zstd")))
            if rows.height:
                writers[0].write_table(table)

        yield add


def read_frame(path: Path, *columns: str, fix: str = RESTORE) -> pl.DataFrame:
    """A table of a run, or some of its columns.

    Args:
        path: The file.
        columns: Columns to read; all when absent.
        fix: What to do about a file that cannot be read, for the message.

    Raises:
        RowError: If it is missing, not as it was written, or lacks a column.
    """
    _check_digest(path, fix)
    with open_content(path) as file:
        return parquet_rows(file, where=str(path), fix=fix, columns=columns)


def rows_in_parts(path: Path, columns: Sequence[str], size: int) -> Iterator[pl.DataFrame]:
    """The rows of a table, some at a time and in order; `check_frame` tells whether it is as it was written.

    Args:
        path: The file.
        columns: Columns to read; all when empty.
        size: Rows of a part; the last one may have fewer.
    """
    from pyarrow.parquet import ParquetFile

    rest = pl.DataFrame()
    with ParquetFile(path) as file:
        # Row by row group: a batch ends where one does.
        for batch in file.iter_batches(batch_size=size, columns=list(columns) or None):
            rows = pl.DataFrame(batch).select(columns or pl.all())
            rest = pl.concat([rest, rows]) if rest.height else rows
            while rest.height >= size:
                yield rest[:size]
                rest = rest[size:]
    if rest.height:
        yield rest


def check_frame(path: Path, *, fix: str = RESTORE) -> None:
    """Whether a table is there, as it was written, and no bomb, for one that is then read bit by bit.

    Raises:
        RowError: If not; names both digests, or what it would take in memory.
    """
    _check_digest(path, fix)
    # Who sends a run to others writes the digest as well.
    check_tables([path], fix=fix, at_once=False)


def table_sha256(path: Path) -> str:
    """The digest of a table as it is."""
    return _sha256(path, file_identity(path))


def _check_digest(path: Path, fix: str) -> None:
    try:
        found = table_sha256(path)
        noted = _digests(path)
        if noted and found not in noted:
            # It may have been replaced since its digest was asked for.
            found, noted = file_sha256(path), _digests(path)
    except RowError as error:
        raise RowError(error.what, where=error.where, fix=fix) from None
    if noted and found not in noted:
        raise RowError(
            f"not as it was written: its SHA-256 is {found}, and {path.name}{_ENDING} says {noted[-1]}",
            where=str(path),
            fix=fix,
        )


@lru_cache(maxsize=64)
def _sha256(path: Path, _: tuple[int, int, int] | None) -> str:
    """The digest of a file, computed once for as long as nobody replaces it."""
    return file_sha256(path)


def _digests(path: Path) -> list[str]:
    beside = path.with_name(path.name + _ENDING)
    if file_identity(beside) is None:
        return []
    lines = read_content(beside).decode("ascii", "replace").splitlines()
    return [line.partition(" ")[0] for line in lines]


def _write_digests(path: Path, digests: list[str]) -> None:
    lines = [f"{digest}  {path.name}\n" for digest in digests]
    atomic_write(path.with_name(path.name + _ENDING), "".join(lines))
