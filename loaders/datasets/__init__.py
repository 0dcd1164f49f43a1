"""Loading: a configuration of a release as a dataset.

A release also loads with plain ``datasets.load_dataset``. What is added here: regions by any of their names, a
version that must be named, files that are compared with their digests, and a word when a newer version is out.
`typed.as_models` gives rows as models.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

from blend.loaders.datasets.locations import ON_HUB, Places, find_tables, named
from blend.loaders.datasets.regions import find_region, regions_of
from blend.loaders.files.unpacked import check_tables
from blend.schemas.errors import InputError, UnknownNameError
from blend.schemas.language.locales import Registry
from blend.schemas.release.manifest import ReleaseManifest, TableInfo
from blend.schemas.rows.configs import (
    ANNOTATIONS,
    MULTIPLE_CHOICE_QUESTIONS,
    PER_REGION,
    QUESTION_CONFIGS,
    SHORT_ANSWER_PROMPTS,
    SHORT_ANSWER_QUESTIONS,
)

if TYPE_CHECKING:
    from datasets import Dataset, DatasetDict, IterableDataset, IterableDatasetDict

Regions = list[str] | tuple[str, ...]


@overload
def load_annotations(
    release: str | Path, region: str, *, revision: str | None = ..., streaming: Literal[False] = ...
) -> "Dataset": ...
@overload
def load_annotations(
    release: str | Path, region: str, *, revision: str | None = ..., streaming: Literal[True]
) -> "IterableDataset": ...
@overload
def load_annotations(
    release: str | Path,
    region: Regions | None = ...,
    *,
    revision: str | None = ...,
    streaming: Literal[False] = ...,
) -> "DatasetDict": ...
@overload
def load_annotations(
    release: str | Path, region: Regions | None = ..., *, revision: str | None = ..., streaming: Literal[True]
) -> "IterableDatasetDict": ...
def load_annotations(
    release: str | Path,
    region: str | Regions | None = None,
    *,
    revision: str | None = None,
    streaming: bool = False,
) -> Any:
    """The answers of a region's annotators: every question with its answers, merged and counted.

    Args:
        release: A release directory, or ``org/name`` on the Hub.
        region: Region by its split (``KR``), locale (``ko-KR``), upstream name (``South_Korea``) or English
            name; several of them; or all regions when absent.
        revision: Version tag (``v1.2.0``) or commit. A release on the Hub needs one, a directory has none.
        streaming: Whether to read rows as they are asked for, without downloading first.

    Returns:
        One region as a `datasets.Dataset` (streaming: `IterableDataset`), ordered by ``ID``; several as a
        dictionary of them by split, in the order asked for, or in that of the release.

    Raises:
        UnknownNameError: If the release has no such region or configuration; lists those it has.
        BlendError: If the release cannot be found, or if its files are missing or damaged.
    """
    return load_config(release, ANNOTATIONS, region=region, revision=revision, streaming=streaming)


@overload
def load_short_answer_questions(
    release: str | Path, region: str, *, revision: str | None = ..., streaming: Literal[False] = ...
) -> "Dataset": ...
@overload
def load_short_answer_questions(
    release: str | Path, region: str, *, revision: str | None = ..., streaming: Literal[True]
) -> "IterableDataset": ...
@overload
def load_short_answer_questions(
    release: str | Path,
    region: Regions | None = ...,
    *,
    revision: str | None = ...,
    streaming: Literal[False] = ...,
) -> "DatasetDict": ...
@overload
def load_short_answer_questions(
    release: str | Path, region: Regions | None = ..., *, revision: str | None = ..., streaming: Literal[True]
) -> "IterableDatasetDict": ...
def load_short_answer_questions(
    release: str | Path,
    region: str | Regions | None = None,
    *,
    revision: str | None = None,
    streaming: bool = False,
) -> Any:
    """The questions of a region, in the local language and in English.

    Args:
        release: A release directory, or ``org/name`` on the Hub.
        region: Region by any of its names, several of them, or all when absent; see `load_annotations`.
        revision: Version tag or commit. A release on the Hub needs one, a directory has none.
        streaming: Whether to read rows as they are asked for, without downloading first.

    Returns:
        As `load_annotations`, with the same ``ID`` in the same order.

    Raises:
        UnknownNameError: If the release has no such region or configuration; lists those it has.
        BlendError: If the release cannot be found, or if its files are missing or damaged.
    """
    return load_config(release, SHORT_ANSWER_QUESTIONS, region=region, revision=revision, streaming=streaming)


@overload
def load_short_answer_prompts(
    release: str | Path, region: str, *, revision: str | None = ..., streaming: Literal[False] = ...
) -> "Dataset": ...
@overload
def load_short_answer_prompts(
    release: str | Path, region: str, *, revision: str | None = ..., streaming: Literal[True]
) -> "IterableDataset": ...
@overload
def load_short_answer_prompts(
    release: str | Path,
    region: Regions | None = ...,
    *,
    revision: str | None = ...,
    streaming: Literal[False] = ...,
) -> "DatasetDict": ...
@overload
def load_short_answer_prompts(
    release: str | Path, region: Regions | None = ..., *, revision: str | None = ..., streaming: Literal[True]
) -> "IterableDatasetDict": ...
def load_short_answer_prompts(
    release: str | Path,
    region: str | Regions | None = None,
    *,
    revision: str | None = None,
    streaming: bool = False,
) -> Any:
    """Load the prompts that ask a model the questions of a region, in the local language and in English.

    Args:
        release: A release directory, or ``org/name`` on the Hub.
        region: Region by any of its names, several of them, or all when absent; see `load_annotations`.
        revision: Version tag or commit. A release on the Hub needs one, a directory has none.
        streaming: Whether to read rows as they are asked for, without downloading first.

    Returns:
        As `load_annotations`; ordered by ``prompt_id``.

    Raises:
        UnknownNameError: If the release has no such region or configuration, or no prompts of the region; lists
            those it has.
        BlendError: If the release cannot be found, or if its files are missing or damaged.
    """
    return load_config(release, SHORT_ANSWER_PROMPTS, region=region, revision=revision, streaming=streaming)


@overload
def load_multiple_choice_questions(
    release: str | Path,
    region: str | Regions | None = ...,
    *,
    split: str = ...,
    revision: str | None = ...,
    streaming: Literal[False] = ...,
) -> "Dataset": ...
@overload
def load_multiple_choice_questions(
    release: str | Path,
    region: str | Regions | None = ...,
    *,
    split: str = ...,
    revision: str | None = ...,
    streaming: Literal[True],
) -> "IterableDataset": ...
def load_multiple_choice_questions(
    release: str | Path,
    region: str | Regions | None = None,
    *,
    split: str = "test",
    revision: str | None = None,
    streaming: bool = False,
) -> Any:
    """The multiple-choice questions, or those about some regions.

    Args:
        release: A release directory, or ``org/name`` on the Hub.
        region: Region asked about, by any of its names; several of them; or all when absent.
        split: Name of the split.
        revision: Version tag or commit. A release on the Hub needs one, a directory has none.
        streaming: Whether to read rows as they are asked for, without downloading first.

    Returns:
        One `datasets.Dataset` (streaming: `IterableDataset`), whatever the regions; in the release's order.

    Raises:
        UnknownNameError: If the release has no such region, split or configuration; lists those it has.
        BlendError: If the release cannot be found, if its files are missing or damaged, or if it has no
            multiple-choice question about the regions.
    """
    return load_config(
        release,
        MULTIPLE_CHOICE_QUESTIONS,
        region=region,
        split=split,
        revision=revision,
        streaming=streaming,
    )


def load_config(
    release: str | Path,
    config: str,
    *,
    region: str | Regions | None = None,
    split: str | None = None,
    revision: str | None = None,
    streaming: bool = False,
) -> Any:
    """Any configuration of a release, by name.

    Args:
        release: A release directory, or ``org/name`` on the Hub.
        config: Configuration, for example ``annotations``.
        region: Regions by any of their names; all when absent.
        split: Split, where the splits of the configuration are no regions; all when absent.
        revision: Version tag or commit. A release on the Hub needs one, a directory has none.
        streaming: Whether to read rows as they are asked for, without downloading first.

    Returns:
        A `datasets.Dataset` (streaming: `IterableDataset`) for one region or split, a dictionary for several.

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

    def choose(manifest: ReleaseManifest, known: Registry) -> list[TableInfo]:
        return _choice(manifest, known, config, asked, split).tables

    locations = find_tables(release, choose, revision=revision, streaming=streaming)
    locales = _choice(locations.manifest, locations.locales, config, asked, split).locales
    here = [address for address in locations.addresses.values() if not address.startswith(ON_HUB)]
    check_tables(map(Path, here))
    if len(here) == len(locations.addresses):
        _check_present(locations, config, locales)
    loaded = _load(locations, config, locales, streaming=streaming)
    single = split is not None or (config in PER_REGION and isinstance(region, str))
    return next(iter(loaded.values())) if single else loaded


class _Choice(NamedTuple):
    """Configuration, split and revision that are asked for."""

    tables: list[TableInfo]
    """The tables, in the order asked for."""
    locales: list[str]
    """Locales to keep the rows of, where the splits are no regions; empty for all."""


def _choice(
    manifest: ReleaseManifest, known: Registry, config: str, asked: Sequence[str] | None, split: str | None
) -> _Choice:
    where = named(manifest)
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
    regions = regions_of(manifest, known, config)
    found = dict.fromkeys(find_region(name, regions, where=where) for name in asked)
    if config in PER_REGION:
        return _Choice([tables[region.split] for region in found], [])
    return _Choice(wanted, [region.locale for region in found])


def _check_present(locations: Places, config: str, locales: Sequence[str]) -> None:
    """Refuse a locale without rows in files that are all here: no rows would look like an answer."""
    if not locales:
        return
    import polars as pl

    held = set(
        pl.scan_parquet(list(locations.addresses.values()))
        .select(pl.col("locale").unique())
        .collect()["locale"]
    )
    if absent := [locale for locale in locales if locale not in held]:
        raise InputError(
            f"{named(locations.manifest)}: {config} holds no row about {', '.join(absent)}; "
            "the report in release.json says why"
        )


def _load(locations: Places, config: str, locales: Sequence[str], *, streaming: bool) -> Any:
    """The tables as a dictionary of datasets by split, with the rows about some locales, or all."""
    from datasets import load_dataset

    return load_dataset(
        "parquet",
        config,
        data_files={
            table.split: [locations.addresses[file] for file in table.files] for table in locations.tables
        },
        streaming=streaming,
        filters=[("locale", "in", list(locales))] if locales else None,
    )
