"""Aggregation: what holds for any survey."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from blend.builders.saq import aggregate
from blend.builders.saq.grouping import grouping_key
from blend.schemas.frames import KEY
from helpers.examples import examples
from helpers.questions.random_surveys import surveys
from helpers.questions.saq_inputs import KINDS, NO_REVIEW, OPTIONS

few = settings(max_examples=examples(25), deadline=None)
"""Each example aggregates three questions; what can go wrong with one takes few annotators to show."""


@pytest.mark.slow
@few
@given(surveys(), st.randoms(use_true_random=False))
def test_row_order_is_irrelevant(survey, rng):
    shuffled = [rows[rng.sample(range(len(rows)), len(rows))] for rows in survey]
    expected, got = aggregate(*survey, options=OPTIONS), aggregate(*shuffled, options=OPTIONS)
    assert_frame_equal(got.annotations, expected.annotations)
    assert_frame_equal(got.findings, expected.findings)


@pytest.mark.slow
@few
@given(surveys())
def test_votes_are_bounded_and_nothing_goes_missing(survey):
    _, responses, reviews = survey
    invalid = {(row["template_id"], a) for row in reviews.iter_rows(named=True) for a in row["invalid"]}
    for row in aggregate(*survey, options=OPTIONS).annotations.iter_rows(named=True):
        own = responses.filter(pl.col("template_id") == row["template_id"])
        typed = {a for answers in own["answers"] for a in answers if (row["template_id"], a) not in invalid}
        variants = [a for group in row["annotations"] for a in group["answers"]]
        assert sorted(variants) == sorted(typed)
        answering = own.filter(pl.col("answers").list.len() > 0).height
        counts = [group["count"] for group in row["annotations"]]
        assert counts == sorted(counts, reverse=True)
        assert all(1 <= count <= answering for count in counts)
        assert (
            sum(row["idks"][kind] for kind in KINDS) + sum(other["count"] for other in row["idks"]["others"])
            == len(own) - answering
        )


@pytest.mark.slow
@few
@given(surveys())
def test_each_vote_is_an_annotator_with_a_variant_of_the_group(survey):
    _, responses, _ = survey
    for row in aggregate(*survey, options=OPTIONS).annotations.iter_rows(named=True):
        ballots = responses.filter(pl.col("template_id") == row["template_id"])["answers"].to_list()
        for group in row["annotations"]:
            assert group["count"] == sum(not set(group["answers"]).isdisjoint(answers) for answers in ballots)


@pytest.mark.slow
@few
@given(surveys())
def test_proposals_are_the_classes_of_equal_keys(survey):
    questions, responses, _ = survey
    proposed = aggregate(questions, responses, NO_REVIEW, options=OPTIONS).annotations
    for groups in proposed["annotations"]:
        keys = [{grouping_key(answer, "en") for answer in group["answers"]} for group in groups]
        assert all(len(of_group) == 1 for of_group in keys)
        assert len(set().union(*keys)) == len(keys)


@pytest.mark.slow
@few
@given(surveys(), st.sampled_from(["p", "q", "r"]))
def test_a_question_depends_on_its_own_rows_only(survey, name: str):
    alone = [rows.filter(pl.col("template_id") == name) for rows in survey]
    whole = aggregate(*survey, options=OPTIONS).annotations.filter(pl.col("template_id") == name)
    assert_frame_equal(aggregate(*alone, options=OPTIONS).annotations, whole)
    assert whole.select(KEY).rows() == [(name, "en-GB")]
