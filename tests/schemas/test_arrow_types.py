"""Columns: what we write about them is what `datasets` writes, and nested frames are those of polars."""

from typing import Any

import datasets
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from pydantic import BaseModel

from blend.schemas.arrow_types import arrow_schema, nested_frame, written_schema
from blend.schemas.frames import ANNOTATIONS
from blend.schemas.rows import CONFIGS


class Inner(BaseModel):
    number: float
    flags: tuple[bool, ...]


class Deep(BaseModel):
    lists: tuple[tuple[int, ...], ...]
    structs: tuple[tuple[Inner, ...], ...]
    inner: Inner
    maybe: float | None


MODELS = [*dict.fromkeys(CONFIGS.values()), Deep]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_file_holds_the_note_that_datasets_would_write(model: type[BaseModel]):
    own = datasets.Features.from_arrow_schema(arrow_schema(model))
    assert written_schema(model).equals(own.arrow_schema, check_metadata=True)
    assert datasets.Features.from_arrow_schema(written_schema(model)) == own


# Frames of nested rows are those that polars makes of the same rows.

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
