"""Sheets and tables that come back: every wrong cell is named, and files of reviews are written."""

import json
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.loaders.files.new_files import write_sheet
from blend.loaders.responses import returned_sheets
from blend.loaders.responses.returned_sheets import (
    read_answer_sheet,
    read_native_questions,
    read_review_sheet,
    read_translations,
    read_verdict_sheet,
    write_reviews,
)
from blend.schemas.errors import ConflictError, InputError, RowError
from blend.schemas.frames import REVIEWS
from blend.schemas.sheets import ANSWER_SHEET, OPTION_SHEET, PAIR_SHEET, TEMPLATE_SHEET, Sheet
from helpers.messages import message_of

TOLD = tomllib.loads(Path(__file__).with_name("told.toml").read_text(encoding="utf-8"))


def review(template_id: str = "q", locale: str = "ko-KR", **fields: object) -> dict[str, object]:
    groups = [{"answers": ["밥"], "en_answers": ["rice"]}]
    row = {"template_id": template_id, "locale": locale, "reviewer": "r1", "invalid": [], "reasons": []}
    return {**row, "groups": groups, "source": "sheet.csv:2", **fields}


def reviews(*rows: dict[str, object]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=REVIEWS)


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_sheet_comes_back_as_it_was_written(tmp_path: Path):
    cells = dict.fromkeys(ANSWER_SHEET.columns, "")
    answer = 'a "b", c'
    mark = ANSWER_SHEET.mark("q", "", answer)
    cells |= {"template_id": "q", "answer": answer, "group": "1", "check": f"1 of 1 {mark}"}
    path = tmp_path / "sheet.csv"
    write_sheet(ANSWER_SHEET, pl.DataFrame([cells | {"english": "18:00"}]), path)
    assert path.read_bytes().startswith(b"\xef\xbb\xbftemplate_id,locale,")
    [read] = read_answer_sheet(path).to_dicts()
    # An apostrophe keeps a spreadsheet from making something else of a time.
    assert b"'18:00" in path.read_bytes()
    assert read == {name: cells.get(name) for name in read} | {"english": "18:00", "source": "sheet.csv:2"}


@pytest.mark.parametrize("column", ["answer", "group", "english", "reason"])
def test_what_a_spreadsheet_leaves_of_a_formula_is_refused(tmp_path: Path, column: str):
    cells = dict.fromkeys(ANSWER_SHEET.columns, "") | {"template_id": "q", column: "#NAME?"}
    pl.DataFrame([cells]).write_csv(tmp_path / "s.csv")
    assert message_of(RowError, lambda: read_answer_sheet(tmp_path / "s.csv")) == (
        f"s.csv:2, column {column}: the cell holds the error #NAME?, made by a spreadsheet; give the column "
        "the format Text, and write again what stood there"
    )


@pytest.mark.parametrize(
    ("column", "cell"),
    [("answer", "빵"), ("answer", "18:00:00"), ("template_id", "r"), ("check", "")],
)
def test_a_row_that_is_not_as_it_was_proposed_is_refused(tmp_path: Path, column: str, cell: str):
    cells = dict.fromkeys(ANSWER_SHEET.columns, "") | {"template_id": "q", "answer": "밥", "group": "1"}
    cells |= {"check": f"1 of 1 {ANSWER_SHEET.mark('q', '', '밥')}", column: cell}
    pl.DataFrame([cells]).write_csv(tmp_path / "s.csv")
    assert message_of(RowError, lambda: read_answer_sheet(tmp_path / "s.csv")) == (
        f"s.csv:2: {cells['template_id']!r}, '', {cells['answer']!r} is not a row that was proposed; bring "
        "back template_id, locale, answer and check as they were proposed (as .xlsx, whose cells are text), or "
        "delete a row of your own"
    )


def test_reviews_are_one_file_per_locale_in_the_order_of_templates(tmp_path: Path):
    written = write_reviews(
        reviews(review("b"), review("a", invalid=["x"], reasons=["no food"]), review("a", "en-GB", groups=[])),
        tmp_path / "reviews",
    )
    assert [(one.path.name, len(one.reviews), *one[2:]) for one in written] == [
        ("en-GB.jsonl", 1, 0, []),
        ("ko-KR.jsonl", 2, 0, []),
    ]
    groups = [{"answers": ["밥"], "en_answers": ["rice"]}]
    assert lines(tmp_path / "reviews" / "ko-KR.jsonl") == [
        {"template_id": "a", "reviewer": "r1", "invalid": ["x"], "reasons": ["no food"], "groups": groups},
        {"template_id": "b", "reviewer": "r1", "groups": groups},
    ]
    assert lines(tmp_path / "reviews" / "en-GB.jsonl") == [{"template_id": "a", "reviewer": "r1", "groups": []}]


def test_a_file_that_is_there_is_updated_only_when_asked(tmp_path: Path):
    path = tmp_path / "ko-KR.jsonl"
    other = '{"template_id":   "other", "reviewer": "r9", "groups": []}'
    path.write_text(f'{other}\n\n{{"template_id": "q", "reviewer": "r9"}}\n', encoding="utf-8")
    before = path.read_bytes()
    told = message_of(ConflictError, lambda: write_reviews(reviews(review(), review(locale="en-GB")), tmp_path))
    assert told == (
        f"{path}: exists, and may hold somebody's work; choose another `out`, or give `update=True`: its "
        "reviews of other questions stay"
    )
    assert path.read_bytes() == before
    assert not (tmp_path / "en-GB.jsonl").exists()

    (written,) = write_reviews(reviews(review()), tmp_path, update=True)
    assert (len(written.reviews), written.kept, written.replaced) == (1, 1, ["q by r9"])
    assert path.read_text(encoding="utf-8").splitlines()[0] == other
    assert [line["reviewer"] for line in lines(path)] == ["r9", "r1"]


def test_no_file_is_written_where_one_cannot_be(tmp_path: Path):
    (tmp_path / "ko-KR.jsonl").symlink_to("elsewhere.jsonl")
    rows = reviews(review(locale="en-GB"), review())
    told = message_of(InputError, lambda: write_reviews(rows, tmp_path, update=True))
    assert (
        told
        == f"{tmp_path}/ko-KR.jsonl: is a link to elsewhere.jsonl; name that file itself, or remove the link"
    )
    assert not (tmp_path / "en-GB.jsonl").exists()


@pytest.mark.parametrize("line", ["[1]", '{"reviewer": "r1"}', '{"template_id": {}}'])
def test_a_file_to_update_that_holds_no_reviews(tmp_path: Path, line: str):
    (tmp_path / "ko-KR.jsonl").write_text(f"\n{line}\n", encoding="utf-8")
    assert message_of(RowError, lambda: write_reviews(reviews(review()), tmp_path, update=True)) == (
        "ko-KR.jsonl:2: not a review; correct it, as docs/responses.md describes reviews"
    )


def test_a_file_where_the_folder_should_be(tmp_path: Path):
    (tmp_path / "reviews").touch()
    told = message_of(InputError, lambda: write_reviews(reviews(review()), tmp_path / "reviews"))
    assert told == f"{tmp_path}/reviews: is not a folder; choose another `out`"


# Another name for a column that people fill in: nothing in it is passed over.

SHEETS: list[tuple[Callable[[Path], object], Sheet]] = [
    (read_answer_sheet, ANSWER_SHEET),
    (partial(read_verdict_sheet, OPTION_SHEET), OPTION_SHEET),
    (partial(read_verdict_sheet, PAIR_SHEET), PAIR_SHEET),
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
    told = message_of(RowError, lambda: read(path))
    assert told == f"sheet.csv:1: column {column!r} is missing; bring it back as proposed"


# Natives' questions, reviewed sheets of templates, and translations.


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_native_questions(tmp_path: Path):
    text = "\ufeffid,topic,locale,text\nQ-1,Food,South_Korea,What is eaten?\nQ-2,Sport,,Which sport?\n"
    questions = read_native_questions(written(tmp_path, "natives.csv", text))
    assert questions.rows() == [
        ("Q-1", "Food", "ko-KR", "What is eaten?", "natives.csv:2"),
        ("Q-2", "Sport", None, "Which sport?", "natives.csv:3"),
    ]


def test_translations(tmp_path: Path):
    text = "template_id,locale,question\nQ-1,UK,What is eaten in the UK?\nQ-1,ko-KR,한국에서 무엇을 먹나요?\n"
    assert read_translations(written(tmp_path, "translations.csv", text)).rows() == [
        ("Q-1", "en-GB", "What is eaten in the UK?", "translations.csv:2", None),
        ("Q-1", "ko-KR", "한국에서 무엇을 먹나요?", "translations.csv:3", None),
    ]
    text = "template_id,locale,question,en_question\nQ-1,UK,What?,What is eaten in {country}?\nQ-2,UK,Who?,\n"
    read = read_translations(written(tmp_path, "translations.csv", text))
    assert read["en_question"].to_list() == ["What is eaten in {country}?", None]


@pytest.mark.parametrize("case", TOLD["cells"], ids=lambda case: case["text"][:60])
def test_wrong_cells(tmp_path: Path, case: dict[str, str]):
    read = getattr(returned_sheets, case["read"])
    assert message_of(RowError, lambda: read(written(tmp_path, "rows.csv", case["text"]))) == case["told"]


SHEET = """\
template_id;topic;source_locale;my own;template;decision;similarity
Q-1;Food;ko-KR;!;Rice, or bread, in {country}?;keep;0,912
"""


@pytest.mark.parametrize(
    "text",
    ["\ufeff" + SHEET.replace("\n", "\r\n"), SHEET.replace(";", "\t")],
    ids=["semicolons", "tabs"],
)
def test_a_review_sheet_as_spreadsheets_save_it(tmp_path: Path, text: str):
    (row,) = read_review_sheet(written(tmp_path, "sheet.csv", text)).to_dicts()
    filled = {name: value for name, value in row.items() if value is not None}
    assert {name: filled[name] for name in ("template_id", "topic", "template", "decision")} == {
        "template_id": "Q-1",
        "topic": "Food",
        "template": "Rice, or bread, in {country}?",
        "decision": "keep",
    }
