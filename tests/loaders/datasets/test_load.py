"""Loading a release directory: what comes back, what is refused, and rows as models."""

import shutil
from pathlib import Path
from typing import Any

import datasets
import pytest
from pydantic import BaseModel

from blend.loaders.datasets import as_models, find_region, load
from blend.schemas.errors import RowError
from blend.schemas.locales import Registry, registry
from blend.schemas.rows import (
    ANNOTATIONS,
    CONFIGS,
    MULTIPLE_CHOICE_QUESTIONS,
    SHORT_ANSWER_QUESTIONS,
    Annotation,
)
from helpers.messages import message_of, wrong

pytestmark = [pytest.mark.usefixtures("datasets_cache")]

QUESTIONS = (ANNOTATIONS, SHORT_ANSWER_QUESTIONS, MULTIPLE_CHOICE_QUESTIONS)


def published(row: BaseModel) -> dict[str, Any]:
    return row.model_dump(mode="json", by_alias=True)


@pytest.mark.landing
@pytest.mark.parametrize("config", QUESTIONS)
def test_a_configuration_is_what_plain_datasets_loads_and_models_hold_all_of_it(
    mini_release: Path, config: str
):
    plain, loaded = datasets.load_dataset(str(mini_release), config), load(mini_release, config)
    assert isinstance(loaded, datasets.DatasetDict)
    assert list(loaded) == list(plain)
    for split, rows in loaded.items():
        assert rows.to_list() == plain[split].to_list()
        assert [published(model) for model in as_models(rows, CONFIGS[config])] == list(rows)


@pytest.mark.parametrize("collection", ["blend", "semeval-2026-7"])
def test_every_name_of_a_locale_finds_it(collection: str):
    regions = Registry(locale for locale in registry() if collection in locale.collections)
    for locale in regions:
        for name in (locale.tag, locale.split, locale.upstream, locale.semeval, *locale.other_codes):
            if name:
                assert find_region(name, regions, where="x") == locale
    two = Registry(registry().get(tag) for tag in ("ms-SG", "ta-SG"))
    told = wrong(lambda: find_region("SG", two, where="blend 1.0.0"))
    assert told == "blend 1.0.0: 'SG' names several regions; choose one of: ms-SG, ta-SG"


@pytest.mark.landing
def test_what_cannot_be_loaded(mini_release: Path, tmp_path: Path):
    damaged = shutil.copytree(mini_release, tmp_path / "damaged")
    path = damaged / "data" / "annotations" / "KR-00000.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert wrong(lambda: load(mini_release, "annotation")) == (
        "unknown configuration 'annotation'; did you mean 'annotations'? choose one of: annotations, "
        "multiple-choice-questions, short-answer-prompts, short-answer-questions"
    )
    assert wrong(lambda: load(damaged, "annotations")) == (
        f"{damaged}: the files are not those of release.json: data/annotations/KR-00000.parquet (changed); "
        "copy or build the release again, and keep other files elsewhere"
    )


def test_rows_of_plain_datasets_give_models_whatever_was_done_to_them(mini_release: Path, tmp_path: Path):
    plain = datasets.load_dataset(str(mini_release), "annotations")
    models = list(as_models(plain["KR"], Annotation))
    assert models == list(as_models(plain["KR"].with_format("numpy"), Annotation))
    both = datasets.concatenate_datasets([plain["KR"], plain["US"]])
    assert list(as_models(both, Annotation)) == [*models, *as_models(plain["US"], Annotation)]
    plain["KR"].save_to_disk(tmp_path / "saved")
    assert list(as_models(datasets.load_from_disk(tmp_path / "saved"), Annotation)) == models


def test_messages_for_rows_that_are_no_models(mini_release: Path):
    rows = load(mini_release, "annotations")["KR"]
    told = message_of(RowError, lambda: list(as_models(rows.remove_columns(["idks", "topic"]), Annotation)))
    assert told == (
        "row 0: no column idks, topic; keep all columns of Annotation, and load a release that blend built"
    )
    blanked = rows.map(lambda row, number: {"topic": "" if number == 2 else row["topic"]}, with_indices=True)
    assert message_of(RowError, lambda: list(as_models(blanked, Annotation))) == (
        "row 2: topic is not as Annotation has it: String should have at least 1 character; "
        "take typed rows before the rows are changed"
    )
