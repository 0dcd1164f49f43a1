"""Recipes: what is read, and every message for what cannot be."""

from pathlib import Path

import pytest

from blend.loaders.recipes import read_recipe
from blend.schemas.recipe import McqOptions, Recipe, Source
from helpers.messages import wrong

BROKEN = sorted((Path(__file__).parents[1] / "broken" / "recipes").glob("*.toml"))

MINIMAL = """
name = "mine"
version = "1.2.3"

[[sources]]
kind = "responses"
location = "collected"
"""


def read(folder: Path, text: str) -> Recipe:
    path = folder / "recipe.toml"
    path.write_text(text, encoding="utf-8")
    return read_recipe(path)


def test_what_is_left_out_has_its_default(tmp_path):
    recipe = read(tmp_path, MINIMAL)
    assert (recipe.name, recipe.version, recipe.seed, recipe.locales) == ("mine", "1.2.3", 0, None)
    assert recipe.sources == (Source(kind="responses", location="collected"),)
    assert recipe.mcq == McqOptions()


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_message_for_a_broken_recipe(path: Path):
    expected = path.with_suffix(".txt").read_text(encoding="utf-8").removesuffix("\n")
    assert wrong(lambda: read_recipe(path)).replace(str(path), "{recipe}") == expected


def test_message_for_a_wrong_encoding(tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_bytes('title = "Café"'.encode("latin-1"))
    told = wrong(lambda: read_recipe(path))
    assert told == f"{path}: byte 0xE9 in line 1 is not UTF-8; save the recipe as UTF-8"


def test_a_path_may_begin_at_home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", "/home/ada")
    recipe = read(tmp_path, MINIMAL.replace("collected", "~/collected"))
    assert recipe.sources[0].location == "/home/ada/collected"
