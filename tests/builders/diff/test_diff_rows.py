"""Rows compared: every kind of change by hand, and against a plain comparison of dictionaries."""

from itertools import pairwise
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blend.builders.diff import _diff_rows, _shared_types, diff_releases, schema_changes
from blend.builders.diff.model import CellChange, ColumnChange, SplitDiff
from helpers.examples import examples

SAQ = "short-answer-questions"

TYPES = pl.Schema(
    {
        "ID": pl.String,
        "Question": pl.String,
        "n": pl.Int64,
        "answers": pl.List(pl.Struct({"answers": pl.List(pl.String), "count": pl.Int64})),
    }
)

Row = tuple[Any, ...]

values = st.sampled_from([None, "", "a", "b", "ab", "अ"])
groups = st.lists(
    st.fixed_dictionaries(
        {"answers": st.none() | st.lists(values, max_size=2), "count": st.none() | st.integers(0, 2)}
    ),
    max_size=2,
)
rows = st.tuples(
    st.sampled_from([f"q{n}" for n in range(6)]), values, st.none() | st.integers(0, 2), st.none() | groups
)
tables = st.lists(rows, max_size=6, unique_by=lambda row: row[0])


def frame(*rows: Row, types: pl.Schema = TYPES) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=types, orient="row")


def question(number: int, text: str = "?", n: int = 0) -> Row:
    return f"q{number}", text, n, [{"answers": ["a"], "count": 1}]


@pytest.fixture
def compare(make):
    def compared(old: pl.DataFrame, new: pl.DataFrame, *, config: str = SAQ, examples: int = 3) -> SplitDiff:
        releases = [make({(config, "KR"): rows}) for rows in (old, new)]
        return diff_releases(*releases, examples=examples).configs[0].splits[0]

    return compared


def counts(found: SplitDiff) -> tuple[int, int, int, int]:
    return found.added, found.removed, found.changed, found.moved


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (None, ""),
        (None, []),
        ([], [{"answers": [], "count": 1}]),
        ([{"answers": [], "count": 1}], [{"answers": None, "count": 1}]),
        ([{"answers": ["a", "b"], "count": 1}], [{"answers": ["b", "a"], "count": 1}]),
        ([{"answers": ["a"], "count": 1}] * 2, [{"answers": ["a"], "count": 1}]),
        ([{"answers": ["a", "b"], "count": 1}], [{"answers": ['a","b'], "count": 1}]),
        ([{"answers": [None], "count": 1}], [{"answers": ["null"], "count": 1}]),
    ],
)
def test_values_that_are_easily_confused_differ(compare, old: Any, new: Any):
    at = 1 if new == "" else 3
    before, after = list(question(1)), list(question(1))
    before[at], after[at] = old, new
    found = compare(frame(tuple(before)), frame(tuple(after)))
    assert found.columns == {TYPES.names()[at]: 1}
    assert found.examples == (CellChange(id="q1", column=TYPES.names()[at], old=old, new=new),)


def test_an_id_that_occurs_twice_pairs_in_order(compare):
    old = frame(question(1, "first"), question(1, "second"), question(2))
    new = frame(question(1, "first"), question(1, "other"), question(1, "third"), question(2))
    found = compare(old, new)
    assert counts(found) == (1, 0, 1, 0)
    assert found.examples == (CellChange(id="q1", column="Question", old="second", new="other"),)


def test_rows_of_an_unknown_configuration_are_their_own_names(compare):
    found = compare(
        frame(question(1, "a"), question(2)), frame(question(1, "b"), question(2)), config="riddles"
    )
    assert counts(found) == (1, 1, 0, 0)
    assert found.added_ids == ('{"ID":"q1","Question":"b","n":0,"answers":[{"answers":["a"],"count":1}]}',)


def test_a_column_of_another_type_is_not_compared(compare):
    old = frame(question(1))
    assert counts(compare(old, old.with_columns(n=pl.lit("many")))) == (0, 0, 0, 0)


@pytest.mark.slow
@settings(max_examples=examples(40))
@given(tables, tables)
def test_counts_are_those_of_a_plain_comparison(old: list[Row], new: list[Row]):
    found = _diff_rows(frame(*old), frame(*new), config=SAQ, split="KR", examples=100)
    before, after = ({row[0]: row for row in table} for table in (old, new))
    common = [row_id for row_id in after if row_id in before]
    differing = [
        (row_id, name)
        for row_id in common
        for at, name in enumerate(TYPES.names())
        if before[row_id][at] != after[row_id][at]
    ]
    assert found.added == len(after.keys() - before.keys())
    assert found.removed == len(before.keys() - after.keys())
    assert found.changed == len({row_id for row_id, _ in differing})
    assert found.columns == {
        name: n for name in TYPES.names() if (n := sum(column == name for _, column in differing))
    }
    positions = [list(before).index(row_id) for row_id in common]
    assert found.moved == sum(then > now for then, now in pairwise(positions))
    assert [(example.id, example.column) for example in found.examples] == differing
    assert len(old) - found.removed + found.added == len(new)


# Schemas compared: columns and the fields inside them.


ANSWERS = pl.List(pl.Struct({"answers": pl.List(pl.String()), "count": pl.Int64()}))


def change(path: str, old: str | None, new: str | None) -> ColumnChange:
    return ColumnChange(path=path, old=old, new=new)


def test_columns_come_go_and_change():
    old = {"ID": pl.String(), "n": pl.Int64(), "gone": ANSWERS}
    new = {"ID": pl.String(), "n": pl.String(), "here": pl.List(pl.String())}
    assert schema_changes(old, new) == (
        change("n", "int64", "string"),
        change("here", None, "list of string"),
        change("gone", "list of {answers: list of string, count: int64}", None),
    )
    assert _shared_types(old, new) == {"ID": pl.String()}
    found = [found.presence for found in schema_changes(old, new)]
    assert found == ["kept", "added", "removed"]
