"""Replies and the thoughts in them: what is thought is never taken for what is said, and nothing is lost."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.eval.models import Generation
from blend.eval.models.replies import (
    ANY_MARK,
    AROUND_ANSWERS,
    MARKS,
    BadReplyError,
    SplitText,
    is_filtered,
    read_text,
    split_thought,
)
from helpers.messages import message_of

THOUGHTS = tomllib.loads(Path(__file__).with_name("thoughts.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", THOUGHTS["ended"], ids=lambda case: case["text"][:20])
def test_what_is_thought_and_what_is_said(case: dict[str, str]):
    assert split_thought(case["text"]) == SplitText(case.get("thought"), case["said"])


@pytest.mark.parametrize("case", THOUGHTS["open"], ids=lambda case: case["text"][:20])
def test_a_thought_that_does_not_end_says_nothing(case: dict[str, str]):
    assert split_thought(case["text"]) == SplitText(case.get("thought"), "", is_finished=False)


def test_a_prompt_that_ends_inside_a_thought():
    assert split_thought("popcorn?</think>Nachos", is_open=True) == SplitText("popcorn?", "Nachos")
    assert split_thought("Maybe popcorn", is_open=True) == SplitText("Maybe popcorn", "", is_finished=False)
    assert split_thought("<think>popcorn?</think>Nachos", is_open=True).text == "Nachos"


def test_a_letter_that_only_folds_to_one_of_a_mark_makes_none():
    # The sign of kelvin is k in lower case.
    text = "<thin\N{KELVIN SIGN}>popcorn?</thin\N{KELVIN SIGN}>Nachos"
    assert split_thought(text) == SplitText(None, text)


WORDS = st.sampled_from(["popcorn", "Nachos", " ", "\n", '"', "`", "<", "think", ">", "|", "/", "B.", "옥수수"])
PIECES = st.lists(WORDS | st.sampled_from([mark for pair in MARKS for mark in pair] + list(AROUND_ANSWERS)))


def bare(text: str) -> list[str]:
    """The characters of a text without marks and white space, in any order."""
    return sorted(re.sub(rf"{ANY_MARK}|\s", "", text))


@given(PIECES.map("".join), st.booleans())
def test_nothing_is_lost_and_splitting_twice_changes_nothing(text: str, is_open: bool):
    found = split_thought(text, is_open=is_open)
    assert bare(f"{found.thought or ''}\n{found.text}") == bare(text)
    assert split_thought(found.text) == SplitText(None, found.text)
    if not found.is_finished:
        assert found.text == ""
    if not re.search(ANY_MARK, text) and not is_open:
        assert found == SplitText(None, text)


# Where each server puts thoughts, answers, ends and counts, and what is said of what is none.

THOUGHT = "popcorn?"


def reply(message: dict[str, Any], finish: str | None = "stop", **usage: Any) -> dict[str, Any]:
    return {"choices": [{"message": message, "finish_reason": finish}], "usage": usage}


@pytest.mark.parametrize(
    "message",
    [
        {"content": "Nachos", "reasoning": THOUGHT},
        {"content": "Nachos", "reasoning_content": THOUGHT},
        {"content": "Nachos", "reasoning": None, "reasoning_content": f"{THOUGHT}\n"},
        {"content": f"<think>{THOUGHT}</think>\n\nNachos"},
        {"content": f"<|channel|>analysis<|message|>{THOUGHT}<|channel|>final<|message|>Nachos"},
        {
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]},
                {"type": "text", "text": "Nachos"},
            ]
        },
        {
            "content": [
                {"type": "thinking", "thinking": THOUGHT},
                {"type": "redacted_thinking", "data": "…"},
                {"type": "output_text", "text": "Nachos"},
            ]
        },
        {"content": [{"type": "reasoning", "text": THOUGHT}, {"type": "text", "text": "Nachos"}]},
    ],
)
def test_a_thought_is_no_part_of_the_answer(message: dict[str, Any]):
    assert read_text(reply(message)) == Generation("Nachos", None, None, "stop", thought=THOUGHT)


REFUSAL = {"content": [{"type": "refusal", "refusal": "I cannot say."}]}
MAYBE = {"content": None, "reasoning": "Maybe"}
COUNTS = {"prompt_tokens": 9, "completion_tokens": 7, "completion_tokens_details": {"reasoning_tokens": 5}}


@pytest.mark.parametrize(
    ("read", "found"),
    [
        (reply({"content": " Nachos\n"}), Generation(" Nachos\n", None, None, "stop")),
        ({"choices": [{"text": "B"}]}, Generation("B", None, None, "stop")),
        (reply(REFUSAL), Generation("I cannot say.", None, None, "stop")),
        (reply({"content": "B"}, **COUNTS), Generation("B", 9, 7, "stop", tokens_thought=5)),
        (reply({"content": "B"}, prompt_tokens=-1), Generation("B", None, None, "stop")),
        (
            reply({"content": "B"}, prompt_tokens=1e300, completion_tokens=2**63),
            Generation("B", None, None, "stop"),
        ),
        # A thought without an answer.
        (reply(MAYBE, "length"), Generation("", None, None, "length", thought="Maybe")),
        (reply(MAYBE), Generation("", None, None, "stop", thought="Maybe")),
        (reply({"content": None}, "length"), Generation("", None, None, "length")),
        (reply({"content": "<think>Maybe"}, "length"), Generation("", None, None, "length", thought="Maybe")),
        # Why it ends.
        (reply({"content": "B"}, "max_tokens"), Generation("B", None, None, "length")),
        (reply({"content": "B"}, "completed"), Generation("B", None, None, "stop")),
        (reply({"content": "B"}, None), Generation("B", None, None, "stop")),
        (reply({"content": "B"}, " "), Generation("B", None, None, "stop")),
        (reply({"content": "B"}, "tool_calls"), Generation("B", None, None, "tool_calls")),
        (
            reply({"content": "B"}, "Repetition\n" + "x" * 200),
            Generation("B", None, None, "Repetition " + "x" * 109),
        ),
        # What a filter stops is how the model answers there.
        (reply({"content": None}, "content_filter"), Generation("", None, None, "content_filter")),
        (reply({"content": "A"}, "content_filter"), Generation("A", None, None, "content_filter")),
        (reply({"role": "assistant"}, "SAFETY"), Generation("", None, None, "content_filter")),
        (
            {"choices": [{"finish_reason": "content_filter: PROHIBITED_CONTENT"}]},
            Generation("", None, None, "content_filter"),
        ),
    ],
)
def test_an_answer_is_read_with_its_end_and_counts(read: dict[str, Any], found: Generation):
    assert read_text(read) == found


@pytest.mark.parametrize(
    ("read", "message"),
    [
        *(
            (reply({"content": "B"}, end), f"the server ended the answer with finish_reason {end!r}")
            for end in ("error", "ABORT", "insufficient_system_resource", "network_error")
        ),
        ("<html>", "the reply is not one of an OpenAI-compatible server: '<html>'"),
        ({"choices": []}, "the reply holds 0 answers instead of 1"),
        (
            {"choices": [{"message": {"content": None}, "finish_reason": "stop"}]},
            "the reply holds no text: \"{'message': {'content': None}, 'finish_reason': 'stop'}\"",
        ),
        (
            reply({"content": [{"type": "image_url", "image_url": "x"}]}),
            "the reply holds a part that is no text: \"{'type': 'image_url', 'image_url': 'x'}\"",
        ),
    ],
)
def test_what_is_no_answer_is_told(read: object, message: str):
    assert message_of(BadReplyError, lambda: read_text(read)) == message


def test_errors_of_filters_are_known():
    for error in (
        {"error": {"message": "The response was filtered", "code": "content_filter"}},
        {"message": "considered high risk", "type": "content_filter"},
    ):
        assert is_filtered(error)
    assert not is_filtered({"error": {"code": "unsupported"}})
