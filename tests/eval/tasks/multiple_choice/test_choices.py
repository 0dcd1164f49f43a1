"""Which option a text names: what was asked for, what people mean, yes or no, and what is anybody's guess."""

import json

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.eval.tasks.multiple_choice.choices import BY_LETTER, ReplyReader, read_replies
from blend.eval.tasks.multiple_choice.true_false import YES_OR_NO

OPTIONS = ["tea", "Coffee", "a cup of milk", "42"]


def read(text: str, reader: ReplyReader = BY_LETTER) -> tuple[int | None, int | None]:
    rows = pl.DataFrame({"text": [text], "option_texts": [OPTIONS]})
    return read_replies(rows, reader).select("strict", "default").row(0)


@given(st.sampled_from("ABCD"), st.sampled_from(["", " ", "\n\t "]))
def test_what_was_asked_for_is_read_strictly(letter: str, space: str):
    text = space + json.dumps({"answer_choice": letter}, indent=1 if space else None) + space
    index = "ABCD".index(letter)
    assert read(text) == (index, index)


@given(st.text(max_size=60))
def test_strict_is_lenient(text: str):
    strict, lenient = read(text)
    assert strict in (None, lenient)


LENGTH = 200_000
HOSTILE = (
    *(
        "A",
        "A ",
        "A, ",
        "A\n",
        "A. tea\n",
        "a  ",
        "Answer: A ",
        "the answer is ",
        "tea ",
        "is tea\n",
        "가 ",
        "나 답: ",
    ),
    *("(", "!", "$", "<", "\\boxed{", "no ", "not ", "ا", "x!"),
)


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize("part", HOSTILE)
def test_endless_repetition_is_read_like_any_answer(part: str):
    # There is no limit on the clock: what took a time that grows with the square of the length would not end.
    assert read(part * LENGTH + "x")[0] is None
    assert read(part * 10 + "\nThe answer is B.")[0] is None


def test_a_megabyte_is_read_at_its_start():
    assert read("B. " + "x" * 1_000_000) == (None, 1)
    assert read("x" * 1_000_000 + " The answer is B.") == (None, None)


YES = (
    "yes",
    " Yes.\n",
    "**Yes**",
    "Yes, most people there would.",
    "True",
    "The answer is yes.",
    "Answer: Yes",
    '{"answer": "yes"}',
    r"So the result is \boxed{Yes}",
    "People there eat bread, not rice.\n\nYes",
    "I would say yes.",
    "Final answer: yes. No doubt about that.",
    "Yes\n\nExplanation: it is usual.",
    "Yes, no doubt.",
    "Yes. A typical answer there.",
    "Yes. It is not unusual there.",
    "Yes, with vitamin B in it.",
)
NO = (
    "no",
    "No.",
    "No, they would not.",
    "No, no one would say that.",
    "No. A typical person there drinks tea.",
    "the answer is: no",
    "false",
    r"$\boxed{\text{no}}$",
    "Reasons.\n\n**No.**",
    "The answer is yes. Wait, the answer is no.",
)
NEITHER = (
    "",
    "maybe",
    "Yes or no? Hard to tell.",
    "Yes and no.",
    "No one would say that.",
    "The answer could be yes.",
    "If the answer is yes, fine.",
    "The answer is yes. Wait, no idea.",
    "Yes. Actually, it depends.",
    "I cannot say whether most people would say yes or no.",
    "It is not yes.",
    "c",
    "(D)",
)


@pytest.mark.parametrize(
    ("reply", "said"),
    [*((text, 0) for text in YES), *((text, 1) for text in NO), *((text, None) for text in NEITHER)],
)
def test_replies_are_read_as_a_person_does(reply: str, said: int | None):
    assert read(reply, YES_OR_NO)[1] == said


def test_strictly_the_word_alone_counts():
    said = [read(text, YES_OR_NO)[0] for text in (" YES!", "no", "true", "yes no", "Yes, indeed")]
    assert said == [0, 1, None, None, None]
