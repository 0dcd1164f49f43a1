"""Recorded answers: every form of the file, and what each wrong one says."""

import json
from pathlib import Path

import polars as pl
import pytest

from blend.eval.items import ITEMS, TaskItems
from blend.eval.runs.recorded_answers import read_recorded
from blend.schemas.errors import InputError


def asked(*names: tuple[str, str, str], skipped: tuple[str, ...] = ()) -> TaskItems:
    """Items of ``(item_id, locale, template_id)``."""
    rows = [
        {"item_id": item_id, "locale": locale, "region": locale[-2:], "template_id": template_id}
        | {"topic": "Food", "prompt_id": "p", "language": "en", "prompt": "?", "options": None}
        for item_id, locale, template_id in names
    ]
    left_out = pl.DataFrame({"item_id": skipped, "locale": ["ko-KR"] * len(skipped), "template_id": skipped})
    return TaskItems(pl.DataFrame(rows, ITEMS), pl.DataFrame(), {}, "text", left_out)


TWO = asked(("a1", "ko-KR", "t1"), ("a2", "ko-KR", "t2"), skipped=("t3",))
BOTH = asked(("a1", "ko-KR", "t1"), ("b1", "zh-CN", "t1"))


def written(tmp_path: Path, content: str, name: str = "answers.csv") -> Path:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize(
    ("column", "ids"), [("item_id", ["a2", "a1"]), ("MCQID", ["a2", "a1"]), ("ID", ["t2", "t1"])]
)
def test_every_form_gives_the_same_answers(tmp_path: Path, kind: str, column: str, ids: list[str]):
    path = tmp_path / f"answers.{kind}"
    rows = [
        {"kind": "x", column: ids[0], "response": "two, with a comma", "prompt": "asked so"},
        {"kind": "y", column: ids[1], "response": "ein\nzwei", "prompt": ""},
    ]
    if kind == "jsonl":
        path.write_text("\n".join(map(json.dumps, rows)))
    elif kind == "csv":
        pl.DataFrame(rows).write_csv(path)
    else:
        pl.DataFrame(rows).write_parquet(path)
    found = read_recorded(path, TWO)
    assert found.answers.select("item_id", "text", "asked").rows() == [
        ("a2", "two, with a comma", "asked so"),
        ("a1", "ein\nzwei", None),
    ]
    assert found.warnings == ()
    assert (found.description.id, found.description.file) == (path.name, path.name)


def test_what_another_tool_knows_of_an_answer(tmp_path: Path):
    header = "item_id,response,thought,finish_reason\n"
    found = read_recorded(written(tmp_path, f"{header}a1,x,Hm,stop\na2,half of,,length\n"), TWO)
    filtered = read_recorded(written(tmp_path, f"{header}a1,,,content_filter\na2,x,,\n"), TWO)
    assert filtered.answers["finish_reason"].to_list() == ["content_filter", None]
    assert found.answers.select("text", "thought", "finish_reason").rows() == [
        ("x", "Hm", "stop"),
        ("half of", None, "length"),
    ]
    odd = read_recorded(written(tmp_path, f"{header}a1,x,,tool_calls\na2,y,,abort\n"), TWO)
    assert odd.answers.select("item_id", "finish_reason").rows() == [("a1", None)]
    assert odd.warnings == (
        "records without an answer, left out: 1 (answers.csv:3: abort)",
        "finish reason 'tool_calls' is not known, and taken for none: 1",
        "items without an answer in the file: 1 of 2 (first: a2)",
    )


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("STOP", "stop"),
        ("FinishReason.STOP", "stop"),
        ("end_turn", "stop"),
        ("eos", "stop"),
        ("MAX_TOKENS", "length"),
        ("max_output_tokens", "length"),
        ("refusal", "content_filter"),
        ("SAFETY", "content_filter"),
    ],
)
def test_finish_reasons_of_providers_are_taken_by_their_meaning(tmp_path: Path, said: str, meant: str):
    path = written(tmp_path, f"item_id,response,finish_reason\na1,x,{said}\n")
    assert read_recorded(path, TWO).answers["finish_reason"].to_list() == [meant]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize(
    "name",
    ["stop_reason", "stopReason", "finishReason", "finish reason", "done_reason", "native_finish_reason"],
)
def test_a_finish_reason_by_another_name_is_not_passed_over(tmp_path: Path, kind: str, name: str):
    path = tmp_path / f"answers.{kind}"
    row = {"item_id": "a1", "response": "x", "kind": "y", name: "max_tokens"}
    write(path, [row])
    with pytest.raises(InputError) as raised:
        read_recorded(path, TWO)
    where = {"csv": "answers.csv:1", "jsonl": "answers.jsonl:1", "parquet": "answers.parquet"}[kind]
    assert str(raised.value) == (
        f"{where}: column '{name}' looks like 'finish_reason'; rename it to 'finish_reason', or remove it if "
        "it holds something else"
    )
    # Beside the column itself it is one of those left out: vLLM has both.
    write(path, [row | {"finish_reason": "length"}])
    assert read_recorded(path, TWO).answers["finish_reason"].to_list() == ["length"]


def write(path: Path, rows: list[dict[str, object]]) -> None:
    frame = pl.DataFrame(rows)
    writers = {".csv": frame.write_csv, ".jsonl": frame.write_ndjson, ".parquet": frame.write_parquet}
    writers[path.suffix](path)


def test_a_cell_may_be_long(tmp_path: Path):
    # Python's own reader stops at 131,072 characters.
    text = "word " * 60_000
    assert len(text) == 300_000
    found = read_recorded(written(tmp_path, f'item_id,response\na1,"{text}"\na2,two\n'), TWO)
    assert found.answers.select("item_id", "text").rows() == [("a1", text), ("a2", "two")]


def test_text_like_na_stays_text_and_empty_text_stays_empty(tmp_path: Path):
    path = written(tmp_path, "item_id,response\na1,NA\na2, \n")
    found = read_recorded(path, TWO, model="gpt-x")
    assert found.description.id == "gpt-x"
    assert found.answers["text"].to_list() == ["NA", " "]
    assert found.warnings == (
        "empty responses, which count as wrong: 1 (first: answers.csv:3)",
        (
            "responses 'NA', taken as the text they are: 1 (first: answers.csv:2); "
            "leave such rows out if the model was not asked"
        ),
    )


def test_what_is_missing_or_not_counted_is_remarked(tmp_path: Path):
    found = read_recorded(written(tmp_path, "ID,response\nt1,yes\nt3,no\n"), TWO)
    assert found.answers["item_id"].to_list() == ["a1"]
    assert found.warnings == (
        "rows of questions that no score counts, left out: 1",
        "items without an answer in the file: 1 of 2 (first: a2)",
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "item_id,response\na1,x\na9,y\n",
            (
                "answers.csv:3, column item_id: nothing is asked under 'a9'; the ids are like 'a1'; "
                "check that release, task and options are those asked"
            ),
        ),
        (
            "item_id,response\na1,x\na1,y\n",
            "answers.csv:3, column item_id: a second answer to 'a1'; delete this row or answers.csv:2",
        ),
        ("item_id,response\n,x\n", "answers.csv:2, column item_id: the id is blank; fill it in"),
        (
            "item_id,answer\na1,x\n",
            "answers.csv:1: column 'response' is missing; add it",
        ),
        (
            "name,response\na1,x\n",
            ("answers.csv: no column names the items; add one of item_id, true_false_id, MCQID, ID"),
        ),
    ],
)
def test_a_wrong_file_says_where_and_what_to_do(tmp_path: Path, content: str, message: str):
    with pytest.raises(InputError) as raised:
        read_recorded(written(tmp_path, content), TWO)
    assert str(raised.value) == message


def test_a_response_that_is_not_text(tmp_path: Path):
    path = written(tmp_path, '{"item_id": "a1", "response": 7}', "answers.jsonl")
    with pytest.raises(InputError) as raised:
        read_recorded(path, TWO)
    assert str(raised.value) == "answers.jsonl:1, column response: 7 is not text; write text in quotes"


def test_what_pandas_writes_for_no_value_is_none(tmp_path: Path):
    path, none = tmp_path / "answers.parquet", float("nan")
    write(path, [{"item_id": "a1", "response": "x", "thought": none, "finish_reason": none}])
    assert read_recorded(path, TWO).answers.select("text", "thought", "finish_reason").row(0) == (
        "x",
        None,
        None,
    )
    write(path, [{"item_id": "a1", "response": 3.0}])
    with pytest.raises(InputError) as raised:
        read_recorded(path, TWO)
    assert str(raised.value) == "answers.parquet:1, column response: 3.0 is not text; store the column as text"


def test_many_wrong_rows_are_counted(tmp_path: Path):
    path = written(tmp_path, "item_id,response\n" + "".join(f"z{n},x\n" for n in range(30)))
    with pytest.raises(InputError) as raised:
        read_recorded(path, TWO)
    lines = str(raised.value).splitlines()
    assert len(lines) == 12
    assert lines[-1] == "answers.csv: 20 further rows are wrong; mend the first ones and see"


def test_the_id_of_a_template_needs_one_locale(tmp_path: Path):
    with pytest.raises(InputError) as raised:
        read_recorded(written(tmp_path, "ID,response\nt1,x\n"), BOTH)
    assert str(raised.value) == (
        "answers.csv: column ID names 1 templates, but 2 items are asked; name one locale in `locales`"
    )


def test_a_file_of_another_kind(tmp_path: Path):
    (tmp_path / "answers.pdf").write_text("x")
    with pytest.raises(InputError) as raised:
        read_recorded(tmp_path / "answers.pdf", TWO)
    kinds = ".csv, .tsv, .txt, .xlsx, .jsonl, .parquet"
    assert str(raised.value) == f"answers.pdf: unknown file name ending '.pdf'; use one of: {kinds}"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "answers.csv",
            None,
            (
                "no such file; `answers` names a file of answers (.csv, .tsv, .txt, .xlsx, .jsonl, .parquet, "
                "or samples of lm-eval, a log of Inspect, results of a batch)"
            ),
        ),
        ("answers.csv", "item_id,response\n", "no answers; write one row per item"),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path: Path, name: str, content: str | None, message: str):
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    with pytest.raises(InputError) as raised:
        read_recorded(path, TWO)
    assert str(raised.value) == f"{path}: {message}"
