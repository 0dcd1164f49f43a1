"""The release of the 16 published regions: built by the command, loaded by plain ``datasets``."""

import csv
import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import datasets
import pytest

from blend.schemas.frames import PUBLISHED_PROMPTS
from blend.schemas.locales import registry
from helpers.hub.hub_releases import digests

pytestmark = pytest.mark.integration

BLEND_LOCALES = [locale for locale in registry() if "blend" in locale.collections]


def tidy(text: str) -> str:
    """What the release makes of a published text: NFC, no control characters, no outer white space."""
    return unicodedata.normalize("NFC", re.sub(r"[\x00-\x1f]", " ", text)).strip()


def load(release: Path, config: str, split: str) -> Any:
    return datasets.load_dataset(str(release), config, split=split)


def published_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.landing
def test_another_process_with_another_hash_seed_makes_the_same_bytes(
    regions_release: Path, regions_release_again: Path
):
    assert digests(regions_release_again) == digests(regions_release)


def test_prompts_are_the_published_ones(regions_release: Path, blend_data: Path):
    for locale in BLEND_LOCALES:
        published = published_rows(blend_data / "prompts" / f"{locale.upstream}_prompts.csv")
        asked = {
            row["id"]: (row["Translation"], row["English"])
            for row in reversed(published)  # the first of two with one id counts
            if "{q}" in row["Translation"]
        }
        rows = load(regions_release, "short-answer-prompts", locale.split)
        assert {row["prompt_id"]: (row["prompt"], row["en_prompt"]) for row in rows} == asked
        assert rows["prompt_id"][:] == sorted(asked)
        assert {*PUBLISHED_PROMPTS} <= {*asked}


def test_annotations_are_the_published_ones(regions_release: Path, blend_data: Path):
    for locale in BLEND_LOCALES:
        path = blend_data / "annotations" / f"{locale.upstream}_data.json"
        published = json.loads(path.read_text(encoding="utf-8"))
        rows = load(regions_release, "annotations", locale.split)
        assert rows["ID"][:] == list(published)
        for row in rows:
            entry = published[row["ID"]]
            idks = dict(entry["idks"])
            assert row["en_question"] == tidy(entry["en_question"])
            assert [group["count"] for group in row["annotations"]] == [
                group["count"] for group in entry["annotations"]
            ]
            for kind in ("idk", "no-answer", "not-applicable"):
                assert row["idks"][kind] == idks.pop(kind)
            assert sum(other["count"] for other in row["idks"]["others"]) == sum(idks.values())
            assert (row["locale"], row["language"]) == (locale.tag, locale.language)


def test_questions_are_the_published_ones(regions_release: Path, blend_data: Path):
    for locale in BLEND_LOCALES:
        published = published_rows(blend_data / "questions" / f"{locale.upstream}_questions.csv")
        rows = load(regions_release, "short-answer-questions", locale.split)
        for column in ("ID", "Topic", "Source"):
            assert rows[column][:] == [row[column] for row in published]
        for column in ("Question", "Translation"):
            assert rows[column][:] == [tidy(row[column]) for row in published]
