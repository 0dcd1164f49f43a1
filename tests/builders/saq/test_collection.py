"""Collection: which questions are complete, which stopped, how many responses the others need."""

from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest

from blend.builders.saq.ballots import collection_status
from blend.schemas.recipe import SaqOptions
from helpers.questions.saq_inputs import NO_REVIEW, OPTIONS, questions_of, responses_of, review_of

NON_ANSWERS = ("idk", "no-answer", "not-applicable", "other: it varies")


def given(answers: Sequence[str]) -> dict[str, Any]:
    """One answer or kind of non-answer per annotator."""
    return {f"a{n}": one if one in NON_ANSWERS else [one] for n, one in enumerate(answers)}


def status_of(*answers: str, options: SaqOptions = OPTIONS, invalid: Sequence[str] = ()) -> dict[str, object]:
    """The row of a survey with one question."""
    groups = [([one], []) for one in {*answers} - {*invalid, *NON_ANSWERS}]
    reviews = review_of(*groups, invalid=list(invalid)) if invalid else NO_REVIEW
    status = collection_status(questions_of("q"), responses_of(given(answers)), reviews, options)
    row = status.questions.row(0, named=True)
    return {name: row[name] for name in ("valid", "idk", "rejected", "state", "still_needed")}


def state(valid: int, idk: int, rejected: int, state: str, still_needed: int) -> dict[str, object]:
    return {"valid": valid, "idk": idk, "rejected": rejected, "state": state, "still_needed": still_needed}


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([], state(0, 0, 0, "needs-responses", 5)),
        (["x"] * 4, state(4, 0, 0, "needs-responses", 1)),
        (["x"] * 5, state(5, 0, 0, "complete", 0)),
        (["x"] * 7, state(7, 0, 0, "complete", 0)),
        # All kinds but "I don't know" are valid responses.
        (["x", "x", "no-answer", "not-applicable", "other: it varies"], state(5, 0, 0, "complete", 0)),
        # Five "I don't know" are not yet more than five.
        (["x"] * 4 + ["idk"] * 5, state(4, 5, 0, "needs-responses", 1)),
        (["x"] * 4 + ["idk"] * 6, state(4, 6, 0, "stopped-idk", 0)),
        (["x"] * 5 + ["idk"] * 6, state(5, 6, 0, "complete", 0)),
    ],
)
def test_states(answers: Sequence[str], expected: dict[str, object]):
    assert status_of(*answers) == expected


def test_a_response_that_the_review_rejects_is_to_be_replaced():
    assert status_of("x", "x", "x", "x", "asdf", invalid=["asdf"]) == state(4, 0, 1, "needs-responses", 1)


def test_the_recipe_decides_how_many_and_when_to_stop():
    options = SaqOptions(wanted=2, max_idk=0)
    assert status_of("x", "x", options=options) == state(2, 0, 0, "complete", 0)
    assert status_of("x", "idk", options=options) == state(1, 1, 0, "stopped-idk", 0)


def test_locales_are_summed_up():
    survey = [("p", "su-JB", ["x"] * 5), ("q", "su-JB", ["idk"] * 6), ("p", "ko-KR", ["x", "idk"])]
    responses = [responses_of(given(to), template_id=name, locale=tag) for name, tag, to in survey]
    questions = pl.concat([questions_of("p", "q", locale=tag) for tag in ("su-JB", "ko-KR")])
    status = collection_status(questions, pl.concat(responses), NO_REVIEW, OPTIONS)
    assert status.questions.select("template_id", "locale").rows() == [
        ("p", "ko-KR"),
        ("p", "su-JB"),
        ("q", "ko-KR"),
        ("q", "su-JB"),
    ]
    counts = ("questions", "complete", "needs_responses", "stopped_idk", "valid", "idk", "still_needed")
    assert status.locales.select("locale", *counts).rows() == [
        ("ko-KR", 2, 0, 2, 0, 1, 1, 9),
        ("su-JB", 2, 1, 0, 1, 5, 6, 0),
    ]
