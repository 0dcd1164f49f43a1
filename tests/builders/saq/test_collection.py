"""Collection: which questions are complete, which stopped, how many responses the others need."""

from collections.abc import Mapping, Sequence

import polars as pl
import pytest

from blend.builders.saq.collection import collection_status
from blend.schemas.frames import QUESTIONS, RESPONSES, REVIEWS
from blend.schemas.recipe import SaqOptions

OPTIONS = SaqOptions(wanted=5, max_idk=5)
NO_REVIEW = pl.DataFrame(schema=REVIEWS)

Survey = Mapping[tuple[str, str], Sequence[str]]
"""Template and locale to one answer or kind of non-answer per annotator."""

NON_ANSWERS = ("idk", "no-answer", "not-applicable", "other")


def frames_of(survey: Survey) -> tuple[pl.DataFrame, pl.DataFrame]:
    questions = [
        {
            "template_id": name,
            "locale": locale,
            "language": locale[:2],
            "answer_format": "text",
            "source": "q.csv:2",
        }
        for name, locale in survey
    ]
    responses = [
        {
            "template_id": name,
            "locale": locale,
            "annotator": f"a{i}",
            "answers": [] if answer in NON_ANSWERS else [answer],
            "non_answer": answer if answer in NON_ANSWERS else None,
            "reason": "it varies" if answer == "other" else None,
            "source": f"{locale}.csv:{i}",
        }
        for (name, locale), answers in survey.items()
        for i, answer in enumerate(answers, start=2)
    ]
    return pl.DataFrame(questions, schema=QUESTIONS), pl.DataFrame(responses, schema=RESPONSES)


def status_of(*answers: str, options: SaqOptions = OPTIONS, invalid: Sequence[str] = ()) -> dict[str, object]:
    """The row of a survey with one question."""
    reviews = NO_REVIEW
    if invalid:
        groups = [{"answers": [a], "en_answers": []} for a in set(answers) - {*invalid, *NON_ANSWERS}]
        row = {
            "template_id": "q",
            "locale": "ko-KR",
            "reviewer": "r",
            "invalid": list(invalid),
            "groups": groups,
        }
        reviews = pl.DataFrame([{**row, "source": "r.jsonl:1"}], schema=REVIEWS)
    row = collection_status(*frames_of({("q", "ko-KR"): answers}), reviews, options).questions.row(
        0, named=True
    )
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
        (["x", "x", "no-answer", "not-applicable", "other"], state(5, 0, 0, "complete", 0)),
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
    survey = {
        ("p", "su-JB"): ["x"] * 5,
        ("q", "su-JB"): ["idk"] * 6,
        ("p", "ko-KR"): ["x", "idk"],
        ("q", "ko-KR"): [],
    }
    status = collection_status(*frames_of(survey), NO_REVIEW, OPTIONS)
    assert status.questions.select("template_id", "locale").rows() == [
        ("p", "ko-KR"),
        ("p", "su-JB"),
        ("q", "ko-KR"),
        ("q", "su-JB"),
    ]
    assert status.locales.to_dicts() == [
        {
            "locale": "ko-KR",
            "questions": 2,
            "complete": 0,
            "needs_responses": 2,
            "stopped_idk": 0,
            "valid": 1,
            "idk": 1,
            "rejected": 0,
            "still_needed": 9,
        },
        {
            "locale": "su-JB",
            "questions": 2,
            "complete": 1,
            "needs_responses": 0,
            "stopped_idk": 1,
            "valid": 5,
            "idk": 6,
            "rejected": 0,
            "still_needed": 0,
        },
    ]
