"""Rows made of frames of any length, some thousands of keys at a time."""

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from blend.schemas import frames as frame_columns
from blend.schemas.frames import in_slices

ROWS = pl.DataFrame(
    [("b", "en-GB", 1), ("a", "ko-KR", 2), ("c", "en-GB", 3), ("a", "en-GB", 4), ("b", "ar-DZ", 5)],
    pl.Schema({"template_id": pl.String(), "locale": pl.String(), "n": pl.Int64()}),
    orient="row",
)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[pl.DataFrame]:
    """What `make` was given; two rows at a time."""
    monkeypatch.setattr(frame_columns, "_SLICE_ROWS", 2)
    return []


def test_every_row_is_in_one_slice_and_keys_are_in_order(seen: list[pl.DataFrame]):
    def make(rows: pl.DataFrame) -> pl.DataFrame:
        seen.append(rows)
        return rows.filter(pl.col("n") != 5)

    made = in_slices(ROWS, make)
    assert [rows["n"].to_list() for rows in seen] == [[4, 2], [5, 1], [3]]
    assert made["n"].to_list() == [4, 2, 1, 3]


def test_full_slices_are_followed_by_no_empty_one(seen: list[pl.DataFrame]):
    in_slices(ROWS[:4], lambda rows: seen.append(rows) or rows)
    assert [len(rows) for rows in seen] == [2, 2]


def test_of_no_rows_the_columns_that_are_made_remain():
    made = in_slices(ROWS.clear(), lambda rows: rows.select("locale", twice=pl.col("n") * 2))
    assert_frame_equal(made, pl.DataFrame(schema={"locale": pl.String, "twice": pl.Int64}))
