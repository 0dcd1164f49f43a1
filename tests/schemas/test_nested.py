"""Frames of nested rows are those that polars makes of the same rows."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from blend.schemas.arrow_types import nested_frame
from blend.schemas.frames import ANNOTATIONS

TEXTS = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=3)


def values(dtype: Any) -> st.SearchStrategy[Any]:
    if isinstance(dtype, pl.List):
        return st.none() | st.lists(values(dtype.inner), max_size=3)
    if isinstance(dtype, pl.Struct):
        return st.none() | st.fixed_dictionaries({field.name: values(field.dtype) for field in dtype.fields})
    return TEXTS if dtype == pl.String else st.none() | st.integers(0, 9)


ROWS = st.lists(
    st.fixed_dictionaries({}, optional={name: values(dtype) for name, dtype in ANNOTATIONS.items()}), max_size=5
)


@pytest.mark.slow
@given(ROWS)
def test_the_frame_is_the_plain_one(rows: list[dict[str, Any]]):
    plain = pl.DataFrame(rows, schema=ANNOTATIONS) if rows else pl.DataFrame(schema=ANNOTATIONS)
    assert_frame_equal(nested_frame(rows, ANNOTATIONS), plain)
