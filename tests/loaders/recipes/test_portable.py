"""Portable recipes: no release tells where something lay on the machine of whoever built it."""

from pathlib import Path

import pytest

from blend.loaders.recipes import RecipeInPlace
from blend.schemas.recipe import Recipe, Source


def portable(*locations: str, previous: str | None = None, **paths: Path) -> RecipeInPlace:
    sources = tuple(Source(kind="responses", location=location) for location in locations)
    recipe = Recipe(name="own", version="1.0.0", license="cc0-1.0", sources=sources, previous=previous)
    return RecipeInPlace.of(recipe, **paths)


@pytest.mark.parametrize(
    ("locations", "expected"),
    [
        (["collected", "../beside"], ["collected", "../beside"]),
        (["/home/ada/collected"], ["collected"]),
        (["/home/ada/data", "/home/bob/data"], ["data", "bob/data"]),
        (["data", "/home/ada/data"], ["data", "ada/data"]),
        (["data", "/data"], ["data", "./data"]),
    ],
)
def test_locations(locations: list[str], expected: list[str]):
    made = portable(*locations)
    assert [source.location for source in made.recipe.sources] == expected
    assert made.source_paths == {
        name: Path(location) for name, location in zip(expected, locations, strict=True) if name != location
    }


def test_the_release_before_and_places_that_are_given(tmp_path: Path):
    given = {"/home/ada/data": tmp_path, "here": tmp_path}
    made = portable("/home/ada/data", "here", previous="/home/ada/release", source_paths=given)
    assert made.recipe.previous == "release"
    there = {"data": tmp_path, "here": tmp_path, "release": Path("/home/ada/release")}
    assert made.source_paths == given | there
    assert portable("here", previous="org/own@v1.0.0").recipe.previous == "org/own@v1.0.0"
