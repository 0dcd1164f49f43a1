"""Recorded answers: every form of a table of them, and what each wrong one says."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.eval.recorded_answers import read_recorded
from blend.eval.runs import RecordedAnswers
from helpers.asking import texts_asked
from helpers.messages import wrong

TWO = texts_asked(("a1", "ko-KR", "t1"), ("a2", "ko-KR", "t2"), skipped=("t3",))
BOTH = texts_asked(("a1", "ko-KR", "t1"), ("b1", "zh-CN", "t1"))

WHOLE = ("item_id", "text", "thought", "finish_reason")
"""Columns of answers."""


def write(path: Path, *rows: dict[str, Any]) -> Path:
    frame = pl.DataFrame(rows)
    writers = {".csv": frame.write_csv, ".jsonl": frame.write_ndjson, ".parquet": frame.write_parquet}
    writers[path.suffix](path)
    return path


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize(
    ("column", "ids"),
    [("item_id", ["a2", "a1"]), ("MCQID", ["a2", "a1"]), ("ID", ["t2", "t1"]), ("ID", ["a2", "a1"])],
)
def test_every_form_gives_the_same_answers(tmp_path: Path, kind: str, column: str, ids: list[str]):
    path = write(
        tmp_path / f"answers.{kind}",
        {"kind": "x", column: ids[0], "response": "two, with a comma", "prompt": " ?\n"},
        {"kind": "y", column: ids[1], "response": "ein\nzwei", "prompt": ""},
    )
    found = read_recorded(path, TWO)
    assert found.answers.select("item_id", "text", "asked").rows() == [
        ("a2", "two, with a comma", " ?\n"),
        ("a1", "ein\nzwei", None),
    ]
    assert found.warnings == ()
    described = RecordedAnswers.of(path, None)
    assert (described.id, described.file) == (path.name, path.name)
    assert RecordedAnswers.of(path, "gpt-x").id == "gpt-x"


@pytest.mark.parametrize(
    ("kind", "name", "where"),
    [
        ("csv", "stop_reason", "answers.csv:1"),
        ("jsonl", "finishReason", "answers.jsonl:1"),
        ("parquet", "done_reason", "answers.parquet"),
    ],
)
def test_a_finish_reason_by_another_name_is_not_passed_over(tmp_path: Path, kind: str, name: str, where: str):
    row = {"item_id": "a1", "response": "x", "kind": "y", name: "max_tokens"}
    path = write(tmp_path / f"answers.{kind}", row)
    assert wrong(lambda: read_recorded(path, TWO)) == (
        f"{where}: column '{name}' looks like 'finish_reason'; rename it to 'finish_reason', or remove it if "
        "it holds something else"
    )
    # Beside the column itself it is one of those left out: vLLM has both.
    write(path, row | {"finish_reason": "length"})
    assert read_recorded(path, TWO).answers["finish_reason"].to_list() == ["length"]


HEAD = "item_id,response\n"
OTHER = (
    "answers to another prompt than that of the item, whose name the scores have all the same: 1 (first: {})"
)
ENDED = "item_id,response,thought,finish_reason\n"
ONE_MISSING = "items without an answer in the file: 1 of 2 (first: a2)"
EMPTY = "empty responses, which count as wrong: 1 (first: answers.csv:{})"
READ: dict[str, tuple[list[tuple[str | None, ...]], list[str]]] = {
    f"{ENDED}a1,x,Hm,stop\na2,half of,,length\n": (
        [("a1", "x", "Hm", "stop"), ("a2", "half of", None, "length")],
        [],
    ),
    f"{ENDED}a1,,,content_filter\na2,x,,\n": (
        [("a1", "", None, "content_filter"), ("a2", "x", None, None)],
        [EMPTY.format(2)],
    ),
    f"{ENDED}a1,x,,tool_calls\na2,y,,abort\n": (
        [("a1", "x", None, "tool_calls")],
        ["records without an answer, left out: 1 (answers.csv:3: abort)", ONE_MISSING],
    ),
    # Text like NA stays text, and empty text stays empty.
    f"{HEAD}a1,NA\na2, \n": ([("a1", "NA", None, None), ("a2", " ", None, None)], [EMPTY.format(3)]),
    f"{HEAD}a1,rice\na2,nan\n": (
        [("a1", "rice", None, None), ("a2", "nan", None, None)],
        [
            (
                "responses that are the text 'nan', which pandas writes for no value, and count as answers: 1 "
                "(first: answers.csv:3); leave them empty if they are none"
            )
        ],
    ),
    "item_id,response,prompt\na1,x,?\na2,y,Say it\n": (
        [("a1", "x", None, None), ("a2", "y", None, None)],
        [OTHER.format("answers.csv:3")],
    ),
    "ID,response\nt1,yes\nt3,no\n": (
        [("a1", "yes", None, None)],
        ["rows of questions that no score counts, left out: 1", ONE_MISSING],
    ),
}


@pytest.mark.parametrize("content", READ)
def test_what_is_read_and_what_is_told(tmp_path: Path, content: str):
    path = tmp_path / "answers.csv"
    path.write_text(content, encoding="utf-8")
    found = read_recorded(path, TWO)
    assert (found.answers.select(WHOLE).rows(), [*found.warnings]) == READ[content]


def test_what_pandas_writes_for_no_value_is_none(tmp_path: Path):
    path, none = tmp_path / "answers.parquet", float("nan")
    write(path, {"item_id": "a1", "response": "x", "thought": none, "finish_reason": none})
    assert read_recorded(path, TWO).answers.select(WHOLE).rows() == [("a1", "x", None, None)]
    write(path, {"item_id": "a1", "response": 3.0})
    assert wrong(lambda: read_recorded(path, TWO)) == (
        "answers.parquet:1, column response: 3.0 is not text; store the column as text"
    )


CSV, LINES, PDF = "answers.csv", "answers.jsonl", "answers.pdf"


def test_the_id_of_a_template_needs_one_locale(tmp_path: Path):
    path = write(tmp_path / CSV, {"ID": "t1", "response": "x"})
    assert wrong(lambda: read_recorded(path, BOTH)) == (
        "answers.csv: column ID names 1 templates, but 2 items are asked; name one locale in `locales`, "
        "or the items by item_id, as decisions.parquet of a scored run lists them"
    )
