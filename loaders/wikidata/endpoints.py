"""Endpoints by name: where Wikidata can be asked, and what their operators ask of those who do."""

import tomllib
from functools import lru_cache
from importlib.resources import files

from blend.schemas.addresses import is_server_address, without_passwords
from blend.schemas.errors import InputError
from blend.schemas.models import FrozenModel

DEFAULT_ENDPOINT = "wdqs"
"""Name of the Wikidata Query Service."""


class KnownEndpoint(FrozenModel):
    """An endpoint and its rules; all but the address is what any other endpoint gets where it is left out."""

    url: str
    """Address that questions go to."""
    name: str = ""
    """Name for ``endpoint``; empty for one given by its address."""
    title: str = ""
    """Who runs it, and which part of Wikidata it is."""
    wants_contact: bool = False
    """Whether it refuses those who do not say whom to reach."""
    pause_s: float = 1.0
    """Seconds between an answer and the next question."""
    holds: str = ""
    """Which part of Wikidata, and how old."""
    limits: str = ""
    """What it restricts, as its operator says."""


@lru_cache
def known_endpoints() -> dict[str, KnownEndpoint]:
    """The packaged endpoints by name, ``endpoints.toml``."""
    text = (files(__package__) / "endpoints.toml").read_text(encoding="utf-8")
    entries = map(KnownEndpoint.model_validate, tomllib.loads(text)["endpoint"])
    return {entry.name: entry for entry in entries}


def find_endpoint(name_or_url: str) -> KnownEndpoint:
    """An endpoint by its name or address.

    Raises:
        InputError: If it is neither.
    """
    known = known_endpoints()
    for entry in known.values():
        if name_or_url in (entry.name, entry.url):
            return entry
    # A name and password would be written into the account of the snapshot.
    if is_server_address(name_or_url) and name_or_url.isascii() and "@" not in name_or_url:
        return KnownEndpoint(url=name_or_url)
    raise InputError(
        f"endpoint {without_passwords(name_or_url)!r}: not the address of a SPARQL endpoint; write it in full, "
        "with http:// or https:// and without a user name, for example 'http://localhost:7001', or a name: "
        f"{', '.join(known)}"
    )
