"""Diff: what a release changes, compared with an earlier one, by configuration, split, row and column."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl
from polars.datatypes import DataTypeClass
from pydantic import JsonValue

from blend.builders.diff.model import (
    CellChange,
    ColumnChange,
    ConfigDiff,
    FileChange,
    ReleaseDiff,
    ReleaseLabel,
    Setting,
    SplitDiff,
    presence_of,
)
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.releases import check_complete, read_manifest
from blend.loaders.releases.tables import table_rows
from blend.schemas.arrow_types import published_names
from blend.schemas.errors import UnknownNameError
from blend.schemas.manifest import (
    BENCHMARK_NAME,
    CARD_NAME,
    CARD_PAGE_NAME,
    CHANGELOG_NAME,
    CROISSANT_NAME,
    DATASHEET_NAME,
    MANIFEST_NAME,
    RECIPE_NAME,
    ReleaseManifest,
    TableInfo,
)
from blend.schemas.rows import ASKED, key_of, model_of

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
    return diff_tables(before, after, examples=examples, on_progress=on_progress)


def diff_tables(
    old: OpenRelease, new: OpenRelease, *, examples: int = EXAMPLES, on_progress: ProgressCallback = silent
) -> ReleaseDiff:
    """Compare what two releases hold, of which not all tables need to be there; see `diff_releases`."""
    configs = dict.fromkeys(table.config for release in (new, old) for table in release.manifest.tables)
    return ReleaseDiff(
        old=ReleaseLabel(name=old.manifest.name, version=old.manifest.version),
        new=ReleaseLabel(name=new.manifest.name, version=new.manifest.version),
        settings=_setting_changes(old.manifest, new.manifest),
        files=_file_changes(old.manifest, new.manifest),
        configs=tuple(_config_diff(config, old, new, examples, on_progress) for config in configs),
    )


def _config_diff(
    config: str, old: OpenRelease, new: OpenRelease, examples: int, on_progress: ProgressCallback
) -> ConfigDiff:
    before, after = old.splits(config), new.splits(config)
    n_rows = {split: (after.get(split) or before[split]).rows for split in [*after, *before]}
    changes: dict[ColumnChange, None] = {}
    reordered = False
    splits: list[SplitDiff] = []
    for split in n_rows:
        step = f"compare rows of {config}"
        on_progress(step, sum(n_rows[done.split] for done in splits), sum(n_rows.values()))
        was, now = before.get(split), after.get(split)
        if (
            was is not None
            and now is not None
            and was.content_sha256 == now.content_sha256
            and was.schema_sha256 == now.schema_sha256
        ):
            splits.append(SplitDiff(split=split, old_rows=was.rows, new_rows=was.rows))
            continue
        old_rows = None if was is None else table_rows(old.folder, was)
        new_rows = None if now is None else table_rows(new.folder, now)
        splits.append(_diff_rows(old_rows, new_rows, config=config, split=split, examples=examples))
        if old_rows is not None and new_rows is not None:
            changes |= dict.fromkeys(schema_changes(old_rows.schema, new_rows.schema))
            # A column that came or went moves no other: only those of both are compared.
            in_both = [name for name in old_rows.columns if name in new_rows.columns]
            reordered |= in_both != [name for name in new_rows.columns if name in in_both]
    on_progress(f"compare rows of {config}", sum(n_rows.values()), sum(n_rows.values()))
    return ConfigDiff(
        config=config, schema_changes=tuple(changes), columns_reordered=reordered, splits=tuple(splits)
    )


# Tables compared row by row: which ids came and went, and which values of the others changed.


_ID = ["row id", "times before"]
"""Columns that name a row: the second row with an id is another than the first."""


def _diff_rows(
    old: pl.DataFrame | None, new: pl.DataFrame | None, *, config: str, split: str, examples: int
) -> SplitDiff:
    """Compare the rows of two tables that have the same configuration and split.

    Rows are paired by their id; should an id occur more than once, the first with the first, the second with
    the second. Of multiple-choice questions (template and region) that are asked with other options, a row that
    is gone and one that came count together, as one that is replaced, and neither as removed nor as added. Rows
    without an id, because the configuration is unknown or lacks the column, are their own names, and one that
    changed counts as removed and added. Values are compared in the columns that both tables have with the same
    type.

    Args:
        old: Table of the old release, by its published columns; null where it does not have it.
        new: Table of the new release, likewise; one of them is there.
        config: Configuration, which says what names a row.
        split: Split.
        examples: How many ids, and how many values of each column, to quote at most.
    """
    n_rows = {"old_rows": None if old is None else old.height, "new_rows": None if new is None else new.height}
    # One of the releases has the split; of the other, a table without rows and with the same columns.
    either = next(table for table in (old, new) if table is not None)
    old, new = either.clear() if old is None else old, either.clear() if new is None else new
    shared = _shared_types(old.schema, new.schema)
    key = _key(config, shared)
    before, after = _named(old, key), _named(new, key)
    came = after.join(before, on=_ID, how="anti", maintain_order="left")
    gone = before.join(after, on=_ID, how="anti", maintain_order="left")
    both = after.join(before, on=_ID, suffix=" before", maintain_order="left")
    n_replaced = n_still_asked = 0
    if asked := _asked(config, shared):
        came, gone, n_replaced = _without_replaced(came, gone, old[asked], new[asked])
        n_still_asked = old[asked][gone["row"]].join(new[asked], on=asked, how="semi", nulls_equal=True).height
    then, now = old[both["row before"]], new[both["row"]]
    changed = {name: rows for name in shared if name not in key and (rows := _differing(then[name], now[name]))}
    return SplitDiff(
        split=split,
        **n_rows,
        added=came.height,
        removed=gone.height,
        replaced=n_replaced,
        still_asked=n_still_asked,
        changed=len({row for rows in changed.values() for row in rows}),
        # In the new order: a row has moved if it stood before the row that is above it now.
        moved=int((both["row before"].diff() < 0).sum()),
        columns={name: len(rows) for name, rows in changed.items()},
        added_ids=_ids(new, key, came["row"].head(examples).to_list()),
        removed_ids=_ids(old, key, gone["row"].head(examples).to_list()),
        examples=_examples(then, now, key, {name: rows[:examples] for name, rows in changed.items()}),
    )


def _key(config: str, types: Mapping[str, pl.DataType]) -> list[str]:
    """The columns that name a row: of a configuration that this version does not know, all of them."""
    try:
        column = published_names(model_of(config))[key_of(config)]
    except UnknownNameError:
        return list(types)
    return [column] if column in types else list(types)


def _asked(config: str, types: Mapping[str, pl.DataType]) -> list[str]:
    """The columns that name what a row asks, where several rows ask it; none of other configurations."""
    if config not in ASKED:
        return []
    published = published_names(model_of(config))
    names = [published[field] for field in ASKED[config]]
    return names if types.keys() >= set(names) else []


def _named(rows: pl.DataFrame, key: Sequence[str]) -> pl.DataFrame:
    """The ``row`` number of every row, from 0, and what names it."""
    # As JSON, values of any type can be compared; without a column that both tables have, nothing is the same.
    name = pl.struct(key).struct.json_encode() if key else pl.lit(None, pl.String)
    names = rows.select(pl.int_range(pl.len()).alias("row"), name.alias(_ID[0]))
    return names.with_columns(pl.int_range(pl.len()).over(_ID[0]).alias(_ID[1]))


def _without_replaced(
    came: pl.DataFrame, gone: pl.DataFrame, old: pl.DataFrame, new: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame, int]:
    """The rows that came and went but for those that replace another, and how many these are.

    Of the rows that ask one question, the first that is gone is replaced by the first that came, and so on.
    """
    question = pl.struct(old.columns)
    nth = pl.int_range(pl.len()).over(question).alias("nth")
    came = came.hstack(new[came["row"]]).with_columns(nth)
    gone = gone.hstack(old[gone["row"]]).with_columns(nth)
    on = [*old.columns, "nth"]
    left = came.join(gone, on=on, how="anti", nulls_equal=True, maintain_order="left")
    n_replaced = came.height - left.height
    return left, gone.join(came, on=on, how="anti", nulls_equal=True, maintain_order="left"), n_replaced


def _differing(then: pl.Series, now: pl.Series) -> list[int]:
    """The numbers of the rows in which a column has another value."""
    if then.dtype.is_nested():
        as_json = pl.struct(pl.all()).struct.json_encode()
        then, now = (one.to_frame().select(as_json).to_series() for one in (then, now))
    return then.ne_missing(now).arg_true().to_list()


def _ids(rows: pl.DataFrame, key: Sequence[str], numbers: Sequence[int]) -> tuple[str, ...]:
    """Return what rows are called; by their first column where nothing names them."""
    named = rows.select(list(key) or rows.columns[:1])[list(numbers)]
    if named.width == 1:
        return tuple(str(value) for value in named.to_series())
    return tuple(named.select(pl.struct(pl.all()).struct.json_encode()).to_series())


def _examples(
    then: pl.DataFrame, now: pl.DataFrame, key: Sequence[str], chosen: Mapping[str, Sequence[int]]
) -> tuple[CellChange, ...]:
    """The chosen rows of every column, by row."""
    places = sorted((row, at, name) for at, (name, rows) in enumerate(chosen.items()) for row in rows)
    ids = _ids(now, key, [row for row, _, _ in places])
    return tuple(
        CellChange(id=row_id, column=name, old=_value(then, row, name), new=_value(now, row, name))
        for row_id, (row, _, name) in zip(ids, places, strict=True)
    )


def _value(rows: pl.DataFrame, row: int, name: str) -> object:
    # By way of a dict, in which lists and structs are plain Python.
    return rows.select(pl.col(name).slice(row, 1)).to_dicts()[0][name]


# Schemas compared: which columns came, went or changed their type.


_Types = Mapping[str, pl.DataType]
"""Column to type."""


def schema_changes(old: _Types, new: _Types) -> tuple[ColumnChange, ...]:
    """Columns that are not in both, or not with one type, in the order of ``new``."""
    # In the order of `new`, with those that only `old` has behind it: a key that is there keeps its place.
    every = {**new, **old}
    return tuple(
        ColumnChange(path=name, old=_type_text(old.get(name)), new=_type_text(new.get(name)))
        for name in every
        if old.get(name) != new.get(name)
    )


def _shared_types(old: _Types, new: _Types) -> dict[str, pl.DataType]:
    """The columns whose values can be compared, in the order of ``new``: those that both have with one type."""
    return {name: dtype for name, dtype in new.items() if old.get(name) == dtype}


def _type_text(dtype: pl.DataType | DataTypeClass | None) -> str | None:
    """A type as people read it: ``list of {answers: list of string, count: int64}``; null of no column."""
    if isinstance(dtype, pl.List):
        return f"list of {_type_text(dtype.inner)}"
    if isinstance(dtype, pl.Struct):
        return "{" + ", ".join(f"{field.name}: {_type_text(field.dtype)}" for field in dtype.fields) + "}"
    return None if dtype is None else str(dtype).lower()


# What a release says about itself, compared: licence, recipe, sources, and the files beside the tables.


_COMPARED = {"name", "sdk_version", "writers", "recipe"}
# Name and version of the recipe are those of the manifest, which stand above every comparison; the maintainer's
# words are about one version, and stand in the changelog.
_NOT_COMPARED = {"recipe": {"name", "version", "changes"}}
_WRITTEN_FROM_OTHERS = {
    *(MANIFEST_NAME, RECIPE_NAME, CHANGELOG_NAME, CARD_NAME, CARD_PAGE_NAME),
    *(DATASHEET_NAME, CROISSANT_NAME, BENCHMARK_NAME),
}
"""Documents that follow from tables, settings and the other files, which are compared."""


def _setting_changes(old: ReleaseManifest, new: ReleaseManifest) -> tuple[Setting, ...]:
    """Compare what the manifests record: name, recipe, sources, package, writers.

    The version is left out, and so is what the tables themselves tell: files, counts and the build report.
    Sources are pinned in the recipe, so that another state of a source shows as another digest there.
    """
    before, after = (
        dict(_flat(manifest.model_dump(mode="json", include=_COMPARED, exclude=_NOT_COMPARED), ""))
        for manifest in (old, new)
    )
    return tuple(
        Setting(path=path, old=before.get(path), new=after.get(path))
        for path in {**after, **before}
        if before.get(path) != after.get(path)
    )


def _file_changes(old: ReleaseManifest, new: ReleaseManifest) -> tuple[FileChange, ...]:
    """Files that differ, without tables, and without documents that follow from all others."""

    def others(manifest: ReleaseManifest) -> dict[str, str]:
        passed_over = _WRITTEN_FROM_OTHERS.union(*(table.files for table in manifest.tables))
        return {file.path: file.sha256 for file in manifest.files if file.path not in passed_over}

    before, after = others(old), others(new)
    return tuple(
        FileChange(path=path, presence=presence_of(before.get(path), after.get(path)))
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path)
    )


def _flat(value: JsonValue, path: str) -> Iterator[tuple[str, JsonValue]]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _flat(part, f"{path}.{name}" if path else name)
    # A list of plain values is one setting; objects in a list have settings of their own.
    elif isinstance(value, list) and any(isinstance(part, dict) for part in value):
        for number, part in enumerate(value):
            yield from _flat(part, f"{path}[{number}]")
    else:
        yield path, value
