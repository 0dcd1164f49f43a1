"""Answer spread: in how many other regions people gave the correct answer as well."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blend.builders.mcq import build_mcq
from blend.builders.mcq.answer_spread import UNIVERSAL_FROM
from blend.schemas.recipe import McqOptions
from blend.schemas.rows import AnswerSpread
from helpers.examples import examples
from helpers.questions.mcq_inputs import FRUIT, build_of, frames_of, loss_of, right_answers

TAGS = ["en-GB", "en-US", "ko-KR", "ar-DZ", "zh-CN", "es-MX", "el-GR", "fa-IR", "am-ET", "az-AZ"]
WORDS = ["apple", "pear", "plum", "dates", "grape", "fig", "red apple", "pear juice"]


def spread_of(build, tag):
    (spread,) = set(build.frame().filter(locale=tag)["answer_spread"])
    return spread


def with_others(n, elsewhere=None, *, gold="mango"):
    """A region, and nine others of which so many gave its answer as well, by one vote each beside their own."""
    own = ["kiwi", "plum", "dates", *["fig"] * 6]
    also = (gold if elsewhere is None else elsewhere, 1)
    others = {
        tag: [(text, 3), also] if number < n else [(text, 3)]
        for number, (tag, text) in enumerate(zip(reversed(TAGS), own, strict=False))
    }
    return {"en-GB": [(gold, 4)], **others}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_others", "spread"),
    [(0, "specific"), (1, "shared"), (5, "shared"), (6, "universal"), (9, "universal")],
)
def test_other_regions_that_gave_the_answer_are_counted(n_others, spread):
    assert UNIVERSAL_FROM == 6
    assert spread_of(build_of(with_others(n_others)), "en-GB") == spread


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gold", "elsewhere", "spread"),
    [
        ("mango", "Mangoes", "shared"),
        ("ice cream", "icecream", "shared"),
        ("ice cream", "cream", "specific"),
        ("mango", ("fruit", "mango"), "shared"),  # a variant
        (("mango", "fruit"), "fruit", "shared"),
    ],
)
def test_answers_are_the_same_by_base_forms_of_any_variant(gold, elsewhere, spread):
    answers = with_others(1, elsewhere, gold=gold)
    assert spread_of(build_of(answers), "en-GB") == spread


@pytest.mark.parametrize(("elsewhere", "spread"), [("7", "shared"), ("7.0", "shared"), ("5 to 9", "specific")])
def test_numbers_are_the_same_by_value(elsewhere, spread):
    answers = {tag: [(str(number), 4)] for tag, number in zip(TAGS, (7, 20, 30, 40, 50), strict=False)}
    answers["ko-KR"].append((elsewhere, 1))
    assert spread_of(build_of(answers, answer_format="integer"), "en-GB") == spread


@pytest.mark.slow
def test_what_lies_in_the_region_is_no_other_region_and_locales_of_a_region_count_once():
    answers = FRUIT | {"id-ID": [("rice", 4)], "su-JB": [("rice", 4)]}
    assert spread_of(build_of(answers), "id-ID") == "specific"
    answers = FRUIT | {tag: [("durian", 3)] for tag in ("ms-SG", "zh-SG", "ta-SG")}
    assert spread_of(build_of(answers), "ms-SG") == "specific"


@pytest.mark.slow
def test_each_correct_answer_has_a_spread_of_its_own():
    answers = FRUIT | {"en-GB": [("apple", 3), ("fig", 3)], "el-GR": [("grape", 3), ("fig", 1)]}
    builds = (build_of(answers, seed=seed).frame().filter(locale="en-GB") for seed in range(9))
    golds = pl.concat(builds).select(pl.col("options").list.get(pl.col("answer")), "answer_spread").unique()
    assert dict(golds.rows()) == {"apple": "specific", "fig": "shared"}
    only = build_of(answers, options=McqOptions(specific_only=True))
    assert right_answers(only, "en-GB") == {"apple"}


@pytest.mark.slow
def test_a_region_without_a_specific_answer_is_reported():
    build = build_of(with_others(2), options=McqOptions(specific_only=True))
    assert loss_of(build, "en-GB") == ("not-specific", "people of 2 other regions gave 'mango' as well")
    build = build_of(with_others(1), options=McqOptions(specific_only=True))
    assert loss_of(build, "en-GB") == ("not-specific", "people of 1 other region gave 'mango' as well")


def test_paper_mode_says_nothing():
    assert build_of(FRUIT, options=McqOptions(mode="paper")).frame()["answer_spread"].to_list() == [None] * 4


ANSWERS = st.lists(st.tuples(st.sampled_from(WORDS), st.integers(1, 5)), min_size=1, max_size=3)
TEMPLATES = st.dictionaries(
    st.sampled_from(["T-1", "T-2"]), st.dictionaries(st.sampled_from(TAGS), ANSWERS, min_size=4), min_size=1
)


def ordered(templates):
    """The answers of a question come most votes first."""
    return {
        template_id: {tag: sorted(groups, key=lambda group: -group[1]) for tag, groups in answers.items()}
        for template_id, answers in templates.items()
    }


@pytest.mark.nightly
@pytest.mark.slow
@settings(max_examples=examples(25), deadline=None)
@given(TEMPLATES, st.integers(0, 9))
def test_specific_questions_are_those_that_nobody_else_answers_so(templates, seed):
    frames = frames_of(ordered(templates))
    every = build_mcq(*frames, options=McqOptions(), seed=3).frame()
    alone = []
    for row in every.iter_rows(named=True):
        of_template = templates[row["template_id"]]
        gold = row["options"][row["answer"]]
        n = sum(gold in dict(answers) for tag, answers in of_template.items() if tag != row["locale"])
        expected = AnswerSpread.UNIVERSAL if n >= 6 else AnswerSpread.SHARED if n else AnswerSpread.SPECIFIC
        assert row["answer_spread"] == expected
        votes = [count for _, count in of_template[row["locale"]]]
        if not n and votes.count(max(votes)) == 1:
            alone.append(row["mcq_id"])
    shuffled = [frame.sample(fraction=1, shuffle=True, seed=seed) for frame in frames]
    only = build_mcq(*shuffled, options=McqOptions(specific_only=True), seed=3).frame()
    assert set(only["answer_spread"]) <= {"specific"}
    # A region with one correct answer is asked the same questions, or none.
    assert set(alone) <= set(only["mcq_id"])
    asked = every.filter(answer_spread="specific").select("template_id", "locale").unique()
    assert set(only.select("template_id", "locale").iter_rows()) == set(asked.iter_rows())
