"""Parquet files: what is written is what is read, and digests depend on the rows alone."""

import hashlib
import json
from itertools import pairwise
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from blend.builders.parquet import ROW_GROUP_ROWS, ContentDigest, Table, write_table
from blend.schemas.arrow_types import arrow_schema, frame_schema, published
from helpers.examples import examples


class Piece(BaseModel):
    name: str
    count: int


class Sentence(BaseModel):
    text: str
    parts: tuple[Piece, ...]
    comment: str | None


TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def frame_of(sentences: list[Sentence]) -> pl.DataFrame:
    return pl.DataFrame([s.model_dump() for s in sentences], schema=frame_schema(Sentence))


def numbered(n: int, start: int = 0) -> pl.DataFrame:
    return frame_of([Sentence(text=f"s{i}", parts=(), comment=None) for i in range(start, start + n)])


@pytest.mark.slow
@settings(max_examples=examples(200))
@given(
    st.lists(
        st.builds(
            Sentence,
            text=TEXT,
            parts=st.lists(st.builds(Piece, name=TEXT, count=st.integers(-9, 9)), max_size=3).map(tuple),
            comment=st.none() | TEXT,
        ),
        min_size=1,
        max_size=5,
    )
)
def test_content_lines_are_plain_json(sentences):
    expected = "".join(
        json.dumps(s.model_dump(), ensure_ascii=False, separators=(",", ":")) + "\n" for s in sentences
    )
    digest = ContentDigest()
    for rows in published(frame_of(sentences), Sentence).iter_slices(2):
        digest.add(rows)
    assert digest.hexdigest() == hashlib.sha256(expected.encode()).hexdigest()


@pytest.mark.nightly
def test_batch_sizes_change_no_byte(tmp_path: Path):
    n = ROW_GROUP_ROWS * 2 + 5
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    one = write_table(Table("c", "s", Sentence, [numbered(n)]), whole)
    cuts = [0, 1, ROW_GROUP_ROWS - 1, ROW_GROUP_ROWS + 7, n]
    batches = [numbered(b - a, a) for a, b in pairwise(cuts)]
    many = write_table(Table("c", "s", Sentence, batches), parts)
    assert one == many
    assert (whole / one.files[0]).read_bytes() == (parts / many.files[0]).read_bytes()


@pytest.mark.slow
def test_large_tables_are_cut_into_shards(tmp_path: Path):
    n = ROW_GROUP_ROWS * 2 + 1
    info = write_table(Table("c", "test", Sentence, [numbered(n)]), tmp_path, shard_rows=ROW_GROUP_ROWS)
    assert info.files == tuple(f"data/c/test-{i:05}.parquet" for i in range(3))
    read = pl.concat([pl.read_parquet(tmp_path / file) for file in info.files])
    assert read["text"].to_list() == [f"s{i}" for i in range(n)]


def test_an_empty_table_is_a_file_without_rows(tmp_path: Path):
    info = write_table(Table("c", "s", Sentence, []), tmp_path)
    assert info.rows == 0
    assert pq.read_table(tmp_path / info.files[0]).schema.equals(arrow_schema(Sentence))


def test_a_row_that_breaks_its_model_is_not_written(tmp_path: Path):
    broken = numbered(1).with_columns(text=pl.lit(None, pl.String))
    with pytest.raises(ValidationError, match="text"):
        write_table(Table("c", "s", Sentence, [broken]), tmp_path)
