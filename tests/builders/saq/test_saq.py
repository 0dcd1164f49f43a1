"""Aggregation: votes are annotators, reviews decide, rules propose, and nothing goes missing."""

import doctest
import tomllib
from pathlib import Path
from typing import Any

import pytest

from blend.builders.saq import aggregate
from helpers.questions.saq_inputs import (
    KINDS,
    NO_REVIEW,
    OPTIONS,
    findings_of,
    one,
    questions_of,
    responses_of,
    review_of,
)


def test_a_vote_is_an_annotator_not_an_answer_string():
    # a1 gives two variants of one answer and votes once; sleep 3, eat 2.
    given = {"a1": ["go to bed", "sleep", "eat"], "a2": ["sleep"], "a3": ["go to bed", "eat"]}
    reviews = review_of((["sleep", "go to bed"], ["sleep"]), (["eat"], ["eat"]))
    groups, row = one(given, reviews)
    assert groups == [(["sleep", "go to bed"], ["sleep"], 3), (["eat"], ["eat"], 2)]
    assert row["grouping"] == "reviewed"


def test_groups_come_by_votes_and_ties_in_the_order_of_the_review():
    given = {"a1": ["b", "a"], "a2": ["c", "d"], "a3": ["d"]}
    groups, _ = one(given, review_of((["c"], []), (["a"], []), (["b"], []), (["d"], [])))
    assert [answers for answers, _, _ in groups] == [["d"], ["c"], ["a"], ["b"]]


def test_ties_among_proposals_come_by_their_first_variant():
    # Code points: digits, then capitals, then small letters, then é.
    groups, _ = one({"a1": ["étude", "apple", "Pear"], "a2": ["7"]}, locale="es-ES")
    assert [answers for answers, _, _ in groups] == [["7"], ["Pear"], ["apple"], ["étude"]]


def test_variants_of_a_proposal_come_most_typed_first():
    given = {"a1": ["hot-dog"], "a2": ["Hot Dog"], "a3": ["Hot Dog"], "a4": ["hot dog"]}
    groups, row = one(given)
    assert groups == [(["Hot Dog", "hot dog", "hot-dog"], ["Hot Dog", "hot dog", "hot-dog"], 4)]
    assert row["grouping"] == "proposed"


def test_non_answers_are_counted_by_kind_and_reasons_by_text():
    given = {
        "a1": "idk",
        "a2": "idk",
        "a3": "no-answer",
        "a4": "not-applicable",
        "a5": "other: not  sure ",
        "a6": "other: it varies",
        "a7": "other: not sure",
        "a8": "other: Not sure",
    }
    _, row = one(given)
    assert row["annotations"] == []
    assert row["idks"] == {
        "idk": 2,
        "no-answer": 1,
        "not-applicable": 1,
        "others": [
            {"reason": "not sure", "count": 2},
            {"reason": "Not sure", "count": 1},
            {"reason": "it varies", "count": 1},
        ],
    }


def test_invalid_answers_get_no_vote_and_are_no_non_answer():
    given = {"a1": ["asdf"], "a2": ["asdf", "rice"], "a3": ["rice"]}
    groups, row = one(given, review_of((["rice"], []), invalid=["asdf"]))
    assert groups == [(["rice"], ["rice"], 2)]
    assert row["idks"] == {"idk": 0, "no-answer": 0, "not-applicable": 0, "others": []}
    assert row["grouping"] == "reviewed"


def test_answers_typed_after_the_review_are_proposed():
    given = {"a1": ["football"], "a2": ["soccer"], "a3": ["Foot-ball"], "a4": ["rugby"], "a5": ["football"]}
    groups, row = one(given, review_of((["football", "soccer"], ["football"])))
    assert row["grouping"] == "proposed"
    assert groups == [(["football", "soccer", "Foot-ball"], ["football"], 4), (["rugby"], ["rugby"], 1)]


def test_the_rules_do_not_choose_between_groups_that_a_reviewer_kept_apart():
    given = {"a1": ["Polish"], "a2": ["polish"], "a3": ["POLISH"]}
    groups, _ = one(given, review_of((["Polish"], []), (["polish"], [])))
    assert [(answers, votes) for answers, _, votes in groups] == [
        (["Polish"], 1),
        (["polish"], 1),
        (["POLISH"], 1),
    ]


def test_english_comes_from_the_review_or_in_english_locales_from_the_answers():
    given = {"a1": ["밥"], "a2": ["국"]}
    korean = review_of((["밥"], ["rice ", "rice", "cooked rice"]), (["국"], []), locale="ko-KR")
    result = aggregate(
        questions_of("q", locale="ko-KR"), responses_of(given, locale="ko-KR"), korean, options=OPTIONS
    )
    groups = result.annotations.row(0, named=True)["annotations"]
    assert [group["en_answers"] for group in groups] == [["rice", "cooked rice"], []]
    assert findings_of(result, "no-translation") == [("questions.csv:2", "no English for '국'")]


def test_answers_that_differ_in_blanks_or_composition_are_one_string():
    given = {"a1": ["cafe\u0301 "], "a2": [" café"]}
    groups, _ = one(given, review_of((["café"], ["café"])), locale="en-GB")
    assert groups == [(["café"], ["café"], 2)]


def test_every_question_has_a_row_also_without_responses():
    result = aggregate(questions_of("p", "q"), responses_of({"a1": ["x"]}), NO_REVIEW, options=OPTIONS)
    assert result.annotations.select("template_id", "grouping", "source").rows() == [
        ("p", "proposed", "questions.csv:2"),
        ("q", "proposed", "questions.csv:3"),
    ]
    assert result.annotations["annotations"].to_list()[0] == []
    assert result.annotations["idks"].to_list()[0] == {**dict.fromkeys(KINDS, 0), "others": []}


def test_the_example_in_the_docs(root: Path):
    tested = doctest.testfile(str(root / "docs" / "aggregation.md"), module_relative=False)
    assert tested.attempted > 0
    assert tested.failed == 0


TOLD = tomllib.loads(Path(__file__).with_name("told.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", TOLD["finding"], ids=lambda case: case["kind"])
def test_what_is_found(case: dict[str, Any]):
    groups = [(answers, answers[:1]) for answers in case.get("review", ())]
    reviews = review_of(*groups, invalid=case.get("invalid", ())) if groups else NO_REVIEW
    questions = questions_of("q", answer_format=case.get("format", "text"))
    result = aggregate(questions, responses_of(case["given"]), reviews, options=OPTIONS)
    assert findings_of(result, case["kind"]) == [*map(tuple, case["told"])]
