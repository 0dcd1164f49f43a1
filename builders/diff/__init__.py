"""Diff: what a release changes, compared with an earlier one, by configuration, split, row and column."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from blend.builders.diff.model import (
    ColumnChange,
    ConfigDiff,
    FileChange,
    ReleaseDiff,
    ReleaseLabel,
    Setting,
    SplitDiff,
)
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.releases import check_complete, read_manifest
from blend.loaders.releases.repository import unaddressed
from blend.schemas.manifest import CHANGELOG_NAME, MANIFEST_NAME, RECIPE_NAME, ReleaseManifest, TableInfo

EXAMPLES = 3
"""Ids, and values of each column, quoted per split."""


class OpenRelease(NamedTuple):
    """A release directory and what is known of it."""

    folder: Path
    """The directory."""
    manifest: ReleaseManifest
    """Its manifest."""

    def splits(self, config: str) -> dict[str, TableInfo]:
        """The tables of a configuration by split; none if the release does not have it."""
        return {table.split: table for table in self.manifest.tables if table.config == config}


def open_release(folder: Path) -> OpenRelease:
    """A release directory with the manifest in it.

    Raises:
        BlendError: If the directory is not a release.
    """
    return OpenRelease(folder, read_manifest(folder))


def diff_releases(
    old: Path | str, new: Path | str, *, examples: int = EXAMPLES, on_progress: ProgressCallback = silent
) -> ReleaseDiff:
    """Compare two release directories.

    Tables with the same content digest are not read.

    Args:
        old: The release to compare with, usually the earlier one.
        new: The release to compare.
        examples: Ids, and values of each column, to quote per split at most; counts are always complete.
        on_progress: Told about the rows compared, by configuration.

    Raises:
        BlendError: If a directory is not a release, or if its files are not those of its manifest: then the
            digests there, by which equal tables are recognised, say nothing.
    """
    before, after = open_release(Path(old)), open_release(Path(new))
    for release in (before, after):
        check_complete(release.folder)
    found = diff_tables(before, after, examples=examples, on_progress=on_progress)
    return found.model_copy(update={"files": file_changes(*before, *after)})


def diff_tables(
    old: OpenRelease, new: OpenRelease, *, examples: int = EXAMPLES, on_progress: ProgressCallback = silent
) -> ReleaseDiff:
    """Compare what two releases hold, without the documents beside the tables; see `diff_releases`."""
    return ReleaseDiff(
        old=ReleaseLabel(name=old.manifest.name, version=old.manifest.version),
        new=ReleaseLabel(name=new.manifest.name, version=new.manifest.version),
        settings=_setting_changes(old.manifest, new.manifest),
        files=(),
        configs=tuple(_config_diffs(old, new, examples, on_progress)),
    )


def _config_diffs(
    old: OpenRelease, new: OpenRelease, examples: int, on_progress: ProgressCallback
) -> Iterator[ConfigDiff]:
    configs = _in_both_orders(*([table.config for table in it.manifest.tables] for it in (new, old)))
    return (_config_diff(config, old, new, examples, on_progress) for config in configs)


def _config_diff(
    config: str, old: OpenRelease, new: OpenRelease, examples: int, on_progress: ProgressCallback
) -> ConfigDiff:
    before, after = old.splits(config), new.splits(config)
    if before.keys() == after.keys() and all(_same(before[split], table) for split, table in after.items()):
        # Said without reading a table, or loading what reads tables: the usual case of a corrected text.
        equal = tuple(_unchanged(split, table.rows) for split, table in after.items())
        return ConfigDiff(config=config, schema_changes=(), columns_reordered=False, splits=equal)
    return _read_diff(config, old, new, examples, on_progress)


def _read_diff(
    config: str, old: OpenRelease, new: OpenRelease, examples: int, on_progress: ProgressCallback
) -> ConfigDiff:
    from blend.builders.diff.tables import added, diff_rows, is_reordered, removed, schema_changes
    from blend.loaders.releases.tables import table_rows

    before, after = old.splits(config), new.splits(config)
    changes: dict[ColumnChange, None] = {}
    reordered = False
    splits: list[SplitDiff] = []
    rows = {split: (after.get(split) or before[split]).rows for split in _in_both_orders(after, before)}
    for split in rows:
        on_progress(f"compare rows of {config}", sum(rows[done.split] for done in splits), sum(rows.values()))
        if split not in before:
            splits.append(added(table_rows(new.folder, after[split]), config, split, examples))
        elif split not in after:
            splits.append(removed(table_rows(old.folder, before[split]), config, split, examples))
        elif _same(before[split], after[split]):
            splits.append(_unchanged(split, before[split].rows))
        else:
            then, now = table_rows(old.folder, before[split]), table_rows(new.folder, after[split])
            changes |= dict.fromkeys(schema_changes(then.schema, now.schema))
            reordered |= is_reordered(then.schema, now.schema)
            splits.append(diff_rows(then, now, config=config, split=split, examples=examples))
    on_progress(f"compare rows of {config}", sum(rows.values()), sum(rows.values()))
    return ConfigDiff(
        config=config, schema_changes=tuple(changes), columns_reordered=reordered, splits=tuple(splits)
    )


def _in_both_orders(new: Iterable[str], old: Iterable[str]) -> list[str]:
    return list(dict.fromkeys([*new, *old]))


def _same(old: TableInfo, new: TableInfo) -> bool:
    return (old.content_sha256, old.schema_sha256) == (new.content_sha256, new.schema_sha256)


def _unchanged(split: str, rows: int) -> SplitDiff:
    return SplitDiff(split=split, old_rows=rows, new_rows=rows, added=0, removed=0, changed=0, moved=0)


# What a release says about itself, compared: licence, recipe, sources, and the files beside the tables.


_COMPARED = {"name", "sdk_version", "writers", "recipe"}
_IN_THE_LABELS = ("name", "version")
_TOLD_ELSEWHERE = {MANIFEST_NAME, RECIPE_NAME, CHANGELOG_NAME}


def _setting_changes(old: ReleaseManifest, new: ReleaseManifest) -> tuple[Setting, ...]:
    """Compare what the manifests record: name, recipe, sources, package, writers.

    The version is left out, and so is what the tables themselves tell: files, counts and the build report.
    Sources are pinned in the recipe, so that another state of a source shows as another digest there.
    """
    before, after = _settings(old), _settings(new)
    paths = [*after, *(path for path in before if path not in after)]
    return tuple(
        Setting(path=path, old=before.get(path), new=after.get(path))
        for path in paths
        if before.get(path) != after.get(path)
    )


def file_changes(
    old: Path, old_manifest: ReleaseManifest, new: Path, new_manifest: ReleaseManifest
) -> tuple[FileChange, ...]:
    """Files that differ, without tables, manifest, recipe and changelog, which are compared otherwise.

    A text that differs only in the release's version, or in where it is published, is the same.
    """
    before, after = _other_files(old_manifest), _other_files(new_manifest)
    changes = []
    for path in sorted({*before, *after}):
        if path not in before:
            changes.append(FileChange(path=path, presence="added"))
        elif path not in after:
            changes.append(FileChange(path=path, presence="removed"))
        elif before[path] != after[path]:
            versions = old_manifest.version, new_manifest.version
            if not _same_but_for_version(old / path, new / path, *versions):
                changes.append(FileChange(path=path, presence="kept"))
    return tuple(changes)


def _settings(manifest: ReleaseManifest) -> dict[str, JsonValue]:
    values = manifest.model_dump(mode="json", include=_COMPARED)
    # Name and version of the recipe are those of the manifest, which stand above every comparison.
    for name in _IN_THE_LABELS:
        del values["recipe"][name]
    return dict(_flat(values, ""))


def _flat(value: JsonValue, path: str) -> Iterator[tuple[str, JsonValue]]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _flat(part, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and any(isinstance(part, dict) for part in value):
        for number, part in enumerate(value):
            yield from _flat(part, f"{path}[{number}]")
    else:
        yield path, value


def _other_files(manifest: ReleaseManifest) -> dict[str, str]:
    tables = {file for table in manifest.tables for file in table.files}
    return {
        file.path: file.sha256
        for file in manifest.files
        if file.path not in tables and file.path not in _TOLD_ELSEWHERE
    }


def _same_but_for_version(old: Path, new: Path, old_version: str, new_version: str) -> bool:
    try:
        texts = old.read_text(encoding="utf-8"), new.read_text(encoding="utf-8")
    except (FileNotFoundError, UnicodeDecodeError):
        return False
    before, after = (unaddressed(text).replace(old_version, new_version) for text in texts)
    return before == after
