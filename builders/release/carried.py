"""Carried files: what a release brings along beside its recipe, so that its own folder builds it again.

The sources themselves stay where they are: they are large, or hold what annotators typed. The recipe names them
and pins their digests.
"""

from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import NamedTuple

from blend.builders.release.inputs import domain_file, known_domain
from blend.loaders.files.content import directory_digest, file_infos, read_content, read_text
from blend.loaders.files.tables import WORKBOOK
from blend.loaders.files.toml import domain_toml
from blend.loaders.recipes.ready import is_packaged, own_templates
from blend.loaders.responses.verdicts import read_verdicts
from blend.loaders.topics import read_forms
from blend.schemas.manifest import (
    ANSWERS_NAME,
    DOMAINS_NAME,
    LOCALES_NAME,
    PROMPT_TEMPLATES_NAME,
    SourceInfo,
)
from blend.schemas.recipe import Recipe


class _Reviewed(NamedTuple):
    """A file that people or judges filled in, named in the recipe."""

    kind: str
    """Its kind of source, for the manifest."""
    location: str
    """Where it is, as the recipe says."""
    name: str
    """What it is called in the release."""


def portable_names(recipe: Recipe) -> Recipe:
    """The recipe as it stands in the release: files that are carried along by their names there."""
    names = {file.kind: file.name for file in _reviewed(recipe)}
    own_domain = None if recipe.food.domain_file is None else DOMAINS_NAME
    return recipe.model_copy(
        update={
            "datasheet": None if recipe.datasheet is None else ANSWERS_NAME,
            "locale_file": None if recipe.locale_file is None else LOCALES_NAME,
            "food": recipe.food.model_copy(update={"domain_file": own_domain}),
            "cultural": recipe.cultural.model_copy(update={"forms": names.get("forms")}),
            "mcq": recipe.mcq.model_copy(update={"verdicts": names.get("verdicts")}),
        }
    )


def carry_reviewed(recipe: Recipe, base: Path, release: Path) -> tuple[SourceInfo, ...]:
    """Put the files that people filled in into a release; call it when no judge will add to one any more.

    Args:
        recipe: Names the files, with locations relative to ``base``.
        base: Folder of the recipe.
        release: Where they go, byte for byte; a workbook as text, since one also says who has worked on it.

    Returns:
        What was read, with digests. A table of verdicts that no judge has begun yet is none.

    Raises:
        RowError: If one cannot be read.
    """
    infos = []
    for file in _reviewed(recipe):
        if (base / file.location).exists():
            (release / file.name).write_bytes(_content(base / file.location, file.kind))
            files = file_infos(release, [release / file.name])
            digest = directory_digest(files)
            infos.append(
                SourceInfo(kind=file.kind, location=file.name, revision=None, sha256=digest, files=files)
            )
    return tuple(infos)


def _content(path: Path, kind: str) -> bytes:
    if path.suffix.lower() != WORKBOOK:
        return read_content(path)
    if kind == "forms":
        return read_forms(path).drop("source").write_csv(separator="\t", include_header=False).encode()
    return read_verdicts(path).drop("source").write_csv().encode()


def _reviewed(recipe: Recipe) -> Iterator[_Reviewed]:
    named = {"verdicts": recipe.mcq.verdicts, "forms": recipe.cultural.forms}
    for kind, location in named.items():
        if location is None:
            continue
        suffix = PurePath(location).suffix
        if suffix.lower() == WORKBOOK:
            suffix = ".tsv" if kind == "forms" else ".csv"
        yield _Reviewed(kind, location, f"{kind}{suffix}")


def carried_registries(recipe: Recipe, base: Path) -> dict[str, str]:
    """Read the locales and the domain of its own that a release brings along: path in the release to text.

    Of a file with several domains the one that is used is carried, and its templates under a name of the
    release's own.

    Args:
        recipe: Names the files, if there are any.
        base: Folder to which the recipe's relative locations refer.

    Raises:
        BlendError: If a file is not as it must be.
    """
    texts = {}
    if recipe.locale_file is not None:
        own = base / recipe.locale_file
        texts[LOCALES_NAME] = read_text(own).replace("\r\n", "\n")
    path = domain_file(recipe, base=base)
    if path is not None:
        domain = known_domain(recipe, base=base)
        if domain.templates is not None and not is_packaged(domain.templates):
            texts[PROMPT_TEMPLATES_NAME] = own_templates(domain.templates, path.parent)
            domain = domain.model_copy(update={"templates": PROMPT_TEMPLATES_NAME})
        texts[DOMAINS_NAME] = domain_toml(domain)
    return texts
