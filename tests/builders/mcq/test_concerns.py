"""Judges that can tell which answers they know decide the same as if they were asked about every pair."""

from datetime import date
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from blend.builders.judges import DecisionsJudge
from blend.builders.judges.equivalence import LexicalJudge
from blend.builders.judges.panel import JudgePanel, settle
from blend.builders.mcq import build_mcq
from blend.builders.mcq.answers import read_answers
from blend.builders.mcq.default import judged_pool
from blend.builders.mcq.distractors import Elsewhere
from blend.builders.mcq.variants import Rules, _Choice
from blend.builders.mcq.verdicts.exclusions import Exclusions
from blend.loaders.responses.decisions import Decision
from blend.schemas.language.locales import registry
from blend.schemas.recipe.recipe import McqOptions
from helpers.examples import examples
from helpers.questions.mcq_inputs import frames_of

WORDS = ["apple", "red apple", "pear", "pear juice", "plum", "grape", "quince", "fig"]
TAGS = ["en-GB", "en-US", "ko-KR", "ar-DZ", "zh-CN", "id-ID"]
ANSWERS = st.lists(st.tuples(st.sampled_from(WORDS), st.integers(2, 4)), min_size=1, max_size=3)
ANSWERED = st.dictionaries(st.sampled_from(TAGS), ANSWERS, min_size=4)
VERDICTS = st.dictionaries(
    st.sampled_from(list(combinations(WORDS, 2))), st.sampled_from(["same", "different"]), max_size=6
)


class AskedAboutAll:
    """The same verdicts from a judge that does not say what it knows."""

    name = "decisions"

    def __init__(self, judge: DecisionsJudge) -> None:
        self.verdicts = judge.verdicts


def judge_of(verdicts: dict[tuple[str, str], str]) -> DecisionsJudge:
    return DecisionsJudge(
        Decision(answer_a=a.upper(), answer_b=b, verdict=verdict, who="mina", when=date(2026, 11, 1))
        for (a, b), verdict in verdicts.items()
    )


@pytest.mark.nightly
@pytest.mark.slow
@settings(max_examples=examples(40))
@given(ANSWERED, VERDICTS, st.booleans(), st.sampled_from([2, "all"]))
def test_not_asking_about_what_nobody_knows_changes_nothing(answered, verdicts, first, limit):
    frames = frames_of({"T-1": {tag: sorted(groups, key=lambda g: -g[1]) for tag, groups in answered.items()}})
    known = judge_of(verdicts)
    builds = [
        build_mcq(
            *frames,
            options=McqOptions(variants=limit),
            seed=3,
            judges=(judge, LexicalJudge()) if first else (LexicalJudge(), judge),
        )
        for judge in (known, AskedAboutAll(known))
    ]
    for part in ("dropped", "deciders", "outcomes", "summary"):
        assert_frame_equal(*(getattr(build, part) for build in builds))
    assert_frame_equal(*(build.frame() for build in builds))


FEW = st.lists(st.tuples(st.sampled_from(WORDS), st.integers(1, 4)), min_size=1, max_size=5)


@pytest.mark.slow
@settings(max_examples=examples(150))
@given(
    st.dictionaries(st.sampled_from(TAGS), FEW, min_size=5),
    st.dictionaries(st.sampled_from(list(combinations(WORDS, 2))), st.just("same"), min_size=3, max_size=10),
    st.sampled_from([1, 2, 5, "all"]),
    st.booleans(),
)
def test_what_is_chosen_as_verdicts_come_in_is_chosen_once_all_are_known(
    answered, verdicts, limit, with_reserve
):
    given = {tag: sorted(groups, key=lambda g: -g[1]) for tag, groups in answered.items()}
    found, at_once = chosen_in_rounds_and_at_once(
        frames_of({"T-1": given}), McqOptions(variants=limit), verdicts, with_reserve=with_reserve
    )
    assert found == at_once


def test_a_question_that_few_peoples_answers_gave_away_is_looked_for_again():
    # Of grape and two answers of few people, all three are less British than apple. Fig is more so, and gave
    # its place up to grape, which Americans call fig as well. Only Indonesia's question tells that grape is
    # apple.
    answered = {
        "en-GB": [("apple", 4), ("quince", 1)],
        "id-ID": [("quince", 3)],
        "en-US": [(("grape", "fig"), 3)],
        "ko-KR": [("pear", 1)],
        "ar-DZ": [("plum", 1)],
        "zh-CN": [("fig", 1)],
    }
    elsewhere = {
        "en-GB": [("fig", 9), ("apple", 5)],
        "en-US": [("grape", 5)],
        "ko-KR": [("pear", 5)],
        "ar-DZ": [("plum", 5)],
    }
    found, at_once = chosen_in_rounds_and_at_once(
        frames_of({"T-1": answered, "T-2": elsewhere}),
        McqOptions(variants=1),
        {("apple", "grape"): "same"},
        with_reserve=True,
    )
    assert found["en-GB"] != []
    assert found == at_once


def chosen_in_rounds_and_at_once(frames, options, verdicts, *, with_reserve):
    """Picks about T-1 as verdicts come in, and with all of them known from the start."""
    questions, annotations = frames
    none = Exclusions(None, questions, registry(), shipped=False)
    answers, *_ = read_answers(
        questions, annotations, options=options, seed=3, exclusions=none, locales=registry()
    )
    rules = Rules(options, 3, Elsewhere.of(questions, annotations))
    judging = JudgePanel((LexicalJudge(), judge_of(verdicts)))
    pool = judged_pool(answers, judging, answers.reserve if with_reserve else ())
    choice = _Choice(pool, answers, rules, None)
    picks, known = settle(judging, choice.choose, choice.relied_on)
    return picks, _Choice(pool, answers, rules, None).choose(known)


def test_of_which_pairs_judges_know():
    known, more = judge_of({("apple", "pear"): "same"}), judge_of({("apple", "fig"): "different"})
    both = JudgePanel((known, LexicalJudge(), more)).partners
    assert both is not None
    assert (both["Apple "], both["pear"], both["plum"]) == ({"fig", "pear"}, {"apple"}, frozenset())
    assert JudgePanel((LexicalJudge(),)).partners == {}
    assert JudgePanel((LexicalJudge(), AskedAboutAll(known))).partners is None
