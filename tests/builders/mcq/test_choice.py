"""Which three options stand together, and where the correct answer stands."""

from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.builders.mcq import build_mcq
from blend.builders.mcq.keyness import Keyness, answer_index
from blend.builders.mcq.published_mcqs import balanced_positions
from blend.schemas.frames import EXCLUSIONS
from blend.schemas.recipe import McqOptions
from helpers.questions.mcq_inputs import FRUIT, RULES, build_of, frames_of, loss_of, offered_to, shown_to

MORE = {**FRUIT, "es-MX": [("mango", 3)], "zh-CN": [("grape", 3)], "el-GR": [("fig", 3)]}


def shown_in(templates, tag: str, seeds: int = 12, exclusions=None) -> Counter[str]:
    """How often each distractor stands in the question of T-1 about a locale, over some seeds."""
    frames, options = frames_of(templates), McqOptions()
    found: Counter[str] = Counter()
    for seed in range(seeds):
        chosen = {"options": options, "seed": seed, "judges": RULES, "exclusions": exclusions}
        rows = build_mcq(*frames, **chosen).frame().filter(locale=tag, template_id="T-1")
        for texts, answer in rows.select("options", "answer").iter_rows():
            found.update(text for i, text in enumerate(texts) if i != answer)
    return found


def test_keyness_by_hand():
    # Korea says rice in three of four votes, Britain in one of four.
    elsewhere = {"ko-KR": [("rice", 3), ("soup", 1)], "en-GB": [("rice", 1), ("bread", 3)]}
    known = Keyness(answer_index(frames_of({"T-2": elsewhere})[1]))
    assert known.of("T-1", "rice", "ko-KR", "en-GB") > 0 > known.of("T-1", "bread", "ko-KR", "en-GB")
    # Votes of the template itself do not count: then nobody has said anything.
    assert known.of("T-2", "rice", "ko-KR", "en-GB") == known.of("T-2", "bread", "ko-KR", "en-GB")
    assert known.of("T-1", "?", "ko-KR", "en-GB") == 0


def test_an_option_that_sounds_more_like_the_region_stands_beside_each_answer():
    templates = {"T-1": MORE, "T-2": {"en-GB": [("mango", 4), ("tea", 1)], "es-MX": [("chilli", 5)]}}
    read = [{"template_id": "T-1", "locale": "en-GB", "kind": "ok", "reviewer": "r1"}]
    verdicts = pl.DataFrame([{**row, "option": "mango"} for row in read], EXCLUSIONS)
    assert shown_in(templates, "en-GB", exclusions=verdicts)["mango"] == 12


def test_of_two_correct_answers_the_one_is_asked_for_that_does_not_stand_out():
    # Britain says apple everywhere, and mango more often than plum.
    elsewhere = {"en-GB": [("apple", 6), ("mango", 2), ("tea", 2)], "es-MX": [("chilli", 5)]}
    templates = {"T-1": {**MORE, "en-GB": [("apple", 3), ("plum", 3)]}, "T-2": elsewhere}
    row = {"template_id": "T-1", "locale": "en-GB", "option": "mango", "kind": "ok", "reviewer": "r1"}
    verdicts = pl.DataFrame([row], EXCLUSIONS)
    for seed in range(6):
        made = build_mcq(
            *frames_of(templates), options=McqOptions(), seed=seed, judges=RULES, exclusions=verdicts
        )
        [(texts, answer)] = (
            made.frame().filter(locale="en-GB", template_id="T-1").select("options", "answer").iter_rows()
        )
        assert texts[answer] == "plum"


def test_what_few_people_gave_hides_an_answer_that_would_stand_out():
    rare = {**MORE, "zh-CN": [("grape", 3), ("mango", 1)]} | {"es-MX": [("papaya", 3)]}
    templates = {"T-1": rare, "T-2": {"en-GB": [("mango", 1), ("tea", 1)], "ar-DZ": [("bread", 3)]}}
    assert shown_in(templates, "en-GB")["mango"] > 0


@pytest.mark.parametrize(("votes", "is_shown"), [(1, True), (2, False)])
def test_what_two_people_gave_elsewhere_is_not_shown_until_somebody_has_read_it(votes: int, is_shown: bool):
    # One person alone may have typed it under the wrong question.
    templates = {"T-1": MORE, "T-2": {"en-GB": [("mango", votes), ("tea", 3)], "es-MX": [("chilli", 5)]}}
    assert (shown_in(templates, "en-GB")["mango"] > 0) == is_shown
    row = {"template_id": "T-1", "locale": "en-GB", "option": "mango", "kind": "ok", "reviewer": "r1"}
    assert shown_in(templates, "en-GB", exclusions=pl.DataFrame([row], EXCLUSIONS))["mango"] > 0


def test_a_stray_answer_to_another_question_takes_no_question_away():
    stray = {"T-1": FRUIT, "T-2": {"ko-KR": [("tea", 4), ("apple", 1), ("pear", 1), ("dates", 1)]}}
    assert shown_in(stray, "ko-KR", seeds=1).total() == 3


def test_a_text_twice_as_long_comes_last():
    templates = {"T-1": {**MORE, "es-MX": [("a mango with some chilli", 3)]}}
    assert shown_in(templates, "en-GB")["a mango with some chilli"] == 0


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
    rows = build_mcq(*frames, options=McqOptions(), seed=0, judges=RULES).frame().filter(locale="en-GB")
    larger = Counter(sum(int(text) > 40 for text in texts) for texts in rows["options"])
    assert max(larger.values()) < 40
    assert min(larger[n] for n in range(3)) > 5


def test_times_near_one_that_a_region_refused_are_not_offered_by_it():
    times = {"en-GB": [("20:00", 3)], "as-AS": [("08:00", 3), ("08:30", 2), ("09:00", 2), ("21:30", 2)]}
    row = {"template_id": "T-1", "locale": "as-AS", "option": "08:00", "kind": "wrong", "reviewer": "r1"}
    asked = {"answer_format": "HH:MM", "exclusions": pl.DataFrame([row], EXCLUSIONS)}
    answers = {**times, "en-US": [("19:00", 3)], "ko-KR": [("18:00", 3)]}
    assert {text for tag, text in offered_to(answers, "en-GB", **asked) if tag == "as-AS"} == {"21:30"}
    build = build_of(answers, **asked)
    assert ("as-AS", "refused-at-home", 3) in build.outcomes.rows()


def test_days_of_a_region_with_its_own_calendar_are_neither_asked_for_nor_offered():
    days = {tag: [(f"0{n}/01", 4)] for n, tag in enumerate(("en-GB", "en-US", "ko-KR", "ar-DZ", "fa-IR"), 1)}
    build = build_of(days, answer_format="MM/DD")
    said = "nobody can tell whether people there counted in their own calendar"
    assert loss_of(build, "fa-IR") == ("own-calendar", said)
    assert "fa-IR" not in {tag for tag, _ in offered_to(days, "en-GB", answer_format="MM/DD")}
    questions, annotations = frames_of({"T-1": days}, answer_format="MM/DD")
    gregorian = questions.with_columns(en_question=pl.lit("On which Gregorian day?") + pl.col("locale"))
    assert build_mcq(gregorian, annotations, options=McqOptions(), seed=0).dropped.is_empty()


IDS = st.sets(st.text("abc", min_size=1, max_size=6), max_size=40)


@given(IDS, st.integers(0, 3))
def test_every_position_is_as_frequent_as_any_other(ids: set[str], seed: int):
    placed = balanced_positions(sorted(ids), seed)
    counts = Counter(placed.values())
    assert placed == balanced_positions(sorted(ids, reverse=True), seed)
    assert max(counts[i] for i in range(4)) - min(counts[i] for i in range(4)) <= 1


def test_a_further_question_moves_few_others():
    ids = [f"q{n}" for n in range(400)]
    before, after = balanced_positions(ids, 0), balanced_positions([*ids, "one more"], 0)
    assert sum(before[one] != after[one] for one in ids) <= 3
