"""Sheets as spreadsheets write them: each of their habits is read, and what is wrong names its row."""

from pathlib import Path

import pytest

from blend.loaders.files.sheets import read_sheet
from blend.schemas.errors import RowError, RowErrors

COLUMNS = ("id", "answer", "group")


def read(tmp_path: Path, content: str | bytes) -> list[tuple[str, dict[str, str]]]:
    path = tmp_path / "sheet.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return [(row.place, row.values) for row in read_sheet(path, COLUMNS, required=("id", "answer"))]


ROWS = [
    ("sheet.csv:2", {"id": "q", "answer": "rice, white", "group": "1"}),
    ("sheet.csv:3", {"id": "q", "answer": "18:00", "group": ""}),
]


@pytest.mark.parametrize(
    "content",
    [
        'id,answer,group\nq,"rice, white",1\nq,18:00,\n',
        "\ufeffid;answer;group\r\nq;rice, white;1\r\nq;18:00;\r\n",
        "id\tanswer\tgroup\nq\trice, white\t1\nq\t18:00\n",
        "sep=;\nid;answer;group\nq;rice, white;1\nq;18:00;\n",
        '"id","answer","group"\n"q","rice, white","1"\n"q","18:00",""',
        'group,id,my own,answer\n1,q,!,"rice, white"\n,q,,18:00\n',
        ' ID ,Answer,GROUP\nq,"rice, white",1\nq,18:00,\n',
        'id,answer,group,,\nq,"rice, white",1,,\nq,18:00,,,\n',
    ],
    ids=["plain", "semicolons", "tabs", "sep", "quoted", "columns moved", "header typed anew", "empty columns"],
)
def test_whatever_a_spreadsheet_makes_of_a_sheet(tmp_path: Path, content: str):
    assert read(tmp_path, content) == ROWS


def test_empty_rows_count_but_are_passed_over(tmp_path: Path):
    rows = read(tmp_path, "id;answer;group\n;;\nq;rice;1\n\n;;\nq;18:00;2\n")
    assert [place for place, _ in rows] == ["sheet.csv:3", "sheet.csv:6"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "id,group\nq,1\n",
            (
                "sheet.csv:1: column 'answer' is missing; bring it back as proposed; a sheet is saved as CSV, "
                "with all its columns"
            ),
        ),
        (
            "",
            (
                "sheet.csv:1: columns 'id', 'answer' are missing; bring them back as proposed; a sheet is "
                "saved as CSV, with all its columns"
            ),
        ),
        ("id,answer,id\nq,rice,1\n", "sheet.csv:1: column 'id' occurs twice; remove one of the two"),
        (
            "id,answer,group\nq,rice,white,1\n",
            (
                "sheet.csv:2: 4 cells, but the header has 3; move what stands to the right of the last column, "
                "or put quotes around a cell that holds ','"
            ),
        ),
        (
            'id,answer,group\nq,"rice,1\n',
            (
                "sheet.csv:2: not CSV (unexpected end of data); close double quotes, and double those inside "
                "a cell"
            ),
        ),
    ],
    ids=["a column gone", "empty", "a column twice", "a cell too many", "an open quote"],
)
def test_what_is_wrong_names_its_row(tmp_path: Path, content: str, message: str):
    with pytest.raises((RowError, RowErrors)) as caught:
        read(tmp_path, content)
    assert str(caught.value) == message


def test_a_sheet_in_the_encoding_of_old_spreadsheets(tmp_path: Path):
    with pytest.raises(RowError) as caught:
        read(tmp_path, "id,answer,group\nq,café,1\n".encode("cp1252"))
    assert str(caught.value) == (
        "sheet.csv: byte 0xE9 at offset 21 (line 2) is not UTF-8; save the file with the encoding UTF-8 (in a "
        "spreadsheet: 'CSV UTF-8')"
    )
