"""Unpacked: the memory that Parquet files take once they are read, so that small ones cannot fill it.

A file of some kilobytes can hold gigabytes: a text in a dictionary to which thousands of rows point, or nulls
by the billion. What it says of its own size leaves out the copies of such texts, so these are counted: the
columns that have some are decoded, a few rows at a time and without making the copies.
"""

from collections.abc import Iterable, Iterator, Sequence
from io import SEEK_END
from pathlib import Path
from typing import Any, BinaryIO

from blend.schemas.errors import RowError

TABLE_BYTES = 256 << 20
"""Bytes that rows may take which are read together, however small their files."""

TIMES = 100
"""How many times their own size larger files may take; those that builds write take 3 to 13 times theirs."""

_VALUE_BYTES = 16
"""What a value takes at most, without its text."""

_ROWS = 1 << 14
"""Rows that are decoded at a time."""

_FEW_ROWS = 16
"""Rows at a time where texts are written as what differs from the one before, so that each becomes a copy."""

_BY_DIFFERENCE = "DELTA_BYTE_ARRAY"
_FIX = "do not use it, and tell who made it"


def check_unpacked_size(file: Path | BinaryIO, *, where: str, columns: Sequence[str] = ()) -> int:
    """Refuse a Parquet file whose rows would take too much memory.

    Args:
        file: Path, or the file open for reading; it is left at its start.
        where: What messages call it.
        columns: Columns that are then read; all when empty.

    Returns:
        Bytes that the rows take.

    Raises:
        RowError: If they would; names the file, the sizes and the limit.
        OSError: If the file is missing or cannot be read.
        pyarrow.ArrowException: If it is not Parquet, or damaged.
    """
    if isinstance(file, Path):
        with file.open("rb") as opened:
            return check_unpacked_size(opened, where=where, columns=columns)
    n_bytes = file.seek(0, SEEK_END)
    allowed = _allowed(n_bytes)
    size = _unpacked_size(file, allowed, columns)
    if size > allowed:
        what = f"{n_bytes:,} bytes that unpack to {size:,} or more, and more than {allowed:,} is not read"
        raise RowError(f"{what} of a file of this size", where=where, fix=_FIX)
    file.seek(0)
    return size


def check_tables(paths: Iterable[Path], *, fix: str = _FIX) -> None:
    """Refuse what is not Parquet, or takes too much memory, before a library reads it that would just try.

    Args:
        paths: Files whose rows are read together.
        fix: What to do about one that is not Parquet.

    Raises:
        RowError: If one is not Parquet, or if they would take too much, each or together.
    """
    import pyarrow as pa

    sizes: dict[Path, int] = {}
    for path in paths:
        try:
            sizes[path] = check_unpacked_size(path, where=str(path))
        except pa.ArrowException:
            raise RowError("not a Parquet file, or damaged", where=str(path), fix=fix) from None
    allowed = _allowed(sum(path.stat().st_size for path in sizes))
    size = sum(sizes.values())
    if size > allowed:
        largest = max(sizes, key=lambda path: sizes[path])
        what = f"it and the {len(sizes) - 1} files read with it unpack to {size:,} bytes, and more than"
        raise RowError(f"{what} {allowed:,} is not read of files of their size", where=str(largest), fix=_FIX)


def _allowed(n_bytes: int) -> int:
    """Bytes that the rows of files of some size may take."""
    return max(TABLE_BYTES, TIMES * n_bytes)


def _unpacked_size(file: BinaryIO, most: int, columns: Sequence[str]) -> int:
    """Bytes that the rows of a file take; if that is more than ``most``, some number above it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        footer = pq.read_metadata(file)
        chunks = [chunk for chunk in _chunks(footer) if not columns or _top(chunk) in columns]
        claimed = [chunk.num_values * _VALUE_BYTES + chunk.total_uncompressed_size for chunk in chunks]
        size: int = max(sum(claimed), footer.num_rows * _VALUE_BYTES)
        texts = [chunk for chunk in chunks if chunk.physical_type == "BYTE_ARRAY"]
        copied = {chunk.path_in_schema for chunk in texts if _BY_DIFFERENCE in chunk.encodings}
        pointed = {chunk.path_in_schema for chunk in texts if chunk.has_dictionary_page} - copied
        if size > most or not pointed | copied:
            return size
        by_pointer = sorted(pointed)
        with pq.ParquetFile(file, metadata=footer, read_dictionary=by_pointer, pre_buffer=False) as parquet:
            for batch in _batches(parquet, _FEW_ROWS if copied else _ROWS, sorted(pointed | copied)):
                size += sum(_length(texts) for column in batch.columns for texts in _leaves(column))
                if size > most:
                    break
    except OSError as error:  # such as columns in columns, 100 deep
        raise pa.ArrowInvalid(str(error)) from None
    return size


def _batches(parquet: Any, n_rows: int, columns: Sequence[str]) -> Iterator[Any]:
    """Yield some columns, a few rows at a time.

    One row group after the other, since each has dictionaries of its own: Arrow cannot put lists that point to
    different ones into one batch.
    """
    for group in range(parquet.num_row_groups):
        yield from parquet.iter_batches(n_rows, row_groups=[group], columns=columns, use_threads=False)


def _chunks(footer: Any) -> Iterator[Any]:
    """Yield what a footer says of every column of every row group."""
    for group in map(footer.row_group, range(footer.num_row_groups)):
        yield from map(group.column, range(group.num_columns))


def _top(chunk: Any) -> str:
    """The column of the table that a column lies in."""
    return str(chunk.path_in_schema.split(".")[0])


def _length(texts: Any) -> int:
    """Bytes of all texts of a batch."""
    import pyarrow.compute as pc

    # By length in the dictionary, so that no copy of a text is made.
    lengths = pc.binary_length(getattr(texts, "dictionary", texts)).cast("int64")
    each = lengths.take(texts.indices) if hasattr(texts, "indices") else lengths
    return int(pc.sum(each).as_py() or 0)


def _leaves(values: Any) -> Iterator[Any]:
    """Yield what is in lists and objects, however deep."""
    import pyarrow as pa

    if isinstance(values, pa.ExtensionArray):
        values = values.storage
    if not pa.types.is_nested(values.type):
        yield values
        return
    parts = values.flatten()
    for part in parts if isinstance(parts, list) else [parts]:
        yield from _leaves(part)
