"""Loading: a configuration of a release as datasets, as a frame or as models.

A release also loads with plain ``datasets.load_dataset``. What is added here: a version that must be named, and
files that are compared with their digests.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from blend.loaders.files.content import check_tables
from blend.loaders.releases import check_complete, read_manifest
from blend.loaders.releases.references import Reference, fetch_release, hub_reference, resolve_release
from blend.loaders.releases.tables import release_locales
from blend.schemas.arrow_types import published_names
from blend.schemas.errors import InputError, RowError, UnknownNameError
from blend.schemas.locales import Locale, Registry
from blend.schemas.manifest import DOMAINS_NAME, LOCALES_NAME, ReleaseManifest, TableInfo
from blend.schemas.models import field_errors
from blend.schemas.rows import PER_REGION

if TYPE_CHECKING:
    import polars as pl

_RowT = TypeVar("_RowT", bound=BaseModel)


def load(release: str | Path, config: str) -> Any:
    """A configuration of a release, as ``datasets.load_dataset`` gives it.

    Args:
        release: A release directory, or ``org/name@revision`` on the Hub, with a version tag or a commit. What
            is downloaded stays in the cache of the Hub's client, and later calls need no connection.
        config: Configuration, for example ``annotations``.

    Returns:
        A `datasets.DatasetDict` of datasets by split, in the order of the release.

    Raises:
        UnknownNameError: If the release has no such configuration; lists those it has.
        BlendError: If the release cannot be found, or if its files are missing or damaged.
    """
    found, tables = _fetched(release, config)
    files = {table.split: [str(found.folder / file) for file in table.files] for table in tables}
    check_tables(Path(file) for of_split in files.values() for file in of_split)

    from datasets import load_dataset

    return load_dataset("parquet", config, data_files=files)


def read_config(release: str | Path, config: str) -> "pl.DataFrame":
    """All splits of a configuration as one frame, columns named by the model's fields.

    Args:
        release: As of `load`.
        config: Configuration, for example ``annotations``.

    Returns:
        Rows in the manifest's order of splits, and in the order of each.

    Raises:
        UnknownNameError: If the release has no such configuration.
        BlendError: If the release cannot be found, or if its files are missing or damaged.
    """
    from blend.loaders.releases import tables

    return tables.read_config(_fetched(release, config)[0].folder, config)


def as_models(rows: Any, model: type[_RowT]) -> Iterator[_RowT]:
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


class _FoundRelease(NamedTuple):
    """A release whose tables may still be on the Hub."""

    folder: Path
    """Directory of the release, or what the cache holds of it: the manifest, and tables that were fetched."""
    manifest: ReleaseManifest
    """Its manifest."""
    locales: Registry
    """The locales that it can hold: the packaged ones and its own."""
    on_hub: Reference | None
    """Where it is on the Hub; null of a directory."""

    def regions(self) -> Registry:
        """The locales whose people the release has asked, in the order of its splits."""
        known = {locale.split: locale for locale in self.locales}
        splits = dict.fromkeys(table.split for table in self.manifest.tables if table.config in PER_REGION)
        return Registry(known[split] for split in splits if split in known)


def find_release(release: str | Path) -> _FoundRelease:
    """Find a release; from the Hub nothing but its manifest and registries is downloaded.

    Args:
        release: A directory, or ``org/name@revision``.

    Raises:
        BlendError: If the release cannot be found or read.
    """
    on_hub = None if Path(release).is_dir() else hub_reference(str(release))
    if on_hub is None or on_hub.revision is None:
        # A directory; what names nothing that can be loaded is an error that says why.
        folder = resolve_release(release)
    else:
        folder = fetch_release(on_hub.repo_id, on_hub.revision, wanted=_own_registries)
    return _FoundRelease(folder, read_manifest(folder), release_locales(folder), on_hub)


def fetch_tables(found: _FoundRelease, tables: Sequence[TableInfo]) -> None:
    """Have the files of some tables in the folder of a release, as its manifest says; no others are fetched.

    Raises:
        BlendError: If files are missing or damaged.
    """
    files = [file for table in tables for file in table.files]
    if found.on_hub is None:
        check_complete(found.folder, files)
    else:
        fetch_release(found.on_hub.repo_id, found.on_hub.revision or "", wanted=lambda _: files)


def find_region(name: str, regions: Registry, *, where: str) -> Locale:
    """The region of a release by any of its names.

    Args:
        name: Split, region code, locale tag, upstream name or English name.
        regions: Those of the release.
        where: What to call the release in messages.

    Raises:
        UnknownNameError: If the release has no such region; lists those it has.
        InputError: If the name is that of several regions, such as locales of one country.
    """
    try:
        found = regions.called(name)
    except UnknownNameError:
        names = {*regions.tags, *(locale.region_name for locale in regions)}
        raise UnknownNameError(f"region of {where}", name, names) from None
    if len(found) > 1:
        ways = ", ".join(locale.tag for locale in found)
        raise InputError(f"{where}: {name!r} names several regions; choose one of: {ways}")
    return found[0]


def _own_registries(manifest: ReleaseManifest) -> list[str]:
    """The files of the locales and of the domain that a release brings along, if it does."""
    return [file.path for file in manifest.files if file.path in (LOCALES_NAME, DOMAINS_NAME)]


def _fetched(release: str | Path, config: str) -> tuple[_FoundRelease, list[TableInfo]]:
    """A release with the files of a configuration, and its tables."""
    found = find_release(release)
    tables = [table for table in found.manifest.tables if table.config == config]
    if not tables:
        raise UnknownNameError("configuration", config, {table.config for table in found.manifest.tables})
    fetch_tables(found, tables)
    return found, tables
