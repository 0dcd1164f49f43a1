"""Documents of a release without questions: tables from Wikidata, one split per language."""

from pathlib import Path

import pytest
import yaml

from blend.builders.validate import CHECKS, validate_release

pytestmark = pytest.mark.integration


def test_the_language_with_most_dishes_comes_first_and_a_chart_shows_origins(food_release: Path):
    _, header, body = (food_release / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    # What the viewer of the Hub opens, what the example loads, and the first row of the table.
    configs = {config["config_name"]: config["data_files"] for config in yaml.safe_load(header)["configs"]}
    assert configs["food-triples"][0]["split"] == "en"
    assert [file["split"] for file in configs["food-triples"][-2:]] == ["zh_hans", "zh_tw"]
    assert 'load_dataset("REPOSITORY", "food-triples", split="en"' in body
    assert body.index("| en | English | English | 1,609 |") < body.index("| ru | Russian | русский | 177 |")
    assert validate_release(food_release, checks={"card": CHECKS["card"]}).errors == 0
    origins = "Bar chart. Dishes per origin: United States of America 286 to England 5."
    assert f"![{origins}](images/food-origins.svg)" in body
