"""Published rows of multiple-choice questions."""

import json

import polars as pl

from blend.builders.mcq.published_mcqs import published_rows
from blend.schemas.arrow_types import published
from blend.schemas.frames import MCQ_ROWS, MCQS
from blend.schemas.locales import registry
from blend.schemas.prompts import INSTRUCTION
from blend.schemas.rows import MultipleChoiceQuestion
from helpers.questions.mcq_inputs import frames_of

MCQ = {
    "mcq_id": "T-1_US_0",
    "template_id": "T-1",
    "locale": "en-US",
    "options": ['say "cheese"', "a\\b", "떡볶이", "tea\u2028time"],
    "option_locales": ["en-GB", "en-US", "ko-KR", "su-JB"],
    "answer": 1,
    "answer_spread": "specific",
}
QUESTIONS_ASKED = frames_of({"T-1": {"en-US": []}})[0].with_columns(
    en_question=pl.lit("What is a snack in US?")
)


def test_a_published_row():
    rows = published_rows(pl.DataFrame([MCQ], MCQS), QUESTIONS_ASKED, locales=registry())
    assert rows.schema == MCQ_ROWS
    assert len(published(rows, MultipleChoiceQuestion)) == 1
    row = rows.row(0, named=True)
    # The JSON that Python writes.
    assert row["choices"] == json.dumps(dict(zip("ABCD", MCQ["options"], strict=True)), ensure_ascii=False)
    assert row["choice_countries"] == '{"A": "UK", "B": "US", "C": "South_Korea", "D": "West_Java"}'
    assert row["question"] == "What is a snack in the US?"
    assert row["prompt"] == (
        f"What is a snack in the US? {INSTRUCTION}\n\n"
        'A. say "cheese"\nB. a\\b\nC. 떡볶이\nD. tea\u2028time\n\nAnswer:'
    )
    assert row["option_regions"] == ["GB", "US", "KR", "JB"]
    assert (row["country"], row["answer"], row["answer_idx"], row["topic"]) == ("US", 1, "B", "Food")
    assert row["answer_spread"] == "specific"


def test_rows_keep_their_order():
    mcqs = pl.DataFrame([{**MCQ, "mcq_id": f"T-1_US_{i}"} for i in (3, 1, 2)], schema=MCQS)
    for rows in (mcqs, mcqs.clear()):
        found = published_rows(rows, QUESTIONS_ASKED, locales=registry())
        assert found["mcq_id"].to_list() == rows["mcq_id"].to_list()
        assert found.schema == MCQ_ROWS
