"""Yes or no: what careful people read in replies."""

import polars as pl
import pytest

from blend.eval.tasks.multiple_choice.true_false import read_yes_no

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


def says_yes(reply: str, rule: str = "default") -> bool | None:
    said = read_yes_no(pl.DataFrame({"text": [reply]}))[rule].item()
    return None if said is None else said == 0


@pytest.mark.parametrize(
    ("reply", "said"),
    [*((text, True) for text in YES), *((text, False) for text in NO), *((text, None) for text in NEITHER)],
)
def test_replies_are_read_as_a_person_does(reply: str, said: bool | None):
    assert says_yes(reply) is said


def test_strictly_the_word_alone_counts():
    said = [says_yes(text, "strict") for text in (" YES!", "no", "true", "yes no", "Yes, indeed")]
    assert said == [True, False, None, None, None]
