"""Tables compared row by row: which ids came and went, and which values of the others changed."""

from collections.abc import Mapping, Sequence

import polars as pl
from polars.datatypes import DataTypeClass

from blend.builders.diff.model import CellChange, ColumnChange, SplitDiff
from blend.schemas.arrow_types import published_names
from blend.schemas.errors import UnknownNameError
from blend.schemas.rows import ASKED, key_of, model_of

_ID = ["row id", "times before"]
"""Columns that name a row: the second row with an id is another than the first."""


def diff_rows(old: pl.DataFrame, new: pl.DataFrame, *, config: str, split: str, examples: int) -> SplitDiff:
    """Compare the rows of two tables that have the same configuration and split.

    Rows are paired by their id; should an id occur more than once, the first with the first, the second with
    the second. Of multiple-choice questions (template and region) that are asked with other options, a row that
    is gone and one that came count together, as one that is replaced, and neither as removed nor as added. Rows
    without an id, because the configuration is unknown or lacks the column, are their own names, and one that
    changed counts as removed and added. Values are compared in the columns that both tables have with the same
    type.

    Args:
        old: Table of the old release, by its published columns.
        new: Table of the new release.
        config: Configuration, which says what names a row.
        split: Split.
        examples: How many ids, and how many values of each column, to quote at most.
    """
    shared = shared_types(old.schema, new.schema)
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
        old_rows=old.height,
        new_rows=new.height,
        added=came.height,
        removed=gone.height,
        replaced=n_replaced,
        still_asked=n_still_asked,
        changed=len({row for rows in changed.values() for row in rows}),
        moved=int((both["row before"].diff() < 0).sum()),
        columns={name: len(rows) for name, rows in changed.items()},
        added_ids=_ids(new, key, came["row"].head(examples).to_list()),
        removed_ids=_ids(old, key, gone["row"].head(examples).to_list()),
        examples=_examples(then, now, key, {name: rows[:examples] for name, rows in changed.items()}),
    )


def added(table: pl.DataFrame, config: str, split: str, examples: int) -> SplitDiff:
    """The split of a table that is in the new release alone."""
    ids = _ids(table, _key(config, table.schema), range(min(examples, table.height)))
    figures = {"added": table.height, "removed": 0, "changed": 0, "moved": 0}
    return SplitDiff(split=split, old_rows=None, new_rows=table.height, added_ids=ids, **figures)


def removed(table: pl.DataFrame, config: str, split: str, examples: int) -> SplitDiff:
    """The split of a table that is in the old release alone."""
    ids = _ids(table, _key(config, table.schema), range(min(examples, table.height)))
    figures = {"added": 0, "removed": table.height, "changed": 0, "moved": 0}
    return SplitDiff(split=split, old_rows=table.height, new_rows=None, removed_ids=ids, **figures)


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
    return rows.select(pl.col(name).slice(row, 1)).to_dicts()[0][name]


# Schemas compared: which columns came, went or changed their type.


_Types = Mapping[str, pl.DataType]
"""Column to type."""


def schema_changes(old: _Types, new: _Types) -> tuple[ColumnChange, ...]:
    """Columns that are not in both, or not with one type, in the order of ``new``."""
    every = {**new, **old}
    return tuple(
        ColumnChange(path=name, old=_type_text(old.get(name)), new=_type_text(new.get(name)))
        for name in every
        if old.get(name) != new.get(name)
    )


def shared_types(old: _Types, new: _Types) -> dict[str, pl.DataType]:
    """The columns whose values can be compared, in the order of ``new``: those that both have with one type."""
    return {name: dtype for name, dtype in new.items() if old.get(name) == dtype}


def is_reordered(old: _Types, new: _Types) -> bool:
    """Whether the columns that both have stand in another order."""
    return [name for name in old if name in new] != [name for name in new if name in old]


def _type_text(dtype: pl.DataType | DataTypeClass | None) -> str | None:
    """A type as people read it: ``list of {answers: list of string, count: int64}``; null of no column."""
    if isinstance(dtype, pl.List):
        return f"list of {_type_text(dtype.inner)}"
    if isinstance(dtype, pl.Struct):
        return "{" + ", ".join(f"{field.name}: {_type_text(field.dtype)}" for field in dtype.fields) + "}"
    return None if dtype is None else str(dtype).lower()
