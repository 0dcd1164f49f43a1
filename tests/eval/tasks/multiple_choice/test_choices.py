"""Which letter a text names: what was asked for, what people mean, and what is anybody's guess."""

import json

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.eval.tasks.multiple_choice.chosen_options import strict_choice
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
        ("$\\boxed{B}$", 1),
        ("\\boxed{\\text{(C)}}", 2),
        ("<answer>D</answer>", 3),
        ("I thought of A. Final answer: B", 1),
        ("I choose B.", 1),
        ("B is the correct answer.", 1),
        ("The correct option is B, not C.", 1),
        ("I'm not sure, but the answer is D.", 3),
        ("A is wrong; the answer is D", 3),
        # What is said to be final is not taken back by what stands before it.
        ("The answer is A. Wait, no. Final answer: B", 1),
        ('{"choice": "A"}', 0),
        ('{"options": ["A", "B"], "answer": "B"}', 1),
        ("A. tea is for the morning.\nB. Coffee is for work.\nC. milk\n\nB", 1),
        ("It is warm there.\n\nC", 2),
        ("B Coffee", 1),
        ("Ｂ", 1),
        ("答案是B", 1),
        ("정답은 B입니다", 1),
        ("الإجابة: ب", 1),
        ("Отговор: В", 1),
        ("Η απάντηση είναι Β.", 1),
        ("পছন্দ: খ", 1),
        ("The answer is coffee.", 1),
        ("The most common drink is coffee.", 1),
        ("커피: 정답은 42입니다.", 3),
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
        "tea or coffee",
        "ABCD",
        "Absolutely: it depends",
        "The answer is a dog",
        '{"ranking": "A"}',
        # Negations, hedges, questions, and what is taken back.
        "Not B.",
        "The answer is not B.",
        "I don't think it is B.",
        "The answer could be B.",
        "Is it B?",
        "If B is correct, so be it.",
        "Either A or C.",
        "B and C are both correct.",
        "A is wrong, so is C.",
        "The answer is B. Wait, no.",
        "The answer is B, or maybe C.",
        # Lists of options, below each other and in a line.
        "A. tea\nB. Coffee\nC. a cup of milk\nD. 42",
        "(A) tea (B) Coffee (C) a cup of milk (D) 42",
        "Options: A. tea B. Coffee",
        "Answer: A (iced), B. hot, C. white",
        "A. People like it there\nB",
        # A letter of another script is a word as well, and one in a later line belongs to anything.
        "나, 잘 모르겠어요",
        "I looked at all of them.\nB, as they say.",
        # The text of another option, or a negation, behind the letter.
        "A. Coffee",
        "B. is wrong",
        "B. Coffee is not right",
        "The answer is A: Coffee",
        # Options that are mentioned, refused, or one of two.
        "Coffee is not drunk there.",
        "Unlike elsewhere, where coffee is drunk, it is something else.",
        "The answer is coffee or tea.",
        "The answer is not coffee.",
        "Is the answer coffee?",
    ],
)
def test_what_names_no_letter_or_several_is_none(text: str):
    assert read(text) == (None, None)


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
