"""Multiple-choice questions in default mode: order, ids, spread and stability, for any answers."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from blend.builders.mcq import build_mcq
from blend.schemas.frames import MCQS
from blend.schemas.recipe import McqOptions
from helpers.examples import examples
from helpers.questions.mcq_inputs import FRUIT, build_of, frames_of

PINNED_IDS = ["T-1_GB_48834ccb", "T-1_US_671b2f7e", "T-1_KR_b61ebf60", "T-1_DZ_5f8827bf"]


WORDS = ["apple", "pear", "plum", "dates", "grape", "fig", "red apple", "pear juice"]
TAGS = ["en-GB", "en-US", "ko-KR", "ar-DZ", "zh-CN", "id-ID", "el-GR"]
ANSWERS = st.lists(st.tuples(st.sampled_from(WORDS), st.integers(1, 5)), min_size=1, max_size=3)
TEMPLATES = st.dictionaries(
    st.sampled_from(["T-1", "T-2", "T-3"]),
    st.dictionaries(st.sampled_from(TAGS), ANSWERS, min_size=4),
    min_size=1,
)


def ordered(templates):
    """The answers of a question come most votes first."""
    return {
        template_id: {tag: sorted(groups, key=lambda group: -group[1]) for tag, groups in answers.items()}
        for template_id, answers in templates.items()
    }


@pytest.mark.landing
@pytest.mark.slow
@settings(max_examples=examples(25), deadline=None)
@given(TEMPLATES, st.integers(0, 9))
def test_the_order_of_the_input_is_irrelevant(templates, shuffle_seed):
    questions, annotations = frames_of(ordered(templates))
    options = McqOptions()
    build = build_mcq(questions, annotations, options=options, seed=3)
    shuffled = build_mcq(
        questions.sample(fraction=1, shuffle=True, seed=shuffle_seed),
        annotations.sample(fraction=1, shuffle=True, seed=shuffle_seed),
        options=options,
        seed=3,
    )
    assert_frame_equal(shuffled.mcqs, build.mcqs)
    assert_frame_equal(shuffled.dropped, build.dropped)


@pytest.mark.nightly
@pytest.mark.slow
@settings(max_examples=examples(25), deadline=None)
@given(TEMPLATES, st.sampled_from(TAGS))
def test_a_locale_whose_answers_are_not_drawn_changes_no_options(templates, joining):
    templates = ordered(templates)
    without = {t: {tag: a for tag, a in answers.items() if tag != joining} for t, answers in templates.items()}
    options = McqOptions()
    before = build_mcq(*frames_of(without), options=options, seed=3).mcqs
    after = build_mcq(*frames_of(templates), options=options, seed=3).mcqs
    drawn = set(
        after.filter(pl.col("option_locales").list.contains(joining))
        .select("template_id", "locale")
        .iter_rows()
    )
    for key, rows in after.group_by("template_id", "locale"):
        if key not in drawn:
            mine = before.filter(pl.col("template_id") == key[0], pl.col("locale") == key[1])
            assert mine["mcq_id"].to_list() == rows["mcq_id"].to_list()
            assert [sorted(o) for o in mine["options"]] == [sorted(o) for o in rows["options"]]


@pytest.mark.landing
@pytest.mark.slow
def test_a_locale_is_asked_in_the_same_words_once():
    questions, annotations = frames_of({"T-1": FRUIT | {"en-GB": [("fig", 2)]}, "T-2": FRUIT, "T-3": FRUIT})
    questions = questions.with_columns(en_question=pl.lit("What do people eat?"))
    build = build_mcq(questions, annotations, options=McqOptions(), seed=0)
    # No majority in the UK for T-1, which leaves it to T-2.
    asked = {"en-GB": {"T-2"}, "en-US": {"T-1"}, "ko-KR": {"T-1"}, "ar-DZ": {"T-1"}}
    rows = build.mcqs.group_by("locale").agg("template_id").rows()
    assert {tag: set(templates) for tag, templates in rows} == asked
    lost = build.dropped.filter(template_id="T-3", locale="en-GB").select("reason", "detail").row(0)
    assert lost == ("asked-already", "T-2 asks it in the same words")


@pytest.mark.slow
def test_ids_name_template_and_split_and_follow_the_options():
    answers = {**FRUIT, "ms-SG": [("durian", 3)]}
    rows = build_of(answers).mcqs
    assert rows["mcq_id"].is_unique().all()
    assert rows["mcq_id"].str.contains(r"^T-1_(GB|US|KR|DZ|SG_ms)_[0-9a-f]{8}$").all()
    # The same options make the same id, in whatever order they are shown.
    before, again = (build_of(FRUIT, seed=seed).mcqs for seed in (0, 1))
    assert set(again["mcq_id"]) == set(before["mcq_id"])
    assert again["options"].to_list() != before["options"].to_list()
    # An id is published: it stays while its options stay.
    assert before["mcq_id"].to_list() == PINNED_IDS


@pytest.mark.slow
def test_nothing_at_all():
    questions, annotations = frames_of({})
    build = build_mcq(questions, annotations, options=McqOptions(), seed=0)
    assert build.n_mcqs == 0
    assert list(build.batches()) == []
    assert build.mcqs.schema == MCQS
