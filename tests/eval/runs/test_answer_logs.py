"""Answer logs: each kind as its tool or provider writes it, on invented answers, and what is said of others."""

import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.eval.models import Generation
from blend.eval.recorded_answers import read_recorded
from blend.eval.runs.answer_logs import LoggedAnswer, logged_answer, read_log, style_of
from blend.eval.tasks import TASKS
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


def openai(item_id: str, body: Json, code: int = 200) -> Json:
    return {"id": "r", "custom_id": item_id, "response": {"status_code": code, "body": body}, "error": None}


def chat(item_id: str, text: str, thought: str | None, reason: str) -> Json:
    message = {"role": "assistant", "content": text, "reasoning_content": thought}
    return openai(item_id, {"choices": [{"index": 0, "message": message, "finish_reason": reason}]})


def lines(path: Path, *records: Json) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def inspect_log(path: Path, samples: list[Json]) -> Path:
    """A log in the format that its name says."""
    if path.suffix == ".json":
        path.write_text(json.dumps({"version": 2, "samples": samples}))
        return path
    members = {f"samples/{one['id']}_epoch_{one['epoch']}.json": one for one in samples}
    members["header.json"] = {"version": 2}
    with zipfile.ZipFile(path, "w") as archive:
        for name, value in members.items():
            archive.writestr(name, json.dumps(value))
    return path


def pack_with_zstandard(path: Path) -> None:
    """Pack an archive as Inspect does, with what Python's `zipfile` cannot write."""
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
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


def read(path: Path) -> tuple[list[tuple[str | None, ...]], tuple[str, ...]]:
    """Answers in a log, and what is told of it."""
    found = read_recorded(path, TWO)
    return found.answers.select("item_id", "text", "thought", "finish_reason").rows(), found.warnings


def test_samples_of_lm_eval_are_read(tmp_path: Path):
    written = lines(tmp_path / "samples_x.jsonl", lm_eval("a1", "B"), lm_eval("a2", " C."))
    assert read(written)[0] == [("a1", "B", None, None), ("a2", " C.", None, None)]
    # Of the options the likeliest, as the task itself counts; of responses and filters the first.
    path = lines(
        tmp_path / "samples_y.jsonl",
        lm_eval_likelihoods("a1", -3.5, -0.25, float("-inf"), -10.0),
        lm_eval("a2", "", resps=[["C", "D"]]),
        lm_eval("a2", "C", filter="strip"),
    )
    assert read(path) == (
        [("a1", "B", None, None), ("a2", "C", None, None)],
        ("further answers to an item, left out: 2; the first one counts",),
    )
    # Tasks in one file have filters of their own.
    path = lines(tmp_path / "samples_z.jsonl", lm_eval("a1", "B"), lm_eval("a2", "C", filter="strip"))
    assert read(path) == ([("a1", "B", None, None), ("a2", "C", None, None)], ())


def test_a_log_of_likelihoods_says_in_which_style_they_were_asked(tmp_path: Path):
    letters = lm_eval_likelihoods("a1", -3.5, -0.25, -4.0, -10.0)
    continued = {name: {"arg_0": "?", "arg_1": f" dish of {name}"} for name in letters["arguments"]}
    for record, style in (
        (letters, "letters"),
        (letters | {"arguments": continued}, "texts"),
        (lm_eval("a1", "B"), None),
        (chat(*ROWS[0]), None),
    ):
        assert style_of(lines(tmp_path / "log.jsonl", record)) == style
    assert style_of(tmp_path / "answers.csv") is None
    # And a table in JSON lines is no log.
    assert read_log(lines(tmp_path / "answers.jsonl", {"MCQID": "a1", "response": "B", "key": "x"})) is None


@pytest.mark.parametrize("kind", ["json", "stored", "zstandard"])
def test_logs_of_inspect_are_read_raw(tmp_path: Path, kind: str):
    ends = {"stop": "stop", "length": "max_tokens"}
    samples = [inspect_sample(*row[:3], ends[row[3]]) for row in ROWS]
    samples.append(inspect_sample("a1", "D", None, "stop", epoch=2))
    path = inspect_log(tmp_path / ("log.json" if kind == "json" else "log.eval"), samples)
    if kind == "zstandard":
        pack_with_zstandard(path)
    assert read(path) == (ROWS, ("further answers to an item, left out: 1; the first one counts",))


def test_what_failed_is_left_out_and_told(tmp_path: Path):
    failed = inspect_sample("a2", "", None, "stop") | {"error": {"message": "no\nroute"}}
    path = inspect_log(tmp_path / "log.json", [inspect_sample("a1", "B", None, "tool_calls"), failed])
    assert read(path)[1] == (
        "records without an answer, left out: 1 (log.json, sample 2: no route)",
        "items without an answer in the file: 1 of 2 (first: a2)",
    )
    refused = openai("a2", {"error": {"message": "Full"}}, 503)
    rows, told = read(lines(tmp_path / "results.jsonl", refused, chat(*ROWS[0])))
    assert rows == ROWS[:1]
    assert told[0] == "records without an answer, left out: 1 (results.jsonl:1: HTTP 503, 'Full')"


def test_a_log_is_not_taken_for_a_table_of_texts(tmp_path: Path):
    assert not TASKS["cultural-prompts"].takes_table(inspect_log(tmp_path / "log.eval", []))


# Results of batches, as each provider and tool writes them.

USAGE = {"input_tokens": 20, "output_tokens": 9, "output_tokens_details": {"reasoning_tokens": 5}}
USAGE_IN_CHAT = {
    "prompt_tokens": 20,
    "completion_tokens": 9,
    "completion_tokens_details": {"reasoning_tokens": 5},
}
THOUGHT = Generation("rice", 20, 9, "length", thought="Hm", tokens_thought=5)
ANTHROPIC = {
    "model": "m-1",
    "content": [
        {"type": "thinking", "thinking": "Hm", "signature": "s"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": "rice"},
    ],
    "stop_reason": "max_tokens",
    "usage": USAGE,
}
RESPONSES = {
    "object": "response",
    "model": "m-1",
    "status": "incomplete",
    "incomplete_details": {"reason": "max_output_tokens"},
    "output": [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm"}]},
        {"type": "web_search_call", "status": "completed"},
        {"type": "message", "content": [{"type": "output_text", "text": "rice"}]},
    ],
    "usage": USAGE,
    "error": None,
}
PARTS = [{"text": "Hm", "thought": True}, {"text": "rice"}]
GEMINI = {
    "candidates": [{"content": {"parts": PARTS, "role": "model"}, "finishReason": "MAX_TOKENS"}],
    "usageMetadata": {"promptTokenCount": 20, "candidatesTokenCount": 4, "thoughtsTokenCount": 5},
    "modelVersion": "m-1",
}
CHAT = {
    "model": "m-1",
    "choices": [{"message": {"content": "rice", "reasoning": "Hm"}, "finish_reason": "length"}],
    "usage": USAGE_IN_CHAT,
}
ROLLOUT = {"text": "rice", "finish_reason": "length", "usage": USAGE_IN_CHAT, "reasoning": "Hm"}


def datatrove(*results: Json) -> Json:
    return {"text": "{}", "id": "a", "metadata": {"file_path": "r.jsonl", "rollout_results": [*results]}}


@pytest.mark.parametrize(
    ("record", "served_as"),
    [
        (openai("a", CHAT), "m-1"),
        (openai("a", RESPONSES), "m-1"),
        ({"custom_id": "a", "result": {"type": "succeeded", "message": ANTHROPIC}}, "m-1"),
        ({"key": "a", "response": GEMINI}, "m-1"),
        (datatrove(ROLLOUT), None),
    ],
)
def test_a_result_is_read_as_a_live_reply(record: Json, served_as: str | None):
    assert logged_answer(record) == LoggedAnswer("custom_id", "a", THOUGHT, served_as)


OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


@pytest.mark.parametrize(
    ("record", "error"),
    [
        ({"custom_id": "a", "result": {"type": "errored", "error": OVERLOADED}}, "Overloaded"),
        ({"custom_id": "a", "result": {"type": "expired"}}, "expired"),
        ({"key": "a", "error": {"code": 503, "message": "Overloaded"}}, "Overloaded"),
        (openai("a", OVERLOADED, 503), "HTTP 503, 'Overloaded'"),
        (openai("a", {"status": "failed", "error": {"code": "x", "message": "Overloaded"}}), "Overloaded"),
        ({"custom_id": "a", "response": None, "error": {"code": "batch_expired"}}, "batch_expired"),
        (datatrove(), "no answer"),
        (datatrove({"error": OVERLOADED}), "Overloaded"),
        # What a filter held back is an answer.
        (openai("a", {"error": {"code": "content_filter", "message": "No."}}, 400), None),
        ({"custom_id": "a", "response": None, "error": {"code": "content_filter"}}, None),
        ({"key": "a", "response": {"promptFeedback": {"blockReason": "SAFETY"}}}, None),
        (datatrove({"error": {"code": "content_filter"}}), None),
    ],
)
def test_what_failed_says_why(record: Json, error: str | None):
    filtered = Generation("", None, 0, "content_filter")
    answer = filtered if error is None else Generation.failed(error)
    assert logged_answer(record) == LoggedAnswer("custom_id", "a", answer, None)


WORDS = (
    *("custom_id", "key", "id", "result", "response", "error", "body", "metadata", "output"),
    *("rollout_results", "candidates", "content", "type", "message", "usage", "status_code"),
)
ANYTHING = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
)


@given(ANYTHING)
def test_anything_else_is_no_result_and_no_crash(record: object):
    found = logged_answer(record)
    assert found is None or isinstance(found.answer, Generation)
