"""Recipes and datasheets: reading the TOML files that describe a release, and recipes that need no file."""

import os
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

import polars as pl

from blend.loaders.files.content import instead_of_file, read_text
from blend.loaders.files.toml import read_toml
from blend.loaders.sample import sample_path
from blend.loaders.wikidata.partial import read_snapshot_info
from blend.loaders.wikidata.prompts import PACKAGED, packaged_templates, parse_templates
from blend.schemas.errors import InputError
from blend.schemas.manifest import SNAPSHOT_NAME
from blend.schemas.recipe import Domain, Recipe, Source, TripleOptions, domains
from blend.schemas.reports import Datasheet
from blend.schemas.rows import TEMPLATES


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
    source = Source(kind="blend", location=_recorded(location, revision), revision=revision)
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
        sources=(Source(kind="semeval", location=_recorded(str(folder), None)),),
    )


def food_recipe(snapshot: Path) -> Recipe:
    """The recipe for a snapshot of Wikidata, with every other option at its default; Wikidata's facts are CC0.

    Args:
        snapshot: The snapshot, about what its account beside it says; about dishes where there is none.

    Raises:
        InputError: If it is about a domain that the package does not know.
    """
    account = snapshot.with_name(SNAPSHOT_NAME)
    about = read_snapshot_info(account) if account.is_file() else None
    domain = about.domain.name if about is not None and about.file == snapshot.name else "dish"
    if domain not in domains():
        raise InputError(
            f"{snapshot}: is about {domain}, a domain of your own; write a recipe with its domain and "
            "domain_file in [food] (docs/wikidata.md)"
        )
    config = domains()[domain].config
    return Recipe(
        name=config,
        version="1.0.0",
        title=config.replace("-", " ").capitalize(),
        license="cc0-1.0",
        sources=(Source(kind="wikidata", location=snapshot.name),),
        food=TripleOptions(domain=domain),
    )


def _recorded(location: str, revision: str | None) -> str:
    """A location as a release records it: a directory by its name alone.

    Where a directory lay on the machine of whoever built the release means nothing to others, and must not
    make a difference to the release's bytes.
    """
    return location if revision is not None else Path(os.path.realpath(location)).name


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


def domain_templates(domain: Domain, folder: Path) -> pl.DataFrame:
    """The prompt templates of a domain, `rows.TEMPLATES`; without rows if it has none.

    Args:
        domain: Names the file.
        folder: Where it lies, if it is not a packaged one: the folder of the domain's file.

    Raises:
        InputError: If it is not there; `RowError` and `RowErrors` if it is not as it must be.
    """
    if domain.templates is None:
        return pl.DataFrame(schema=TEMPLATES)
    if is_packaged(domain.templates):
        return packaged_templates(domain.templates)
    return parse_templates(own_templates(domain.templates, folder), source=domain.templates)


def own_templates(name: str, folder: Path) -> str:
    """The text of a template file of one's own.

    Raises:
        InputError: If it is not there; `RowError` if it is not UTF-8.
    """
    path = folder / name
    if not path.is_file():
        raise InputError(
            f"domain, key templates: {instead_of_file(path)}: {path}; correct the path, or name "
            f"the packaged {PACKAGED}"
        )
    return read_text(path)


def is_packaged(name: str) -> bool:
    """Whether the package has templates of this name."""
    return name == PACKAGED
