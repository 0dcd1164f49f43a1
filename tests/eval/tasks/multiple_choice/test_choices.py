"""Which letter a text names: what was asked for, what people mean, and what is anybody's guess."""

import json

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.eval.tasks.multiple_choice.choices import strict_choice
from blend.eval.tasks.multiple_choice.reply_options import lenient_choice

OPTIONS = ["tea", "Coffee", "a cup of milk", "42"]


def read(text: str) -> tuple[int | None, int | None]:
    frame = pl.DataFrame({"text": [text], "options": [OPTIONS]})
    strict = frame.select(strict_choice(pl.col("text"))).item()
    return strict, lenient_choice(frame["text"], frame["options"]).item()


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
