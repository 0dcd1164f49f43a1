"""Diff: what a release changes, compared with an earlier one, by configuration, split, row and column."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from blend.builders.diff_model import ColumnChange, ConfigDiff, ReleaseDiff, ReleaseLabel, SplitDiff
from blend.builders.diff_schema import is_reordered, schema_changes
from blend.builders.diff_settings import file_changes, setting_changes
from blend.builders.diff_tables import diff_rows, first_ids
from blend.loaders.releases import read_manifest
from blend.loaders.table_columns import TableColumns
from blend.schemas.manifest import ReleaseManifest, TableInfo

EXAMPLES = 3
"""Ids, and values of each column, quoted per split."""

Splits = Mapping[str, TableInfo]
"""Split to table, of one configuration."""


def diff_releases(old: Path, new: Path, *, examples: int = EXAMPLES) -> ReleaseDiff:
    """Compare two release directories.

    Tables with the same content digest are not read. Others are read column by column, as digests: time is
    linear in the size of the files, and memory holds a few numbers per row.

    Args:
        old: The release to compare with, usually the earlier one.
        new: The release to compare.
        examples: Ids, and values of each column, to quote per split at most; counts are always complete.

    Raises:
        BlendError: If a directory is no release, or if one of its files is missing or cannot be read.
    """
    before, after = read_manifest(old), read_manifest(new)
    return ReleaseDiff(
        old=ReleaseLabel(name=before.name, version=before.version),
        new=ReleaseLabel(name=after.name, version=after.version),
        settings=setting_changes(before, after),
        files=file_changes(old, before, new, after),
        configs=tuple(_config_diffs((old, before), (new, after), examples)),
    )


def _config_diffs(
    old: tuple[Path, ReleaseManifest], new: tuple[Path, ReleaseManifest], examples: int
) -> Iterator[ConfigDiff]:
    before, after = _by_config(old[1]), _by_config(new[1])
    for config in _in_both_orders(list(after), list(before)):
        yield _config_diff(config, (old[0], before.get(config, {})), (new[0], after.get(config, {})), examples)


def _config_diff(config: str, old: tuple[Path, Splits], new: tuple[Path, Splits], examples: int) -> ConfigDiff:
    changes: dict[ColumnChange, None] = {}
    reordered = False
    splits = []
    for split in _in_both_orders(list(new[1]), list(old[1])):
        before, after = old[1].get(split), new[1].get(split)
        if before is None or after is None:
            splits.append(_one_sided(config, split, (old[0], before), (new[0], after), examples))
        elif _same(before, after):
            splits.append(_unchanged(split, before.rows))
        else:
            tables = TableColumns(old[0], before), TableColumns(new[0], after)
            changes |= dict.fromkeys(schema_changes(tables[0].types, tables[1].types))
            reordered |= is_reordered(tables[0].types, tables[1].types)
            splits.append(diff_rows(*tables, config=config, split=split, examples=examples))
    return ConfigDiff(
        config=config, schema_changes=tuple(changes), columns_reordered=reordered, splits=tuple(splits)
    )


def _by_config(manifest: ReleaseManifest) -> dict[str, dict[str, TableInfo]]:
    found: dict[str, dict[str, TableInfo]] = {}
    for table in manifest.tables:
        found.setdefault(table.config, {})[table.split] = table
    return found


def _in_both_orders(new: Sequence[str], old: Sequence[str]) -> list[str]:
    return [*new, *(name for name in old if name not in new)]


def _same(old: TableInfo, new: TableInfo) -> bool:
    return (old.content_sha256, old.schema_sha256) == (new.content_sha256, new.schema_sha256)


def _unchanged(split: str, rows: int) -> SplitDiff:
    return SplitDiff(split=split, old_rows=rows, new_rows=rows, added=0, removed=0, changed=0, moved=0)


def _one_sided(
    config: str,
    split: str,
    old: tuple[Path, TableInfo | None],
    new: tuple[Path, TableInfo | None],
    examples: int,
) -> SplitDiff:
    """A split that only one of the releases has."""
    (release, info), is_new = (old, False) if new[1] is None else (new, True)
    assert info is not None
    ids = first_ids(TableColumns(release, info), config, examples)
    return SplitDiff(
        split=split,
        old_rows=None if is_new else info.rows,
        new_rows=info.rows if is_new else None,
        added=info.rows if is_new else 0,
        removed=0 if is_new else info.rows,
        changed=0,
        moved=0,
        added_ids=ids if is_new else (),
        removed_ids=() if is_new else ids,
    )
