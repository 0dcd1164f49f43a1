"""Which option a text names: what was asked for, what people mean, yes or no, and how sure it is said to be."""

import json
from collections.abc import Callable

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import blend
from blend.eval.tasks.multiple_choice.choices import (
    BY_LETTER,
    CONFIDENT,
    ReplyReader,
    read_replies,
    stated_confidence,
)
from blend.eval.tasks.multiple_choice.true_false import YES_OR_NO
from helpers.messages import wrong
from helpers.models.own_models import Saying

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


# Confidence: asked for, read, and scored.


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ('{"answer_choice":"B", "confidence":90}', 0.9),
        ('{"confidence": "75 %", "answer_choice": "B"}', 0.75),
        ('{"answer_choice":"B", "confidence": 0.85}', 0.85),
        ('{\n  "answer_choice": "B",\n  "confidence": 90\n}', 0.9),
        ('{"answer_choice":"B", "confidence": 1}', 0.01),
        ('{"answer_choice":"B", "confidence": 100.0}', 1.0),
        ('{"answer_choice":"B", "confidence": 250}', None),
        ('{"answer_choice":"B", "confidence": "high"}', None),
        ('{"answer_choice":"B","confidence":95,"explanation":"Bread is usual."}', 0.95),
        ('{"answer_choice":"B", "confidence": "85/100"}', None),
        ('{"answer_choice":"B", "confidence": "90 percent"}', None),
        ('{"answer_choice":"B", "confidence": ９０}', None),
        ('{"answer_choice":"B", "confidence": 0,9}', None),
        ('{"answer_choice":"B"}', None),
    ],
)
def test_a_confidence_is_read_and_leaves_the_letter(text: str, share: float | None):
    answers = pl.DataFrame({"text": [text], "option_texts": [["tea"] * 4]})
    assert answers.select(stated_confidence(pl.col("text"))).item() == share
    found = read_replies(answers, CONFIDENT)
    assert found["default"].item() == 1
    is_not_asked_for = any(said in text for said in ("explanation", "0,9", "９０", "high", '{"conf'))
    assert found["strict"].item() == (None if is_not_asked_for else 1)


def test_probabilities_are_confidence_enough(asked: Callable[..., blend.Run]):
    assert wrong(lambda: asked(Saying(len), style="letters", confidence=True)) == (
        "`confidence=True` makes sense only in the style 'json', and here `style=letters`, whose probabilities "
        "are confidence enough; leave it out"
    )


def test_where_no_answer_has_a_confidence_it_is_said(asked: Callable[..., blend.Run]):
    def said(text: str) -> blend.Run:
        model = Saying(lambda prompts: [text] * len(prompts))
        return asked(model, out=f"run{len(text)}", style="json", confidence=True)

    run = said('{"answer_choice":"B"}')
    with pytest.warns(blend.BlendWarning, match="no answer that names an option says how sure the model is"):
        scored = blend.score_run(run)
    assert scored.decisions()["confidence"].null_count() == run.description.n_items
    sure = said('{"answer_choice":"B", "confidence":90}')
    assert blend.score_run(sure).decisions()["confidence"].null_count() == 0
