"""Portable recipes: no release tells where something lay on the machine of whoever built it."""

from pathlib import Path

import pytest

from blend.loaders.recipes import portable_recipe
from blend.schemas.recipe import Recipe, Source


def recipe(*locations: str, previous: str | None = None) -> Recipe:
    sources = tuple(Source(kind="responses", location=location) for location in locations)
    return Recipe(name="own", version="1.0.0", license="cc0-1.0", sources=sources, previous=previous)


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
    portable = portable_recipe(recipe(*locations), {})
    assert [source.location for source in portable.recipe.sources] == expected
    assert portable.source_paths == {
        name: Path(location) for name, location in zip(expected, locations, strict=True) if name != location
    }


def test_the_release_before_and_places_that_are_given():
    portable = portable_recipe(
        recipe("/home/ada/data", "here", previous="/home/ada/release"),
        {"/home/ada/data": Path("/mnt/data"), "here": Path("/mnt/here")},
    )
    assert portable.recipe.previous == "release"
    assert portable.source_paths["data"] == Path("/mnt/data")
    assert portable.source_paths["here"] == Path("/mnt/here")
    assert portable.source_paths["release"] == Path("/home/ada/release")
    assert portable_recipe(recipe("here", previous="org/own@v1.0.0"), {}).recipe.previous == "org/own@v1.0.0"
