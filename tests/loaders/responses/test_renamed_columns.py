"""Sheets that come back with another name for a column that people fill in: nothing in it is passed over."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.loaders.files.new_files import write_sheet
from blend.loaders.responses.returned_sheets import (
    read_answer_sheet,
    read_option_sheet,
    read_pair_sheet,
    read_review_sheet,
)
from blend.schemas.errors import RowError
from blend.schemas.sheets import ANSWER_SHEET, OPTION_SHEET, PAIR_SHEET, TEMPLATE_SHEET, Sheet

SHEETS: list[tuple[Callable[[Path], object], Sheet]] = [
    (read_answer_sheet, ANSWER_SHEET),
    (read_option_sheet, OPTION_SHEET),
    (read_pair_sheet, PAIR_SHEET),
    (read_review_sheet, TEMPLATE_SHEET),
]


@pytest.mark.parametrize(
    ("read", "sheet", "column"), [(read, sheet, column) for read, sheet in SHEETS for column in sheet.needed]
)
def test_a_renamed_column_is_missed(tmp_path: Path, read: Callable[[Path], object], sheet: Sheet, column: str):
    path = tmp_path / "sheet.csv"
    cells: dict[str, Any] = {name: "1" if kind == pl.String() else 1 for name, kind in sheet.columns.items()}
    write_sheet(sheet, pl.DataFrame([cells], schema=sheet.columns), path)
    text = path.read_text(encoding="utf-8-sig")
    header, rows = text.split("\n", 1)
    assert column in header.split(",")
    names = [f"{name}?" if name == column else name for name in header.split(",")]
    path.write_text(f"{','.join(names)}\n{rows}", encoding="utf-8")
    with pytest.raises(RowError) as caught:
        read(path)
    assert str(caught.value) == f"sheet.csv:1: column {column!r} is missing; bring it back as proposed"
