"""Natives' questions, reviewed sheets and translations are read with every wrong cell named."""

from pathlib import Path

import pytest

from blend.loaders.responses.returned_sheets import read_native_questions, read_review_sheet, read_translations
from blend.schemas.errors import RowError


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


NEAREST = "the nearest of the 34 there are: ko-KR, ko-KP, ta-LK"
DESTROYED = (
    "the cell holds question marks in place of letters, made by a spreadsheet; save the original again as "
    ".xlsx or 'CSV UTF-8'; if somebody typed question marks, that is no answer: leave it out, or write why "
    "there is none"
)
FAR = "the nearest of the 34 there are: ko-KR, ko-KP, zh-TW"
LOCALE_FILE = (
    "; a region that is not among them needs an entry in a locale file (`locale_file`, see docs/recipe.md), "
    "and no such file is named"
)


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (
            read_native_questions,
            "id,topic,text\nQ-1, ,What?\n",
            "rows.csv:2, column topic: the cell is blank; fill it in, or delete the row",
        ),
        (
            read_native_questions,
            "id,topic,text\nQ-1,Food,What?\nQ-1,Food,Who?\n",
            "rows.csv:3: Q-1 occurs a second time; delete this row or rows.csv:2",
        ),
        (
            read_native_questions,
            "id,topic,locale,text\nQ-1,Food,ko-KX,What?\n",
            f"rows.csv:2, column locale: unknown locale 'ko-KX'; did you mean 'ko-KR'? {NEAREST}" + LOCALE_FILE,
        ),
        (
            read_native_questions,
            "id,topic,locale,text\nQ-1,Food,KR-ko,What?\n"
            + "".join(f"Q-{n},Food,KR-ko,What?\n" for n in range(2, 29)),
            f"rows.csv:2, column locale: unknown locale 'KR-ko'; did you mean 'ko-KR'? {FAR}" + LOCALE_FILE,
        ),
        (
            read_translations,
            "template_id,locale,question\nQ-1,ko-KR,???? ???? ??? ????\n",
            f"rows.csv:2, column question: {DESTROYED}",
        ),
        (
            read_translations,
            "template_id,locale,question\nQ-1,,What?\n",
            "rows.csv:2, column locale: the cell is blank; fill it in, or delete the row",
        ),
        (
            read_translations,
            "template_id,locale,question\nQ-1,ko-KR, \n",
            "rows.csv:2, column question: the cell is blank; fill it in, or delete the row",
        ),
        (
            read_translations,
            "template_id,locale,question\nQ-1,GB,What?\nQ-1,UK,Who?\n",
            "rows.csv:3: Q-1 in en-GB occurs a second time; delete this row or rows.csv:2",
        ),
    ],
)
def test_wrong_cells(tmp_path: Path, read, text: str, message: str):
    with pytest.raises(RowError) as caught:
        read(written(tmp_path, "rows.csv", text))
    assert str(caught.value) == message


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
