"""Tables compared row by row: which ids came and went, and which values of the others changed."""

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl
from pydantic import JsonValue

from blend.builders.diff.model import CellChange, SplitDiff
from blend.builders.diff.schema import Types, shared_types
from blend.loaders.releases.columns import Digests, TableColumns
from blend.schemas.arrow_types import published_names
from blend.schemas.errors import UnknownNameError
from blend.schemas.rows import ASKED, key_of, model_of

Positions = npt.NDArray[np.int64]
"""Row numbers, from 0."""

_SEEDS = range(16)


class _Pairs(NamedTuple):
    """Rows that are in both tables, in the order of the new one, and the others."""

    old: Positions
    new: Positions
    removed: Positions
    added: Positions


def diff_rows(old: TableColumns, new: TableColumns, *, config: str, split: str, examples: int) -> SplitDiff:
    """Compare the rows of two tables that have the same configuration and split.

    Rows are paired by their id; should an id occur more than once, the first with the first, the second with
    the second. Of multiple-choice questions (template and region) that are asked with other options, a row that
    is gone and one that came count together, as one that is replaced, and neither as removed nor as added. Rows
    without an id, because the configuration is unknown or lacks the column, are their own names, and one that
    changed counts as removed and added. Values are compared in the columns, and nested fields, that both tables
    have with the same type.

    Columns are read one after the other as digests, so memory holds a few numbers per row.

    Args:
        old: Table of the old release.
        new: Table of the new release.
        config: Configuration, which says what names a row.
        split: Split.
        examples: How many ids, and how many values of each column, to quote at most.

    Raises:
        BlendError: If a file cannot be read.
    """
    shared = shared_types(old.types, new.types)
    key = _key(config, shared)
    pairs = _paired(old, new, {name: shared[name] for name in key})
    asked = _asked(config, shared)
    others = _replacing(old, new, asked, pairs)
    changed: dict[str, Positions] = {}
    any_changed = np.zeros(len(pairs.new), dtype=bool)
    for name, dtype in shared.items():
        if name in key:
            continue
        column = {name: dtype}
        differs = old.digests(column)[pairs.old] != new.digests(column)[pairs.new]
        if differs.any():
            changed[name] = np.flatnonzero(differs)
            any_changed |= differs
    return SplitDiff(
        split=split,
        old_rows=len(pairs.old) + len(pairs.removed),
        new_rows=len(pairs.new) + len(pairs.added),
        added=len(others.added),
        removed=len(others.removed),
        replaced=len(others.old),
        still_asked=_n_still_asked(old, new, asked, others.removed),
        changed=int(any_changed.sum()),
        moved=_moved(pairs.old),
        columns={name: len(rows) for name, rows in changed.items()},
        added_ids=row_ids(new, key, others.added[:examples]),
        removed_ids=row_ids(old, key, others.removed[:examples]),
        examples=_examples(old, new, key, pairs, {name: rows[:examples] for name, rows in changed.items()}),
    )


def first_ids(table: TableColumns, config: str, n: int) -> tuple[str, ...]:
    """The ids of a table's first rows."""
    return row_ids(table, _key(config, table.types), np.arange(min(n, table.n_rows)))


def added(table: TableColumns, config: str, split: str, examples: int) -> SplitDiff:
    """The split of a table that is in the new release alone."""
    return SplitDiff(
        split=split,
        old_rows=None,
        new_rows=table.n_rows,
        added=table.n_rows,
        removed=0,
        changed=0,
        moved=0,
        added_ids=first_ids(table, config, examples),
    )


def removed(table: TableColumns, config: str, split: str, examples: int) -> SplitDiff:
    """The split of a table that is in the old release alone."""
    return SplitDiff(
        split=split,
        old_rows=table.n_rows,
        new_rows=None,
        added=0,
        removed=table.n_rows,
        changed=0,
        moved=0,
        removed_ids=first_ids(table, config, examples),
    )


def row_ids(table: TableColumns, key: Sequence[str], rows: Positions) -> tuple[str, ...]:
    """Return what rows are called, in the order asked for; by their first column where nothing names them."""
    named = key or list(table.types)[:1]
    values = table.values(named, rows.tolist())
    return tuple(_id(values[row], named) for row in rows.tolist())


def _key(config: str, types: Types) -> tuple[str, ...]:
    """The columns that name a row: of a configuration that this version does not know, all of them."""
    try:
        column = published_names(model_of(config))[key_of(config)]
    except UnknownNameError:
        return tuple(types)
    return (column,) if column in types else tuple(types)


def _asked(config: str, shared: Types) -> Types:
    """The columns that name what a row asks, where several rows ask it; none of other configurations."""
    if config not in ASKED:
        return {}
    published = published_names(model_of(config))
    names = [published[field] for field in ASKED[config]]
    return {name: shared[name] for name in names} if shared.keys() >= set(names) else {}


def _replacing(old: TableColumns, new: TableColumns, asked: Types, pairs: _Pairs) -> _Pairs:
    """The rows that replace another, and those that are left of what came and went.

    Of the rows that ask one question, the first that is gone is replaced by the first that came, and so on.
    """
    if not asked or not len(pairs.removed) or not len(pairs.added):
        return _Pairs(_no_rows(), _no_rows(), pairs.removed, pairs.added)
    gone, came = old.digests(asked)[pairs.removed], new.digests(asked)[pairs.added]
    found = _equal(_numbered(gone), _numbered(came))
    return _Pairs(
        pairs.removed[found.old],
        pairs.added[found.new],
        pairs.removed[found.removed],
        pairs.added[found.added],
    )


def _n_still_asked(old: TableColumns, new: TableColumns, asked: Types, removed: Positions) -> int:
    """Count the removed rows that ask what a row of the new table asks as well."""
    if not asked or not len(removed):
        return 0
    return int(np.isin(old.digests(asked)[removed], new.digests(asked)).sum())


def _paired(old: TableColumns, new: TableColumns, key: Types) -> _Pairs:
    if not key:
        return _Pairs(_no_rows(), _no_rows(), np.arange(old.n_rows), np.arange(new.n_rows))
    # Ids are paired by the digests of one seed, and the pairs checked by those of another.
    for seed, check in zip(_SEEDS[::2], _SEEDS[1::2], strict=True):
        pairs = _equal(_numbered(old.digests(key, seed=seed)), _numbered(new.digests(key, seed=seed)))
        same = old.digests(key, seed=check)[pairs.old] == new.digests(key, seed=check)[pairs.new]
        # Two ids with one digest are next to impossible; other seeds then tell them apart.
        if same.all():
            return pairs
    raise AssertionError("ids that differ have equal digests under every seed")


def _numbered(digests: Digests) -> Digests:
    """Digests that are unique: the second, third … occurrence of one gets another value."""
    frame = pl.DataFrame({"digest": digests})
    if frame["digest"].n_unique() == len(frame):
        return digests
    before = frame.select(pl.int_range(pl.len(), dtype=pl.UInt64).over("digest")).to_series().to_numpy()
    # 2**64 divided by the golden ratio: its multiples, which wrap around, lie far apart, and the first
    # occurrence keeps its digest.
    return np.add(digests, before * np.uint64(0x9E3779B97F4A7C15), dtype=np.uint64)


def _equal(old: Digests, new: Digests) -> _Pairs:
    """The rows with equal digests, and those without a partner; each array is in the order of its table."""
    _, in_old, in_new = np.intersect1d(old, new, assume_unique=True, return_indices=True)
    order = np.argsort(in_new)
    in_old, in_new = in_old[order], in_new[order]
    return _Pairs(in_old, in_new, _others(len(old), in_old), _others(len(new), in_new))


def _others(n_rows: int, rows: Positions) -> Positions:
    left = np.ones(n_rows, dtype=bool)
    left[rows] = False
    return np.flatnonzero(left)


def _no_rows() -> Positions:
    return np.empty(0, dtype=np.int64)


def _moved(positions: Positions) -> int:
    """Count the entries that have to be moved, at least, for the others to be in ascending order."""
    if (np.diff(positions) > 0).all():
        return 0
    # The longest ascending subsequence: `ends` holds the lowest entry in which one of each length can end.
    ends: list[int] = []
    for position in positions.tolist():
        at = bisect_left(ends, position)
        ends[at : at + 1] = [position]
    return len(positions) - len(ends)


def _examples(
    old: TableColumns, new: TableColumns, key: Sequence[str], pairs: _Pairs, chosen: dict[str, Positions]
) -> tuple[CellChange, ...]:
    """The chosen rows of every column, by row."""
    if not chosen:
        return ()
    rows = np.unique(np.concatenate(list(chosen.values())))
    columns = [*key, *chosen]
    before = old.values(columns, pairs.old[rows].tolist())
    after = new.values(columns, pairs.new[rows].tolist())
    return tuple(
        CellChange(
            id=_id(after[pairs.new[row]], key),
            column=name,
            old=before[pairs.old[row]][name],
            new=after[pairs.new[row]][name],
        )
        for row in rows.tolist()
        for name, at in chosen.items()
        if row in at
    )


def _id(row: Mapping[str, JsonValue], key: Sequence[str]) -> str:
    values = [row[name] for name in key]
    if len(values) == 1:
        return str(values[0])
    return json.dumps(dict(zip(key, values, strict=True)), ensure_ascii=False)
