"""The recipe that a command works on where none is named."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

if TYPE_CHECKING:
    from blend.schemas.recipe import Recipe

USUAL = Path("recipe.toml")
"""The recipe of a folder, as `blend init` and `blend annotate init` name it."""


class UsedRecipe(NamedTuple):
    """A recipe, and where it stands."""

    recipe: "Recipe"
    path: Path | None
    """Its file; null for the sample in the package."""

    @property
    def base(self) -> Path:
        """The folder that its locations refer to."""
        return Path() if self.path is None else self.path.parent


def recipe_here() -> Path | None:
    """The recipe in this folder; null where there is none, and the sample is used."""
    return USUAL if USUAL.exists() else None


def say_which(chosen: Path | None) -> None:
    """Say what a command is about where no recipe is named: nobody takes the sample for their own data."""
    typer.echo(
        f"No recipe is named, and there is no {USUAL} here: this is about the sample in the package."
        if chosen is None
        else f"No recipe is named: this is about {chosen} in this folder.",
        err=True,
    )


def used_recipe(path: Path | None) -> UsedRecipe:
    """The recipe at a path; without one that in this folder, or else the sample, which is said.

    Raises:
        BlendError: If it cannot be read.
    """
    from blend.loaders.recipes import read_recipe
    from blend.loaders.recipes.ready import sample_recipe

    chosen = recipe_here() if path is None else path
    if path is None:
        say_which(chosen)
    return UsedRecipe(sample_recipe() if chosen is None else read_recipe(chosen), chosen)
