"""Unpacked sizes of Parquet files, which can be thousands of times the files' own."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from blend.loaders.files import content as unpacked
from blend.loaders.files.content import check_tables, check_unpacked_size
from blend.schemas.errors import RowError


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


FIX = "do not use it, and tell who made it"
BOMBS: dict[str, Callable[[], bytes]] = {
    "one text in forty rows": lambda: bomb(many(40, "x" * 60_000_000)),
    "one text two hundred times in one row": lambda: bomb(
        pa.ListArray.from_arrays([0, 200], many(200, "x" * 60_000_000))
    ),
    "a hundred million nulls in one row": lambda: bomb(
        pa.ListArray.from_arrays([0, 100_000_000], pa.nulls(100_000_000, pa.int64()))
    ),
    "many groups of nulls": lambda: bomb(pa.nulls(20_000_000, pa.string()), row_group_size=1 << 16),
}


@pytest.mark.nightly
@pytest.mark.parametrize("shape", BOMBS)
def test_what_small_files_unpack_to_is_found_whatever_their_shape(shape: str):
    content = BOMBS[shape]()
    with pytest.raises(RowError) as caught:
        check_unpacked_size(io.BytesIO(content), where="bomb.parquet")
    assert str(caught.value).startswith(f"bomb.parquet: {len(content):,} bytes that unpack to ")
    assert str(caught.value).endswith(
        f" or more, and more than 268,435,456 is not read of a file of this size; {FIX}"
    )


def test_bytes_that_are_no_parquet_are_damage(tmp_path: Path):
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(RowError) as caught:
        check_tables([path])
    assert str(caught.value) == f"{path}: not a Parquet file, or damaged; {FIX}"


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


def test_lists_of_texts_in_several_row_groups_are_counted():
    file = io.BytesIO(bomb(pa.array([["one", str(number)] for number in range(1000)]), row_group_size=100))
    assert 32_000 < check_unpacked_size(file, where="a") < 200_000
