"""Recipes that need no file: the embedded sample, BLEnD's files, SemEval's, a snapshot of Wikidata."""

import os
import tomllib
from pathlib import Path

from blend.loaders.files.domains import known_domains
from blend.loaders.sample import sample_path
from blend.schemas.errors import InputError
from blend.schemas.recipe.domains import find_domain
from blend.schemas.recipe.recipe import Recipe, Source
from blend.schemas.recipe.triple_options import TripleOptions


def sample_recipe() -> Recipe:
    """The recipe of the sample that the package holds.

    Its datasheet is named by its full path, so that the recipe builds from any folder; a release names its own
    copy instead.
    """
    with sample_path() as folder:
        recipe = Recipe.model_validate(tomllib.loads((folder / "recipe.toml").read_text(encoding="utf-8")))
        return recipe.model_copy(update={"datasheet": str(folder / (recipe.datasheet or ""))})


def blend_recipe(location: str, revision: str | None = None) -> Recipe:
    """The recipe for the files of the public BLEnD data, with every option at its default.

    Args:
        location: Directory, or with a revision a Hub repository id.
        revision: Commit or tag of the repository.
    """
    source = Source(kind="blend", location=recorded(location, revision), revision=revision)
    return Recipe(name="blend", version="1.0.0", title="BLEnD", sources=(source,))


def semeval_recipe(folder: Path) -> Recipe:
    """The recipe for the files of SemEval-2026 Task 7, with every option at its default.

    Its licence is ``other``: the task's terms, which forbid to pass the data on.
    """
    return Recipe(
        name="semeval-2026-7",
        version="1.0.0",
        title="SemEval-2026 Task 7",
        license="other",
        sources=(Source(kind="semeval", location=recorded(str(folder), None)),),
    )


def food_recipe(snapshot: Path, domain: str = "dish", domain_file: Path | None = None) -> Recipe:
    """The recipe for a snapshot of Wikidata, with every other option at its default; Wikidata's facts are CC0.

    Args:
        snapshot: The snapshot.
        domain: Name of what it is about.
        domain_file: Where that domain is described, if the package does not know it.

    Raises:
        BlendError: If there is no such domain.
    """
    config = find_domain(domain, known_domains(domain_file)).config
    return Recipe(
        name=config,
        version="1.0.0",
        title=config.replace("-", " ").capitalize(),
        license="cc0-1.0",
        sources=(Source(kind="wikidata", location=snapshot.name),),
        food=TripleOptions(domain=domain, domain_file=None if domain_file is None else str(domain_file)),
    )


def recorded(location: str, revision: str | None) -> str:
    """A location as a release records it: a directory by its name alone.

    Where a directory lay on the machine of whoever built the release means nothing to others, and must not
    make a difference to the release's bytes.
    """
    return location if revision is not None else Path(os.path.realpath(location)).name


def blend_source(recipe: Recipe) -> Source:
    """The one BLEnD source of a recipe.

    Raises:
        InputError: If it has none, or several.
    """
    sources = [source for source in recipe.sources if source.kind == "blend"]
    if len(sources) != 1:
        raise InputError(
            f"`blend_data` gives the place of one source of kind 'blend', but the recipe has {len(sources)}; "
            "write the locations into the recipe"
        )
    return sources[0]
