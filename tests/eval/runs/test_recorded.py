"""Recorded answers: every form of the file, and what each wrong one says."""

import json
from pathlib import Path

import polars as pl
import pytest

from blend.eval.recorded_answers import read_recorded
from blend.schemas.errors import InputError
from helpers.asking import texts_asked
from helpers.messages import wrong

TWO = texts_asked(("a1", "ko-KR", "t1"), ("a2", "ko-KR", "t2"), skipped=("t3",))
BOTH = texts_asked(("a1", "ko-KR", "t1"), ("b1", "zh-CN", "t1"))


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
    assert odd.answers.select("item_id", "finish_reason").rows() == [("a1", "tool_calls")]
    assert odd.warnings == (
        "records without an answer, left out: 1 (answers.csv:3: abort)",
        "items without an answer in the file: 1 of 2 (first: a2)",
    )


@pytest.mark.parametrize(
    ("kind", "name"), [("csv", "stop_reason"), ("jsonl", "finishReason"), ("parquet", "done_reason")]
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


def test_text_like_na_stays_text_and_empty_text_stays_empty(tmp_path: Path):
    path = written(tmp_path, "item_id,response\na1,NA\na2, \n")
    found = read_recorded(path, TWO, model="gpt-x")
    assert found.description.id == "gpt-x"
    assert found.answers["text"].to_list() == ["NA", " "]
    assert found.warnings == ("empty responses, which count as wrong: 1 (first: answers.csv:3)",)


def test_what_pandas_writes_into_a_table_for_no_value_is_told(tmp_path: Path):
    found = read_recorded(written(tmp_path, "item_id,response\na1,rice\na2,nan\n"), TWO)
    assert found.answers["text"].to_list() == ["rice", "nan"]
    [warning] = found.warnings
    assert warning == (
        "responses that are the text 'nan', which pandas writes for no value, and count as answers: 1 (first: "
        "answers.csv:3); leave them empty if they are none"
    )


def test_a_folder_of_results_says_what_it_holds(tmp_path: Path):
    (folder := tmp_path / "results" / "model").mkdir(parents=True)
    for name in ("results_2026.json", "samples_mcq_2026.jsonl", "notes.md"):
        (folder / name).touch()
    assert wrong(lambda: read_recorded(tmp_path / "results", TWO)) == (
        f"{tmp_path / 'results'}: a folder, and `answers` names one file; it holds model/samples_mcq_2026.jsonl"
    )


def test_what_is_missing_or_not_counted_is_remarked(tmp_path: Path):
    found = read_recorded(written(tmp_path, "ID,response\nt1,yes\nt3,no\n"), TWO)
    assert found.answers["item_id"].to_list() == ["a1"]
    assert found.warnings == (
        "rows of questions that no score counts, left out: 1",
        "items without an answer in the file: 1 of 2 (first: a2)",
    )


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


KINDS = ".csv, .tsv, .txt, .xlsx, .jsonl, .parquet"
HEAD = "item_id,response\n"
CSV, LINES, PDF = "answers.csv", "answers.jsonl", "answers.pdf"
REFUSED: dict[str, tuple[str, str | None]] = {
    f"{CSV}:3, column item_id: nothing is asked under 'a9'; the ids are like 'a1'; check that release, task "
    "and options are those asked": (CSV, f"{HEAD}a1,x\na9,y\n"),
    f"{CSV}:3, column item_id: a second answer to 'a1'; delete this row or {CSV}:2": (
        CSV,
        f"{HEAD}a1,x\na1,y\n",
    ),
    f"{CSV}:2, column item_id: the id is blank; fill it in": (CSV, f"{HEAD},x\n"),
    f"{CSV}:1: column 'response' is missing; rename the columns that hold it: there are 'answer'": (
        CSV,
        "item_id,answer\na1,x\n",
    ),
    f"{CSV}: no column names the items; add one of item_id, true_false_id, MCQID, ID": (
        CSV,
        "name,response\na1,x\n",
    ),
    f'2 problems:\n{LINES}:1, column response: 7 is not text; write text in quotes, "7"\n'
    f'{LINES}:2, column response: 8 is not text; write text in quotes, "8"': (
        LINES,
        '{"item_id": "a1", "response": 7}\n{"item_id": "a2", "response": 8}',
    ),
    f"{PDF}: unknown file name ending '.pdf'; use one of: {KINDS}": (PDF, "x"),
    f"{{path}}: no such file; `answers` names a file of answers ({KINDS}, or samples of lm-eval, a log of "
    "Inspect, results of a batch)": (CSV, None),
    "{path}: no answers; write one row per item": (CSV, HEAD),
}


@pytest.mark.parametrize("message", REFUSED)
def test_a_wrong_file_says_where_and_what_to_do(tmp_path: Path, message: str):
    name, content = REFUSED[message]
    path = tmp_path / name if content is None else written(tmp_path, content, name)
    with pytest.raises(InputError) as raised:
        read_recorded(path, TWO)
    assert str(raised.value) == message.format(path=path)


def test_the_id_of_a_template_needs_one_locale(tmp_path: Path):
    with pytest.raises(InputError) as raised:
        read_recorded(written(tmp_path, "ID,response\nt1,x\n"), BOTH)
    assert str(raised.value) == (
        "answers.csv: column ID names 1 templates, but 2 items are asked; name one locale in `locales`, "
        "or the items by item_id, as decisions.parquet of a scored run lists them"
    )
