"""Rows written out from what a build keeps of its questions: ids, options in order, and the correct one."""

from itertools import chain, combinations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from blend.builders.digests import digest
from blend.builders.mcq import build_mcq
from blend.builders.mcq.positions import arranged
from blend.builders.mcq.published_mcqs import mcq_frame
from blend.schemas.recipe.recipe import McqOptions
from helpers.examples import examples
from helpers.questions.mcq_inputs import FRUIT, RULES, frames_of

SEED = 3
WORDS = ["apple", "pear", "plum", "dates", "grape", "fig", "quince", "red apple", "𝔞", "ｆig"]
TAGS = ["en-GB", "en-US", "ko-KR", "ar-DZ", "zh-CN", "id-ID", "el-GR"]
ANSWERS = st.lists(st.tuples(st.sampled_from(WORDS), st.integers(2, 4)), min_size=1, max_size=3, unique=True)
ANSWERED = st.dictionaries(st.sampled_from(TAGS), ANSWERS, min_size=4)


def built(answered, options):
    ordered = {tag: sorted(groups, key=lambda group: -group[1]) for tag, groups in answered.items()}
    return build_mcq(*frames_of({"T-1": ordered}), options=options, seed=SEED, judges=RULES)


def questions_of(plan):
    """By locale, the questions kept of it: the correct answer and three distractors, each with its locale."""
    return {
        one.locale.tag: [
            ((one.golds[gold], one.locale.tag), [one.distractors[i] for i in wrong])
            for gold, *wrong in one.picks.tolist()
        ]
        for one in plan.asked
    }


@pytest.mark.slow
@settings(max_examples=examples(60))
@given(ANSWERED)
def test_paper_rows_are_all_combinations_in_the_order_of_their_options(answered):
    for plan in built(answered, McqOptions(mode="paper")).plans:
        rows = plan.rows()
        assert [row.mcq_id for row in rows] == [f"T-1_{i}" for i in range(len(rows))]
        asked = [
            (one.locale.tag, answer, frozenset(distractors))
            for one in plan.asked
            for answer in one.answers
            for distractors in combinations(one.options, 3)
        ]
        shown = [(row.locale, row.options[row.answer], frozenset(row.options)) for row in rows]
        assert shown == [(tag, (a, tag), wrong | {(a, tag)}) for tag, a, wrong in asked]
        for row in rows:
            order = [(text, plan.names[tag]) for text, tag in row.options]
            assert order == sorted(order)


@pytest.mark.slow
@settings(max_examples=examples(60))
@given(ANSWERED, st.sampled_from([1, 3, 5, "all"]))
def test_default_rows_are_named_and_ordered_by_digests(answered, limit):
    for plan in built(answered, McqOptions(variants=limit)).plans:
        kept = questions_of(plan)
        rows = iter(plan.rows())
        for one in plan.asked:
            for (correct, wrong), found in zip(kept[one.locale.tag], one.digests.tolist(), strict=True):
                assert found == digest(correct[0], *chain(*sorted([correct, *wrong])))
                row = next(rows)
                assert row.mcq_id.startswith(f"T-1_{one.locale.split}_{found:016x}"[: len(row.mcq_id)])
                assert row.options[row.answer] == correct
                others = [option for option in row.options if option != correct]
                assert others == arranged(wrong, digest(SEED, row.mcq_id))


def test_templates_one_after_the_other():
    plans = [plan for mode in ("default", "paper") for plan in built(FRUIT, McqOptions(mode=mode)).plans]
    frames = [mcq_frame(plan.rows()) for plan in plans]
    assert len({tuple(frame.row(0)[3]) for frame in frames}) == len(frames) == 2
    assert_frame_equal(mcq_frame([row for plan in plans for row in plan.rows()]), pl.concat(frames))


def test_there_is_something_to_compare():
    for options in (McqOptions(mode="paper"), McqOptions()):
        assert built(FRUIT, options).n_mcqs == 4
