"""Portable recipes: a release tells where its inputs came from without telling about anybody's machine."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from blend.schemas.recipe.recipe import Recipe


class PortableRecipe(NamedTuple):
    """A recipe without absolute locations, and where they lead on this machine."""

    recipe: Recipe
    """The recipe, as a release records it."""
    source_paths: Mapping[str, Path]
    """Directories and files by the location that the recipe has for them now."""


def portable_recipe(recipe: Recipe, source_paths: Mapping[str, Path]) -> PortableRecipe:
    """A recipe in which every absolute location is the name of what lies there.

    Where a directory lies on the machine of whoever builds the release means nothing to others, may tell more
    than is wanted, and must not make a difference to the release's bytes; what was read is known by its digest.
    Of several sources of one name, each has as many of the folders above it as tell them apart.

    Args:
        recipe: The recipe.
        source_paths: Directories and files by location, for what lies elsewhere than the recipe says.
    """
    named = [source.location for source in recipe.sources]
    if recipe.previous is not None:
        named.append(recipe.previous)
    taken = {location for location in named if not Path(location).is_absolute()}
    names: dict[str, str] = {}
    for location in named:
        if Path(location).is_absolute() and location not in names:
            names[location] = _name(Path(location), {*taken, *names.values()})
    sources = [
        source.model_copy(update={"location": names.get(source.location, source.location)})
        for source in recipe.sources
    ]
    previous = None if recipe.previous is None else names.get(recipe.previous, recipe.previous)
    there = {name: source_paths.get(location, Path(location)) for location, name in names.items()}
    return PortableRecipe(
        recipe.model_copy(update={"sources": tuple(sources), "previous": previous}), {**source_paths, **there}
    )


def _name(path: Path, taken: Collection[str]) -> str:
    """The shortest end of a path that is not taken, without its root."""
    parts = path.parts[1:]
    ends = ("/".join(parts[-length:]) for length in range(1, len(parts) + 1))
    # Two absolute paths that are not the same have different ends; only a relative one can be a whole path.
    return next((end for end in ends if end not in taken), "./" + "/".join(parts))
