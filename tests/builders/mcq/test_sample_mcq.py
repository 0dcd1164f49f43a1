"""The embedded sample is rich enough to show both modes of multiple-choice questions, in every locale."""

import pytest

from blend.builders.mcq import build_mcq
from blend.builders.saq import aggregate
from blend.loaders.responses import read_responses
from blend.loaders.sample import sample_path
from blend.schemas.recipe import McqOptions, SaqOptions


@pytest.fixture(scope="module")
def tables():
    with sample_path() as folder:
        read = read_responses(folder)
    return read.questions, aggregate(read.questions, read.responses, read.reviews, options=SaqOptions())


@pytest.mark.slow
def test_every_answer_group_of_the_sample_has_a_vote(tables):
    _, aggregation = tables
    groups = aggregation.annotations.explode("annotations", keep_nulls=False, empty_as_null=False)
    assert groups.height > 1000
    assert set(aggregation.annotations["grouping"]) == {"reviewed"}


def test_the_findings_show_each_kind_of_irregularity(tables):
    _, aggregation = tables
    kinds = set(aggregation.findings["kind"])
    assert {"too-few-responses", "collection-stopped", "invalid-answers", "rejected-response"} <= kinds


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "at_least"), [("default", 20), ("paper", 500)])
def test_every_locale_gets_multiple_choice_questions(tables, mode, at_least):
    questions, aggregation = tables
    built = build_mcq(questions, aggregation.annotations, options=McqOptions(mode=mode), seed=0)
    assert built.summary["locale"].n_unique() == 10
    assert built.summary["mcqs"].min() >= at_least


@pytest.mark.slow
def test_questions_are_left_out_for_every_reason(tables):
    questions, aggregation = tables
    built = build_mcq(questions, aggregation.annotations, options=McqOptions(), seed=0)
    assert set(built.dropped["reason"]) == {
        *("not-applicable", "non-answers", "few-votes", "short"),
        "own-calendar",
    }
