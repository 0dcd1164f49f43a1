"""The words in which a model is asked about options, and the strict reading of what it replies."""

import json
from hashlib import sha256

import pytest

from blend.builders.judges.option_reader import (
    INSTRUCTION,
    PROMPT_VERSION,
    AskedOptions,
    read_option_opinions,
    shown_options,
)

ASKED = AskedOptions("T-1", "en-GB", "What is lunch?", "the UK", (("tea", "key"), ('a "b"\n', "distractor")))
GOOD = {
    "1": {"verdict": "ok", "confidence": 1, "why": "of\ncourse"},
    "2": {"verdict": "Silly", "confidence": 0.25},
}


def test_other_words_have_another_number():
    # A verdict is kept under the number of the words that brought it: change both.
    digests = {1: "48cbfcd2cf01"}
    assert sha256(INSTRUCTION.encode()).hexdigest()[:12] == digests[PROMPT_VERSION]


def test_question_region_and_options_are_shown():
    assert shown_options(ASKED._replace(known_keys=("soup",))) == {
        "question": "What is lunch?",
        "region": "the UK",
        "correct answers": ("soup",),
        "options": {"1": {"role": "key", "option": "tea"}, "2": {"role": "distractor", "option": 'a "b"\n'}},
    }


@pytest.mark.parametrize(
    "reply", ["{}", "```json\n{}\n```", "<think>perhaps silly</think>\n{}"], ids=["plain", "fenced", "thought"]
)
def test_a_reply_is_an_opinion_on_each(reply: str):
    assert read_option_opinions(ASKED, reply.replace("{}", json.dumps(GOOD))) == [
        ("ok", 1.0, "of course"),
        ("silly", 0.25, ""),
    ]


UNCLEAR = [
    "All fine.",
    '{"1": 1, "1": 2}',
    json.dumps({**GOOD, "3": {}}),
    json.dumps({"1": GOOD["1"]}),
    json.dumps({**GOOD, "2": "ok"}),
    json.dumps({**GOOD, "2": {**GOOD["2"], "verdict": "wrong"}}),
    *(
        json.dumps({**GOOD, "2": {"verdict": "ok", "confidence": sure}})
        for sure in (True, "0.9", None, 1.1, -0.1, float("nan"))
    ),
]


def test_what_is_not_stated_beyond_doubt_is_no_opinion():
    assert [reply for reply in UNCLEAR if read_option_opinions(ASKED, reply) is not None] == []
