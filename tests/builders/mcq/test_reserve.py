"""The reserve: answers of few people, for questions that are short of distractors without them."""

import polars as pl
import pytest

from blend.schemas.frames import FILLERS
from blend.schemas.recipe import McqOptions
from helpers.questions.mcq_inputs import FRUIT, build_of, loss_of, shown_to

SHORT = {"en-GB": [("apple", 4)], "en-US": [("pear", 3)], "ko-KR": [("plum", 3)], "ar-DZ": [("dates", 1)]}
RESERVE = McqOptions(distractor_reserve_votes=1)
NO_RESERVE = McqOptions(distractor_reserve_votes=2)


def fate_of(build, tag):
    return dict(build.outcomes.filter(locale=tag).select("outcome", "answers").rows())


def test_a_question_that_is_short_takes_from_the_reserve():
    build = build_of(SHORT, options=RESERVE)
    assert shown_to(build, "en-GB") == {("en-US", "pear"), ("ko-KR", "plum"), ("ar-DZ", "dates")}
    assert fate_of(build, "ar-DZ") == {"in-reserve": 1}


def test_a_question_that_is_not_short_takes_nothing():
    build = build_of({**FRUIT, "es-MX": [("mango", 1)]}, options=RESERVE)
    assert ("es-MX", "mango") not in shown_to(build, "en-GB")


def test_a_question_without_four_regions_asks_nobody():
    build = build_of(SHORT, options=NO_RESERVE)
    assert build.n_mcqs == 0
    assert fate_of(build, "ar-DZ") == {"few-votes": 1}
    assert loss_of(build, "en-GB") == ("short", "2 of 3 other regions have an option left, 3 are needed")


def test_a_region_with_an_option_of_its_own_takes_nothing_from_the_reserve():
    answers = {**SHORT, "ko-KR": [("plum", 3), ("persimmon", 1)]}
    assert ("ko-KR", "persimmon") not in shown_to(build_of(answers, options=RESERVE), "en-GB")
    refused = {**answers, "en-GB": [("apple", 4), ("plum", 1)]}
    assert ("ko-KR", "persimmon") in shown_to(build_of(refused, options=RESERVE), "en-GB")


@pytest.mark.slow
def test_the_reserve_passes_the_same_rules_as_every_option():
    for given in ("apples", "british apricot", "n/a"):
        build = build_of({**SHORT, "ar-DZ": [(given, 1)]}, options=RESERVE)
        assert build.frame().filter(locale="en-GB").is_empty()


@pytest.mark.parametrize(("answer_format", "mine"), [("integer", "7"), ("HH:MM", "07:00"), ("MM/DD", "07/01")])
def test_numbers_times_and_dates_have_no_reserve(answer_format, mine):
    others = {"integer": "8 9 30", "HH:MM": "08:00 09:00 10:00", "MM/DD": "08/01 09/01 10/01"}
    first, second, rare = others[answer_format].split()
    answers = {"en-GB": [(mine, 4)], "en-US": [(first, 3)], "ko-KR": [(second, 3)], "ar-DZ": [(rare, 1)]}
    build = build_of(answers, options=RESERVE, answer_format=answer_format)
    assert build.n_mcqs == 0
    assert fate_of(build, "ar-DZ") == {"few-votes": 1}


@pytest.mark.slow
def test_the_reserve_comes_before_reviewed_fillers():
    row = {"template_id": "T-1", "option": "kiwi", "region": "GR", "reviewer": "r1"}
    fillers = pl.DataFrame([row], schema=FILLERS)
    build = build_of(SHORT, options=RESERVE, fillers=fillers)
    assert "kiwi" not in {text for _, text in shown_to(build, "en-GB")}
    assert build.fillers["outcome"].to_list() == ["not-needed"]
    still_short = {tag: groups for tag, groups in SHORT.items() if tag != "ko-KR"}
    build = build_of(still_short, options=RESERVE, fillers=fillers)
    assert shown_to(build, "en-GB") == {("en-US", "pear"), ("ar-DZ", "dates"), ("el-GR", "kiwi")}
