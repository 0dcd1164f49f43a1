"""Multiple-choice questions in default mode, rule by rule."""

import polars as pl
import pytest

from blend.builders.judges.equivalence import LexicalJudge, Verdict
from blend.builders.mcq.answers import template_formats
from blend.schemas.frames import MCQS
from blend.schemas.recipe import McqOptions
from helpers.questions.mcq_inputs import (
    FRUIT,
    RULES,
    build_of,
    frames_of,
    loss_of,
    offered_to,
    right_answers,
    shown_to,
)


def test_four_locales_that_agree_with_themselves_make_four_questions():
    build = build_of(FRUIT)
    rows = build.frame()
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
    ],
)
def test_a_locale_is_left_out_for_its_own_sake_only(groups, idks, loss):
    build = build_of({**FRUIT, "zh-CN": [("grape", 3)], "ko-KR": groups}, idks={"ko-KR": idks})
    assert loss_of(build, "ko-KR") == loss
    assert set(build.frame()["locale"]) == {"en-GB", "en-US", "ar-DZ", "zh-CN"}


NAMED = ("every top answer names a region, its people, its capital or its country",)


@pytest.mark.slow
def test_right_answers_that_name_a_region_are_left_out_by_option():
    answers = {**FRUIT, "ko-KR": [("Korean plum", 3)], "zh-CN": [("grape", 3)]}
    assert right_answers(build_of(answers), "ko-KR") == {"korean plum"}
    options = McqOptions(target_drop_named=True)
    assert loss_of(build_of(answers, options=options), "ko-KR") == ("names-region", *NAMED)
    # Where another one has as many votes, that one is asked about, with the option and without.
    tied = {**answers, "ko-KR": [("Korean plum", 3), ("fig", 3)]}
    for chosen in (options, McqOptions()):
        assert right_answers(build_of(tied, options=chosen), "ko-KR") == {"fig"}


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("Cadbury's, Cadbury", "cadbury"),
        ("master chef, masterchef", "masterchef"),
        ("a level, a levels, a-levels", "a level"),
        ("english literature, english language", "english literature, english language"),
        ("win, win, our player, win", "win, win, our player, win"),
    ],
)
def test_several_spellings_of_a_word_are_shown_as_one(given, shown):
    assert ("zh-CN", shown) in offered_to({**FRUIT, "zh-CN": [(given, 3)]}, "en-GB")


@pytest.mark.slow
def test_no_distractor_names_a_region_its_people_or_its_capital():
    named = [("British museum", 4), ("Seoul", 3), ("uk", 3), ("the Americas", 2), ("grape", 2)]
    answers = {**FRUIT, "zh-CN": named}
    build = build_of(answers)
    assert {text for tag, text in offered_to(answers, "en-GB") if tag == "zh-CN"} == {"grape"}
    outcomes = {outcome: n for tag, outcome, n in build.outcomes.iter_rows() if tag == "zh-CN"}
    assert outcomes == {"names-region": 4, "offered": 1}


@pytest.mark.slow
def test_options_are_in_the_script_of_the_question():
    answers = {**FRUIT, "el-GR": [("ρύζι", 4), (["τσάι", "tea"], 3)], "zh-CN": [("grape", 3)]}
    build = build_of(answers)
    assert {text for tag, text in offered_to(answers, "en-GB") if tag == "el-GR"} == {"tea"}
    assert ("el-GR", "foreign-script", 1) in build.outcomes.rows()
    said = ("foreign-script", "no top answer is written in the script of the question")
    assert loss_of(build, "el-GR") == said
    # Accents and letters that belong to no script are welcome.
    assert right_answers(build_of({**answers, "el-GR": [("Hawaiʻi café", 3)]}), "el-GR") == {"hawaiʻi café"}


def test_thresholds_are_options():
    answers = {**FRUIT, "ko-KR": [("plum", 2)]}
    idks = {"ko-KR": {"not-applicable": 1, "idk": 2}}
    lenient = McqOptions(target_min_votes=2, target_max_non_answers=3, target_max_not_applicable=1)
    assert shown_to(build_of(answers, idks=idks, options=lenient), "ko-KR")


def test_a_top_answer_without_format_is_no_right_answer():
    numbers = {"en-GB": [("many", 3)], "en-US": [("3", 3)], "ko-KR": [("4", 3)], "ar-DZ": [("5", 3)]}
    build = build_of({**numbers, "zh-CN": [("06", 3)]}, answer_format="integer")
    assert loss_of(build, "en-GB") == ("out-of-format", "no top answer has the format of the question")
    # Options are shown in the one spelling of their format.
    assert right_answers(build, "zh-CN") == {"6"}


def test_the_format_is_that_of_most_locales():
    questions, _ = frames_of({"T-1": FRUIT})
    mixed = questions.with_columns(answer_format=pl.Series(["integer", "integer", "text", "integer"]))
    assert template_formats(mixed) == {"T-1": "integer"}
    tied = questions.with_columns(answer_format=pl.Series(["integer", "integer", "text", "text"]))
    assert template_formats(tied) == {"T-1": "integer"}


# What is offered


def test_what_overlaps_with_an_answer_given_there_is_not_offered():
    answers = {**FRUIT, "ar-DZ": [("dates", 5), ("apple", 1), ("plum", 1)]}
    answers |= {"zh-CN": [("apple", 4), ("red plum", 3), ("grape", 2), ("fig", 1)]}
    assert {text for tag, text in offered_to(answers, "en-US") if tag == "zh-CN"} == {
        "apple",
        "red plum",
        "grape",
    }
    assert {text for tag, text in offered_to(answers, "en-GB") if tag == "zh-CN"} == {"red plum", "grape"}
    # Algeria accepts apples and plums.
    more = {**answers, "el-GR": [("kiwi", 3)]}
    assert {text for tag, text in offered_to(more, "ar-DZ") if tag == "zh-CN"} == {"grape"}


def test_every_variant_of_every_answer_is_acceptable():
    answers = {**FRUIT, "en-GB": [("apple", 4), (["prune", "Plum"], 1)], "zh-CN": [("grape", 3)]}
    assert ("ko-KR", "plum") not in offered_to(answers, "en-GB")


def test_what_another_locale_of_the_region_gave_is_acceptable_though_nobody_asks_it():
    answers = {**FRUIT, "en-SG": [("mango", 4)], "ms-SG": [("plum", 1)]}
    build = build_of(answers)
    assert loss_of(build, "ms-SG")[0] == "few-votes"
    assert {text for _, text in offered_to(answers, "en-SG")} == {"apple", "pear", "dates"}


def test_an_option_stands_for_its_variants():
    answers = {**FRUIT, "ko-KR": [(["jadu", "plum", "apple plum"], 3)], "zh-CN": [("grape", 3)]}
    assert ("ko-KR", "jadu") not in offered_to(answers, "en-GB")
    assert ("ko-KR", "jadu") in offered_to(answers, "en-US")


def test_overlap_is_by_words_not_by_strings():
    answers = {
        "en-GB": [("football", 4)],
        "en-US": [("American Football", 4)],
        "ko-KR": [("foot golf", 3)],
        "ar-DZ": [("ball", 3)],
        "zh-CN": [("table tennis", 3)],
    }
    build = build_of(answers)
    assert {text for _, text in offered_to(answers, "en-GB")} == {"foot golf", "ball", "table tennis"}
    assert right_answers(build, "en-US") == {"american football"}
    assert {text for _, text in offered_to(answers, "en-US")} == {"foot golf", "ball", "table tennis"}


def test_options_do_not_overlap_one_another():
    answers = {**FRUIT, "zh-CN": [("prickly pear", 3)], "id-ID": [("plum juice", 3)]}
    for row in build_of(answers).frame().iter_rows(named=True):
        texts = set(row["options"])
        assert not {"pear", "prickly pear"} <= texts
        assert not {"plum", "plum juice"} <= texts


def test_uncertain_locales_offer_nothing_but_may_be_asked():
    options = McqOptions(target_max_non_answers=5)
    answers, asked = {**FRUIT, "zh-CN": [("grape", 3)]}, {"idks": {"zh-CN": {"idk": 3}}, "options": options}
    build = build_of(answers, **asked)
    assert right_answers(build, "zh-CN") == {"grape"}
    assert "zh-CN" not in {tag for tag, _ in offered_to(answers, "en-GB", **asked)}
    assert ("zh-CN", "uncertain-question", 1) in build.outcomes.rows()


def test_placeholders_and_repetitions_are_never_offered_but_counted():
    answers = {**FRUIT, "zh-CN": [("X", 3), ("grape", 2), ("Grape", 2), ([], 2), ("fig", 1)]}
    build = build_of(answers)
    assert ("zh-CN", "grape") in offered_to(answers, "en-GB")
    outcomes = {outcome: n for tag, outcome, n in build.outcomes.iter_rows() if tag == "zh-CN"}
    assert outcomes == {"placeholder": 1, "offered": 1, "repeated": 1, "no-english": 1, "in-reserve": 1}


def test_numbers_are_compared_by_value():
    answers = {"en-GB": [("1", 3), ("2 to 4", 1)], "en-US": [("01", 3)], "ko-KR": [("3", 3)]}
    answers |= {"ar-DZ": [("10", 3)], "zh-CN": [("11", 3)], "id-ID": [("5", 3)]}
    assert {text for _, text in offered_to(answers, "en-GB", answer_format="integer")} == {"10", "11", "5"}


def test_times_that_share_minutes_differ():
    answers = {
        "en-GB": [("7:00", 3)],
        "en-US": [("8:00", 3)],
        "ko-KR": [("9:00 PM", 3)],
        "ar-DZ": [("10:00", 3)],
    }
    build = build_of(answers, answer_format="HH:MM")
    assert right_answers(build, "ko-KR") == {"21:00"}
    assert {text for _, text in offered_to(answers, "ko-KR", answer_format="HH:MM")} == {
        "07:00",
        "08:00",
        "10:00",
    }


def test_locales_of_one_region_are_one_region():
    answers = {**FRUIT, "zh-SG": [("grape", 3)], "ms-SG": [("durian", 3), ("fig", 1)], "ta-SG": [("fig", 3)]}
    build = build_of(answers)
    for row in build.frame().iter_rows(named=True):
        regions = [tag.split("-")[1] for tag in row["option_locales"]]
        assert len(set(regions)) == 4
    assert {tag for tag, _ in offered_to(answers, "zh-SG")} == set(FRUIT)


def test_one_of_tied_top_answers_is_asked_for_and_they_never_meet():
    answers = {**FRUIT, "ko-KR": [("plum", 3), ("persimmon", 3)], "zh-CN": [("grape", 3)]}
    build = build_of({**answers, "id-ID": [("fig", 3)]})
    assert len(right_answers(build, "ko-KR")) == 1
    (options,) = build.frame().filter(locale="ko-KR")["options"]
    assert len({"plum", "persimmon"} & set(options)) == 1


def test_an_acceptable_answer_without_words_rules_everything_out():
    build = build_of({**FRUIT, "en-GB": [("apple", 4), ("♥", 1)], "zh-CN": [("grape", 3)]})
    reason, detail = loss_of(build, "en-GB")
    assert reason == "short"
    assert detail == ("0 of 4 other regions have an option left, 3 are needed")


@pytest.mark.slow
def test_short_questions_say_why():
    build = build_of({**FRUIT, "ko-KR": [("apple pie", 3)], "ar-DZ": [("dates", 3), ("fig", 1)]})
    assert loss_of(build, "en-GB")[1] == ("2 of 3 other regions have an option left, 3 are needed")
    clash = build_of({**FRUIT, "ko-KR": [("pear", 3)], "ar-DZ": [("pears", 3)]})
    assert loss_of(clash, "en-GB")[1] == (
        "3 of 3 other regions have an option left, 3 are needed that may stand side by side"
    )


# Judges


class Says:
    """Answers from a table of pairs."""

    def __init__(self, name, **verdicts):
        self.name = name
        self.table = {frozenset(key.split("__")): same for key, same in verdicts.items()}
        self.asked = []

    def verdicts(self, pairs):
        self.asked += pairs
        said = [self.table.get(frozenset(text.replace(" ", "_") for text in pair)) for pair in pairs]
        return [None if same is None else Verdict(same, self.name) for same in said]


SPORTS = {
    "en-GB": [("football", 4)],
    "en-US": [("basketball", 4)],
    "ko-KR": [("soccer", 3)],
    "ar-DZ": [("running", 3)],
    "zh-CN": [("table tennis", 3)],
}


def test_a_judge_sees_what_the_words_do_not_show():
    judge = Says("expert", football__soccer=True)
    build = build_of(SPORTS, judges=(LexicalJudge(), judge))
    assert ("ko-KR", "soccer") not in shown_to(build, "en-GB")
    # Nor do the two stand side by side elsewhere.
    assert not any({"football", "soccer"} <= set(options) for options in build.frame()["options"])
    assert ("expert", 1, 0) in build.deciders.rows()


def test_judges_are_asked_once_and_only_about_pairs_that_matter():
    judge = Says("expert")
    answers = {**SPORTS, "zh-CN": [("football match", 3)]}
    build_of(answers, judges=(LexicalJudge(), judge))
    assert len(judge.asked) == len(set(judge.asked))
    assert ("football", "football match") not in judge.asked


@pytest.mark.slow
def test_a_decision_overrules_the_words():
    answers = {**SPORTS, "zh-CN": [("table football", 3)]}
    decisions = Says("decisions", football__table_football=False)
    assert ("zh-CN", "table football") not in offered_to(answers, "en-GB", judges=RULES)
    judges = (decisions, LexicalJudge())
    assert ("zh-CN", "table football") in offered_to(answers, "en-GB", judges=judges)
    build = build_of(answers, judges=judges)
    assert build.deciders.filter(judge="decisions", same=0).height == 1


def test_an_unseen_variant_is_not_overruled():
    answers = {**SPORTS, "zh-CN": [(["foosball", "table football"], 3)]}
    decisions = Says("decisions", football__foosball=False, football__table_football=False)
    assert ("zh-CN", "foosball") not in offered_to(answers, "en-GB", judges=(decisions, LexicalJudge()))


def test_a_decision_for_the_same_forbids():
    decisions = Says("decisions", running__soccer=True)
    build = build_of(SPORTS, judges=(decisions, LexicalJudge()))
    assert not any({"running", "soccer"} <= set(options) for options in build.frame()["options"])


def test_judges_are_not_asked_about_numbers():
    judge = Says("expert")
    numbers = {"en-GB": [("1", 3)], "en-US": [("2", 3)], "ko-KR": [("3", 3)], "ar-DZ": [("4", 3)]}
    assert build_of(numbers, answer_format="integer", judges=(judge,)).n_mcqs == 4
    assert judge.asked == []
