"""Loading: a configuration of a release as a dataset, as a frame or as models.

A release also loads with plain ``datasets.load_dataset``. What is added here: regions by any of their names, a
version that must be named, and files that are compared with their digests.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from blend.loaders.datasets.locations import ON_HUB, FoundRelease, fetch_tables, find_release, named
from blend.loaders.datasets.regions import find_region, regions_of
from blend.loaders.files.content import check_tables
from blend.schemas.arrow_types import published_names
from blend.schemas.errors import InputError, RowError, UnknownNameError
from blend.schemas.manifest import TableInfo
from blend.schemas.models import field_errors
from blend.schemas.rows import PER_REGION, QUESTION_CONFIGS

if TYPE_CHECKING:
    import polars as pl

RowT = TypeVar("RowT", bound=BaseModel)


def load(
    release: str | Path,
    config: str,
    region: str | Sequence[str] | None = None,
    *,
    split: str | None = None,
    revision: str | None = None,
    streaming: bool = False,
) -> Any:
    """A configuration of a release, or its rows about some regions.

    Args:
        release: A release directory, or ``org/name`` on the Hub.
        config: Configuration, for example ``annotations``.
        region: Region by its split (``KR``), locale (``ko-KR``), upstream name (``South_Korea``) or English
            name; several of them; or all regions when absent.
        split: Split, where the splits of the configuration are no regions; all when absent.
        revision: Version tag (``v1.2.0``) or commit. A release on the Hub needs one, a directory has none.
        streaming: Whether to read rows as they are asked for, without downloading first.

    Returns:
        A `datasets.Dataset` (streaming: `IterableDataset`) of one region or split, and of configurations whose
        regions share one split; else a dictionary of datasets by split, in the order asked for, or in that of
        the release.

    Raises:
        UnknownNameError: If the release has no such configuration, region or split; lists those it has.
        BlendError: If the release cannot be found, if its files are missing or damaged, if the configuration
            has no regions, or if no row is about those asked for.
    """
    asked = None if region is None else [region] if isinstance(region, str) else list(region)
    if asked == []:
        raise InputError("region=[]: names no region; name some, or leave it out for all of them")
    if split is not None and asked is not None and config in PER_REGION:
        raise InputError(f"{config}: its splits are its regions; name region or split, not both")

    found = find_release(release, revision=revision)
    tables, locales = _choice(found, config, asked, split)
    addresses = fetch_tables(found, tables, streaming=streaming)
    here = [address for address in addresses.values() if not address.startswith(ON_HUB)]
    check_tables(map(Path, here))
    if locales and len(here) == len(addresses):
        _check_present(found, here, config, locales)

    from datasets import load_dataset

    loaded = load_dataset(
        "parquet",
        config,
        data_files={table.split: [addresses[file] for file in table.files] for table in tables},
        streaming=streaming,
        filters=[("locale", "in", locales)] if locales else None,
    )
    is_one = isinstance(region, str) if config in PER_REGION else config in QUESTION_CONFIGS
    return next(iter(loaded.values())) if split is not None or is_one else loaded


def read_config(release: str | Path, config: str, *, revision: str | None = None) -> "pl.DataFrame":
    """All splits of a configuration as one frame, columns named by the model's fields.

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

    found = find_release(release, revision=revision)
    fetch_tables(found, _choice(found, config, None, None).tables)
    return tables.read_config(found.folder, config)


def as_models(rows: Any, model: type[RowT]) -> Iterator[RowT]:
    """Give rows as models, one after the other; those of plain `datasets.load_dataset` as well.

    Columns that the model does not know, such as those added by ``map``, are left out.

    Args:
        rows: Rows of a release, filtered, sorted, streamed or formatted in any way.
        model: What each row must be, for example `Annotation` of `blend.schemas.rows`.

    Raises:
        RowError: When a row is reached that is not what its model says, or lacks a column of it.
    """
    columns = tuple(published_names(model).values())
    # Arrays of numpy or torch would be no text and no lists.
    for number, row in enumerate(rows.with_format(None)):
        where = f"row {number}"
        if missing := [column for column in columns if column not in row]:
            raise RowError(
                f"no column {', '.join(missing)}",
                where=where,
                fix=f"keep all columns of {model.__name__}, and load a release that blend built",
            )
        try:
            yield model.model_validate({column: row[column] for column in columns})
        except ValidationError as error:
            first = next(field_errors(error))
            raise RowError(
                f"{first.location or 'row'} is not as {model.__name__} has it: {first.message}",
                where=where,
                fix="take typed rows before the rows are changed",
            ) from None


class _Choice(NamedTuple):
    """What is asked for of a release."""

    tables: list[TableInfo]
    """The tables, in the order asked for."""
    locales: list[str]
    """Locales to keep the rows of, where the splits are no regions; empty for all."""


def _choice(found: FoundRelease, config: str, asked: Sequence[str] | None, split: str | None) -> _Choice:
    manifest, where = found.manifest, named(found.manifest)
    tables = {table.split: table for table in manifest.tables if table.config == config}
    if not tables:
        raise UnknownNameError("configuration", config, {table.config for table in manifest.tables})
    if split is not None and split not in tables:
        raise UnknownNameError("split", split, tables)
    wanted = list(tables.values()) if split is None else [tables[split]]
    if asked is None:
        return _Choice(wanted, [])
    if config not in QUESTION_CONFIGS:
        raise InputError(f"{where}: {config} has no regions; leave region out, or name a split")
    regions = regions_of(manifest, found.locales, config)
    chosen = dict.fromkeys(find_region(name, regions, where=where) for name in asked)
    if config in PER_REGION:
        return _Choice([tables[region.split] for region in chosen], [])
    return _Choice(wanted, [region.locale for region in chosen])


def _check_present(found: FoundRelease, files: Sequence[str], config: str, locales: Sequence[str]) -> None:
    """Refuse a locale without rows in files that are all here: no rows would look like an answer."""
    import polars as pl

    rows = pl.scan_parquet(list(files)).select(pl.col("locale").unique())
    held = set(rows.collect()["locale"])
    if absent := [locale for locale in locales if locale not in held]:
        raise InputError(
            f"{named(found.manifest)}: {config} holds no row about {', '.join(absent)}; "
            "the report in release.json says why"
        )
