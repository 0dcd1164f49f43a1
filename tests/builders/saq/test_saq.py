"""Aggregation: votes are annotators, reviews decide, rules propose, and nothing goes missing."""

import doctest
from pathlib import Path

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
    reviews = review_of((["rice"], []), invalid=["asdf"])
    result = aggregate(questions_of("q"), responses_of(given), reviews, options=OPTIONS)
    row = result.annotations.row(0, named=True)
    assert row["annotations"] == [{"answers": ["rice"], "en_answers": ["rice"], "count": 2}]
    assert row["idks"] == {"idk": 0, "no-answer": 0, "not-applicable": 0, "others": []}
    assert row["grouping"] == "reviewed"
    assert findings_of(result, "invalid-answers") == [("reviews/en-GB.jsonl:1", "the review removes 'asdf'")]
    assert findings_of(result, "rejected-response") == [
        (
            "responses/en-GB.csv:2",
            "all answers of annotator 'a1' are invalid ('asdf'); neither a vote nor a non-answer",
        )
    ]
    assert findings_of(result, "too-few-responses") == [
        ("questions.csv:2", "2 of 5 valid responses; aggregated all the same")
    ]


TOO_HIGH = "so that shares of annotators come out too high"


def test_more_responses_than_wanted_are_told_of_once_for_a_locale():
    given = {f"a{n}": ["rice"] for n in range(7)}
    result = aggregate(questions_of("q"), responses_of(given), review_of((["rice"], [])), options=OPTIONS)
    assert findings_of(result, "more-than-wanted") == [
        (
            "questions.csv:2",
            f"half of the questions have 7 valid responses or more, but wanted = 5 in [saq], {TOO_HIGH}",
        )
    ]


def test_answers_typed_after_the_review_are_proposed_and_reported():
    given = {"a1": ["football"], "a2": ["soccer"], "a3": ["Foot-ball"], "a4": ["rugby"], "a5": ["football"]}
    reviews = review_of((["football", "soccer"], ["football"]))
    result = aggregate(questions_of("q"), responses_of(given), reviews, options=OPTIONS)
    row = result.annotations.row(0, named=True)
    assert row["grouping"] == "proposed"
    assert row["annotations"] == [
        {"answers": ["football", "soccer", "Foot-ball"], "en_answers": ["football"], "count": 4},
        {"answers": ["rugby"], "en_answers": ["rugby"], "count": 1},
    ]
    assert findings_of(result, "unreviewed-answer") == [
        (
            "responses/en-GB.csv:4",
            "the review does not mention 'Foot-ball'; by the rules grouped with 'football', 'soccer'",
        ),
        ("responses/en-GB.csv:5", "the review does not mention 'rugby'; by the rules a group of its own"),
    ]


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


def test_without_a_review_the_question_says_so():
    given = {"a1": ["Tea", "coffee"], "a2": ["tea"]}
    result = aggregate(questions_of("q"), responses_of(given), NO_REVIEW, options=OPTIONS)
    assert findings_of(result, "no-review") == [
        ("questions.csv:2", "no review; 3 answers grouped by rules into 2")
    ]


def test_answers_out_of_format_are_kept_and_reported():
    questions = questions_of("q", answer_format="integer")
    result = aggregate(questions, responses_of({"a1": ["7"], "a2": ["a few"]}), NO_REVIEW, options=OPTIONS)
    assert findings_of(result, "out-of-format") == [
        ("responses/en-GB.csv:3", "'a few' is not in the format integer; kept")
    ]


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


def test_stopped_collections_are_reported():
    given = {f"a{i}": "idk" for i in range(6)}
    result = aggregate(questions_of("q"), responses_of(given), NO_REVIEW, options=OPTIONS)
    assert findings_of(result, "collection-stopped") == [
        ("questions.csv:2", "0 of 5 valid responses after 6 'I don't know'; aggregated all the same")
    ]


def test_the_example_in_the_docs(root: Path):
    tested = doctest.testfile(str(root / "docs" / "aggregation.md"), module_relative=False)
    assert tested.attempted > 0
    assert tested.failed == 0


@pytest.mark.slow
def test_several_answers_in_one_cell_are_findings():
    given = {"a1": ["tea, coffee, milk"], "a2": ["tea"]}
    result = aggregate(questions_of("q"), responses_of(given), NO_REVIEW, options=OPTIONS)
    assert findings_of(result, "several-answers") == [
        ("responses/en-GB.csv:2", "'tea, coffee, milk' may be 3 answers: 'tea', 'coffee', 'milk'; kept as one")
    ]
    # Lines of a cell (Alt+Enter) are blanks in the answer, and told as what they were.
    on_lines = aggregate(
        questions_of("q"), responses_of({"a1": ["tea\r\ncoffee "]}), NO_REVIEW, options=OPTIONS
    )
    assert findings_of(on_lines, "several-answers") == [
        ("responses/en-GB.csv:2", "'tea coffee' may be 2 answers: 'tea', 'coffee'; kept as one")
    ]
    # What a person has reviewed is decided.
    review = review_of((["tea, coffee, milk"], ["tea"]), (["tea"], ["tea"]))
    reviewed = aggregate(questions_of("q"), responses_of(given), review, options=OPTIONS)
    assert findings_of(reviewed, "several-answers") == []
