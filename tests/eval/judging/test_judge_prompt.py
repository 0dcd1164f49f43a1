"""The prompt of a judge and its verdicts: what stands in it, what is read of it, who is of one family."""

import json

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.eval.judging import VERDICT_WORDS, Verdict, judge_prompt, parse_verdict
from blend.eval.judging.judge_run import REPLIES, judge_items

ACCEPTED = [
    {"texts": ["밥", "rice"], "votes": 3},
    {"texts": ["noodles"], "votes": 1},
    {"texts": ["soup"], "votes": None},
]


def replies(*texts: str, verdict: str | None = None) -> pl.DataFrame:
    known = dict.fromkeys(("locale", "region", "template_id", "topic", "language"), "x")
    known |= {"people_of": "South Korea", "question": "What?", "accepted": ACCEPTED, "verdict": verdict}
    rows = [known | {"item_id": f"i{n}", "reply": text} for n, text in enumerate(texts)]
    return pl.DataFrame(rows, schema=REPLIES)


def test_a_judge_sees_question_region_answers_with_votes_and_reply():
    prompt = judge_prompt("South Korea", "무엇?", ACCEPTED, "빵")
    assert "People from South Korea have answered" in prompt
    assert 'Question: "무엇?"\n' in prompt
    assert "1. 밥 / rice (3 people)\n2. noodles (1 person)\n3. soup\n" in prompt
    assert 'Reply: "빵"\n' in prompt


@given(st.text())
def test_nothing_that_a_model_writes_ends_the_quotation(text: str):
    prompt = judge_prompt("Spain", "What?", [{"texts": ["tea"], "votes": 1}], text)
    [line] = [line for line in prompt.split("\n") if line.startswith("Reply: ")]
    assert json.loads(line.removeprefix("Reply: ")) == text


@given(st.sampled_from(VERDICT_WORDS), st.text(), st.text().filter(lambda text: "{" not in text))
def test_a_verdict_is_read_whatever_stands_around_it(word: str, reason: str, around: str):
    answer = json.dumps({"verdict": word, "answer": 1, "reason": reason})
    assert parse_verdict(f"{around}```json\n{answer}\n```{around}") == Verdict(word, reason)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ('{"verdict": "Partly", "answer": 4, "reason": 1}', Verdict("partly", None)),
        ('{"verdict": "correct", "answer": true}', Verdict("correct", None)),
        ('{"verdict": "wrong", "answer": null, "reason": "it says so and th', Verdict("wrong", None)),
        ('{"verdict": "good"}', Verdict(None, None)),
        ('{"verdict": "correct", "partly", "wrong" or "refused"}', Verdict("correct", None)),
        ("It is correct.", Verdict(None, None)),
        ("{" * 5000, Verdict(None, None)),
        ("", Verdict(None, None)),
    ],
)
def test_verdicts_by_hand(text: str, verdict: Verdict):
    assert parse_verdict(text) == verdict


def test_equal_replies_are_asked_once_and_sure_ones_never():
    parts = replies("rice", "bread", "rice", "soup", "bread").iter_slices(3)
    asked = judge_items(parts)
    assert asked.items["item_id"].to_list() == ["i0", "i1", "i3"]
    assert asked.gold["asked_as"].to_list() == ["i0", "i1", "i0", "i3", "i1"]
    assert judge_items([replies("rice", verdict="correct")]).items.is_empty()


def test_no_accepted_answer_is_always_first():
    asked = judge_items([replies(*(f"reply {n}" for n in range(200)))]).items

    def first(prompt: str) -> str:
        return prompt.partition("Accepted answers:\n1. ")[2].partition("\n")[0]

    # Every answer is first about as often as the others: 200/3, and five standard deviations of 6.7.
    leads = [first(prompt) for prompt in asked["prompt"]]
    assert all(33 < leads.count(lead) < 100 for lead in set(leads))
