"""Unpacked: how much of a Parquet file is read at once, so that a small one from elsewhere cannot fill memory.

A file says how large its parts are once they are unpacked, and nothing but the parts themselves keeps it to its
word. Every part (*page*) has a header of its own, by which readers reserve memory; these are added up here.
Format: https://parquet.apache.org/docs/file-format/, written in Thrift's compact protocol.
"""

import io
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from blend.schemas.errors import RowError

if TYPE_CHECKING:
    import pyarrow.parquet as pq

GROUP_BYTES = 1 << 30
"""Bytes that a row group may take once it is unpacked; those that builds write take some megabytes."""

_HEADER_BYTES = 1 << 12
"""Bytes in which most headers end; one can hold the smallest and the largest value of its page."""

_UNPACKED, _PACKED = 2, 3
"""Fields of a page's header: its size before and after it was packed, in bytes."""

_TRUE, _FALSE, _BYTE, _DOUBLE, _TEXT, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_NUMBERS = (4, 5, 6)


def check_unpacked_size(file: Path | BinaryIO, *, where: str) -> None:
    """Refuse a Parquet file of which one row group, which is read as a whole, would take too much memory.

    Args:
        file: Path, or the file open for reading; it is left where it was.
        where: What messages call it.

    Raises:
        RowError: If it would; names the file and the sizes.
        OSError: If the file is missing or cannot be read.
        pyarrow.ArrowException: If it is not Parquet.
    """
    if isinstance(file, Path):
        with file.open("rb") as content:
            return check_unpacked_size(content, where=where)
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(file)
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        found = sum(_unpacked_bytes(file, group.column(column)) for column in range(group.num_columns))
        size = max(found, group.total_byte_size)
        if size > GROUP_BYTES:
            raise RowError(
                f"{file.seek(0, io.SEEK_END):,} bytes that unpack to {size:,} in one row group, and more than "
                f"{GROUP_BYTES:,} is not read",
                where=where,
                fix="do not use it, and tell who made it",
            )
    file.seek(0)
    return None


def check_table(path: Path) -> None:
    """Refuse what is not Parquet, or takes too much memory, before a library reads it that would just try.

    Raises:
        RowError: If it is not one, or would take too much.
    """
    import pyarrow as pa

    try:
        check_unpacked_size(path, where=str(path))
    except pa.ArrowException:
        raise RowError(
            "not a Parquet file, or damaged", where=str(path), fix="do not use it, and tell who made it"
        ) from None


def _unpacked_bytes(file: BinaryIO, column: "pq.ColumnChunkMetaData") -> int:
    """What the pages of a column in a row group take, by their headers; as far as these can be read.

    Who cannot read a header reads no page either, so that a broken one is told by who reads the file.
    """
    starts = (column.dictionary_page_offset, column.data_page_offset)
    position = min(start for start in starts if start is not None)
    end, total = position + column.total_compressed_size, 0
    while position < end:
        header = _header(file, position, _HEADER_BYTES)
        if header is None:
            break
        total += header.unpacked
        position += header.length + header.packed
    return total


class _Page(NamedTuple):
    """What the header of a page says."""

    unpacked: int
    packed: int
    length: int
    """Bytes of the header itself."""


def _header(file: BinaryIO, position: int, length: int) -> _Page | None:
    """The header at a place in a file; null if there is none. ``length`` is how much to read of it at first."""
    file.seek(position)
    content = file.read(length)
    reader = _Header(content)
    try:
        sizes = reader.sizes()
    except IndexError:
        return None if len(content) < length else _header(file, position, 16 * length)
    except (ValueError, RecursionError):
        return None
    page = _Page(sizes.get(_UNPACKED, -1), sizes.get(_PACKED, -1), reader.position)
    return None if min(page) < 0 else page


class _Header:
    """The header of a page: numbered fields, some of them with fields of their own."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.position = 0
        """Where reading goes on; behind the header once it is read."""

    def sizes(self) -> dict[int, int]:
        """The whole numbers among the fields, by the fields' numbers.

        Raises:
            IndexError, ValueError: If it ends too early, or is not a header.
        """
        numbers: dict[int, int] = {}
        field = 0
        while kind := self._byte():
            step = kind >> 4
            field = field + step if step else self._number()
            if kind & 15 in _NUMBERS:
                numbers[field] = self._number()
            else:
                self._skip(kind & 15)
        return numbers

    def _skip(self, kind: int) -> None:
        if kind == _STRUCT:
            self.sizes()
        elif kind in _NUMBERS:
            self._varint()
        elif kind == _TEXT:
            length = self._varint()
            self.position += length
        elif kind in (_LIST, _SET):
            size = self._byte()
            for _ in range(self._varint() if size >> 4 == 15 else size >> 4):
                self._skip(size & 15)
        elif kind in (_BYTE, _DOUBLE):
            self.position += 1 if kind == _BYTE else 8
        elif kind not in (_TRUE, _FALSE):
            raise ValueError(f"{kind} is not a kind of field")

    def _number(self) -> int:
        number = self._varint()
        return (number >> 1) ^ -(number & 1)

    def _varint(self) -> int:
        number = shift = 0
        while (byte := self._byte()) & 128:
            number |= (byte & 127) << shift
            shift += 7
        return number | byte << shift

    def _byte(self) -> int:
        byte = self.content[self.position]
        self.position += 1
        return byte
