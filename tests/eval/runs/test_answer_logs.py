"""Answer logs: each kind as its tool writes it, on invented answers, and what is said of others."""

import gzip
import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from blend.eval.evaluation import run_task
from blend.eval.models.chosen import Recorded
from blend.eval.recorded_answers import read_recorded
from blend.eval.runs.answer_logs import read_log, style_of
from blend.schemas.errors import InputError
from helpers.asking import texts_asked

Json = dict[str, Any]

TWO = texts_asked(("a1", "ko-KR", "t1"), ("a2", "ko-KR", "t2"))

ROWS = [("a1", "B", None, "stop"), ("a2", "C", "Hm", "length")]
"""Item, text, thought and finish reason."""


def lm_eval(item_id: str, text: str, **others: Any) -> Json:
    doc = {"MCQID": item_id, "prompt": "?", "options": ["A", "B", "C", "D"]}
    request = {"gen_args_0": {"arg_0": "?", "arg_1": {"until": ["\n"], "max_gen_toks": 8}}}
    return {"doc_id": 0, "doc": doc, "arguments": request, "resps": [[text]], "filter": "none"} | others


def lm_eval_likelihoods(item_id: str, *likelihoods: float) -> Json:
    # Everything but keys is a text there.
    arguments = {f"gen_args_{i}": {"arg_0": "?", "arg_1": f" {'ABCD'[i]}"} for i in range(len(likelihoods))}
    resps = [[[str(one), "False"]] for one in likelihoods]
    return lm_eval(item_id, "", arguments=arguments, resps=resps, acc=float("nan"))


def inspect_sample(item_id: str, text: str, thought: str | None, reason: str, *, epoch: int = 1) -> Json:
    parts = [{"type": "reasoning", "reasoning": thought}, {"type": "text", "text": text}]
    message = {"role": "assistant", "content": parts if thought else text}
    output = {"model": "m", "choices": [{"message": message, "stop_reason": reason}], "completion": text}
    return {"id": item_id, "epoch": epoch, "input": "?", "target": "B", "metadata": {}, "output": output}


def openai(item_id: str, body: Json) -> Json:
    return {"id": "r", "custom_id": item_id, "response": {"status_code": 200, "body": body}, "error": None}


def chat(item_id: str, text: str, thought: str | None, reason: str) -> Json:
    message = {"role": "assistant", "content": text, "reasoning_content": thought}
    return openai(item_id, {"choices": [{"index": 0, "message": message, "finish_reason": reason}]})


def lines(path: Path, *records: Json) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def zstandard_archive(path: Path, members: dict[str, Json]) -> Path:
    """An archive as Inspect writes it, packed with Zstandard, which Python's `zipfile` cannot write."""
    contents = {name: json.dumps(value).encode() for name, value in members.items()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, pa.compress(content, codec="zstd", asbytes=True))
        infos = archive.infolist()
    packed = bytearray(path.read_bytes())
    central = packed.index(b"PK\x01\x02")
    for info in infos:
        for start, method, size in ((info.header_offset, 8, 22), (central, 10, 24)):
            struct.pack_into("<H", packed, start + method, 93)
            struct.pack_into("<I", packed, start + size, len(contents[info.filename]))
        central = packed.find(b"PK\x01\x02", central + 1)
    path.write_bytes(packed)
    return path


def answers(path: Path) -> list[tuple[str | None, ...]]:
    found = read_recorded(path, TWO).answers
    return found.select("item_id", "text", "thought", "finish_reason").rows()


def test_samples_of_lm_eval_are_read(tmp_path: Path):
    written = lines(tmp_path / "samples_x.jsonl", lm_eval("a1", "B"), lm_eval("a2", " C."))
    assert answers(written) == [("a1", "B", None, None), ("a2", " C.", None, None)]
    # Of the options the likeliest, as the task itself counts; of responses and filters the first.
    path = lines(
        tmp_path / "samples_y.jsonl",
        lm_eval_likelihoods("a1", -3.5, -0.25, float("-inf"), -10.0),
        lm_eval("a2", "", resps=[["C", "D"]]),
        lm_eval("a2", "C", filter="strip"),
    )
    assert answers(path) == [("a1", "B", None, None), ("a2", "C", None, None)]
    assert read_recorded(path, TWO).warnings == (
        "further answers to an item, left out: 2; the first one counts",
    )


def test_a_log_of_likelihoods_says_in_which_style_they_were_asked(tmp_path: Path):
    letters = lm_eval_likelihoods("a1", -3.5, -0.25, -4.0, -10.0)
    continued = {name: {"arg_0": "?", "arg_1": f" dish of {name}"} for name in letters["arguments"]}
    texts = letters | {"arguments": continued}
    for name, record, style in (
        ("letters", letters, "letters"),
        ("texts", texts, "texts"),
        ("words", lm_eval("a1", "B"), None),
        ("batch", chat(*ROWS[0]), None),
    ):
        assert style_of(lines(tmp_path / f"{name}.jsonl", record)) == style
    assert style_of(tmp_path / "answers.csv") is None


@pytest.mark.parametrize("kind", ["json", "stored", "zstandard"])
def test_logs_of_inspect_are_read_raw(tmp_path: Path, kind: str):
    ends = {"stop": "stop", "length": "max_tokens"}
    samples = [inspect_sample(*row[:3], ends[row[3]]) for row in ROWS]
    samples.append(inspect_sample("a1", "D", None, "stop", epoch=2))
    members = {f"samples/{one['id']}_epoch_{one['epoch']}.json": one for one in samples}
    path = tmp_path / ("log.json" if kind == "json" else "log.eval")
    if kind == "json":
        path.write_text(json.dumps({"version": 2, "status": "success", "eval": {}, "samples": samples}))
    elif kind == "stored":
        with zipfile.ZipFile(path, "w") as archive:
            for name, value in ({"header.json": {}} | members).items():
                archive.writestr(name, json.dumps(value))
    else:
        zstandard_archive(path, {"header.json": {"version": 2}} | members)
    assert answers(path) == ROWS
    assert read_recorded(path, TWO).warnings == (
        "further answers to an item, left out: 1; the first one counts",
    )


def test_what_failed_is_left_out_and_told(tmp_path: Path):
    failed = inspect_sample("a2", "", None, "stop") | {"error": {"message": "no\nroute"}}
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"samples": [inspect_sample("a1", "B", None, "tool_calls"), failed]}))
    assert read_recorded(path, TWO).warnings == (
        "records without an answer, left out: 1 (log.json, sample 2: no route)",
        "items without an answer in the file: 1 of 2 (first: a2)",
    )
    refused = {"custom_id": "a2", "response": {"status_code": 503, "body": {"error": {"message": "Full"}}}}
    found = read_recorded(lines(tmp_path / "results.jsonl", refused, chat(*ROWS[0])), TWO)
    assert found.answers["item_id"].to_list() == ["a1"]
    assert found.warnings[0] == ("records without an answer, left out: 1 (results.jsonl:1: HTTP 503, 'Full')")


NAMES = "samples of lm-eval, a log of Inspect, results of a batch"
MIXED = f"{json.dumps(chat(*ROWS[0]))}\n{json.dumps(lm_eval('a2', 'C'))}\n"
ROWS_IN_JSON = '[{"MCQID": "a1", "response": "B"}]'
TOLD = {
    ("answers.json", ROWS_IN_JSON): (f"not an answer of a known tool; give {NAMES}, or a table of answers"),
    ("log.eval", "PK"): (
        "cannot be read as an archive (File is not a zip file); copy it again, or convert it with `inspect log "
        "convert --to json`"
    ),
    ("log.json", "{"): (
        "not JSON (Expecting property name enclosed in double quotes: line 1 column 2 (char 1)); copy the "
        "file again"
    ),
    ("results.jsonl", MIXED): ("the id is blank; fill it in"),
}


@pytest.mark.parametrize(("name", "content", "message"), [(*file, message) for file, message in TOLD.items()])
def test_what_is_no_log_is_told(tmp_path: Path, name: str, content: str, message: str):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(InputError) as raised:
        read_recorded(path, TWO)
    row = {MIXED: ":2, column custom_id", ROWS_IN_JSON: ", sample 1"}.get(content, "")
    assert str(raised.value) == f"{name}{row}: {message}"


def test_a_table_in_json_lines_is_no_log(tmp_path: Path):
    path = lines(tmp_path / "answers.jsonl", {"MCQID": "a1", "response": "B", "key": "x"})
    assert read_log(path) is None


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:samples.jsonl")
def test_a_packed_log_is_read(sample_release: Path, tmp_path: Path):
    from blend.loaders.releases.tables import read_config

    ids = read_config(sample_release, "multiple-choice-questions")["mcq_id"].to_list()
    packed = tmp_path / "samples.jsonl.gz"
    packed.write_bytes(gzip.compress("".join(json.dumps(lm_eval(one, "B")) + "\n" for one in ids).encode()))
    run = run_task(sample_release, "multiple-choice", Recorded(path=packed), tmp_path / "run")
    assert run.outcome is not None
    assert run.outcome.n_missing == 0
    packed.write_bytes(packed.read_bytes()[:-40])
    with pytest.raises(InputError) as raised:
        run_task(sample_release, "multiple-choice", Recorded(path=packed), tmp_path / "other")
    assert str(raised.value) == (
        f"{packed}: cannot be unpacked (Compressed file ended before the end-of-stream marker was reached); "
        "copy it again"
    )
