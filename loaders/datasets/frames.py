"""Frames: a configuration of a release as one polars frame, wherever the release lies."""

from pathlib import Path
from typing import TYPE_CHECKING

from blend.loaders.datasets.locations import find_tables
from blend.schemas.errors import UnknownNameError
from blend.schemas.language.locales import Registry
from blend.schemas.release.manifest import ReleaseManifest, TableInfo

if TYPE_CHECKING:
    import polars as pl


def read_config(release: str | Path, config: str, *, revision: str | None = None) -> "pl.DataFrame":
    """All splits of a configuration, columns named by the model's fields.

    Args:
        release: A release directory, ``org/name``, or ``org/name@revision`` on the Hub. What is downloaded from
            there stays in the cache of the Hub's client, and later calls need no connection.
        config: Configuration, for example ``annotations``.
        revision: Version tag (``v1.2.0``) or commit. A release on the Hub needs one, a directory has none.

    Returns:
        Rows in the manifest's order of splits, and in the order of each.

    Raises:
        UnknownNameError: If the release has no such configuration.
        BlendError: If the release cannot be found, or if its files are missing or damaged.
    """
    from blend.loaders.releases import tables

    def choose(manifest: ReleaseManifest, _: Registry) -> list[TableInfo]:
        chosen = [table for table in manifest.tables if table.config == config]
        if not chosen:
            raise UnknownNameError("configuration", config, {table.config for table in manifest.tables})
        return chosen

    return tables.read_config(find_tables(release, choose, revision=revision).folder, config)
