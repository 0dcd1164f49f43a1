"""Asking: a task's items from a release, in a directory or on the Hub."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from pydantic import ValidationError

from blend.eval.tasks import Task, task_of
from blend.eval.tasks.items import Asked, ItemTaskOptions
from blend.loaders.datasets.places import find_tables, named
from blend.loaders.datasets.regions import find_region, regions_of
from blend.loaders.releases.tables import read_config, release_domain
from blend.schemas.errors import InputError
from blend.schemas.locales import Registry
from blend.schemas.manifest import ReleaseManifest, TableInfo
from blend.schemas.misfits import misfits

DISHES = "dish"
"""The domain in whose words texts are written."""


class AskedOfRelease(NamedTuple):
    """A task's items, and where they come from."""

    manifest: ReleaseManifest
    """The manifest of the release."""
    task: str
    """Name of the task."""
    configs: tuple[str, ...]
    """Configurations that were read."""
    options: dict[str, Any]
    """The task's options, with every default spelled out."""
    asked: Asked
    """Items and gold."""


def ask(
    release: str | Path,
    task: str,
    *,
    locales: Sequence[str] | None = None,
    limit: int | None = None,
    **options: Any,
) -> AskedOfRelease:
    """The items of a task.

    Args:
        release: A directory, or ``org/name@v1.0.0`` on the Hub, of which only what the task reads is fetched.
        task: Name of a task (`tasks.TASKS`).
        locales: Regions to ask about, by any of their names; all when absent.
        limit: Templates per locale at most; all when absent.
        options: Further options of the task.

    Raises:
        UnknownNameError: If there is no such task, or no such region in the release; lists those there are.
        InputError: If the release cannot be found or lacks a configuration that the task reads, if an option
            cannot be, or if nothing would be asked.
    """
    chosen = task_of(task)
    settled: list[tuple[Any, tuple[str, ...]]] = []

    def wanted(manifest: ReleaseManifest, _: Registry) -> list[TableInfo]:
        settled[:] = [_settled(chosen, manifest, {**options, "limit": limit})]
        return _tables(manifest, task, settled[0][1])

    places = find_tables(release, wanted)
    checked, configs = settled[0]
    known = regions_of(places.manifest, places.locales)
    where = named(places.manifest)
    tags = None
    if locales is not None:
        found = {find_region(name, known, where=where).locale for name in locales}
        tags = tuple(region.locale for region in known if region.locale in found)
        tags = None if len(tags) == len(known) else tags
    checked = checked.model_copy(update={"locales": tags})
    splits = {locale.tag: locale.split for locale in places.locales}
    if isinstance(checked, ItemTaskOptions):
        domain = release_domain(places.folder)
        if domain is not None and domain.name != DISHES:
            checked = checked.model_copy(update={"words": domain.words})
    region = pl.col("locale").replace_strict(splits, return_dtype=pl.String).alias("region")
    tables = {config: read_config(places.folder, config) for config in configs}
    tables = {
        config: rows.with_columns(region) if "locale" in rows.columns else rows
        for config, rows in tables.items()
    }
    asked = chosen.ask(tables, checked)
    if asked.items.is_empty():
        others = "--language or --country" if chosen.settle is not None else "--locales"
        raise InputError(f"{where}: nothing to ask for the task {task}; choose other {others}")
    return AskedOfRelease(places.manifest, task, configs, checked.model_dump(mode="json"), asked)


def _settled(task: Task, manifest: ReleaseManifest, options: Mapping[str, Any]) -> tuple[Any, tuple[str, ...]]:
    checked = _options(task, options)
    return (checked, task.configs) if task.settle is None else task.settle(checked, manifest)


def _tables(manifest: ReleaseManifest, name: str, configs: Sequence[str]) -> list[TableInfo]:
    held = {table.config for table in manifest.tables}
    for config in configs:
        if config not in held:
            raise InputError(
                f"{named(manifest)}: the release has no configuration {config}, which the task {name} reads; "
                f"it has {', '.join(sorted(held))}: choose another --task, or another release"
            )
    return [table for table in manifest.tables if table.config in configs]


def _options(task: Task, options: Mapping[str, Any]) -> Any:
    try:
        return task.options.model_validate(dict(options))
    except ValidationError as error:
        first = next(misfits(error))
        if first.is_ours:
            raise InputError(first.message) from None
        if first.kind == "extra_forbidden":
            # Those that a run does not keep come from the front door.
            known = ", ".join(
                name
                for name, one in task.options.model_fields.items()
                if not one.exclude and name not in task.options.FROM_RELEASE
            )
            what = f"option {first.place}: this task has no such option; it has {known}"
            raise InputError(what) from None
        what = f"option {first.place}: {first.value!r} is not possible ({first.message})"
        raise InputError(what) from None
