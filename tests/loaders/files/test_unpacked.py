"""Unpacked sizes of Parquet files, whatever the files say of themselves."""

import io
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from blend.loaders.files import unpacked
from blend.loaders.files.content import parquet_rows
from blend.loaders.files.parquet_pages import pages_of
from blend.loaders.files.unpacked import check_tables, check_unpacked_size
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
            true = varint(size << 1)
            if len(true) > 1:
                footer[:] = footer.replace(true, bytes([0x80 | true[0] & 0x0E, *[0x80] * (len(true) - 2), 0]))
    return content[: at - len(footer)] + bytes(footer) + content[at:]


def varint(number: int) -> bytes:
    """A length as Thrift's compact protocol writes it; a number as twice itself."""
    left, digits = number, []
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
        pages = list(pages_of(file, column))
        # The metadata count the headers of the pages as well.
        assert sum(page.unpacked for page in pages) <= column.total_uncompressed_size
        assert sum(page.values for page in pages) == column.num_values
        if column.path_in_schema == "text":
            assert sum(page.unpacked for page in pages) > 2 * LONG


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


def test_a_header_that_is_none_is_damage(tmp_path: Path):
    content = written()
    column = pq.read_metadata(io.BytesIO(content)).row_group(0).column(0)
    start = column.dictionary_page_offset
    # The last one: a list that says it has 2**34 items, each of which takes no byte.
    for garbage in (b"\x1c" * 5_000, b"\xff" * 5_000, b"\x00" * 10, b"\x19\xf1\xff\xff\xff\xff\x3f"):
        path = tmp_path / "broken.parquet"
        path.write_bytes(content[:start] + garbage + content[start + len(garbage) :])
        with pytest.raises(pa.ArrowInvalid, match=r"^a page without a header that can be read$"):
            check_unpacked_size(path, where="broken.parquet")


def bomb(values: pa.Array, **options: Any) -> bytes:
    """A table of one column, written small."""
    file = io.BytesIO()
    options = {"write_statistics": False, "store_schema": False} | options
    pq.write_table(
        pa.table({"a": values}), file, compression="zstd", dictionary_pagesize_limit=1 << 30, **options
    )
    return file.getvalue()


def many(n_rows: int, text: str) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array([0] * n_rows, pa.int32()), pa.array([text]))


def by_difference() -> bytes:
    texts = pa.array(["x" * (1 << 20)] * 400, pa.large_string())
    return bomb(texts, use_dictionary=False, column_encoding={"a": "DELTA_BYTE_ARRAY"})


def footer_of(*elements: bytes, n_rows: int) -> bytes:
    """A file that is a footer: the elements of its schema, and how many rows it says it has."""
    footer = b"\x15\x02\x19" + bytes([0xF0 | 12]) + varint(len(elements)) + b"".join(elements)
    footer += b"\x16" + varint(n_rows << 1) + b"\x19\x0c\0"
    return b"PAR1" + footer + struct.pack("<i", len(footer)) + b"PAR1"


def nested(depth: int) -> bytes:
    """A file whose one column is in another, and so on."""
    group = b"\x35\x02\x18\x01g\x15\x02\0"
    return footer_of(*[group] * depth, b"\x15\x0c\x25\x02\x18\x01x\0", n_rows=0)


def group_twice() -> bytes:
    """A file whose footer names its only row group a thousand times."""
    content = bomb(pa.array(["x" * 1_000]))
    length = int.from_bytes(content[-8:-4], "little")
    footer = content[-8 - length : -8]
    at = footer.index(b"\x19\x1c\x19\x1c", 20)  # a list of one group, which begins with a list of one column
    end = footer.index(b"\x28", at)  # who wrote it
    while not pq_reads(content[: -8 - length], footer[:at], footer[at + 2 : end], footer[end:]):
        end = footer.index(b"\x28", end + 1)
    return rewritten(content[: -8 - length], footer[:at], footer[at + 2 : end], footer[end:], times=1_000)


def rewritten(pages: bytes, before: bytes, group: bytes, after: bytes, *, times: int) -> bytes:
    footer = before + b"\x19" + bytes([0xF0 | 12]) + varint(times) + group * times + after
    return pages + footer + struct.pack("<i", len(footer)) + b"PAR1"


def pq_reads(*parts: bytes) -> bool:
    try:
        return pq.read_metadata(io.BytesIO(rewritten(*parts, times=2))).num_row_groups == 2
    except (OSError, pa.ArrowException):
        return False


FIX = "do not use it, and tell who made it"
ROOM = f"is not read of a file of this size; {FIX}"
BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "one text in forty rows": (
        lambda: bomb(many(40, "x" * 60_000_000)),
        f"unpack to 2,460,000,653, and more than 268,435,456 {ROOM}",
    ),
    "one text two hundred times in one row": (
        lambda: bomb(pa.ListArray.from_arrays([0, 200], many(200, "x" * 60_000_000))),
        f"unpack to 12,060,003,224, and more than 268,435,456 {ROOM}",
    ),
    "one text in one row": (
        lambda: bomb(many(1, "x" * 60_000_000)),
        f"unpack to a text of 60,000,000 in column 'a', and none of more than 16,777,216 is read; {FIX}",
    ),
    "texts like the one before": (by_difference, f"unpack to 420,485,860, and more than 268,435,456 {ROOM}"),
    "a hundred million nulls in one row": (
        lambda: bomb(pa.ListArray.from_arrays([0, 100_000_000], pa.nulls(100_000_000, pa.int64()))),
        f"unpack to 800,000,021, and more than 268,435,456 {ROOM}",
    ),
    "many groups of nulls": (
        lambda: bomb(pa.nulls(20_000_000, pa.string()), row_group_size=1 << 16),
        f"unpack to 320,010,684, and more than 268,435,456 {ROOM}",
    ),
    "a null with room for ten million numbers": (
        lambda: bomb(pa.nulls(4, pa.list_(pa.int64(), 10_000_000)), store_schema=True),
        f"unpack to 320,000,013, and more than 268,435,456 {ROOM}",
    ),
    "rows of no columns": (
        lambda: footer_of(b"\x48\x01s\x15\0\0", n_rows=10**12),
        f"unpack to 16,000,000,000,000, and more than 268,435,456 {ROOM}",
    ),
    "a footer of nothing but row groups": (
        lambda: b"PAR1" + b"\0" * 5_000_000 + struct.pack("<i", 5_000_000) + b"PAR1",
        f"have a footer of 5,000,000, and none of more than 4,194,304 is read; {FIX}",
    ),
}


@pytest.mark.nightly
@pytest.mark.parametrize("shape", BOMBS)
def test_what_small_files_unpack_to_is_found_whatever_their_shape(shape: str):
    make, message = BOMBS[shape]
    content = make()
    with pytest.raises(RowError) as caught:
        check_unpacked_size(io.BytesIO(content), where="bomb.parquet")
    assert str(caught.value) == f"bomb.parquet: {len(content):,} bytes that {message}"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nested(100_000), "Parquet schema too deeply nested"),
        (group_twice, "columns that lie over one another"),
    ],
    ids=["columns in columns", "one row group a thousand times"],
)
def test_a_footer_that_contradicts_its_file_is_damage(make: Callable[[], bytes], message: str, tmp_path: Path):
    path = tmp_path / "a.parquet"
    path.write_bytes(make())
    with pytest.raises(pa.ArrowInvalid, match=message):
        check_unpacked_size(path, where="a.parquet")
    with pytest.raises(RowError) as caught:
        check_tables([path])
    assert str(caught.value) == (f"{path}: not a Parquet file, or damaged; do not use it, and tell who made it")


def test_only_what_is_read_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "a.parquet"
    rows = pl.DataFrame({"id": ["a"] * 1000, "text": ["x" * 1000] * 1000})
    rows.write_parquet(path, row_group_size=100)
    monkeypatch.setattr(unpacked, "TABLE_BYTES", 500_000)
    monkeypatch.setattr(unpacked, "TIMES", 1)
    with pytest.raises(RowError):
        check_unpacked_size(path, where="a")
    check_unpacked_size(path, where="a", columns=["id"])
    with pytest.raises(RowError):
        check_tables([path])
    # Row group by row group no more than 100 texts are in memory.
    check_tables([path], at_once=False)
    monkeypatch.setattr(unpacked, "GROUP_BYTES", 50_000)
    with pytest.raises(RowError):
        check_tables([path], at_once=False)


@pytest.mark.slow
def test_files_that_are_read_together_have_one_limit(tmp_path: Path):
    paths = [tmp_path / f"{number}.parquet" for number in range(20)]
    for path in paths:
        path.write_bytes(bomb(many(3, "x" * 5_000_000)))
    check_tables(paths[:12])
    with pytest.raises(RowError) as caught:
        check_tables(paths)
    assert str(caught.value) == (
        f"{paths[0]}: it and the 19 files read with it unpack to 400,001,220 bytes, and more than 268,435,456 "
        f"is not read of files of their size; {FIX}"
    )


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY", "PLAIN"])
def test_long_texts_and_many_short_ones_are_counted_and_read(encoding: str):
    # One text of a million bytes, and so many short ones that as many long ones would not be read.
    texts = pa.array(["x" * 1_000_000, *map(str, range(20_000))])
    parquet_rows(
        io.BytesIO(bomb(texts, use_dictionary=False, column_encoding={"a": encoding})), where="a", fix=""
    )
    rows = pa.DictionaryArray.from_arrays(
        pa.array([0, *[1] * 20_000], pa.int32()), pa.array(["x" * 1_000_000, "y"])
    )
    assert len(parquet_rows(io.BytesIO(bomb(rows)), where="a", fix="")) == 20_001
    column = unpacked._Table(io.BytesIO(bomb(rows)), "a").columns[0]
    assert column.size > 20_000_000_000
    assert [column.look_closer(), column.look_closer(), column.look_closer()] == [True, True, False]
    assert column.size - column.least == 1_020_000


def test_a_file_whose_dictionary_was_looked_at_is_left_at_its_start():
    # Gigabytes by its largest page, and by its longest text little enough that nothing more is asked.
    rows = pa.DictionaryArray.from_arrays(
        pa.array([number % 2_000 for number in range(60_000)], pa.int32()),
        pa.array([f"{number:0200}" for number in range(2_000)]),
    )
    file = io.BytesIO(bomb(rows))
    column = unpacked._Table(file, "a").columns[0]
    assert column.size > unpacked.TABLE_BYTES > 60_000 * 200
    check_unpacked_size(file, where="a")
    assert file.tell() == 0
    assert len(parquet_rows(file, where="a", fix="")) == 60_000
