"""The plan of a collection: the five-valid rule says where more is asked, and what is dropped."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.builders.annotation.project import Project
from blend.builders.annotation.stages.answer import PLAN, collection_plan
from blend.builders.annotation.stages.model import Material
from blend.schemas.frames import QUESTIONS, RESPONSES, REVIEWS
from helpers.label_studio.exported import PROJECT

TAGS = ("ko-KR", "fa-IR", "en-GB")


def questions(*names: str) -> pl.DataFrame:
    rows = [
        {**dict.fromkeys(QUESTIONS.names(), ""), "template_id": name, "locale": tag, "topic": name[0]}
        | {"language": tag[:2], "answer_format": "text", "question": "?", "en_question": "?"}
        for name in names
        for tag in TAGS
    ]
    return pl.DataFrame(rows, QUESTIONS)


def material(valid: int, idk: int, other: int = 0, rejected: int = 0) -> Material:
    """Responses to the question a1 in Korean: so many of each kind, those rejected in a review."""
    kinds = ["answer"] * valid + ["idk"] * idk + ["no-answer"] * other + ["rejected"] * rejected
    rows: list[dict[str, Any]] = []
    for number, kind in enumerate(kinds):
        row = {"template_id": "a1", "locale": "ko-KR", "annotator": f"p{number}", "reason": None, "source": ""}
        answers = {"answer": [f"good {number}"], "rejected": [f"bad {number}"]}.get(kind, [])
        rows.append({**row, "answers": answers, "non_answer": None if answers else kind})
    bad = [row["answers"][0] for row in rows if row["answers"] and row["answers"][0].startswith("bad")]
    review = {
        "template_id": "a1",
        "locale": "ko-KR",
        "reviewer": "r",
        "invalid": bad,
        "reasons": [],
        "groups": [],
    }
    reviews = pl.DataFrame([{**review, "source": ""}] if bad else [], REVIEWS)
    return Material(questions("a1", "b1"), pl.DataFrame(rows, RESPONSES), reviews)


def planned(found: Material, project: Project = PROJECT) -> dict[str, Any]:
    plan = collection_plan(project, found)
    assert tuple(plan.columns) == PLAN
    (row,) = plan.filter(blend_id="answer/ko-KR/a1").to_dicts()
    return row


def test_only_what_the_project_asks_is_planned():
    plan = collection_plan(PROJECT, material(0, 0))
    assert plan["blend_id"].to_list() == [
        f"answer/{tag}/{name}" for tag in ("fa-IR", "ko-KR") for name in ("a1", "b1")
    ]
    assert set(plan["still_needed"]) == {5}
    by_topic = collection_plan(PROJECT.model_copy(update={"topics": ("b",)}), material(0, 0))
    assert set(by_topic["template_id"]) == {"b1"}
    by_id = collection_plan(PROJECT.model_copy(update={"templates": ("a1",)}), material(0, 0))
    assert set(by_id["template_id"]) == {"a1"}


@pytest.mark.nightly
@given(st.integers(0, 8), st.integers(0, 8), st.integers(0, 8), st.integers(0, 3))
def test_a_question_is_open_exactly_while_the_rule_says_so(valid: int, idk: int, other: int, rejected: int):
    row = planned(material(valid, idk, other, rejected))
    counted = valid + other  # other reasons not to answer are valid responses
    assert row["open"] == (counted < 5 and idk <= 5)
    assert row["still_needed"] == (max(5 - counted, 0) if row["open"] else 0)
