"""Which letter a text names: what was asked for, what people mean, and what is anybody's guess."""

import json

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.eval.scoring.choices import lenient_choice, strict_choice

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


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ('```json\n{"answer_choice": "B"}\n```', 1),
        ('{"answer_choice":"b"}', 1),
        ("{'answer_choice': 'C'}", 2),
        ('{"answer_choice": "D"} because it is so', 3),
        ('{"answer_choice": "A. tea"}', 0),
        ('{"Answer_Choice": "A", "why": "B is wrong"}', 0),
        ("answer_choice = (C)", 2),
        ("B", 1),
        (" (b) ", 1),
        ("**C**", 2),
        ("B. Coffee", 1),
        ("B) Coffee", 1),
        ("(D) 42", 3),
        ("The answer is B.", 1),
        ("Answer: **C**", 2),
        ("I think the correct option is D", 3),
        ("Coffee", 1),
        ("“TEA”.", 0),
        ("a cup of milk", 2),
        ("42!", 3),
        # A word behind a comma, and a key called like a letter, are no second choice.
        ("answer_choice: A, a drink", 0),
        ('{"answer_choice": "A", "b": "no"}', 0),
        ('{"answer_choice": "A", "B": "no"}', 0),
    ],
)
def test_what_people_mean_is_read_leniently_only(text: str, index: int):
    assert read(text) == (None, index)


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{"answer_choice":"A, B"}',
        '{"answer_choice":"a, b"}',
        '{"answer_choice":["A", "B"]}',
        '{"answer_choice":"A and B"}',
        "answer_choice: A/C.",
        "The answer is A, B.",
        "Answer: **B**, **C**",
        " ",
        "I do not know.",
        "A good question about tea",
        "A cup of tea, I would say",
        "E",
        '{"answer_choice": ""}',
        '{"answer_choice": "E"}',
        '{"answer_choice": "A"} or {"answer_choice": "B"}',
        "The answer is A. No, the answer is B.",
        "tea or coffee",
        "ABCD",
        "Absolutely: it depends",
        "The answer is a dog",
        '{"choice": "A"}',
    ],
)
def test_what_names_no_letter_or_several_is_none(text: str):
    assert read(text) == (None, None)


def test_more_keys_are_not_what_was_asked_for():
    assert read('{"answer_choice": "A", "reason": "tea"}') == (None, 0)


@given(st.text(max_size=60))
def test_strict_is_lenient(text: str):
    strict, lenient = read(text)
    assert strict in (None, lenient)


def test_a_megabyte_is_read_at_its_start():
    assert read("B. " + "x" * 1_000_000) == (None, 1)
    assert read("x" * 1_000_000 + " The answer is B.") == (None, None)
