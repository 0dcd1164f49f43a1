"""Checks that look at whole frames first find what looking at every single row finds, for any rows."""

import json
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blend.builders.mcq.published_mcqs import published_rows
from blend.builders.validate.checks.answers import GoldAnswers
from blend.builders.validate.checks.mcq import _Names, _text_problems
from blend.builders.validate.checks.overlaps import _clear, _Questions
from blend.builders.validate.repeated import regions_agree, texts_agree
from blend.schemas.language.answer_formats import AnswerFormat
from blend.schemas.language.locales import registry
from blend.schemas.rows.frame_columns import MCQS, QUESTIONS
from helpers.examples import examples

TAGS = ["en-GB", "en-US", "ko-KR", "su-JB", "id-ID"]
TEXTS = [
    'say "cheese"',
    "a\\b",
    "tea",
    "green tea",
    "7",
    "07",
    "-",
    "tea\u2028time",
    "milk",
    "9",
    "bread",
    "5 to 8",
]
ASKED = pl.DataFrame(
    [
        {
            "template_id": template_id,
            "topic": "Food",
            "source_label": "",
            "question": "local",
            "en_question": "What is a snack in US?",
            "locale": tag,
            "language": "en",
            "answer_format": "text",
        }
        for template_id in ("T-1", "T-2")
        for tag in TAGS
    ],
    QUESTIONS,
)


@st.composite
def published(draw: st.DrawFn) -> pl.DataFrame:
    """Rows as a build writes them, some with one value changed."""
    mcqs = []
    for number in range(draw(st.integers(1, 4))):
        tags = draw(st.permutations(TAGS))[:4]
        answer = draw(st.integers(0, 3))
        mcqs.append(
            {
                "mcq_id": f"{number}",
                "template_id": draw(st.sampled_from(["T-1", "T-2"])),
                "locale": tags[answer],
                "options": draw(st.permutations(TEXTS))[:4],
                "option_locales": tags,
                "answer": answer,
                "answer_spread": draw(st.sampled_from(["shared", None])),
            }
        )
    rows = published_rows(pl.DataFrame(mcqs, MCQS), ASKED, locales=registry()).to_dicts()
    for row in rows:
        change = draw(st.sampled_from([dict, *CHANGES]))
        row.update(change(row))
    return pl.DataFrame(rows, infer_schema_length=None)


def respelled(row: dict[str, Any]) -> dict[str, Any]:
    """The same JSON with other blanks."""
    return {"choices": json.dumps(json.loads(row["choices"]), indent=1)}


CHANGES: list[Callable[[dict[str, Any]], dict[str, Any]]] = [
    respelled,
    lambda row: {"answer_idx": "A"},
    lambda row: {"answer": (row["answer"] + 1) % 4},
    lambda row: {"answer": -1},
    lambda row: {"answer": 4},
    lambda row: {"options": row["options"][:3]},
    lambda row: {"options": [*row["options"], "fifth"]},
    lambda row: {"options": [*row["options"][1:], row["options"][0]]},
    lambda row: {"option_regions": row["option_regions"][:3]},
    lambda row: {"option_regions": [*row["option_regions"][1:], row["option_regions"][0]]},
    lambda row: {"option_regions": ["XX", *row["option_regions"][1:]]},
    lambda row: {"choice_countries": "[]"},
    lambda row: {"choice_countries": row["choice_countries"].replace("US", "UK")},
    lambda row: {"country": "Greece"},
    lambda row: {"locale": "xx-XX"},
    lambda row: {"prompt": row["prompt"] + " "},
    lambda row: {"prompt": row["prompt"].replace("\n", " ")},
    lambda row: {"question": "Another?"},
]


@pytest.mark.slow
@settings(max_examples=examples(80))
@given(published())
def test_texts_and_letters(rows: pl.DataFrame):
    looked_at = rows.filter(~texts_agree(rows))
    assert problems(looked_at, _text_problems) == problems(rows, _text_problems)


@pytest.mark.slow
@settings(max_examples=examples(80))
@given(published())
def test_regions_and_countries(rows: pl.DataFrame):
    names = _Names(registry())
    assert problems(rows.filter(~regions_agree(rows, registry())), names.problems) == problems(
        rows, names.problems
    )


def problems(rows: pl.DataFrame, of_row: Callable[[dict[str, Any]], Any]) -> list[tuple[str, str]]:
    return [(row["mcq_id"], what) for row in rows.iter_rows(named=True) for what in of_row(row)]


ANSWERS = st.lists(
    st.tuples(st.sampled_from(["T-1", "T-2"]), st.sampled_from(TAGS), st.sampled_from(TEXTS)), max_size=6
)


@pytest.mark.slow
@settings(max_examples=examples(80))
@given(published(), ANSWERS)
def test_overlaps(rows: pl.DataFrame, answers: list[tuple[str, str, str]]):
    columns = dict.fromkeys(("ID", "locale", "text"), pl.String())
    formats = {"T-1": AnswerFormat.TEXT, "T-2": AnswerFormat.INTEGER}
    questions = _Questions(GoldAnswers(pl.DataFrame(answers, columns, orient="row"), formats, {}))

    def overlaps(row: dict[str, Any]) -> list[str]:
        wrong = [text for i, text in enumerate(row["options"]) if i != row["answer"]]
        return list(questions.rivals(row["ID"], row["locale"]).problems(wrong))

    rows = rows.rename({"template_id": "ID"})
    expected = problems(rows, overlaps)
    assert problems(rows.filter(~_clear(rows, questions)), overlaps) == expected
    usual = rows.filter(pl.col("options").list.len() == 4, pl.col("answer").is_in([0, 1, 2, 3]))
    said = {mcq_id for mcq_id, _ in expected}
    assert set(usual.filter(~_clear(usual, questions))["mcq_id"]) == said & set(usual["mcq_id"])


def test_rows_as_a_build_writes_them_need_no_second_look(sample_release):
    (path,) = (sample_release / "data" / "multiple-choice-questions").iterdir()
    rows = pl.read_parquet(path)
    assert texts_agree(rows).all()
    assert regions_agree(rows, registry()).all()
