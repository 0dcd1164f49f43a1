"""Sheets that come back with another name for a column that people fill in: nothing in it is passed over."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.loaders.responses.option_sheets import read_option_sheet, write_option_sheet
from blend.loaders.responses.reviews import (
    read_answer_sheet,
    read_pair_sheet,
    write_answer_sheet,
    write_pair_sheet,
)
from blend.loaders.responses.templates import read_review_sheet
from blend.schemas.errors import RowError
from blend.schemas.frames import SHEET
from blend.schemas.sheets import ANSWER_SHEET, OPTION_SHEET, PAIR_SHEET

Write = Callable[[pl.DataFrame, Path], None]

SHEETS: list[tuple[Callable[[Path], object], Write, pl.Schema, tuple[str, ...]]] = [
    (read_answer_sheet, write_answer_sheet, ANSWER_SHEET, ("group", "english", "invalid", "reason")),
    (read_option_sheet, write_option_sheet, OPTION_SHEET, ("verdict", "why")),
    (
        lambda path: read_pair_sheet(path, who="r1", when=date(2026, 11, 30)),
        write_pair_sheet,
        PAIR_SHEET,
        ("verdict", "why"),
    ),
    (read_review_sheet, pl.DataFrame.write_csv, SHEET, ("template", "decision", "source_locale")),
]


@pytest.mark.parametrize(
    ("read", "write", "schema", "column"),
    [(*sheet, column) for *sheet, columns in SHEETS for column in columns],
)
def test_a_renamed_column_is_missed(
    tmp_path: Path, read: Callable[[Path], object], write: Write, schema: pl.Schema, column: str
):
    path = tmp_path / "sheet.csv"
    cells: dict[str, Any] = {name: "1" if kind == pl.String() else 1 for name, kind in schema.items()}
    write(pl.DataFrame([cells], schema=schema), path)
    text = path.read_text(encoding="utf-8-sig")
    header, rows = text.split("\n", 1)
    assert column in header.split(",")
    names = [f"{name}?" if name == column else name for name in header.split(",")]
    path.write_text(f"{','.join(names)}\n{rows}", encoding="utf-8")
    with pytest.raises(RowError) as caught:
        read(path)
    assert str(caught.value) == f"sheet.csv:1: column {column!r} is missing; bring it back as proposed"
