"""Which three options stand together, what judges say of them, and where the correct answer stands."""

from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.builders.mcq import build_mcq
from blend.builders.mcq.published_mcqs import balanced_positions
from blend.schemas.recipe import McqOptions
from helpers.questions.mcq_inputs import FRUIT, RULES, Says, build_of, frames_of, shown_to, verdicts_of

MORE = {**FRUIT, "es-MX": [("mango", 3)], "zh-CN": [("grape", 3)], "el-GR": [("fig", 3)]}
MANGO_READ = verdicts_of({"locale": "en-GB", "option": "mango", "verdict": "ok"})


def shown_in(templates, tag: str, verdicts=None) -> Counter[str]:
    """How often each distractor stands in the question of T-1 about a locale, over twelve seeds."""
    frames, options = frames_of(templates), McqOptions()
    found: Counter[str] = Counter()
    for seed in range(12):
        chosen = {"options": options, "seed": seed, "judges": RULES, "verdicts": verdicts}
        rows = build_mcq(*frames, **chosen).mcqs.filter(locale=tag, template_id="T-1")
        for texts, answer in rows.select("options", "answer").iter_rows():
            found.update(text for i, text in enumerate(texts) if i != answer)
    return found


@pytest.mark.parametrize(
    ("n_further", "unread", "verdicts", "is_shown"),
    [(1, "warn", None, True), (2, "warn", None, False), (2, "warn", MANGO_READ, True), (2, "keep", None, True)],
)
def test_what_people_of_two_further_regions_gave_is_shown_once_it_was_read(
    n_further, unread, verdicts, is_shown
):
    also = {tag: [*FRUIT[tag], ("Mangoes", 1)] for tag in ("ko-KR", "ar-DZ", "en-US")[:n_further]}
    asked = {"options": McqOptions(unread=unread), "verdicts": verdicts}
    builds = [build_of({**FRUIT, "es-MX": [("mango", 3)], **also}, seed=seed, **asked) for seed in range(9)]
    assert ("mango" in {text for build in builds for _, text in shown_to(build, "en-GB")}) == is_shown


def test_it_is_shown_unread_where_a_question_needs_it():
    also = {tag: [*FRUIT[tag], ("mango", 1)] for tag in ("ko-KR", "ar-DZ")}
    build = build_of({"en-GB": [("apple", 4)], "es-MX": [("mango", 3)], **also})
    assert "mango" in {text for _, text in shown_to(build, "en-GB")}


def test_an_option_that_sounds_more_like_the_region_stands_beside_each_answer():
    templates = {"T-1": MORE, "T-2": {"en-GB": [("mango", 4), ("tea", 1)], "es-MX": [("chilli", 5)]}}
    assert shown_in(templates, "en-GB", verdicts=MANGO_READ)["mango"] == 12
    # What few people gave hides an answer that would stand out.
    rare = {**MORE, "zh-CN": [("grape", 3), ("mango", 1)]} | {"es-MX": [("papaya", 3)]}
    elsewhere = {"en-GB": [("mango", 1), ("tea", 1)], "ar-DZ": [("bread", 3)]}
    assert shown_in({"T-1": rare, "T-2": elsewhere}, "en-GB")["mango"] > 0
    # A text twice as long comes last.
    long = {"T-1": {**MORE, "es-MX": [("a mango with some chilli", 3)]}}
    assert shown_in(long, "en-GB")["a mango with some chilli"] == 0


def test_each_further_option_that_sounds_more_like_the_region_takes_the_last_place_in_a_question_of_its_own():
    # Britain says these elsewhere, and nobody does who offers them.
    like_britain = {"mango", "fig", "grape"}
    elsewhere = {"en-GB": [(fruit, 4) for fruit in sorted(like_britain)], "ar-DZ": [("bread", 5)]}
    frames = frames_of({"T-1": {**MORE, "en-GB": [("apple", 5)]}, "T-2": elsewhere})
    read = verdicts_of(*({"locale": "en-GB", "option": fruit, "verdict": "ok"} for fruit in like_britain))
    asked = {"options": McqOptions(rungs=True), "judges": RULES, "verdicts": read}
    counts = Counter[int]()
    for seed in range(6):
        build = build_mcq(*frames, **asked, seed=seed)
        texts = build.mcqs.filter(locale="en-GB")["options"].to_list()
        wrong = [set(options) - {"apple"} for options in texts]
        counts[len(wrong)] += 1
        # Two stay, and of those like Britain each that is not among them stands beside them once.
        shared = set.intersection(*wrong) if len(wrong) > 1 else {"mango", "fig"}
        assert sorted(fruit for one in wrong for fruit in one - shared) == sorted(like_britain - shared)
        assert all(len(shared & one) == 2 for one in wrong)
        # Statements are those of the first question, so that none is asked twice.
        statements = pl.concat(build.true_false_batches()).filter(locale="en-GB")["option"]
        assert sorted(statements) == sorted(texts[0])
    assert counts.keys() == {1, 2, 3}
    # What nobody has read has no question of its own.
    unread = build_mcq(*frames, options=McqOptions(), judges=RULES, seed=0).mcqs
    assert not unread.select("template_id", "locale").is_duplicated().any()


def test_of_two_correct_answers_the_one_is_asked_for_that_does_not_stand_out():
    # Britain says apple everywhere, and mango more often than plum.
    elsewhere = {"en-GB": [("apple", 6), ("mango", 2), ("tea", 2)], "es-MX": [("chilli", 5)]}
    frames = frames_of({"T-1": {**MORE, "en-GB": [("apple", 3), ("plum", 3)]}, "T-2": elsewhere})
    for seed in range(6):
        chosen = {"options": McqOptions(), "seed": seed, "judges": RULES, "verdicts": MANGO_READ}
        rows = build_mcq(*frames, **chosen).mcqs.filter(locale="en-GB", template_id="T-1")
        [(texts, answer)] = rows.select("options", "answer").iter_rows()
        assert texts[answer] == "plum"


def test_a_number_between_those_given_is_shown_only_where_there_are_no_others():
    times = {"en-GB": [("20:00", 3), ("21:00", 1)], "en-US": [("20:30", 3)], "ko-KR": [("17:00", 3)]}
    times |= {"ar-DZ": [("18:00", 3)], "zh-CN": [("22:00", 3)]}
    build = build_of(times, answer_format="HH:MM")
    assert {text for _, text in shown_to(build, "en-GB")} == {"17:00", "18:00", "22:00"}
    del times["zh-CN"]
    build = build_of(times, answer_format="HH:MM")
    assert {text for _, text in shown_to(build, "en-GB")} == {"17:00", "18:00", "20:30"}


@pytest.mark.slow
def test_a_number_is_seldom_always_at_one_place():
    numbers = {tag: [(str(n), 3)] for tag, n in zip(MORE, (40, 10, 20, 30, 50, 60, 70), strict=True)}
    frames = frames_of({f"T-{n}": numbers for n in range(60)}, answer_format="integer")
    rows = build_mcq(*frames, options=McqOptions(), seed=0, judges=RULES).mcqs.filter(locale="en-GB")
    larger = Counter(sum(int(text) > 40 for text in texts) for texts in rows["options"])
    assert max(larger.values()) < 40
    assert min(larger[n] for n in range(3)) > 5


# Judges


SPORTS = {
    "en-GB": [("football", 4)],
    "en-US": [("basketball", 4)],
    "ko-KR": [("soccer", 3)],
    "ar-DZ": [("running", 3)],
    "zh-CN": [("table tennis", 3)],
}


def test_a_judge_sees_what_the_words_do_not_show():
    judge = Says("expert", {("football", "soccer"): True, ("running", "table tennis"): True})
    build = build_of(SPORTS, judges=(judge,))
    # Neither about the region whose answer it is, nor side by side elsewhere.
    assert ("ko-KR", "soccer") not in shown_to(build, "en-GB")
    for options in build.mcqs["options"]:
        assert not {"football", "soccer"} <= set(options)
        assert not {"running", "table tennis"} <= set(options)
    assert ("expert", 2, 0) in build.deciders.select("judge", "same", pl.lit(0)).rows()


def test_judges_are_asked_once_and_only_about_pairs_that_matter():
    judge = Says("expert")
    answers = {**SPORTS, "zh-CN": [("football match", 3)]}
    build_of(answers, judges=(judge,))
    assert len(judge.asked) == len(set(judge.asked))
    assert ("football", "football match") not in judge.asked


def test_judges_are_not_asked_about_numbers_nor_in_paper_mode():
    judge = Says("expert")
    numbers = {"en-GB": [("1", 3)], "en-US": [("2", 3)], "ko-KR": [("3", 3)], "ar-DZ": [("4", 3)]}
    assert build_of(numbers, answer_format="integer", judges=(judge,)).n_mcqs == 4
    build_of(SPORTS, judges=(judge,), options=McqOptions(mode="paper"))
    assert judge.asked == []


# Positions


IDS = st.sets(st.text("abc", min_size=1, max_size=6), max_size=40)


@given(IDS, st.integers(0, 3))
def test_every_position_is_as_frequent_as_any_other(ids: set[str], seed: int):
    named = [(tag, one) for one in sorted(ids) for tag in ("ko-KR", "ar-DZ")]
    placed = balanced_positions(named, seed)
    counts = Counter(position for (tag, _), position in placed.items() if tag == "ko-KR")
    assert placed == balanced_positions(named[::-1], seed)
    assert max(counts[i] for i in range(4)) - min(counts[i] for i in range(4)) <= 1
