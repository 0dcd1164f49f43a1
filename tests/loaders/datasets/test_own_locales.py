"""A release with a locale of its own: found by every name that its entry gives it."""

import shutil
from pathlib import Path

import pytest

from blend.builders.release import build_release
from blend.loaders.datasets import load
from blend.loaders.recipes.ready import sample_recipe
from blend.loaders.sample import sample_path
from blend.schemas.recipe import Source

ENGLISH_OF_SOUTH_AFRICA = """
[[locale]]
tag = "en-ZA"
language = "en"
region = "ZA"
region_name = "South Africa"
upstream = "South_Africa"
prompt_name = "South Africa"
nationalities = ["South African"]
aliases = ["RSA"]
native_name = "South Africa"
direction = "ltr"
script = "Latn"
parent = "ZA"
split = "Mzansi"
"""


@pytest.fixture(scope="module")
def mzansi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample with its American answers as South African ones, under a split that is not a region code."""
    folder = tmp_path_factory.mktemp("mzansi")
    with sample_path() as sample:
        shutil.copytree(sample, folder / "collected")
    (folder / "mine.toml").write_text(ENGLISH_OF_SOUTH_AFRICA, encoding="utf-8")
    for name in ("questions.csv", "prompts.csv"):
        path = folder / "collected" / name
        text = path.read_text(encoding="utf-8").replace("en-US", "en-ZA").replace("the US", "South Africa")
        path.write_text(text, encoding="utf-8")
    for path in list(folder.glob("collected/*/en-US.*")):
        path.rename(path.with_name(f"en-ZA{path.suffix}"))
    source = Source(kind="responses", location="collected", license="cc-by-4.0")
    changes = {"sources": (source,), "locale_file": "mine.toml", "datasheet": None}
    build_release(sample_recipe().model_copy(update=changes), folder / "release", base=folder)
    return folder / "release"


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize("name", ["Mzansi", "en-ZA", "ZA", "South_Africa", "South Africa", "RSA"])
def test_it_is_loaded_by_every_name(mzansi: Path, datasets_cache: Path, name: str):
    assert set(load(mzansi, "annotations", name)["locale"]) == {"en-ZA"}
