"""Multiple-choice questions in default mode, rule by rule."""

from itertools import combinations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from blend.builders.judges.equivalence import LexicalJudge, Verdict
from blend.builders.mcq import build_mcq
from blend.builders.mcq.answers import template_formats
from blend.schemas.errors import RowError, RowErrors, UnknownNameError
from blend.schemas.frames import ANNOTATIONS, FILLERS, MCQS, QUESTIONS
from blend.schemas.recipe import McqOptions

ALL = McqOptions(variants="all")
RULES = (LexicalJudge(),)


def groups_of(groups):
    return [
        {"answers": ["-"], "en_answers": [text] if isinstance(text, str) else list(text), "count": count}
        for text, count in groups
    ]


def frames_of(templates, *, idks=None, answer_format="text"):
    """Questions and annotations: by template and locale, answers (a text or variants) with their votes."""
    asked, annotated = [], []
    for template_id, answers in templates.items():
        for tag, groups in answers.items():
            asked.append(
                {
                    "template_id": template_id,
                    "topic": "Food",
                    "source_label": "",
                    "question": f"question in {tag}",
                    "en_question": "What do people eat?",
                    "locale": tag,
                    "language": tag.split("-")[0],
                    "answer_format": answer_format,
                }
            )
            none = {"idk": 0, "no-answer": 0, "not-applicable": 0, "others": []}
            annotated.append(
                {
                    "template_id": template_id,
                    "locale": tag,
                    "annotations": groups_of(groups),
                    "idks": {**none, **(idks or {}).get(tag, {})},
                    "grouping": "upstream",
                }
            )
    return pl.DataFrame(asked, schema=QUESTIONS), pl.DataFrame(annotated, schema=ANNOTATIONS)


def build_of(answers, *, options=ALL, seed=0, judges=RULES, fillers=None, **more):
    frames = frames_of({"T-1": answers}, **more)
    return build_mcq(*frames, options=options, seed=seed, judges=judges, fillers=fillers)


def shown_to(build, tag):
    """The wrong options that a locale's questions show, by locale of origin."""
    shown = set()
    for row in build.frame().filter(pl.col("locale") == tag).iter_rows(named=True):
        options = zip(row["option_locales"], row["options"], strict=True)
        shown |= {option for i, option in enumerate(options) if i != row["answer"]}
    return shown


def right_answers(build, tag):
    rows = build.frame().filter(pl.col("locale") == tag).iter_rows(named=True)
    return {row["options"][row["answer"]] for row in rows}


def loss_of(build, tag):
    return build.dropped.filter(pl.col("locale") == tag).select("reason", "detail").row(0)


FRUIT = {
    "en-GB": [("apple", 4)],
    "en-US": [("pear", 3)],
    "ko-KR": [("plum", 3)],
    "ar-DZ": [("dates", 5)],
}


# Who is asked about


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
            ("not-applicable", "1 votes for not applicable; at most 0 allowed"),
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


def test_the_most_voted_answer_that_survives_is_offered():
    answers = {**FRUIT, "ar-DZ": [("dates", 5), ("apple", 1), ("plum", 1)]}
    build = build_of({**answers, "zh-CN": [("apple", 4), ("red plum", 3), ("grape", 2), ("fig", 1)]})
    assert {text for tag, text in shown_to(build, "en-US") if tag == "zh-CN"} == {"apple"}
    assert {text for tag, text in shown_to(build, "en-GB") if tag == "zh-CN"} == {"red plum"}
    # Algeria accepts apples and plums, and is offered China's third answer.
    assert loss_of(build, "ar-DZ")[0] == "short"
    more = build_of({**answers, "zh-CN": [("apple", 4), ("grape", 2)], "el-GR": [("kiwi", 3)]})
    assert {text for tag, text in shown_to(more, "ar-DZ") if tag == "zh-CN"} == {"grape"}


def test_every_variant_of_every_answer_is_acceptable():
    answers = {**FRUIT, "en-GB": [("apple", 4), (["prune", "Plum"], 1)], "zh-CN": [("grape", 3)]}
    assert ("ko-KR", "plum") not in shown_to(build_of(answers), "en-GB")


def test_an_option_stands_for_its_variants():
    answers = {**FRUIT, "ko-KR": [(["jadu", "plum", "apple plum"], 3)], "zh-CN": [("grape", 3)]}
    build = build_of(answers)
    assert ("ko-KR", "jadu") not in shown_to(build, "en-GB")
    assert ("ko-KR", "jadu") in shown_to(build, "en-US")


def test_overlap_is_by_words_not_by_strings():
    answers = {
        "en-GB": [("football", 4)],
        "en-US": [("American Football", 4)],
        "ko-KR": [("foot golf", 3)],
        "ar-DZ": [("ball", 3)],
        "zh-CN": [("table tennis", 3)],
    }
    build = build_of(answers)
    assert {text for _, text in shown_to(build, "en-GB")} == {"foot golf", "ball", "table tennis"}
    assert right_answers(build, "en-US") == {"american football"}
    assert {text for _, text in shown_to(build, "en-US")} == {"foot golf", "ball", "table tennis"}


def test_options_do_not_overlap_one_another():
    answers = {**FRUIT, "zh-CN": [("prickly pear", 3)], "id-ID": [("plum juice", 3)]}
    for row in build_of(answers).frame().iter_rows(named=True):
        texts = set(row["options"])
        assert not {"pear", "prickly pear"} <= texts
        assert not {"plum", "plum juice"} <= texts


def test_uncertain_locales_offer_nothing_but_may_be_asked():
    options = McqOptions(target_max_non_answers=5, variants="all")
    build = build_of({**FRUIT, "zh-CN": [("grape", 3)]}, idks={"zh-CN": {"idk": 3}}, options=options)
    assert right_answers(build, "zh-CN") == {"grape"}
    assert "zh-CN" not in {tag for tag, _ in shown_to(build, "en-GB")}
    assert ("zh-CN", "uncertain-question", 1) in build.outcomes.rows()


def test_placeholders_and_repetitions_are_never_offered_but_counted():
    answers = {**FRUIT, "zh-CN": [("X", 3), ("grape", 2), ("Grape", 2), ([], 2), ("fig", 1)]}
    build = build_of(answers)
    assert ("zh-CN", "grape") in shown_to(build, "en-GB")
    outcomes = {outcome: n for tag, outcome, n in build.outcomes.iter_rows() if tag == "zh-CN"}
    assert outcomes == {"placeholder": 1, "offered": 1, "repeated": 1, "no-english": 1, "few-votes": 1}


def test_numbers_are_compared_by_value():
    answers = {"en-GB": [("1", 3), ("2 to 4", 1)], "en-US": [("01", 3)], "ko-KR": [("3", 3)]}
    answers |= {"ar-DZ": [("10", 3)], "zh-CN": [("11", 3)], "id-ID": [("5", 3)]}
    build = build_of(answers, answer_format="integer")
    assert {text for _, text in shown_to(build, "en-GB")} == {"10", "11", "5"}


def test_times_that_share_minutes_differ():
    answers = {
        "en-GB": [("7:00", 3)],
        "en-US": [("8:00", 3)],
        "ko-KR": [("9:00 PM", 3)],
        "ar-DZ": [("10:00", 3)],
    }
    build = build_of(answers, answer_format="HH:MM")
    assert right_answers(build, "ko-KR") == {"21:00"}
    assert {text for _, text in shown_to(build, "ko-KR")} == {"07:00", "08:00", "10:00"}


def test_locales_of_one_region_are_one_region():
    answers = {**FRUIT, "zh-SG": [("grape", 3)], "ms-SG": [("durian", 3), ("fig", 1)], "ta-SG": [("fig", 3)]}
    build = build_of(answers)
    for row in build.frame().iter_rows(named=True):
        regions = [tag.split("-")[1] for tag in row["option_locales"]]
        assert len(set(regions)) == 4
    assert {tag for tag, _ in shown_to(build, "zh-SG")} == set(FRUIT)


def test_tied_top_answers_take_turns_and_never_meet():
    answers = {**FRUIT, "ko-KR": [("plum", 3), ("persimmon", 3)], "zh-CN": [("grape", 3)]}
    build = build_of(answers, options=McqOptions(variants=4))
    rows = build.frame().filter(pl.col("locale") == "ko-KR")
    right = [row["options"][row["answer"]] for row in rows.iter_rows(named=True)]
    assert sorted(right) == ["persimmon", "persimmon", "plum", "plum"]
    assert right[0] == right[2] != right[1] == right[3]
    assert all(len({"plum", "persimmon"} & set(options)) == 1 for options in rows["options"])


def test_an_acceptable_answer_without_words_rules_everything_out():
    build = build_of({**FRUIT, "en-GB": [("apple", 4), ("♥", 1)], "zh-CN": [("grape", 3)]})
    reason, detail = loss_of(build, "en-GB")
    assert reason == "short"
    assert detail == (
        "0 of 4 other regions have an option left, 3 are needed; "
        "0 offer none, 4 only what an acceptable answer rules out"
    )


def test_short_questions_say_why():
    build = build_of({**FRUIT, "ko-KR": [("apple pie", 3)], "ar-DZ": [("dates", 3), ("fig", 1)]})
    assert loss_of(build, "en-GB")[1] == (
        "2 of 3 other regions have an option left, 3 are needed; "
        "0 offer none, 1 only what an acceptable answer rules out"
    )
    clash = build_of({**FRUIT, "ko-KR": [("pear", 3)], "ar-DZ": [("pears", 3)]})
    assert loss_of(clash, "en-GB")[1] == (
        "3 of 3 other regions have an option left, 3 are needed that may stand side by side; "
        "0 offer none, 0 only what an acceptable answer rules out"
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


def test_a_decision_overrules_the_words():
    answers = {**SPORTS, "zh-CN": [("table football", 3)]}
    decisions = Says("decisions", football__table_football=False)
    without = build_of(answers, judges=RULES)
    assert ("zh-CN", "table football") not in shown_to(without, "en-GB")
    build = build_of(answers, judges=(decisions, LexicalJudge()))
    assert ("zh-CN", "table football") in shown_to(build, "en-GB")
    assert ("decisions", 0, 1) in build.deciders.rows()


def test_an_unseen_variant_is_not_overruled():
    answers = {**SPORTS, "zh-CN": [(["foosball", "table football"], 3)]}
    decisions = Says("decisions", football__foosball=False, football__table_football=False)
    build = build_of(answers, judges=(decisions, LexicalJudge()))
    assert ("zh-CN", "foosball") not in shown_to(build, "en-GB")


def test_a_decision_for_the_same_forbids():
    decisions = Says("decisions", running__soccer=True)
    build = build_of(SPORTS, judges=(decisions, LexicalJudge()))
    assert not any({"running", "soccer"} <= set(options) for options in build.frame()["options"])


def test_judges_are_not_asked_about_numbers():
    judge = Says("expert")
    numbers = {"en-GB": [("1", 3)], "en-US": [("2", 3)], "ko-KR": [("3", 3)], "ar-DZ": [("4", 3)]}
    assert build_of(numbers, answer_format="integer", judges=(judge,)).n_mcqs == 4
    assert judge.asked == []


@settings(max_examples=50)
@given(st.sets(st.sampled_from(list(combinations(sorted(SPORTS), 2))), max_size=4))
def test_asking_late_gives_the_same_as_asking_first(same):
    texts = {tag: groups[0][0] for tag, groups in SPORTS.items()}
    judge = Says("expert", **{"__".join(texts[t].replace(" ", "_") for t in pair): True for pair in same})
    late = build_of(SPORTS, judges=(LexicalJudge(), judge)).frame()
    wrong = {frozenset((texts[a], texts[b])) for a, b in same}
    expected = {
        frozenset(texts[tag] for tag in chosen)
        for chosen in combinations(SPORTS, 4)
        if not any(frozenset((texts[a], texts[b])) in wrong for a, b in combinations(chosen, 2))
    }
    assert {frozenset(options) for options in late["options"]} == expected


# Fillers

ROW = {
    "template_id": "T-1",
    "locale": None,
    "option": "kiwi",
    "region": "GR",
    "reviewer": "r1",
    "why": "absent",
}


def fillers_of(*rows):
    return pl.DataFrame([{**ROW, **row} for row in rows], schema=FILLERS)


SHORT = {"en-GB": [("apple", 4)], "en-US": [("pear", 3)], "ko-KR": [("plum", 3)]}


def test_a_filler_stands_in_where_options_are_short():
    build = build_of(SHORT, fillers=fillers_of({}))
    assert sorted(build.frame()["locale"]) == ["en-GB", "en-US", "ko-KR"]
    assert ("el-GR", "kiwi") in shown_to(build, "en-GB")
    assert build.fillers.rows()[0] == ("T-1", "en-GB", "kiwi", "GR", "r1", "used")


def test_a_filler_for_one_locale():
    build = build_of(SHORT, fillers=fillers_of({"locale": "ko-KR"}))
    assert build.frame()["locale"].to_list() == ["ko-KR"]


@pytest.mark.parametrize(
    ("row", "outcome"),
    [
        ({"option": "Apple pie"}, "refused"),
        ({"option": "n/a"}, "placeholder"),
        ({"region": "GB"}, "own-region"),
        ({"region": "US"}, "refused"),
    ],
)
def test_a_filler_passes_the_same_rules(row, outcome):
    build = build_of(SHORT, fillers=fillers_of({**row, "locale": "en-GB"}))
    assert build.n_mcqs == 0
    assert build.fillers["outcome"].to_list() == [outcome]


def test_a_filler_is_not_used_where_there_are_options():
    build = build_of(FRUIT, fillers=fillers_of({}))
    assert build.fillers.rows() == [("T-1", None, "kiwi", "GR", "r1", "not-needed")]
    assert not any("kiwi" in options for options in build.frame()["options"])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"template_id": "T-9"},
            "fillers, row 1: unknown template 'T-9'; write the id of a template that is built",
        ),
        (
            {"option": " ", "reviewer": None},
            "fillers, row 1: a filler without option, reviewer; fill it in or delete the row",
        ),
    ],
)
def test_a_bad_filler_is_an_error(row, message):
    with pytest.raises(RowError) as error:
        build_of(SHORT, fillers=fillers_of(row))
    assert str(error.value) == message


def test_all_bad_fillers_at_once_with_their_places():
    rows = fillers_of({"region": "Grece"}, {"locale": "ko-KO"}).with_columns(source=pl.lit("fillers.csv:2"))
    with pytest.raises(RowErrors) as error:
        build_of(SHORT, fillers=rows)
    first, second = str(error.value).splitlines()[1:]
    assert first.startswith("fillers.csv:2: unknown locale 'Grece'; ")
    assert second.startswith("fillers.csv:2: unknown locale 'ko-KO'; did you mean 'ko-KR'? choose one of: ")


def test_an_unknown_locale_is_an_error():
    with pytest.raises(UnknownNameError, match="unknown locale 'ko-XX'; did you mean"):
        build_of({**FRUIT, "ko-XX": [("grape", 3)]})


# Order, ids, stability

PINNED_IDS = ["T-1_GB_48834ccb", "T-1_US_671b2f7e", "T-1_KR_b61ebf60", "T-1_DZ_5f8827bf"]
WORDS = ["apple", "pear", "plum", "dates", "grape", "fig", "red apple", "pear juice"]
TAGS = ["en-GB", "en-US", "ko-KR", "ar-DZ", "zh-CN", "id-ID", "el-GR"]
ANSWERS = st.lists(st.tuples(st.sampled_from(WORDS), st.integers(1, 5)), min_size=1, max_size=3)
TEMPLATES = st.dictionaries(
    st.sampled_from(["T-1", "T-2", "T-3"]),
    st.dictionaries(st.sampled_from(TAGS), ANSWERS, min_size=4),
    min_size=1,
)
LIMITS = st.sampled_from([1, 3, 5, "all"])


def ordered(templates):
    """The answers of a question come most votes first."""
    return {
        template_id: {tag: sorted(groups, key=lambda group: -group[1]) for tag, groups in answers.items()}
        for template_id, answers in templates.items()
    }


@settings(max_examples=60, deadline=None)
@given(TEMPLATES, LIMITS, st.integers(0, 9))
def test_the_order_of_the_input_is_irrelevant(templates, limit, shuffle_seed):
    questions, annotations = frames_of(ordered(templates))
    options = McqOptions(variants=limit)
    build = build_mcq(questions, annotations, options=options, seed=3)
    shuffled = build_mcq(
        questions.sample(fraction=1, shuffle=True, seed=shuffle_seed),
        annotations.sample(fraction=1, shuffle=True, seed=shuffle_seed),
        options=options,
        seed=3,
    )
    assert_frame_equal(shuffled.frame(), build.frame())
    assert_frame_equal(shuffled.dropped, build.dropped)
    assert_frame_equal(shuffled.outcomes, build.outcomes)


@settings(max_examples=60, deadline=None)
@given(TEMPLATES, LIMITS, st.sampled_from(TAGS))
def test_a_locale_whose_answers_are_not_drawn_changes_no_options(templates, limit, joining):
    templates = ordered(templates)
    without = {t: {tag: a for tag, a in answers.items() if tag != joining} for t, answers in templates.items()}
    options = McqOptions(variants=limit)
    before = build_mcq(*frames_of(without), options=options, seed=3).frame()
    after = build_mcq(*frames_of(templates), options=options, seed=3).frame()
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


@settings(max_examples=60, deadline=None)
@given(TEMPLATES, LIMITS)
def test_positions_differ_by_one_at_most_in_every_locale(templates, limit):
    rows = build_mcq(*frames_of(ordered(templates)), options=McqOptions(variants=limit), seed=3).frame()
    for _, mine in rows.group_by("locale"):
        counts = [mine.filter(pl.col("answer") == position).height for position in range(4)]
        assert max(counts) - min(counts) <= 1


def test_ids_name_template_and_split_and_follow_the_options():
    answers = {**FRUIT, "ms-SG": [("durian", 3)]}
    rows = build_of(answers).frame()
    assert rows["mcq_id"].is_unique().all()
    assert rows["mcq_id"].str.contains(r"^T-1_(GB|US|KR|DZ|SG_ms)_[0-9a-f]{8}$").all()
    again = build_of(answers, seed=1).frame()
    # The same options make the same id, in whatever order they are shown.
    assert set(again["mcq_id"]) == set(rows["mcq_id"])
    assert again["options"].to_list() != rows["options"].to_list()


def test_ids_are_pinned():
    # An id is published: it stays while its options stay.
    rows = build_of(FRUIT).frame()
    assert rows["mcq_id"].to_list() == PINNED_IDS


def test_nothing_at_all():
    questions, annotations = frames_of({})
    build = build_mcq(questions, annotations, options=McqOptions(), seed=0)
    assert build.n_mcqs == 0
    assert list(build.batches()) == []
    assert build.frame().schema == MCQS


def test_a_region_offers_nothing_to_the_one_that_contains_it_or_lies_in_it():
    # West Java lies in Indonesia; South Korea, the UK and the US do not.
    answers = {
        "id-ID": [("rice", 4)],
        "su-JB": [("tea", 4)],
        "ko-KR": [("plum", 4)],
        "en-GB": [("apple", 4)],
        "en-US": [("pear", 4)],
    }
    build = build_of(answers)
    origins = {tag: {origin for origin, _ in shown_to(build, tag)} for tag in answers}
    assert "su-JB" not in origins["id-ID"]
    assert "id-ID" not in origins["su-JB"]
    assert {"id-ID", "su-JB"} <= origins["ko-KR"]
