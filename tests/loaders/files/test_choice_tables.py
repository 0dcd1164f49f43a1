"""Choice tables: anybody's questions in three kinds of files, and a sentence for whatever is wrong in them."""

import json
import re
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from blend.loaders.files.rows import read_choice_table
from blend.schemas.errors import InputError

ROWS = [
    {"question": "Drink?", "options": ["tea", "milk"], "answer": "tea", "group": "UK", "note": "left out"},
    {"question": "Snack?", "options": ["nuts", "2", "figs"], "answer": "2", "group": None, "note": ""},
]


def csv(folder: Path, *lines: str, header: str = "question,options,answer") -> Path:
    path = folder / "mine.csv"
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return path


def test_three_kinds_of_files_say_the_same(tmp_path: Path):
    jsonl, parquet = tmp_path / "mine.jsonl", tmp_path / "mine.parquet"
    jsonl.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    pl.DataFrame(ROWS).write_parquet(parquet)
    header = "question,options,answer,group,note"
    written = csv(
        tmp_path, 'Drink?,"[""tea"", ""milk""]",tea,UK,left out', "Snack?,nuts|2|figs,2,,", header=header
    )
    read = read_choice_table(jsonl)
    assert read.rows() == [
        ("Drink?", ["tea", "milk"], 0, "UK", None, None),
        ("Snack?", ["nuts", "2", "figs"], 1) + (None,) * 3,
    ]
    assert_frame_equal(read_choice_table(parquet), read)
    assert_frame_equal(read_choice_table(written), read)


@pytest.mark.parametrize(
    ("answers", "indices"),
    [
        (["milk", "figs"], [1, 1]),
        (["B", "a"], [1, 0]),
        (["1", "0"], [1, 0]),
    ],
)
def test_answers_are_texts_letters_or_indices(tmp_path: Path, answers: list[str], indices: list[int]):
    path = csv(tmp_path, f"Drink?,tea|milk,{answers[0]}", f"Snack?,nuts|figs,{answers[1]}")
    assert read_choice_table(path)["answer"].to_list() == indices


def test_an_option_that_is_a_number_is_not_taken_for_an_index(tmp_path: Path):
    # Of three answers two are letters: the third is a text that nobody can be sure of.
    path = csv(tmp_path, "a?,1|2,B", "b?,5|6,A", "c?,0|1,1")
    message = (
        "mine.csv:4: answer '1' is not the letter of an option; "
        "write all answers as the text of an option, all as its letter, or all as its index from 0"
    )
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        read_choice_table(path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (" ,tea|milk,tea", "mine.csv:2: column question is blank; write the question, or remove the row"),
        (
            "Drink?,tea,tea",
            (
                "mine.csv:2: column options is 'tea'; "
                'write a list of at least two texts, in CSV as ["tea", "milk"] or tea|milk'
            ),
        ),
        (
            "Drink?,[tea,tea",
            (
                "mine.csv:2: column options is '[tea'; "
                'write a list of at least two texts, in CSV as ["tea", "milk"] or tea|milk'
            ),
        ),
        (
            "Drink?,tea|milk,rum",
            (
                "mine.csv:2: answer 'rum' is not the text of an option; "
                "write all answers as the text of an option, all as its letter, or all as its index from 0"
            ),
        ),
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, line: str, message: str):
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        read_choice_table(csv(tmp_path, line))


def test_a_cell_of_another_type_is_named(tmp_path: Path):
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(ROWS[0] | {"group": 7}), encoding="utf-8")
    with pytest.raises(InputError, match=r"^mine.jsonl:1: column group is 7; write a text$"):
        read_choice_table(path)


def test_a_table_that_is_none(tmp_path: Path):
    with pytest.raises(
        InputError, match=r"^mine.ods: expected a table, .csv, .tsv, .txt, .xlsx, .jsonl, .parquet; "
    ):
        read_choice_table(Path("mine.ods"))
    with pytest.raises(InputError, match=r"^nothere.csv: no such table; correct the path$"):
        read_choice_table(Path("nothere.csv"))
    empty = csv(tmp_path)
    message = f"{empty}: no questions in this table; give at least one row"
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        read_choice_table(empty)
    with pytest.raises(InputError, match=r"^mine.csv:1: column 'answer' is missing; rename column 'anwser'$"):
        read_choice_table(csv(tmp_path, "a?,b|c,b", header="question,options,anwser"))
