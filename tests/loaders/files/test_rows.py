"""Files of rows: places, line ends, byte order marks, and the three kinds of file."""

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Cells, Columns, read_rows
from blend.schemas.errors import RowError
from helpers.messages import message_of

COLUMNS = Columns(("id", "text"))


def read(path: Path, content: str | bytes, columns: Columns = COLUMNS) -> tuple[list[Cells], Diagnostics]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    diagnostics = Diagnostics()
    return read_rows(path, path.parent, diagnostics, columns), diagnostics


def test_csv_rows_are_numbered_as_in_a_spreadsheet(tmp_path):
    # The header is row 1; a cell with a line feed stays in its row; an empty line counts.
    rows, diagnostics = read(tmp_path / "t.csv", 'id,text\na,"one\ntwo"\n\nb,three\n')
    assert rows == [
        Cells("t.csv:2", {"id": "a", "text": "one\ntwo"}),
        Cells("t.csv:4", {"id": "b", "text": "three"}),
    ]
    assert diagnostics == Diagnostics()


@pytest.mark.parametrize(
    ("header", "fix"),
    [("ID,text", "add it, or rename what holds it: there are 'ID'"), ("text", "add it")],
)
def test_a_missing_column_is_told_from_one_of_another_name(tmp_path: Path, header: str, fix: str):
    columns = Columns(("template_id", "text"))
    told = message_of(RowError, lambda: read(tmp_path / "t.csv", f"{header}\n", columns))
    assert told == f"t.csv:1: column 'template_id' is missing; {fix}"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_csv_line_ends(tmp_path, end):
    rows, _ = read(tmp_path / "t.csv", end.join(["id,text", "a,one", "b,two", ""]))
    assert [row.values["text"] for row in rows] == ["one", "two"]


@pytest.mark.parametrize("char", ["\x1c", "\x0b", "\x85", "\u2028"])
@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_characters_that_splitlines_takes_for_line_ends_stay_in_their_cell(tmp_path, name, char):
    content = {
        "t.csv": f"id,text\na,one{char}two\nb,three\n",
        "t.jsonl": f'{{"id": "a", "text": "one{char}two"}}\n{{"id": "b", "text": "three"}}\n',
    }[name]
    if name == "t.jsonl" and ord(char) < 0x20:
        content = content.replace(char, f"\\u{ord(char):04x}")  # JSON takes control characters escaped only
    rows, diagnostics = read(tmp_path / name, content)
    assert [row.values["text"] for row in rows] == [f"one{char}two", "three"]
    assert diagnostics == Diagnostics()


def test_a_byte_order_mark_is_left_out(tmp_path):
    rows, diagnostics = read(tmp_path / "t.jsonl", b'\xef\xbb\xbf{"id": "a", "text": "one"}\n')
    assert rows == [Cells("t.jsonl:1", {"id": "a", "text": "one"})]
    assert diagnostics == Diagnostics()


def test_parquet_rows_are_numbered_from_one(tmp_path):
    path = tmp_path / "deep" / "t.parquet"
    path.parent.mkdir()
    pl.DataFrame({"id": ["a", "b"], "text": ["one", None]}).write_parquet(path)
    assert read_rows(path, tmp_path, Diagnostics(), COLUMNS) == [
        Cells("deep/t.parquet:1", {"id": "a", "text": "one"}),
        Cells("deep/t.parquet:2", {"id": "b", "text": None}),
    ]


def test_rows_that_can_be_read_are_returned_beside_the_problems_of_others(tmp_path):
    rows, diagnostics = read(tmp_path / "t.csv", "id,text\na\nb,two\n")
    assert [row.location for row in rows] == ["t.csv:3"]
    assert [problem.where for problem in diagnostics.problems] == ["t.csv:2"]


_TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.tuples(_TEXTS, _TEXTS).filter(lambda row: "".join(row).strip()), max_size=5))
def test_any_text_survives_writing_and_reading(tmp_path_factory, cells):
    path = tmp_path_factory.mktemp("rows") / "t.csv"
    pl.DataFrame(cells, {"id": pl.String, "text": pl.String}, orient="row").write_csv(
        path, quote_style="always"
    )
    rows = read_rows(path, path.parent, Diagnostics(), COLUMNS)
    assert [(row.values["id"], row.values["text"]) for row in rows] == cells
