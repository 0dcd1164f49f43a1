"""Unpacked: the memory that Parquet files take once they are read, so that small ones cannot fill it.

A file of some kilobytes can hold gigabytes: a text in a dictionary to which thousands of rows point, texts that
repeat the one before them, nulls by the billion. What its footer says of sizes is a claim; readers go by the
headers of its pages, so these are added up. Where they leave open how long the texts of a column are, its
dictionary is looked at, and only if that does not tell either, the column is read, without making copies of
its texts.
"""

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from blend.loaders.files.parquet_pages import (
    BY_DICTIONARY,
    BY_DIFFERENCE,
    Page,
    longest_in_dictionary,
    pages_of,
)
from blend.schemas.errors import RowError

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

TEXT_BYTES = 16 << 20
"""Bytes of the longest text."""

GROUP_BYTES = 1 << 30
"""Bytes that a row group may take, which is read as a whole; those that builds write take some megabytes."""

TABLE_BYTES = 256 << 20
"""Bytes that rows may take which are read together, however small their files."""

TIMES = 100
"""How many times their own size larger files may take; those that builds write take 3 to 13 times theirs."""

FOOTER_BYTES = 4 << 20
"""Longest footer: one can take 240 times its size in memory; those that builds write have some kilobytes."""

_VALUE_BYTES = 16
"""What a value takes in a column of texts, without its text."""

_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8}

_COUNTED_ROWS = 1 << 16
"""Rows of a column whose texts are counted at a time."""

_FIX = "do not use it, and tell who made it"


def check_unpacked_size(file: Path | BinaryIO, *, where: str, columns: Sequence[str] = ()) -> None:
    """Refuse a Parquet file of which a text, a row group or all rows would take too much memory.

    Args:
        file: Path, or the file open for reading; it is left at its start.
        where: What messages call it.
        columns: Columns that are then read; all when empty.

    Raises:
        RowError: If it would; names the file, the sizes and the limit.
        OSError: If the file is missing or cannot be read.
        pyarrow.ArrowException: If it is not Parquet, or contradicts itself.
    """
    _Table(file, where, columns).check()


def check_tables(paths: Iterable[Path], *, fix: str = _FIX, at_once: bool = True) -> None:
    """Refuse what is not Parquet, or takes too much memory, before a library reads it that would just try.

    Args:
        paths: Files whose rows are read together.
        fix: What to do about one that is not Parquet.
        at_once: Whether all rows are in memory together, and not one row group after the other.

    Raises:
        RowError: If one is not Parquet, or if they would take too much, each or together.
    """
    import pyarrow as pa

    tables = [_Table(path, str(path)) for path in paths]
    for table in tables:
        try:
            table.check(at_once=at_once)
        except pa.ArrowException:
            raise RowError("not a Parquet file, or damaged", where=table.where, fix=fix) from None
    if not at_once:
        return
    allowed = _allowed(sum(table.n_bytes for table in tables))
    size = _size([column for table in tables for column in table.columns], allowed)
    if size > allowed:
        largest = max(tables, key=lambda table: sum(column.size for column in table.columns))
        raise _refusal(
            f"it and the {len(tables) - 1} files read with it unpack to {size:,} bytes, and more than "
            f"{allowed:,} is not read of files of their size",
            largest.where,
        )


class _Table:
    """A Parquet file and what it takes."""

    def __init__(self, source: Path | BinaryIO, where: str, wanted: Sequence[str] = ()) -> None:
        self.source = source
        self.where = where
        self._wanted = wanted

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """The file, open at its start; a path is opened anew, so that thousands need not be open at once."""
        if isinstance(self.source, Path):
            with self.source.open("rb") as file:
                yield file
        else:
            self.source.seek(0)
            try:
                yield self.source
            finally:
                self.source.seek(0)

    def check(self, *, at_once: bool = True) -> None:
        """Refuse it, if it alone takes too much or contradicts itself; errors as of `check_unpacked_size`."""
        self._check_footer()
        self._check_layout()
        allowed = _allowed(self.n_bytes)
        # Nothing is counted before it is known that what is counted has room.
        size = max(_size(self.columns, allowed), self.metadata.num_rows * _VALUE_BYTES)
        if at_once and size > allowed:
            raise self._refusal(
                f"unpack to {size:,}, and more than {allowed:,} is not read of a file of this size"
            )
        for group, columns in groupby(self.columns, lambda column: column.group):
            size = max(_size(list(columns), GROUP_BYTES), self.metadata.row_group(group).total_byte_size)
            if size > GROUP_BYTES:
                raise self._refusal(
                    f"unpack to {size:,} in one row group, and more than {GROUP_BYTES:,} is not read"
                )
        for column in self.columns:
            if (length := column.longest_text(TEXT_BYTES)) > TEXT_BYTES:
                raise self._refusal(
                    f"unpack to a text of {length:,} in column {column.path!r}, and none of more than "
                    f"{TEXT_BYTES:,} is read"
                )

    @cached_property
    def n_bytes(self) -> int:
        with self.opened() as file:
            return file.seek(0, io.SEEK_END)

    @cached_property
    def metadata(self) -> "pq.FileMetaData":
        import pyarrow as pa
        import pyarrow.parquet as pq

        with self.opened() as file:
            try:
                return pq.read_metadata(file)
            except OSError as error:  # such as columns in columns, 100 deep
                raise pa.ArrowInvalid(str(error)) from None

    @cached_property
    def columns(self) -> "list[_Column]":
        """Every column, of those wanted, of every row group."""
        groups = map(self.metadata.row_group, range(self.metadata.num_row_groups))
        with self.opened() as file:
            return [
                _Column(self, group, number, list(pages_of(file, footer.column(number))))
                for group, footer in enumerate(groups)
                for number in range(footer.num_columns)
                if not self._wanted or footer.column(number).path_in_schema.split(".")[0] in self._wanted
            ]

    @cached_property
    def slots(self) -> "dict[str, int]":
        """By column of the table, how many items a null takes: lists of a fixed size have room for all."""
        return {field.name: _slots(field.type) for field in self.metadata.schema.to_arrow_schema()}

    @cached_property
    def pointing(self) -> list[str]:
        """Columns of texts that can be read without making copies of what is in their dictionaries."""
        apart = {column.path for column in self.columns if column.has_differences}
        return sorted({column.path for column in self.columns if column.is_text} - apart)

    def _check_footer(self) -> None:
        with self.opened() as file:
            # A file ends in the footer, the footer's length in four bytes, and the four bytes PAR1.
            file.seek(max(self.n_bytes - 8, 0))
            length = int.from_bytes(file.read(4), "little")
        # A larger number than the file has bytes is no footer, which who reads it will say.
        if FOOTER_BYTES < length <= self.n_bytes:
            raise self._refusal(f"have a footer of {length:,}, and none of more than {FOOTER_BYTES:,} is read")

    def _check_layout(self) -> None:
        """Refuse columns that cannot be told apart, by their place in the file or by their names."""
        import pyarrow as pa

        groups = map(self.metadata.row_group, range(self.metadata.num_row_groups))
        packed = sum(
            group.column(number).total_compressed_size
            for group in groups
            for number in range(group.num_columns)
        )
        if packed > self.n_bytes:
            raise pa.ArrowInvalid("columns that lie over one another")
        schema = self.metadata.schema
        # With a dot behind, one path begins another only where the columns are the same or lie in one another.
        paths = sorted(schema.column(number).path + "." for number in range(self.metadata.num_columns))
        if any(later.startswith(path) for path, later in pairwise(paths)):
            raise pa.ArrowInvalid("two columns of one name")

    def _refusal(self, what: str) -> RowError:
        return _refusal(f"{self.n_bytes:,} bytes that {what}", self.where)


class _Column:
    """A column of a row group: what it takes in memory, at most at first and then as exactly as needed."""

    def __init__(self, table: _Table, group: int, number: int, pages: Sequence[Page]) -> None:
        footer, schema = table.metadata.row_group(group), table.metadata.schema.column(number)
        self.table = table
        self.group = group
        self.path: str = schema.path
        self.is_text = schema.physical_type == "BYTE_ARRAY"
        self._is_flat = schema.max_repetition_level == 0
        self._codec: str = footer.column(number).compression
        self._dictionaries = [page for page in pages if page.is_dictionary]
        self._pages = [page for page in pages if not page.is_dictionary]
        # Whoever promises much is held to it: readers reserve memory by what they are told first.
        values = max(footer.column(number).num_values, footer.num_rows, sum(page.values for page in pages))
        slots = table.slots.get(self.path.split(".")[0], 1)
        if slots > 1:
            values = max(values, slots * (footer.num_rows if schema.max_repetition_level == 1 else values))
        # Types without an entry have a fixed length, which the schema says.
        width = _VALUE_BYTES if self.is_text else _WIDTHS.get(schema.physical_type, schema.length)
        self.least: int = values * width + sum(page.unpacked for page in pages)
        """Bytes without the copies of texts that stand in the file once and in the rows more often."""
        dictionary = max((page.unpacked for page in self._dictionaries), default=0)
        pages_bytes = [dictionary, *(page.unpacked for page in self._pages)]
        self._longest: int = max(pages_bytes) if self.is_text else width
        self._copies = self._copies_at_most(dictionary) if self.is_text else 0
        self._steps = self._counts()

    @property
    def size(self) -> int:
        """Bytes in memory, at most as far as is known."""
        return self.least + self._copies

    @property
    def has_differences(self) -> bool:
        """Whether texts are written as what differs from the one before."""
        return any(page.encoding == BY_DIFFERENCE for page in self._pages)

    def longest_text(self, allowed: int) -> int:
        """Bytes of the longest text: at most, if that is no more than allowed."""
        while self._longest > allowed and self.look_closer():
            pass
        return self._longest

    def look_closer(self) -> bool:
        """Find out more; false if there is no more to be found out."""
        return next(self._steps, False)

    def _copies_at_most(self, longest: int) -> int:
        """Bytes of all copies of texts, if those in the dictionary have no more than ``longest``."""
        return sum(
            # A text that is written as a difference can be as long as its page, whatever the dictionary holds.
            page.values * (longest if page.encoding in BY_DICTIONARY else page.unpacked)
            for page in self._pages
            if page.encoding in (*BY_DICTIONARY, BY_DIFFERENCE)
        )

    def _counts(self) -> Iterator[bool]:
        """Yield what can be found out, step by step, the cheapest first."""
        import pyarrow as pa

        if not self.is_text or not self._pages:
            return
        longest = None
        # Not every way of packing is known here.
        with suppress(pa.ArrowException), self.table.opened() as file:
            entries = [longest_in_dictionary(file, page, self._codec) for page in self._dictionaries]
            longest = max(entries, default=0)
        # Behind the block, which leaves the file at its start: who is told may ask for no more.
        if longest is not None:
            self._copies = self._copies_at_most(longest)
            self._longest = max([longest, *(page.unpacked for page in self._pages)])
            yield True
        if self.has_differences and not self._is_flat:
            return  # a single row could hold all of them
        rows = max(1, TEXT_BYTES // self._longest) if self.has_differences else _COUNTED_ROWS
        counts = list(self._texts(rows))
        self._copies = sum(total for total, _ in counts)
        self._longest = max((longest for _, longest in counts), default=0)
        yield True

    def _texts(self, rows: int) -> Iterator[tuple[int, int]]:
        """Bytes of all texts, and of the longest, of some rows at a time."""
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        with (
            self.table.opened() as file,
            pq.ParquetFile(
                file,
                metadata=self.table.metadata,
                read_dictionary=self.table.pointing,
                pre_buffer=False,
                arrow_extensions_enabled=False,
            ) as parquet,
        ):
            for batch in parquet.iter_batches(
                rows, row_groups=[self.group], columns=[self.path], use_threads=False
            ):
                for texts in _leaves(batch.column(0)):
                    # By length in the dictionary, so that no copy of a text is made.
                    lengths = pc.binary_length(getattr(texts, "dictionary", texts))
                    each = lengths.take(texts.indices) if hasattr(texts, "indices") else lengths
                    yield pc.sum(each).as_py() or 0, pc.max(lengths).as_py() or 0


def _allowed(n_bytes: int) -> int:
    """Bytes that the rows of files of some size may take."""
    return max(TABLE_BYTES, TIMES * n_bytes)


def _size(columns: Sequence[_Column], allowed: int) -> int:
    """Bytes that columns take: at most, if that is no more than allowed."""
    size = sum(column.size for column in columns)
    if sum(column.least for column in columns) > allowed:
        return size
    closer = True
    while closer and size > allowed:  # all a little closer before any comes closer still
        closer = False
        for column in sorted(columns, key=lambda column: column.size, reverse=True):
            if size > allowed:
                size -= column.size
                closer |= column.look_closer()
                size += column.size
    return size


def _slots(dtype: "pa.DataType") -> int:
    """Items for which lists of fixed sizes in a type have room."""
    import pyarrow as pa

    inner = max((_slots(dtype.field(number).type) for number in range(dtype.num_fields)), default=1)
    return inner * dtype.list_size if pa.types.is_fixed_size_list(dtype) else inner


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


def _refusal(what: str, where: str) -> RowError:
    return RowError(what, where=where, fix=_FIX)
