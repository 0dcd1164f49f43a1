"""docs/recipe.md: its example is read, and its tables name every key of every table of the recipe."""

import json
import re
from pathlib import Path

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from blend.loaders.recipes import read_recipe
from blend.schemas.recipe import Recipe


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "recipe.md").read_text(encoding="utf-8")


def tables_of(model: type[BaseModel], name: str = "") -> dict[str, type[BaseModel]]:
    """A model and all models inside it, by the name of their table in TOML."""
    found = {name: model}
    for key, field in model.model_fields.items():
        for inner in models_in(field.annotation):
            found |= tables_of(inner, f"{name}.{key}".lstrip("."))
    return found


def models_in(annotation: object) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in getattr(annotation, "__args__", ()) for model in models_in(part)]


TABLES = tables_of(Recipe)


def default_of(field: FieldInfo) -> str:
    """A default as the page prints it."""
    if field.default is PydanticUndefined:
        return "–"
    if field.default is None:
        return "absent"
    if isinstance(field.default, BaseModel):
        return "its defaults"
    return f"`{json.dumps(field.default)}`"


def test_all_tables_are_known():
    assert list(TABLES) == ["", "sources", "saq", "mcq", "mcq.judge", "food", "cultural"]


@pytest.mark.parametrize("table", TABLES)
def test_every_key_stands_on_the_page_with_its_default(page: str, table: str):
    heading = {"": "The release itself", "sources": "`[[sources]]`"}.get(table, f"`[{table}]`")
    assert f"\n### {heading}\n" in page
    section = page.split(f"\n### {heading}\n")[1].split("\n#", maxsplit=1)[0]
    printed = re.findall(r"^\| `(\w+)` \| (.+?) \| .+ \|$", section, flags=re.MULTILINE)
    assert printed == [(key, default_of(field)) for key, field in TABLES[table].model_fields.items()]


def test_the_example_is_read(page: str, tmp_path: Path):
    path = tmp_path / "recipe.toml"
    path.write_text(re.findall(r"```toml\n(.*?)```", page, flags=re.DOTALL)[0], encoding="utf-8")
    recipe = read_recipe(path)
    assert [source.kind for source in recipe.sources] == ["blend", "responses"]
    assert recipe.mcq.verdicts == "verdicts.tsv"
