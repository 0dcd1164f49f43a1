"""Unpacked sizes of Parquet files, whatever the files say of themselves."""

import io
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from blend.loaders.files import unpacked
from blend.loaders.files.content import parquet_rows
from blend.loaders.files.unpacked import check_unpacked_size
from blend.schemas.errors import RowError

LONG = 100_000


def written(**options: Any) -> bytes:
    """A table with a few long texts, numbers and lists, as Parquet."""
    rows = range(1_000)
    table = pa.table(
        {
            "text": ["x" * LONG, "y" * LONG, *(f"b{row}" for row in rows)],
            "number": [None, 7, *rows],
            "list": [[], ["z"], *([str(row), None] for row in rows)],
        }
    )
    file = io.BytesIO()
    pq.write_table(table, file, compression="zstd", **options)
    return file.getvalue()


def lying(content: bytes) -> bytes:
    """The same file, whose metadata call every size of a row group and its columns a few bytes."""
    metadata, at = pq.read_metadata(io.BytesIO(content)), len(content) - 8
    footer = bytearray(content[at - int.from_bytes(content[-8:-4], "little") : at])
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        columns = [group.column(column) for column in range(group.num_columns)]
        for size in (group.total_byte_size, *(column.total_uncompressed_size for column in columns)):
            true = varint(size)
            if len(true) > 1:
                footer[:] = footer.replace(true, bytes([0x80 | true[0] & 0x0E, *[0x80] * (len(true) - 2), 0]))
    return content[: at - len(footer)] + bytes(footer) + content[at:]


def varint(number: int) -> bytes:
    """A whole number as Thrift's compact protocol writes it."""
    left, digits = number << 1, []
    while left > 127:
        digits.append(left & 127 | 128)
        left >>= 7
    return bytes([*digits, left])


WAYS = [
    {},
    {"use_dictionary": False},
    {"data_page_version": "2.0"},
    {"row_group_size": 100},
    {"use_content_defined_chunking": True, "write_page_checksum": True},
]


@pytest.mark.parametrize("options", WAYS, ids=str)
def test_the_pages_are_added_up(options: dict[str, Any]):
    content = written(**options)
    file = io.BytesIO(content)
    group = pq.read_metadata(file).row_group(0)
    for number in range(group.num_columns):
        column = group.column(number)
        found = unpacked._unpacked_bytes(file, column)
        # The metadata count the headers of the pages as well.
        assert found <= column.total_uncompressed_size
        if column.path_in_schema == "text":
            assert found > 2 * LONG


@pytest.mark.parametrize("options", WAYS, ids=str)
def test_a_file_that_calls_itself_small_is_not_read(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch):
    content = lying(written(**options))
    group = pq.read_metadata(io.BytesIO(content)).row_group(0)
    assert group.total_byte_size < 100
    assert pl.read_parquet(content)["text"].str.len_bytes().max() == LONG  # readers believe the pages
    parquet_rows(io.BytesIO(content), where="a.parquet", fix="")
    monkeypatch.setattr(unpacked, "GROUP_BYTES", LONG)
    with pytest.raises(RowError) as caught:
        parquet_rows(io.BytesIO(content), where="a.parquet", fix="")
    assert str(caught.value).startswith(f"a.parquet: {len(content):,} bytes that unpack to 2")
    assert str(caught.value).endswith(
        " in one row group, and more than 100,000 is not read; do not use it, and tell who made it"
    )


def test_a_header_that_is_none_ends_the_count(tmp_path: Path):
    content = written()
    column = pq.read_metadata(io.BytesIO(content)).row_group(0).column(0)
    start = column.dictionary_page_offset
    for garbage in (b"\x1c" * 5_000, b"\xff" * 5_000, b"\x00" * 10):
        path = tmp_path / "broken.parquet"
        path.write_bytes(content[:start] + garbage + content[start + len(garbage) :])
        with path.open("rb") as file:
            assert unpacked._unpacked_bytes(file, column) == 0
        check_unpacked_size(path, where="broken.parquet")
