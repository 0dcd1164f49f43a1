"""Documents of a release without questions: tables from Wikidata, one split per language."""

from pathlib import Path

import pytest
import yaml

from blend.builders.release import build_release
from blend.loaders.releases import read_manifest
from blend.schemas.recipe import Recipe, Source

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def release(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wikidata") / "food"
    snapshot = Source(kind="wikidata", location="food_snapshot.nt.gz")
    recipe = Recipe(name="food", version="1.0.0", license="cc0-1.0", sources=(snapshot,))
    build_release(recipe, out, base=shared / "data" / "wikidata")
    return out


def test_the_card_is_about_languages(release: Path):
    _, header, body = (release / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    fields = yaml.safe_load(header)
    assert fields["task_categories"] == ["fill-mask"]
    assert "zh-hans" in fields["language"]
    assert "| `zh_hans` | Chinese (Simplified) |" in body
    assert "The columns are those of `food-triples`." in body
    assert "[CC0 1.0](https://creativecommons.org/publicdomain/zero/1.0/)" in body
    assert "zhou2025fmlama" in body
    for absent in ("How much people agree", "Natives answer", "myung2024blend", "![", "MCQs"):
        assert absent not in body


@pytest.mark.filterwarnings("ignore")  # of the library's own dependencies
def test_every_record_set_reads_back(release: Path):
    import mlcroissant

    dataset = mlcroissant.Dataset(str(release / "croissant.json"))
    for table in read_manifest(release).tables:
        records = dataset.records(f"{table.config}/{table.split}")
        assert sum(1 for _ in records) == table.rows
