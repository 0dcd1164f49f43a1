"""Multiple-choice questions in default mode, rule by rule: who is asked, what may be offered, order and ids."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from blend.builders.mcq import build_mcq
from blend.builders.mcq.answers import template_formats
from blend.schemas.frames import MCQS
from blend.schemas.recipe import McqOptions
from helpers.examples import examples
from helpers.questions.mcq_inputs import (
    FRUIT,
    build_of,
    frames_of,
    loss_of,
    offered_to,
    right_answers,
    shown_to,
    verdicts_of,
)

GRAPE = {**FRUIT, "zh-CN": [("grape", 3)]}


def test_four_locales_that_agree_with_themselves_make_four_questions():
    build = build_of(FRUIT)
    rows = build.mcqs
    assert rows.schema == MCQS
    assert rows["locale"].to_list() == ["en-GB", "en-US", "ko-KR", "ar-DZ"]
    for row in rows.iter_rows(named=True):
        assert sorted(row["options"]) == ["apple", "dates", "pear", "plum"]
        assert row["option_locales"][row["answer"]] == row["locale"]
    assert build.dropped.is_empty()
    assert build.summary.rows() == [(tag, 1, 0, 1) for tag in ("en-GB", "en-US", "ko-KR", "ar-DZ")]


@pytest.mark.parametrize(
    ("groups", "idks", "loss"),
    [
        ([("plum", 2)], {}, ("few-votes", "2 votes for the top answer; 3 needed")),
        ([], {}, ("no-answers", "nobody answered")),
        (
            [("plum", 3)],
            {"not-applicable": 1},
            ("not-applicable", "1 vote for not applicable; at most 0 allowed"),
        ),
        (
            [("plum", 3)],
            {"idk": 1, "others": [{"reason": "a", "count": 1}, {"reason": "b", "count": 1}]},
            ("non-answers", "3 non-answers; at most 2 allowed"),
        ),
        ([([], 3)], {}, ("no-english", "no top answer has an English variant")),
        ([("None", 3)], {}, ("placeholder", "the top answer only says that there is none")),
        ([("?!", 3)], {}, ("no-words", "no top answer has a letter or digit")),
        ([("ρύζι", 3)], {}, ("foreign-script", "no top answer is written in the script of the question")),
    ],
)
def test_a_locale_is_left_out_for_its_own_sake_only(groups, idks, loss):
    build = build_of({**GRAPE, "ko-KR": groups}, idks={"ko-KR": idks})
    assert loss_of(build, "ko-KR") == loss
    assert set(build.mcqs["locale"]) == {"en-GB", "en-US", "ar-DZ", "zh-CN"}


def test_correct_answers_that_name_a_region_give_way_to_others():
    assert right_answers(build_of({**GRAPE, "ko-KR": [("Korean plum", 3)]}), "ko-KR") == {"korean plum"}
    tied = {**GRAPE, "ko-KR": [("Korean plum", 3), ("fig", 3)]}
    assert right_answers(build_of(tied), "ko-KR") == {"fig"}


def test_the_format_is_that_of_most_locales_and_a_top_answer_without_it_is_no_correct_one():
    numbers = {"en-GB": [("many", 3)], "en-US": [("3", 3)], "ko-KR": [("4", 3)], "ar-DZ": [("5", 3)]}
    build = build_of({**numbers, "zh-CN": [("06", 3)]}, answer_format="integer")
    assert loss_of(build, "en-GB") == ("out-of-format", "no top answer has the format of the question")
    # Options are shown in the one spelling of their format.
    assert right_answers(build, "zh-CN") == {"6"}
    questions, _ = frames_of({"T-1": FRUIT})
    for formats in (["integer", "integer", "text", "integer"], ["integer", "integer", "text", "text"]):
        mixed = questions.with_columns(answer_format=pl.Series(formats))
        assert template_formats(mixed) == {"T-1": "integer"}


def test_days_of_a_region_with_its_own_calendar_are_neither_asked_for_nor_offered():
    days = {tag: [(f"0{n}/01", 4)] for n, tag in enumerate((*FRUIT, "fa-IR"), 1)}
    build = build_of(days, answer_format="MM/DD")
    said = "nobody can tell whether people there counted in their own calendar"
    assert loss_of(build, "fa-IR") == ("own-calendar", said)
    assert "fa-IR" not in {tag for tag, _ in offered_to(days, "en-GB", answer_format="MM/DD")}
    questions, annotations = frames_of({"T-1": days}, answer_format="MM/DD")
    gregorian = questions.with_columns(en_question=pl.lit("On which Gregorian day?") + pl.col("locale"))
    assert build_mcq(gregorian, annotations, options=McqOptions(), seed=0).dropped.is_empty()


# What is offered: by the answers of China, what questions about the UK may show of them


@pytest.mark.parametrize(
    ("given", "offered"),
    [
        ([("apple", 4), ("apple pie", 3), ("red plum", 3), ("grape", 2)], {"red plum", "grape"}),
        ([("X", 3), ("grape", 2), ("Grape", 2), ([], 2)], {"grape"}),
        ([("British museum", 4), ("Seoul", 3), ("uk", 3), ("the Americas", 2), ("grape", 2)], {"grape"}),
        ([("ρύζι", 4), (["τσάι", "tea"], 3)], {"tea"}),
        ([(["jadu", "apple plum"], 3), ("grape", 2)], {"grape"}),  # an option stands for its variants
        ([("prune", 3), ("grape", 2)], {"grape"}),  # a variant of what one person said
        ([("Hawaiʻi café", 3)], {"hawaiʻi café"}),
        ([("foot golf", 3), ("ball", 3)], {"foot golf", "ball"}),
    ],
)
def test_what_is_offered_about_a_region(given, offered):
    answers = {**FRUIT, "en-GB": [("apple", 4), (["damsons", "Prune"], 1), ("football", 1)], "zh-CN": given}
    assert {text for tag, text in offered_to(answers, "en-GB") if tag == "zh-CN"} == offered


@pytest.mark.parametrize(
    ("answer_format", "given", "offered"),
    [
        ("integer", ["1", "01", "3", "10", "11", "5"], {"10", "11", "5"}),
        (
            "HH:MM",
            ["7:00", "8:00", "9:00 PM", "10:00", "11:00", "12:00"],
            {"08:00", "21:00", "10:00", "11:00", "12:00"},
        ),
    ],
)
def test_numbers_and_times_are_compared_by_value(answer_format, given, offered):
    answers = {tag: [(text, 3)] for tag, text in zip({**GRAPE, "id-ID": []}, given, strict=True)}
    if answer_format == "integer":
        answers["en-GB"].append(("2 to 4", 1))
    assert {text for _, text in offered_to(answers, "en-GB", answer_format=answer_format)} == offered


def test_locales_of_one_region_are_one_region_and_a_region_within_another_is_no_other():
    answers = {**FRUIT, "zh-SG": [("grape", 3)], "ms-SG": [("durian", 3), ("plum", 1)], "ta-SG": [("fig", 3)]}
    for row in build_of(answers).mcqs.iter_rows(named=True):
        assert len({tag.split("-")[1] for tag in row["option_locales"]}) == 4
    # What another locale of the region gave is acceptable, though nobody asks it.
    assert {text for _, text in offered_to(answers, "zh-SG")} == {"apple", "pear", "dates"}
    within = {**FRUIT, "id-ID": [("rice", 4)], "su-JB": [("tea", 4)]}
    origins = {tag: {origin for origin, _ in shown_to(build_of(within), tag)} for tag in ("id-ID", "su-JB")}
    assert "su-JB" not in origins["id-ID"]
    assert "id-ID" not in origins["su-JB"]
    assert {"id-ID", "su-JB"} <= {tag for tag, _ in offered_to(within, "ko-KR")}


@pytest.mark.parametrize(
    ("more", "left"),
    [
        ({"ko-KR": [("apple pie", 3)], "ar-DZ": [("dates", 3), ("fig", 1)]}, "2 of 3"),
        ({"ko-KR": [("pear", 3)], "ar-DZ": [("pears", 3)]}, "3 of 3"),
        ({"en-GB": [("apple", 4), ("♥", 1)], "zh-CN": [("grape", 3)]}, "0 of 4"),
    ],
)
def test_short_questions_say_why(more, left):
    build = build_of({**FRUIT, **more}, options=McqOptions(unread="keep"))
    side_by_side = " that may stand side by side" if left == "3 of 3" else ""
    said = f"{left} other regions have an option left, 3 are needed{side_by_side}"
    assert loss_of(build, "en-GB") == ("short", said)


# The reserve: answers of few people, for questions that are short without them

SHORT = {"en-GB": [("apple", 4)], "en-US": [("pear", 3)], "ko-KR": [("plum", 3)], "ar-DZ": [("fig", 1)]}


def test_a_question_that_is_short_takes_from_the_reserve_before_what_is_proposed():
    assert shown_to(build_of(SHORT), "en-GB") == {("en-US", "pear"), ("ko-KR", "plum"), ("ar-DZ", "fig")}
    assert ("es-MX", "mango") not in shown_to(build_of({**FRUIT, "es-MX": [("mango", 1)]}), "en-GB")
    assert build_of(SHORT, options=McqOptions(distractor_reserve_votes=2)).n_mcqs == 0
    # Nor is it taken from a region that has an option of its own, as long as that may be shown.
    own = {**SHORT, "ko-KR": [("plum", 3), ("persimmon", 1)]}
    assert ("ko-KR", "persimmon") not in shown_to(build_of(own), "en-GB")
    acceptable = {**own, "en-GB": [("apple", 4), ("plum", 1)]}
    assert ("ko-KR", "persimmon") in shown_to(build_of(acceptable), "en-GB")
    kiwi = verdicts_of({"option": "kiwi", "verdict": "proposed", "with": "GR"})
    assert ("el-GR", "kiwi") not in shown_to(build_of(SHORT, verdicts=kiwi), "en-GB")
    still_short = {tag: groups for tag, groups in SHORT.items() if tag != "ko-KR"}
    shown = shown_to(build_of(still_short, verdicts=kiwi), "en-GB")
    assert shown == {("en-US", "pear"), ("ar-DZ", "fig"), ("el-GR", "kiwi")}


@pytest.mark.parametrize(
    ("answer_format", "given"),
    [
        ("text", "apple pear plum apples"),
        ("text", "apple pear plum n/a"),
        ("integer", "7 8 9 30"),
        ("HH:MM", "07:00 08:00 09:00 10:00"),
        ("MM/DD", "07/01 08/01 09/01 10/01"),
    ],
)
def test_the_reserve_passes_the_same_rules_and_numbers_have_none(answer_format: str, given: str):
    answers = {
        tag: [(text, votes)] for tag, text, votes in zip(SHORT, given.split(), (4, 3, 3, 1), strict=True)
    }
    build = build_of(answers, answer_format=answer_format)
    assert build.mcqs.filter(locale="en-GB").is_empty()


# Order, ids and words, for any answers

WORDS = ["apple", "pear", "plum", "dates", "grape", "fig", "red apple", "pear juice"]
TAGS = ["en-GB", "en-US", "ko-KR", "ar-DZ", "zh-CN", "id-ID", "el-GR"]
ANSWERS = st.lists(st.tuples(st.sampled_from(WORDS), st.integers(1, 5)), min_size=1, max_size=3)
TEMPLATES = st.dictionaries(
    st.sampled_from(["T-1", "T-2", "T-3"]),
    st.dictionaries(st.sampled_from(TAGS), ANSWERS, min_size=4),
    min_size=1,
)


@pytest.mark.landing
@settings(max_examples=examples(25), deadline=None)
@given(TEMPLATES, st.integers(0, 9))
def test_the_order_of_the_input_is_irrelevant(templates, shuffle_seed):
    # The answers of a question come most votes first.
    frames = frames_of(
        {
            template_id: {tag: sorted(groups, key=lambda group: -group[1]) for tag, groups in answers.items()}
            for template_id, answers in templates.items()
        }
    )
    shuffled = (frame.sample(fraction=1, shuffle=True, seed=shuffle_seed) for frame in frames)
    build, again = (build_mcq(*tables, options=McqOptions(), seed=3) for tables in (frames, shuffled))
    assert_frame_equal(again.mcqs, build.mcqs)
    assert_frame_equal(again.dropped, build.dropped)


@pytest.mark.landing
def test_a_locale_is_asked_in_the_same_words_once():
    questions, annotations = frames_of({"T-1": FRUIT | {"en-GB": [("fig", 2)]}, "T-2": FRUIT, "T-3": FRUIT})
    questions = questions.with_columns(en_question=pl.lit("What do people eat?"))
    build = build_mcq(questions, annotations, options=McqOptions(), seed=0)
    # No majority in the UK for T-1, which leaves it to T-2.
    rows = build.mcqs.group_by("locale").agg(pl.col("template_id").unique().sort()).rows()
    assert dict(rows) == {"en-GB": ["T-2"], "en-US": ["T-1"], "ko-KR": ["T-1"], "ar-DZ": ["T-1"]}
    lost = build.dropped.filter(template_id="T-3", locale="en-GB").select("reason", "detail").row(0)
    assert lost == ("asked-already", "T-2 asks it in the same words")


@pytest.mark.slow
def test_ids_name_template_and_split_and_follow_the_options():
    answers = {**FRUIT, "ms-SG": [("durian", 3)]}
    rows = build_of(answers).mcqs
    assert rows["mcq_id"].is_unique().all()
    assert rows["mcq_id"].str.contains(r"^T-1_(GB|US|KR|DZ|SG_ms)_[0-9a-f]{8}$").all()
    # Recorded letters mean an order, so that the same options in another one have another id.
    before, again = (build_of(FRUIT, seed=seed).mcqs for seed in (0, 1))
    assert before["options"].list.sort().to_list() == again["options"].list.sort().to_list()
    of_order = dict(zip(before["mcq_id"], before["options"].to_list(), strict=True))
    assert not [
        one
        for one, options in again.select("mcq_id", "options").iter_rows()
        if of_order.get(one, options) != options
    ]
    assert set(again["mcq_id"]) != set(before["mcq_id"])
    # An id is published: it stays while its options and their order stay.
    pinned = ["T-1_GB_4e474a56", "T-1_US_671b2f7e", "T-1_KR_b61ebf60", "T-1_DZ_e0fbf051"]
    assert before["mcq_id"].to_list() == pinned
