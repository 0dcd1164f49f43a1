"""Documents of a release without questions: tables from Wikidata, one split per language."""

from pathlib import Path

import pytest
import yaml

from blend.builders.release import build_release
from blend.builders.validate import CHECKS, validate_release
from blend.schemas.recipe import Recipe, Source

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def release(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wikidata") / "food"
    snapshot = Source(kind="wikidata", location="food_snapshot.nt.gz")
    recipe = Recipe(name="food", version="1.0.0", license="cc0-1.0", sources=(snapshot,))
    build_release(recipe, out, base=shared / "data" / "wikidata")
    return out


def test_the_language_with_most_dishes_comes_first(release: Path):
    _, header, body = (release / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    # What the viewer of the Hub opens, what the example loads, and the first row of the table.
    configs = {config["config_name"]: config["data_files"] for config in yaml.safe_load(header)["configs"]}
    assert configs["food-triples"][0]["split"] == "en"
    assert [file["split"] for file in configs["food-triples"][-2:]] == ["zh_hans", "zh_tw"]
    assert 'load_dataset("REPOSITORY", "food-triples", split="en"' in body
    assert body.index("| en | English | English | 1,609 |") < body.index("| ru | Russian | русский | 177 |")
    assert validate_release(release, checks={"card": CHECKS["card"]}).errors == 0


def test_a_chart_of_origins(release: Path):
    body = (release / "README.md").read_text(encoding="utf-8")
    origins = "Bar chart. Dishes per origin: United States of America 286 to England 5."
    assert f"![{origins}](images/food-origins.svg)" in body
