"""Repeating the question: a reply that says nothing else is right to no published question."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.eval.tasks.short_answer.short_answer_decisions import AskedIn, decide_short_answers
from blend.loaders.upstream.blend import read_blend
from blend.schemas.formats import AnswerFormat

PROMPT = "Read the following question.\n\nQuestion: {q}\nAnswer:"
REPLIES = ("{q} zorblax", "{{'question': '{q}', 'answer': ['zorblax']}}")


@pytest.mark.landing
@pytest.mark.slow
@pytest.mark.parametrize("reply", REPLIES)
@pytest.mark.parametrize("language", ["local", "english"])
def test_a_repeated_question_gives_no_number_and_no_time(blend_data: Path, language: AskedIn, reply: str):
    tables = read_blend(blend_data)
    key = ["template_id", "locale"]
    texts = tables.questions.filter(pl.col("answer_format") != AnswerFormat.TEXT).select(
        *key, "language", "question", "en_question"
    )
    question = pl.col("question" if language == "local" else "en_question")
    fill = {"return_dtype": pl.String}
    responses = texts.select(
        *key,
        item_id=pl.concat_str("locale", "template_id"),
        prompt_id=pl.lit("p"),
        prompt=question.map_elements(lambda q: PROMPT.format(q=q), **fill),
        response=question.map_elements(lambda q: reply.format(q=q), **fill),
    )
    decided = decide_short_answers(responses, tables.annotations.join(texts, on=key), language=language)
    scored = decided.drop_nulls("correct")
    assert len(scored) > 1_000
    assert scored.filter("correct")["item_id"].to_list() == []


@pytest.mark.parametrize(
    ("response", "decided"),
    [
        # Thoughts come first, as the prompt asks.
        ("Rice or tea, some say.\n{'question': 'What with rice?', 'answer': ['noodles']}", "no match"),
        ("Noodles, I think.\n{'question': 'What with noodles?', 'answer': ['rice']}", "words"),
        ('```json\n{"answer": "rice"}\n```', "words"),
        # Nothing stands behind the key: the thoughts are all there is.
        ("Rice.\n{'question': 'What?', 'answer': []}", "words"),
    ],
)
def test_of_json_the_answer_counts(response: str, decided: str):
    group: dict[str, Any] = {"answers": ["rice"], "en_answers": [], "count": 1}
    key = {"template_id": "t", "locale": "en-US"}
    annotation = {"language": "en", "en_question": "What?", "annotations": [group]}
    idks = {"idk": 0, "no-answer": 0, "not-applicable": 0}
    asked = {"item_id": "i", "prompt_id": "p", "prompt": "What?", "response": response}
    found = decide_short_answers(pl.DataFrame([key | asked]), pl.DataFrame([key | annotation | {"idks": idks}]))
    assert found["why"].item() == decided
