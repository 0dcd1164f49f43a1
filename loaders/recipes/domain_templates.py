"""Prompt templates of a domain: packaged ones, or a file beside that of the domain."""

from pathlib import Path

import polars as pl

from blend.loaders.files.content import instead_of_file
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.encodings import read_text
from blend.loaders.wikidata.prompts import PACKAGED, packaged_templates, parse_templates
from blend.schemas.errors import InputError
from blend.schemas.recipe.domains import Domain
from blend.schemas.rows.triple_rows import TEMPLATES


def domain_templates(domain: Domain, folder: Path) -> pl.DataFrame:
    """The prompt templates of a domain, `triple_rows.TEMPLATES`; without rows if it has none.

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
    return read_text(path, path.parent, Diagnostics())


def is_packaged(name: str) -> bool:
    """Whether the package has templates of this name."""
    return name == PACKAGED
