"""The chat judge's words: what a model is shown, and which replies state an opinion."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.builders.judges.prompt import MAX_REASON, Opinion, question, question_again, read_opinion

STATED = [
    ('{"verdict": "same", "reason": "one sport"}', Opinion(True, "one sport")),
    ('{"verdict": "different", "reason": "two fruits"}', Opinion(False, "two fruits")),
    ('  {"reason": "one\\n\\tsport", "verdict": " Same "}\n', Opinion(True, "one sport")),
    ('{"verdict": "same"}', Opinion(True, "")),
    ('{"verdict": "same", "reason": null, "score": 0.9}', Opinion(True, "")),
    ('{"verdict": "same", "reason": "half \\ud83d"}', Opinion(True, "half")),
    ('```json\n{"verdict": "same", "reason": "x"}\n```', Opinion(True, "x")),
    ("```\ndifferent\n```", Opinion(False, "")),
    ("same", Opinion(True, "")),
    ("Different.", Opinion(False, "")),
    ('"same"', Opinion(True, "")),
    ("**Same**", Opinion(True, "")),
    ('<think>They look the same, but {"verdict": "same"}?</think>\n\ndifferent', Opinion(False, "")),
]

UNSTATED = [
    "",
    " \n",
    "not the same",
    "same, I think",
    "same different",
    "The answer is: same",
    "maybe",
    "{}",
    '{"verdict": true}',
    '{"verdict": "equal", "reason": "same"}',
    '{"verdict": "same or different"}',
    '{"verdict": ["same"]}',
    '{"verdict": "same", "verdict": "different"}',
    '{"Verdict": "same"}',
    '[{"verdict": "same"}]',
    '{"verdict": "same"} {"verdict": "different"}',
    'Sure! {"verdict": "same"}',
    '{"verdict": "same", "reason": "cut o',
    "<think>same",
    "[" * 100_000,
]


@pytest.mark.parametrize(("reply", "opinion"), STATED)
def test_a_stated_opinion_is_read(reply: str, opinion: Opinion):
    assert read_opinion(reply) == opinion


@pytest.mark.parametrize("reply", UNSTATED, ids=lambda reply: reply[:40])
def test_anything_else_states_none(reply: str):
    assert read_opinion(reply) is None


@given(st.sampled_from(["same", "different"]), st.text())
def test_a_reason_is_one_short_line(verdict: str, reason: str):
    opinion = read_opinion(json.dumps({"verdict": verdict, "reason": reason}))
    assert opinion is not None
    assert opinion.same == (verdict == "same")
    assert len(opinion.reason) <= MAX_REASON
    assert opinion.reason == " ".join(opinion.reason.split())
    opinion.reason.encode()


@given(st.text(), st.text())
def test_an_answer_cannot_leave_its_place(a: str, b: str):
    system, user = question((a, b))
    assert system["role"] == "system"
    assert a not in system["content"] or a in question(("", ""))[0]["content"]
    assert json.loads(user["content"]) == {"answer 1": a, "answer 2": b}


def test_asking_again_shows_what_was_wrong():
    again = question_again(("a", "b"), "Hm.")
    assert again[:2] == question(("a", "b"))
    assert again[2] == {"role": "assistant", "content": "Hm."}
    assert again[3]["role"] == "user"
    # Servers refuse a message without text.
    assert question_again(("a", "b"), "")[2]["content"] == "(no text)"
