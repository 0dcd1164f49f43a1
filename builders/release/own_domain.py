"""The domain of a release, where the package does not have it: carried along, so that the release rebuilds."""

from collections.abc import Mapping
from pathlib import Path

from blend.builders.release.inputs import domain_file, known_domain
from blend.loaders.files.domains import domain_toml
from blend.loaders.recipes.domain_templates import is_packaged, own_templates
from blend.schemas.layout import DOMAINS_NAME, PROMPT_TEMPLATES_NAME
from blend.schemas.recipe import Recipe


def carried_domain(recipe: Recipe, base: Path) -> Mapping[str, str]:
    """What a release holds of its own domain: path in the release to text; nothing for a packaged domain.

    Of a file with several domains the one that is used is carried, and its templates under a name of the
    release's own.

    Args:
        recipe: Names the domain and its file.
        base: Folder to which the recipe's relative locations refer.

    Raises:
        BlendError: If the domain is not as it must be.
    """
    path = domain_file(recipe, base=base)
    if path is None:
        return {}
    domain = known_domain(recipe, base=base)
    if domain.templates is None or is_packaged(domain.templates):
        return {DOMAINS_NAME: domain_toml(domain)}
    moved = domain.model_copy(update={"templates": PROMPT_TEMPLATES_NAME})
    return {
        DOMAINS_NAME: domain_toml(moved),
        PROMPT_TEMPLATES_NAME: own_templates(domain.templates, path.parent),
    }
