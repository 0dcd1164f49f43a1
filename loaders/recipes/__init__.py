"""Recipes: reading the TOML file that describes a release."""

from pathlib import Path

from blend.loaders.files.toml import read_toml
from blend.schemas.recipe import Recipe


def read_recipe(path: Path | str) -> Recipe:
    """The recipe in a TOML file.

    Raises:
        BlendError: If there is no such file, or if it is not text in UTF-8.
        RowError, RowErrors: If it is not TOML (names the line), or if keys are missing, unknown or have values
            that cannot be; names all of them at once.
    """
    return read_toml(Path(path), Recipe, what="recipe")
