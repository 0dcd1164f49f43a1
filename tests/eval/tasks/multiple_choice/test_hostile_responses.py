"""Short answers of models that went astray: 200,000 times one character, digits without end, markup.

There is no limit on the clock here: what took a time that grows with the square of the length would not end.
"""

import polars as pl
import pytest

from blend.eval.tasks.short_answer.short_answer_decisions import decide_short_answers
from helpers.tiers import rest_nightly

LENGTH = 200_000
RESPONSES = {
    "letters": "A" * LENGTH,
    "apostrophes": "'" * LENGTH,
    "marks": "!?" * (LENGTH // 2),
    "full stops": "." * LENGTH,
    "digits": "1" * LENGTH,
    "commas": "1," * (LENGTH // 2),
    "colons": "1:" * (LENGTH // 2),
    "markup": "\u202e<b>\x00\x1b[2J 7:30 " * (LENGTH // 16),
}
QUESTIONS = ("What?", "How many? (in Arabic numerals)", "When? (HH:MM)", "When? (MM/DD)")


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("rule", ["default", "paper"])
@pytest.mark.parametrize("kind", rest_nightly(RESPONSES, "letters"))
def test_an_endless_response_is_judged_like_any_answer(kind: str, rule: str):
    locales = [f"x{number}" for number in range(len(QUESTIONS))]
    key = {"template_id": "t", "locale": locales}
    annotations = pl.DataFrame(
        key
        | {
            "language": "en",
            "en_question": QUESTIONS,
            "annotations": [[{"answers": ["ice cream", "12 o'clock"], "en_answers": [], "count": 2}]] * 4,
            "idks": [{"idk": 0, "no-answer": 0, "not-applicable": 0}] * 4,
        }
    )
    responses = pl.DataFrame(
        key | {"item_id": locales, "prompt_id": "p", "prompt": "What?", "response": [RESPONSES[kind]] * 4}
    )
    found = decide_short_answers(responses, annotations, rule=rule)
    assert found["correct"].to_list() == [False] * 4
    assert set(found["why"]) <= {"no match", "hedged"}
