"""Batch results: what each provider and tool writes, on invented answers, as the reply of a chat."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.eval.models.protocols import Generation
from blend.eval.runs.answer_logs import LoggedAnswer, logged_answer

Json = dict[str, Any]

USAGE = {"input_tokens": 20, "output_tokens": 9}
DETAILS = {"output_tokens_details": {"reasoning_tokens": 5}}
THOUGHT = Generation("rice", 20, 9, "length", thought="Hm", tokens_thought=5)


def of_openai(body: Json, code: int = 200) -> Json:
    return {"id": "r", "custom_id": "a", "response": {"status_code": code, "body": body}, "error": None}


ANTHROPIC = {
    "custom_id": "a",
    "result": {
        "type": "succeeded",
        "message": {
            "model": "m-1",
            "content": [
                {"type": "thinking", "thinking": "Hm", "signature": "s"},
                {"type": "redacted_thinking", "data": "x"},
                {"type": "text", "text": "rice"},
            ],
            "stop_reason": "max_tokens",
            "usage": {**USAGE, **DETAILS},
        },
    },
}
RESPONSES = of_openai(
    {
        "object": "response",
        "model": "m-1",
        "status": "incomplete",
        "incomplete_details": {"reason": "max_output_tokens"},
        "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm"}]},
            {"type": "web_search_call", "status": "completed"},
            {"type": "message", "content": [{"type": "output_text", "text": "rice"}]},
        ],
        "usage": {**USAGE, **DETAILS},
        "error": None,
    }
)
GEMINI = {
    "key": "a",
    "response": {
        "candidates": [
            {
                "content": {"parts": [{"text": "Hm", "thought": True}, {"text": "rice"}], "role": "model"},
                "finishReason": "MAX_TOKENS",
            }
        ],
        "usageMetadata": {"promptTokenCount": 20, "candidatesTokenCount": 4, "thoughtsTokenCount": 5},
        "modelVersion": "m-1",
    },
}
CHAT = of_openai(
    {
        "model": "m-1",
        "choices": [{"message": {"content": "rice", "reasoning": "Hm"}, "finish_reason": "length"}],
        "usage": {
            "prompt_tokens": 20,
            "completion_tokens": 9,
            "completion_tokens_details": {"reasoning_tokens": 5},
        },
    }
)
DATATROVE = {
    "text": "{}",
    "id": "a",
    "metadata": {
        "file_path": "requests.jsonl",
        "rollout_results": [
            {
                "text": "rice",
                "finish_reason": "length",
                "usage": CHAT["response"]["body"]["usage"],
                "reasoning": "Hm",
            }
        ],
    },
}


@pytest.mark.parametrize(
    ("record", "served_as"),
    [(CHAT, "m-1"), (RESPONSES, "m-1"), (ANTHROPIC, "m-1"), (GEMINI, "m-1"), (DATATROVE, None)],
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
        (of_openai(OVERLOADED, 503), "HTTP 503, 'Overloaded'"),
        (of_openai({"status": "failed", "error": {"code": "x", "message": "Overloaded"}}), "Overloaded"),
        ({"custom_id": "a", "response": None, "error": {"code": "batch_expired"}}, "batch_expired"),
        ({"id": "a", "metadata": {"rollout_results": []}}, "no answer"),
        ({"id": "a", "metadata": {"rollout_results": [{"error": OVERLOADED}]}}, "Overloaded"),
    ],
)
def test_what_failed_says_why(record: Json, error: str):
    assert logged_answer(record) == LoggedAnswer("custom_id", "a", Generation.failed(error), None)


@pytest.mark.parametrize(
    "record",
    [
        of_openai({"error": {"code": "content_filter", "message": "No."}}, 400),
        {"custom_id": "a", "response": None, "error": {"code": "content_filter"}},
        {"key": "a", "response": {"promptFeedback": {"blockReason": "SAFETY"}}},
        {"id": "a", "metadata": {"rollout_results": [{"error": {"code": "content_filter"}}]}},
    ],
)
def test_what_a_filter_held_back_is_an_answer(record: Json):
    assert logged_answer(record) == LoggedAnswer(
        "custom_id", "a", Generation("", None, 0, "content_filter"), None
    )


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
