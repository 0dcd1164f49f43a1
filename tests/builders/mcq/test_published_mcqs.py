"""Published rows of multiple-choice questions."""

import json

import polars as pl
import pytest

from blend.builders.mcq.published_mcqs import published_rows
from blend.schemas.arrow_types import published
from blend.schemas.frames import MCQ_ROWS, MCQS, QUESTIONS
from blend.schemas.locales import registry
from blend.schemas.prompts import INSTRUCTION
from blend.schemas.rows import MultipleChoiceQuestion

QUESTION = {
    "template_id": "T-1",
    "topic": "Food",
    "source_label": "",
    "question": "local",
    "en_question": "What is a snack in US?",
    "locale": "en-US",
    "language": "en",
    "answer_format": "text",
}
MCQ = {
    "mcq_id": "T-1_US_0",
    "template_id": "T-1",
    "locale": "en-US",
    "options": ['say "cheese"', "a\\b", "떡볶이", "tea\u2028time"],
    "option_locales": ["en-GB", "en-US", "ko-KR", "su-JB"],
    "answer": 1,
    "answer_spread": "specific",
}


@pytest.fixture
def row():
    rows = published_rows(
        pl.DataFrame([MCQ], schema=MCQS), pl.DataFrame([QUESTION], schema=QUESTIONS), locales=registry()
    )
    assert rows.schema == MCQ_ROWS
    assert len(published(rows, MultipleChoiceQuestion)) == 1
    return rows.row(0, named=True)


def test_choices_are_the_json_that_python_writes(row):
    assert row["choices"] == json.dumps(dict(zip("ABCD", MCQ["options"], strict=True)), ensure_ascii=False)
    assert row["choice_countries"] == '{"A": "UK", "B": "US", "C": "South_Korea", "D": "West_Java"}'


def test_the_question_names_the_region(row):
    assert row["question"] == "What is a snack in the US?"
    assert row["prompt"] == (
        f"What is a snack in the US? {INSTRUCTION}\n\n"
        'A. say "cheese"\nB. a\\b\nC. 떡볶이\nD. tea\u2028time\n\nAnswer:'
    )


def test_regions_letters_and_topic(row):
    assert row["option_regions"] == ["GB", "US", "KR", "JB"]
    assert (row["country"], row["answer"], row["answer_idx"], row["topic"]) == ("US", 1, "B", "Food")
    assert row["answer_spread"] == "specific"


def test_rows_keep_their_order():
    mcqs = pl.DataFrame([{**MCQ, "mcq_id": f"T-1_US_{i}"} for i in (3, 1, 2)], schema=MCQS)
    for rows in (mcqs, mcqs.clear()):
        found = published_rows(rows, pl.DataFrame([QUESTION], schema=QUESTIONS), locales=registry())
        assert found["mcq_id"].to_list() == rows["mcq_id"].to_list()
        assert found.schema == MCQ_ROWS
