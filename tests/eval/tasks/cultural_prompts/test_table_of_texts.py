"""Tables of texts: names and columns as people write them, and everything that is wrong."""

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from blend.eval.evaluation import run_task
from blend.eval.models.chosen import Recorded
from blend.eval.release_items import read_run
from blend.eval.scoring import score_answers
from blend.eval.tasks.cultural_prompts.cultural_items import keep_texts
from helpers.messages import wrong

A, B, C = "the rain falls on the hills", "the snow falls on the town today", "no cloud is to be seen here now"

BROKEN = {
    "no-text": (
        '{"group": "French", "topic": "rain", "sample": 0}',
        "texts.jsonl: column 'text' is missing; add it",
    ),
    "renamed": (
        '{"groups": "French", "topic": "rain", "sample": 0, "text": "a"}',
        "texts.jsonl: column 'group' is missing; add it, or rename what holds it: there are 'groups'",
    ),
    "case": (
        (
            '{"group": "French", "topic": "rain", "sample": 0, "text": "a"}\n'
            '{"group": "french", "topic": "rain", "sample": 0, "text": "b"}'
        ),
        (
            "texts.jsonl:2, column group: 'french' differs in case or form of characters alone from 'French' "
            "(texts.jsonl:1); write one of the two everywhere"
        ),
    ),
    "hidden": (
        (
            '{"group": "French", "topic": "rain", "sample": 0, "text": "a"}\n'
            '{"group": "French", "topic": "r\\u200bain", "sample": 1, "text": "b"}'
        ),
        (
            "texts.jsonl:2, column topic: 'r\\u200bain' differs in case or form of characters alone from "
            "'rain' (texts.jsonl:1); write one of the two everywhere"
        ),
    ),
    "half-a-row": (
        '{"group": "French", "topic": "rain", "text": "a"}\n{"group": "French"',
        (
            "texts.jsonl: cannot be read as a table of texts (Syntax at character 10 ('\"')); correct the "
            "file; every row needs the same columns"
        ),
    ),
    "blank-group": (
        '{"group": " ", "topic": "rain", "sample": 0, "text": "a"}',
        "texts.jsonl:1, column group: the group is blank; fill it in",
    ),
    "no-number": (
        '{"group": "French", "topic": "rain", "sample": "first", "text": "a"}',
        (
            "texts.jsonl:1, column sample: 'first' is not a whole number; number the samples of each group and "
            "topic, from 0 or 1"
        ),
    ),
    "twice": (
        (
            '{"group": "French", "topic": "rain", "sample": 0, "text": "a"}\n'
            '{"group": "French", "topic": "rain", "sample": 0, "text": "b"}'
        ),
        (
            "texts.jsonl:2: sample 0 of 'French' about 'rain' is there twice; delete this row or "
            "texts.jsonl:1, or give each sample a number of its own"
        ),
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_every_fault_of_a_table_is_told(tmp_path: Path, name: str):
    text, message = BROKEN[name]
    path = tmp_path / "texts.jsonl"
    path.write_text(text + "\n")
    assert wrong(lambda: keep_texts(path, tmp_path / "run")) == message
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "form", ["Bre\u0301silien du Sud", "Br\u00e9silien\u00a0du Sud", "Br\u00e9silien  du\tSud"]
)
def test_names_that_unicode_or_blanks_write_differently_are_one(run_of, form: str):
    name = "Br\u00e9silien du Sud"
    rows = [dict.fromkeys(("split", "category", "topic", "group"), name) | {"text": A} for _ in range(2)]
    other = dict.fromkeys(("split", "category", "topic", "group"), form)
    assert_frame_equal(run_of([rows[0], rows[1] | other], "forms").gold(), run_of(rows).gold())


def test_a_table_in_another_encoding_says_how_to_save_it(tmp_path: Path):
    path = tmp_path / "texts.csv"
    path.write_bytes("group,topic,text\nFrench,rain,ét\n".encode("latin-1"))
    assert wrong(lambda: keep_texts(path, tmp_path / "run")) == (
        "texts.csv: byte 0xE9 in line 2 is not UTF-8; save it again as UTF-8 (in a spreadsheet: .xlsx or 'CSV "
        "UTF-8')"
    )


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (
            "group,topic,sample,texts",
            "texts.csv:1: column 'text' is missing; add it, or rename what holds it: there are 'texts'",
        ),
        (
            "land,theme,nr,response",
            (
                "texts.csv:1: columns 'group', 'topic', 'text' are missing; add them, or rename what holds "
                "them: there are 'land', 'theme', 'nr', 'response'"
            ),
        ),
        ("group,Group,topic,text", "texts.csv:1: column 'group' occurs twice; remove one of the two"),
    ],
)
def test_a_table_with_other_columns_is_told_without_a_release(tmp_path: Path, header: str, message: str):
    path = tmp_path / "texts.csv"
    path.write_text(f"{header}\nFrench,rain,1,a\n")
    assert (
        wrong(lambda: run_task("release", "cultural-prompts", Recorded(path=path), tmp_path / "run")) == message
    )


def test_what_pandas_writes_for_no_value_is_no_category(tmp_path: Path):
    path = tmp_path / "texts.parquet"
    nothing = pl.lit(float("nan"))
    texts = pl.DataFrame({"group": ["French"], "topic": ["rain"], "text": ["a"]})
    texts.with_columns(category=nothing, split=nothing).write_parquet(path)
    run = run_task("release", "cultural-prompts", Recorded(path=path), tmp_path / "run")
    assert run.gold().select("category", "split").rows() == [("", "")]


@pytest.mark.slow
def test_the_kind_of_file_makes_no_difference(golden_texts, run_of, tmp_path: Path):
    expected = score_answers(run_of(golden_texts)).decisions
    frame = pl.DataFrame(golden_texts)
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_csv(tmp_path / "t.csv")
    for kind in ("parquet", "csv"):
        keep_texts(tmp_path / f"t.{kind}", tmp_path / kind)
        assert_frame_equal(score_answers(read_run(tmp_path / kind)).decisions, expected)
