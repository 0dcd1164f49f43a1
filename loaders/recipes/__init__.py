"""Recipes and datasheets: reading the TOML files that describe a release."""

from pathlib import Path

from blend.loaders.files.toml import read_toml
from blend.schemas.recipe import Recipe
from blend.schemas.reports import Datasheet


def read_recipe(path: Path | str) -> Recipe:
    """The recipe in a TOML file.

    Raises:
        RowError, RowErrors: If there is no such file, or it is not text in UTF-8; if it is not TOML (names the
            line), or if keys are missing, unknown or have values that cannot be; names all of them at once.
    """
    return read_toml(Path(path), Recipe, what="recipe")


def read_datasheet(path: Path) -> Datasheet:
    """The answers in a TOML file; questions that it leaves out are unanswered. Errors as of `read_recipe`."""
    return read_toml(path, Datasheet, what="datasheet")
