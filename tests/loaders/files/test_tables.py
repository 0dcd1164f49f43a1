"""Tables as spreadsheets save them: each of their habits is read, and what is wrong names its row."""

import zipfile
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Columns, read_rows
from blend.schemas.errors import RowError
from helpers.messages import message_of, wrong

COLUMNS = Columns(("id", "answer"), optional=("group",), others=True, returned=True)


def read(path: Path, columns: Columns = COLUMNS) -> list[tuple[str, dict[str, Any]]]:
    diagnostics = Diagnostics()
    rows = read_rows(path, path.parent, diagnostics, columns)
    diagnostics.raise_problems()
    return [(row.location, row.values) for row in rows]


def saved(folder: Path, content: str | bytes, name: str = "sheet.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def workbook(
    folder: Path,
    *rows: list[Any],
    name: str = "sheet.xlsx",
    more: dict[str, list[list[Any]]] | None = None,
    **formats: str,
) -> Path:
    """A workbook as a spreadsheet saves it, with more sheets; ``formats`` of cells by their address."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for address, number_format in formats.items():
        book.active[address].number_format = number_format
    for title, others in (more or {}).items():
        sheet = book.create_sheet(title)
        for row in others:
            sheet.append(row)
    book.save(folder / name)
    return folder / name


ROWS = [
    ("sheet.csv:2", {"id": "q", "answer": "rice, white", "group": "1"}),
    ("sheet.csv:3", {"id": "q", "answer": "café", "group": ""}),
]
TABS = 'id\tanswer\tgroup\r\nq\t"rice, white"\t1\r\nq\tcafé\t\r\n'
SEMICOLONS = "id;answer;group\r\nq;rice, white;1\r\nq;café;\r\n"


@pytest.mark.parametrize(
    "content",
    [
        'id,answer,group\nq,"rice, white",1\nq,café,\n',
        "\ufeff" + SEMICOLONS,
        b"\xff\xfe" + TABS.encode("utf-16-le"),
        b"\xfe\xff" + TABS.encode("utf-16-be"),
        "id\tanswer\tgroup\nq\trice, white\t1\nq\tcafé\n",
        '"id","answer","group"\n"q","rice, white","1"\n"q","café",""',
        'group,id,my own,answer\n1,q,!,"rice, white"\n,q,,café\n',
        ' ID ,Answer,GROUP\nq,"rice, white",1\nq,café,\n',
        'id,answer,group,,\nq,"rice, white",1,,\nq,café,,,\n',
    ],
    ids=[
        "plain",
        "Excel's CSV UTF-8 where a comma is decimal",
        "Excel's Unicode text",
        "UTF-16 of the other order",
        "tabs",
        "quoted",
        "columns moved",
        "header typed anew",
        "empty columns",
    ],
)
def test_whatever_a_spreadsheet_makes_of_a_table(tmp_path: Path, content: str | bytes):
    assert read(saved(tmp_path, content)) == ROWS


def test_a_workbook_names_file_sheet_and_row(tmp_path: Path):
    path = workbook(tmp_path, ["id", "answer", "group"], ["q", "rice, white", 1], [], ["q", "café", None])
    assert read(path) == [("sheet.xlsx[Sheet]:2", ROWS[0][1]), ("sheet.xlsx[Sheet]:4", ROWS[1][1])]


def test_the_sheet_with_the_columns_is_the_one_that_is_read(tmp_path: Path):
    answers = [["id", "answer"], ["q", "rice"]]
    path = workbook(tmp_path, ["notes of mine"], ["do not forget"], more={"answers": answers})
    assert read(path) == [("sheet.xlsx[answers]:2", {"id": "q", "answer": "rice"})]
    path = workbook(tmp_path, ["mine"], more={"answers": answers, "answers Copy": answers})
    assert message_of(RowError, lambda: read(path)) == (
        "sheet.xlsx: the sheets answers, answers Copy could all be meant; keep the one that is meant, or all "
        "rows in it, and move the others to another file"
    )


HEADER = ["id", "answer", "group"]


def test_a_second_sheet_without_the_header_is_told(tmp_path: Path):
    path = workbook(tmp_path, HEADER, ["q", "rice", 1], ["r", "tea", 1], more={"more": [["r", "tea"]]})
    diagnostics = Diagnostics()
    assert len(read_rows(path, tmp_path, diagnostics, COLUMNS)) == 2
    assert [(kind, source, detail) for kind, source, _, _, detail in diagnostics.findings] == [
        ("sheet-left-out", "sheet.xlsx[more]", "sheet 'more' is left out; 'Sheet' is read")
    ]


def test_a_second_sheet_with_fewer_columns_is_not_dropped(tmp_path: Path):
    path = workbook(tmp_path, HEADER, ["q", "rice", 1], more={"more": [["id", "answer"], ["r", "tea"]]})
    assert message_of(RowError, lambda: read(path)) == (
        "sheet.xlsx: the sheets Sheet, more could all be meant; keep the one that is meant, or all rows in it, "
        "and move the others to another file"
    )
    # Nothing is lost where only a header is left.
    path = workbook(tmp_path, HEADER, ["q", "rice", 1], more={"more": [["id", "answer"]]})
    assert [values["id"] for _, values in read(path)] == ["q"]


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        ("007", "@", "007"),
        (7, "General", "7"),
        (0.1 + 0.2, "General", "0.3"),
        (1.5, "0.00", "1.5"),
        (time(18, 0), "h:mm", "18:00"),
        (0.7638888888888888, "h:mm", "18:20"),
        (True, "General", "TRUE"),
        ("a_x000D_b_x005F_x0041_", "@", "a\rb_x0041_"),
    ],
)
def test_what_a_cell_shows_is_read_where_that_says_it_all(tmp_path, value, number_format, text):
    path = workbook(tmp_path, ["id", "answer"], ["q", value], B2=number_format)
    assert read(path)[0][1]["answer"] == text


@pytest.mark.parametrize(
    ("value", "number_format", "what"),
    [
        (date(2026, 1, 2), "d-mmm", "the date 2026-01-02"),
        (datetime.fromisoformat("2026-01-02T08:30:00"), "yyyy-mm-dd h:mm", "the date 2026-01-02 08:30:00"),
        ("#NAME?", "General", "the error #NAME?"),
        ("=B1", "General", "a formula"),
        (0.5, "# ?/?", "the number 0.5 in the format '# ?/?'"),
        (1.5e17, "0", "the number 1.5e+17 in the format '0'"),
        (0.5, "0%", "the number 0.5 in the format '0%'"),
        (7, "000", "the number 7 in the format '000'"),
        (timedelta(hours=25, minutes=30), "[h]:mm:ss", "the duration 1 day, 1:30:00"),
    ],
    ids=["1/2", "a time stamp", "-kimchi", "=B1", "0 1/2", "a long number", "50%", "007", "25:30"],
)
def test_what_a_spreadsheet_made_of_a_text_is_refused(tmp_path, value, number_format, what):
    path = workbook(tmp_path, ["id", "answer"], ["q", "rice"], ["q", value], B3=number_format)
    assert message_of(RowError, lambda: read(path)) == (
        f"sheet.xlsx[Sheet]:3, column answer: the cell holds {what}, made by a spreadsheet; give the column "
        "the format Text, and write again what stood there"
    )


def test_cells_that_a_spreadsheet_leaves_out_at_the_end_are_empty(tmp_path: Path):
    # Excel drops separators behind the last filled cell in some rows (support.microsoft.com, 77295).
    path = saved(tmp_path, "id,answer,group\nq,rice\n")
    assert read(path, Columns(("id",), optional=("answer", "group")))[0][1]["group"] == ""
    path = saved(tmp_path, "id,answer,group\nq,ri")
    assert message_of(RowError, lambda: read(path, Columns(("id",), optional=("answer", "group")))) == (
        "sheet.csv:2: 2 cells, but the header has 3; put cells that contain ',' in double quotes, and write "
        "missing ones, empty ones as well"
    )


OPEN_QUOTE = (
    "sheet.csv:3: not CSV (unexpected end of data); close double quotes, and double those inside a cell"
)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x\nq\n", "sheet.csv:1: columns 'id', 'answer' are missing; bring them back as proposed"),
        (
            "id,answer,group\nq,rice,white,1\n",
            (
                "sheet.csv:2: 4 cells, but the header has 3; put cells that contain ',' in double quotes, and "
                "write missing ones, empty ones as well"
            ),
        ),
        *((f'id{mark}answer\nq{mark}rice\nq{mark}"tea\nq{mark}ale\n', OPEN_QUOTE) for mark in ",;"),
        (b"PK\x03\x04", "sheet.csv: a workbook, not text; name it sheet.xlsx"),
    ],
    ids=["no column", "a cell too many", "open quote", "open quote beside semicolons", "zip"],
)
def test_what_is_wrong_names_its_row(tmp_path: Path, content: str | bytes, message: str):
    assert wrong(lambda: read(saved(tmp_path, content))) == message


NOT_WHOLE = "it was not saved or copied whole; restore it, or save the whole file again"
SAVE_AS = "save it again as UTF-8 (in a spreadsheet: .xlsx or 'CSV UTF-8')"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"id,answer\nq,rice\n" + b"\0" * 512, f"null characters from line 3 on: {NOT_WHOLE}"),
        (b"id,answer\nq,rice" + b"\0", f"null characters from line 2 on: {NOT_WHOLE}"),
        (SEMICOLONS.encode("cp1252"), f"byte 0xE9 in line 3 is not UTF-8; {SAVE_AS}"),
        ("id,answer\nq,rice".encode("utf-16")[:-1], f"byte 0x65 in line 2 is not UTF-16; {SAVE_AS}"),
        (
            "id,answer\nq,rice".encode("utf-16-le"),
            f"every second byte is null, so this is not UTF-8; {SAVE_AS}",
        ),
    ],
)
def test_a_file_that_was_saved_in_part_or_in_another_encoding(tmp_path: Path, content: bytes, message: str):
    assert message_of(RowError, lambda: read(saved(tmp_path, content))) == f"sheet.csv: {message}"


def archive(folder: Path, **parts: bytes) -> bytes:
    with zipfile.ZipFile(folder / "made.zip", "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in parts.items():
            made.writestr(f"xl/worksheets/{name}.xml", content)
    return (folder / "made.zip").read_bytes()


def test_files_that_are_not_workbooks(tmp_path: Path):
    good = workbook(tmp_path, ["id", "answer"], ["q", "rice"]).read_bytes()

    def told(content: bytes) -> str:
        return message_of(RowError, lambda: read(saved(tmp_path, content, "sheet.xlsx")))

    for content in (
        b"",
        b"id,answer\n",
        good[: len(good) // 2],
        archive(tmp_path, sheet1=b""),
        b"\xd0\xcf\x11\xe0",
    ):
        assert told(content) == (
            "sheet.xlsx: not a workbook, or damaged; save it again as .xlsx without a password, or as CSV in "
            "UTF-8"
        )
    assert told(workbook(tmp_path, name="empty.xlsx").read_bytes()) == (
        "sheet.xlsx: no sheet holds anything; fill one in, or save the right file"
    )
