"""Domain files: a user's own domains of Wikidata, in the form of the packaged ones."""

from collections.abc import Mapping
from pathlib import Path

import tomli_w

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.encodings import read_text
from blend.schemas.recipe.domains import Domain, domains, domains_with, parse_domains


def known_domains(path: Path | None) -> Mapping[str, Domain]:
    """The packaged domains by name, and behind them those of a file where one is given.

    Args:
        path: UTF-8 TOML with one ``[[domain]]`` table per domain; the keys are the fields of `Domain`.

    Raises:
        RowError, RowErrors: If the file is not UTF-8 or not TOML, if an entry has a missing, unknown or wrong
            field, or if it has the name of another or of a packaged domain; names file, entry and field.
    """
    if path is None:
        return domains()
    text = read_text(path, path.parent, Diagnostics())
    return domains_with(parse_domains(text, source=path.name), source=path.name)


def domain_toml(domain: Domain) -> str:
    """A domain as a domain file has it: TOML that `known_domains` reads back as the same domain."""
    return tomli_w.dumps({"domain": [domain.model_dump(mode="json", exclude_none=True)]})
