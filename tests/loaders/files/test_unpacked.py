"""Unpacked sizes of Parquet files, which can be thousands of times the files' own."""

import io
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from blend.loaders.files import content as unpacked
from blend.loaders.files.content import check_tables, check_unpacked_size
from blend.schemas.errors import RowError

FIX = "do not use it, and tell who made it"


@pytest.mark.nightly
def test_what_small_files_unpack_to_is_found_in_lists_and_in_many_groups():
    listed = pa.ListArray.from_arrays([0, 100_000_000], pa.nulls(100_000_000, pa.int64()))
    for values, size in ((listed, 1 << 20), (pa.nulls(20_000_000, pa.string()), 1 << 16)):
        file = io.BytesIO()
        pq.write_table(pa.table({"a": values}), file, row_group_size=size, compression="zstd")
        n_bytes = len(file.getvalue())
        with pytest.raises(RowError) as caught:
            check_unpacked_size(file, where="bomb.parquet")
        assert str(caught.value).startswith(f"bomb.parquet: {n_bytes:,} bytes that unpack to ")
        assert str(caught.value).endswith(
            f", and more than 268,435,456 is not read of a file of this size; {FIX}"
        )


def test_bytes_that_are_no_parquet_are_damage(tmp_path: Path):
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(RowError) as caught:
        check_tables([path])
    assert str(caught.value) == f"{path}: not a Parquet file, or damaged; {FIX}"


def test_only_what_is_read_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "a.parquet"
    rows = pl.DataFrame({"id": ["a"] * 1000, "text": [f"{number:01000}" for number in range(1000)]})
    rows.write_parquet(path, row_group_size=100)
    monkeypatch.setattr(unpacked, "TABLE_BYTES", 500_000)
    monkeypatch.setattr(unpacked, "TIMES", 1)
    with path.open("rb") as file:
        check_unpacked_size(file, where="a", columns=["id"])
        with pytest.raises(RowError):
            check_unpacked_size(file, where="a")
    with pytest.raises(RowError):
        check_tables([path])
