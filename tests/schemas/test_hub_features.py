"""What we write about columns is what `datasets` writes, letter by letter."""

from typing import Any

import datasets
import pytest
from pydantic import BaseModel

from blend.schemas.arrow_types import card_features, features, written_schema
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
    own = features(model).arrow_schema
    assert written_schema(model).equals(own, check_metadata=True)
    assert datasets.Features.from_arrow_schema(written_schema(model)) == features(model)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_card_lists_the_columns_as_datasets_would(model: type[BaseModel]):
    info: dict[str, Any] = datasets.DatasetInfo(features=features(model))._to_yaml_dict()
    assert card_features(model) == info["features"]
