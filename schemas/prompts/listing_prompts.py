"""Prompts that ask for a list of parts, and the words by which lists are joined, by language."""

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from blend.schemas.base.toml_tables import toml_tables

PACKAGED = "listing_prompts.toml"

ENGLISH = "en"


class ListingPrompts(NamedTuple):
    """Prompts and joining words for lists in a language."""

    prompts: Mapping[str, str]
    """``hasParts``, and ``country`` with the country named."""
    joins: tuple[str, ...]
    """Words that stand before the last entry of a list; in Chinese and Japanese without blanks."""


@lru_cache(maxsize=1)
def listing_prompts() -> Mapping[str, ListingPrompts]:
    """The packaged prompts about dishes, by language."""
    tables = toml_tables(
        files("blend.schemas.prompts").joinpath(PACKAGED).read_text(encoding="utf-8"),
        source=PACKAGED,
    )
    found: dict[str, ListingPrompts] = {}
    for language, table in tables.items():
        assert isinstance(table, dict)
        prompts = {name: str(table[name]) for name in ("hasParts", "country")}
        found[language] = ListingPrompts(prompts, tuple(str(word) for word in table["joins"]))
    return found


def domain_prompts(parts: str) -> dict[str, str]:
    """The English prompts about another domain, in the word for its parts."""
    ask = f"Answer with a list of {parts}, separated by commas, and nothing else."
    return {
        "hasParts": f"Which {parts} does “[X]” have? {ask}",
        "country": f"Which {parts} does “[X]” from [C] have? {ask}",
    }
