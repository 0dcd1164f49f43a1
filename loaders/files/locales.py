"""Locale files: a user's own locales, in the form of the packaged registry."""

from pathlib import Path

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.encodings import read_text
from blend.schemas.language.locales import Locale, Registry, parse_locales, registry


def read_locales(path: Path) -> tuple[Locale, ...]:
    """The locales of a TOML file with one ``[[locale]]`` table each, in file order.

    ``registry_with(path)`` adds them to the packaged ones.

    Args:
        path: UTF-8 text, with or without byte order mark; the keys are the fields of `Locale`.

    Raises:
        RowError, RowErrors: If the file is not UTF-8 or not TOML, if an entry has a missing, unknown or wrong
            field, or if two share a tag, split, upstream name or other code; names file, entry and field.
    """
    text = read_text(path, path.parent, Diagnostics())
    return parse_locales(text, source=path.name)


def registry_with(path: Path | None) -> Registry:
    """The packaged registry, and behind its locales those of a file where one is given.

    Raises:
        RowError, RowErrors: As `read_locales`.
    """
    return registry() if path is None else registry().extended(read_locales(path), source=path.name)
