"""Schemas compared: columns and the fields inside them."""

import polars as pl

from blend.builders.diff.model import ColumnChange
from blend.builders.diff.tables import schema_changes, shared_types, type_text

ANSWERS = pl.List(pl.Struct({"answers": pl.List(pl.String()), "count": pl.Int64()}))


def change(path: str, old: str | None, new: str | None) -> ColumnChange:
    return ColumnChange(path=path, old=old, new=new)


def test_types_as_people_read_them():
    assert type_text(ANSWERS) == "list of {answers: list of string, count: int64}"


def test_columns_come_go_and_change():
    old = {"ID": pl.String(), "n": pl.Int64(), "gone": ANSWERS}
    new = {"ID": pl.String(), "n": pl.String(), "here": pl.List(pl.String())}
    assert schema_changes(old, new) == (
        change("n", "int64", "string"),
        change("here", None, "list of string"),
        change("gone", "list of {answers: list of string, count: int64}", None),
    )
    assert shared_types(old, new) == {"ID": pl.String()}
    found = [found.presence for found in schema_changes(old, new)]
    assert found == ["kept", "added", "removed"]


def test_fields_inside_columns_come_go_and_change():
    old = {"answers": ANSWERS, "idks": pl.Struct({"idk": pl.Int64()})}
    others = pl.List(pl.Struct({"reason": pl.String()}))
    new = {
        "answers": pl.List(
            pl.Struct({"count": pl.String(), "answers": pl.List(pl.Int64()), "by": pl.String()})
        ),
        "idks": pl.Struct({"idk": pl.Int64(), "others": others}),
    }
    assert schema_changes(old, new) == (
        change("answers[].count", "int64", "string"),
        change("answers[].answers[]", "string", "int64"),
        change("answers[].by", None, "string"),
        change("idks.others", None, "list of {reason: string}"),
    )
    assert shared_types(old, new) == {}
