"""The recipe that a command works on where none is named."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

if TYPE_CHECKING:
    from blend.schemas.recipe.recipe import Recipe

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


def named_or_here(path: Path | None) -> Path | None:
    """The recipe that is named, else the one in this folder; null for the sample. What nobody named is said."""
    if path is not None:
        return path
    is_here = USUAL.exists()
    typer.echo(
        f"No recipe is named: this is about {USUAL} in this folder."
        if is_here
        else f"No recipe is named, and there is no {USUAL} here: this is about the sample in the package.",
        err=True,
    )
    return USUAL if is_here else None


def used_recipe(path: Path | None) -> UsedRecipe:
    """The recipe at a path, the one in this folder, or the sample; see `named_or_here`.

    Raises:
        BlendError: If it cannot be read.
    """
    from blend.loaders.recipes import read_recipe
    from blend.loaders.recipes.ready import sample_recipe

    chosen = named_or_here(path)
    return UsedRecipe(sample_recipe() if chosen is None else read_recipe(chosen), chosen)
