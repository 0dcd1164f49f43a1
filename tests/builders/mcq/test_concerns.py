"""Judges that can tell which answers they know decide the same as if they were asked about every pair."""

from datetime import date
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from blend.builders.judges import DecisionsJudge
from blend.builders.judges.equivalence import LexicalJudge
from blend.builders.judges.panel import JudgePanel
from blend.builders.mcq import build_mcq
from blend.loaders.responses.decisions import Decision
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


def test_of_which_pairs_judges_know():
    known, more = judge_of({("apple", "pear"): "same"}), judge_of({("apple", "fig"): "different"})
    both = JudgePanel((known, LexicalJudge(), more)).partners
    assert both is not None
    assert (both["Apple "], both["pear"], both["plum"]) == ({"fig", "pear"}, {"apple"}, frozenset())
    assert JudgePanel((LexicalJudge(),)).partners == {}
    assert JudgePanel((LexicalJudge(), AskedAboutAll(known))).partners is None
