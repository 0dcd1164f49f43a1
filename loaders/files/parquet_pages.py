"""Pages of a Parquet file: what their headers say, read as whoever reads the file would read them.

A column of a row group is a sequence of *pages*, each with a header of its own, by which readers reserve
memory. The file's footer repeats some of it, and nothing keeps the footer to its word.
Format: https://parquet.apache.org/docs/file-format/, written in Thrift's compact protocol.
"""

from collections.abc import Iterator
from struct import Struct
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

if TYPE_CHECKING:
    import pyarrow.parquet as pq

_HEADER_BYTES = 1 << 12
"""Bytes in which most headers end; one can hold the smallest and the largest value of its page."""

_LONGEST_HEADER = 1 << 24
"""Bytes of the longest header that readers take."""

# Fields of a page's header, and of the two kinds of data pages in it.
_KIND, _UNPACKED, _PACKED, _DATA, _DATA_V2 = 1, 2, 3, 5, 8
_VALUES, _ENCODING = 1, {_DATA: 2, _DATA_V2: 4}
_DICTIONARY_PAGE = 2

# Kinds of fields in the compact protocol. A truth value is its kind and has no bytes; 4, 5 and 6 are whole
# numbers of 16, 32 and 64 bits.
_TRUE, _FALSE, _BYTE, _DOUBLE, _TEXT, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_NUMBERS = (4, 5, 6)

_LENGTH = Struct("<I")

BY_DICTIONARY = (2, 8)
"""Encodings whose values point into the dictionary page."""

BY_DIFFERENCE = 7
"""The encoding in which a text begins with as much of the text before it as it says."""


class Page(NamedTuple):
    """A page, by its header."""

    is_dictionary: bool
    """Whether it holds the values that other pages point to."""
    unpacked: int
    """Its bytes once they are unpacked."""
    values: int
    """Values in it, nulls and empty lists included; 0 in a dictionary."""
    encoding: int
    """How the values are written; 0 in a dictionary."""
    packed: int
    """Its bytes in the file."""
    position: int
    """Where it begins in the file, behind its header."""


def pages_of(file: BinaryIO, column: "pq.ColumnChunkMetaData") -> Iterator[Page]:
    """The pages of a column in a row group, until they hold as many values as the footer promises.

    Raises:
        pyarrow.ArrowInvalid: If a header cannot be read. What cannot be counted is not to be read either.
    """
    import pyarrow as pa

    if column.num_values <= 0:
        return  # of which readers read no page
    starts = (column.dictionary_page_offset, column.data_page_offset)
    # Readers disagree which of the two they begin with if the dictionary does not come first.
    if starts[0] is not None and starts[0] > starts[1]:
        raise pa.ArrowInvalid("a dictionary behind the values that point to it")
    position = min(start for start in starts if start) if any(starts) else 0
    end, values = position + column.total_compressed_size, 0
    while position < end and values < column.num_values:
        page = _page(file, position, _HEADER_BYTES)
        yield page
        values += page.values
        position = page.position + page.packed


def longest_in_dictionary(file: BinaryIO, page: Page, codec: str) -> int:
    """Bytes of the longest text in a dictionary page.

    Args:
        file: The file.
        page: The page.
        codec: How the column is packed, as its metadata name it.

    Raises:
        pyarrow.ArrowException: If it cannot be unpacked.
    """
    import pyarrow as pa

    file.seek(page.position)
    content = file.read(page.packed)
    if codec != "UNCOMPRESSED":
        content = pa.decompress(content, page.unpacked, codec.lower(), asbytes=True)
    length_at, longest, position, end = _LENGTH.unpack_from, 0, 0, len(content) - 4
    # Each text stands behind its length. There can be millions: `max` alone would take half of the time.
    while position <= end:
        (length,) = length_at(content, position)
        if length > longest:
            longest = length
        position += 4 + length
    return longest


def _page(file: BinaryIO, position: int, length: int) -> Page:
    """The page at a place in a file. ``length`` is how much to read of its header at first."""
    import pyarrow as pa

    file.seek(position)
    content = file.read(length)
    reader = _Header(content)
    try:
        fields = reader.fields()
    except IndexError:
        if len(content) == length < _LONGEST_HEADER:
            # It may go on behind what was read.
            return _page(file, position, 16 * length)
        fields = {}
    except (ValueError, RecursionError):
        fields = {}
    kind = next((kind for kind in (_DATA, _DATA_V2) if isinstance(fields.get(kind), dict)), None)
    data = {} if kind is None else fields[kind]
    assert isinstance(data, dict)
    page = Page(
        is_dictionary=fields.get(_KIND) == _DICTIONARY_PAGE,
        unpacked=_integer(fields.get(_UNPACKED)),
        values=0 if kind is None else _integer(data.get(_VALUES)),
        encoding=0 if kind is None else _integer(data.get(_ENCODING[kind])),
        packed=_integer(fields.get(_PACKED)),
        position=position + reader.position,
    )
    # -1 is what `_integer` makes of a field that is missing.
    if min(page) < 0:
        raise pa.ArrowInvalid("a page without a header that can be read")
    return page


_Fields = dict[int, "int | _Fields"]


def _integer(value: "int | _Fields | None") -> int:
    return value if isinstance(value, int) else -1


class _Header:
    """The header of a page: numbered fields, some of them with fields of their own."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.position = 0
        """Where reading goes on; behind the header once it is read."""

    def fields(self) -> _Fields:
        """The whole numbers among the fields, and the fields with fields of their own, by number.

        Raises:
            IndexError, ValueError: If it ends too early, or is not a header.
        """
        found: _Fields = {}
        field = 0
        while kind := self._byte():
            # Upper four bits: how far the field's number is from the last one's, 0 where it is written out.
            # Lower four: its kind. A byte of 0 ends the fields.
            step = kind >> 4
            field = field + step if step else self._number()
            if kind & 15 in _NUMBERS:
                found[field] = self._number()
            elif kind & 15 == _STRUCT:
                found[field] = self.fields()
            else:
                self._skip(kind & 15)
        return found

    def _skip(self, kind: int) -> None:
        if kind == _STRUCT:
            self.fields()
        elif kind in _NUMBERS:
            self._varint()
        elif kind == _TEXT:
            length = self._varint()
            self.position += length
        elif kind in (_LIST, _SET):
            size = self._byte()
            # Upper four bits: the number of items, 15 where it is written out; lower four: their kind.
            items = self._varint() if size >> 4 == 15 else size >> 4
            if items > len(self.content) - self.position:  # every item takes a byte or more
                raise IndexError
            for _ in range(items):
                # In a list, whether something is true takes a byte of its own.
                self._skip(_BYTE if size & 15 in (_TRUE, _FALSE) else size & 15)
        elif kind in (_BYTE, _DOUBLE):
            self.position += 1 if kind == _BYTE else 8
        elif kind not in (_TRUE, _FALSE):
            raise ValueError(f"{kind} is not a kind of field")

    def _number(self) -> int:
        number = self._varint()
        # Zigzag: 0, -1, 1, -2 … are written as 0, 1, 2, 3 …
        return (number >> 1) ^ -(number & 1)

    def _varint(self) -> int:
        # Seven bits in a byte, the lowest first; the eighth says that more follow.
        number = shift = 0
        while (byte := self._byte()) & 128:
            number |= (byte & 127) << shift
            shift += 7
        return number | byte << shift

    def _byte(self) -> int:
        byte = self.content[self.position]
        self.position += 1
        return byte
