"""Typed rows: a dataset as models, whatever was done to it before."""

from pathlib import Path
from typing import Any

import datasets
import pytest
from pydantic import BaseModel

from blend.loaders.datasets import as_models, load
from blend.schemas.errors import RowError
from blend.schemas.rows import (
    ANNOTATIONS,
    CONFIGS,
    MULTIPLE_CHOICE_QUESTIONS,
    SHORT_ANSWER_QUESTIONS,
    Annotation,
)

pytestmark = pytest.mark.usefixtures("datasets_cache")

QUESTIONS = (ANNOTATIONS, SHORT_ANSWER_QUESTIONS, MULTIPLE_CHOICE_QUESTIONS)


def published(row: BaseModel) -> dict[str, Any]:
    return row.model_dump(mode="json", by_alias=True)


@pytest.mark.sampled
@pytest.mark.parametrize("config", QUESTIONS)
def test_models_hold_exactly_what_the_rows_hold(release: Path, config: str):
    loaded = load(release, config)
    for rows in loaded.values() if isinstance(loaded, dict) else [loaded]:
        models = list(as_models(rows, CONFIGS[config]))
        assert [published(model) for model in models] == list(rows)


@pytest.mark.slow
def test_plain_datasets_give_models_as_well(release: Path, tmp_path: Path):
    plain = datasets.load_dataset(str(release), "annotations")
    models = list(as_models(plain["KR"], Annotation))
    ours = load(release, "annotations", "KR")
    assert models == list(as_models(ours, Annotation)) == list(as_models(ours.with_format("numpy"), Annotation))
    both = datasets.concatenate_datasets([plain["KR"], plain["US"]])
    assert list(as_models(both, Annotation)) == [*models, *as_models(plain["US"], Annotation)]
    plain["KR"].save_to_disk(tmp_path / "saved")
    assert list(as_models(datasets.load_from_disk(tmp_path / "saved"), Annotation)) == models


def test_messages_for_rows_that_are_no_models(release: Path):
    rows = load(release, "annotations", "KR")
    with pytest.raises(RowError) as caught:
        list(as_models(rows.remove_columns(["idks", "topic"]), Annotation))
    assert str(caught.value) == (
        "row 0: no column idks, topic; keep all columns of Annotation, and load a release that blend built"
    )
    blanked = rows.map(lambda row, number: {"topic": "" if number == 2 else row["topic"]}, with_indices=True)
    with pytest.raises(RowError) as caught:
        list(as_models(blanked, Annotation))
    assert str(caught.value) == (
        "row 2: topic is not as Annotation has it: String should have at least 1 character; "
        "take typed rows before the rows are changed"
    )
