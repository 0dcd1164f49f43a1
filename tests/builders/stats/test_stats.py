"""Statistics on small frames whose figures are computed by hand, and what holds for every frame."""

import json
import math
from collections.abc import Iterable
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from blend.builders.stats import build_stats
from blend.builders.stats.measures import MEASURES, Stats
from blend.builders.stats.planning import power
from blend.schemas.frames import ANNOTATIONS, MCQ_ROWS, QUESTIONS
from blend.schemas.recipe import SaqOptions
from helpers.examples import examples

NOBODY: dict[str, Any] = {"idk": 0, "no-answer": 0, "not-applicable": 0, "others": []}


def questions_of(*keys: tuple[str, str], topic: str = "Food", source: str | None = "en-GB") -> pl.DataFrame:
    rows = [
        {"template_id": template, "locale": locale, "topic": topic, "source_locale": source}
        for template, locale in keys
    ]
    return pl.DataFrame(rows, schema=QUESTIONS, orient="row")


def group(count: int, *en_answers: str, answers: Iterable[str] | None = None) -> dict[str, Any]:
    return {
        "answers": list(en_answers if answers is None else answers),
        "en_answers": list(en_answers),
        "count": count,
    }


def annotation(template: str, locale: str, *groups: dict[str, Any], **idks: Any) -> dict[str, Any]:
    kinds = {name.replace("_", "-"): votes for name, votes in idks.items()}
    return {
        "template_id": template,
        "locale": locale,
        "annotations": list(groups),
        "idks": NOBODY | kinds,
        "grouping": "upstream",
        "source": f"{locale}:{template}",
    }


def annotations_of(*rows: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=ANNOTATIONS, orient="row")


# Britain: q1 has two answers (4 and 2 votes, the first in two spellings), q2 none.
# Korea: q1 has one answer (3 votes) and two non-answers, one of them in own words; q2 is not annotated.
QUESTIONS_ = questions_of(("q1", "en-GB"), ("q2", "en-GB"), ("q1", "ko-KR"), ("q2", "ko-KR"))
ANNOTATIONS_ = annotations_of(
    annotation("q1", "en-GB", group(4, "Tea", "a cup of tea"), group(2, "coffee")),
    annotation("q2", "en-GB", idk=3, no_answer=1, not_applicable=1),
    annotation(
        "q1", "ko-KR", group(3, "teas", answers=["차", "녹차"]), idk=1, others=[{"reason": "?", "count": 1}]
    ),
)


@pytest.fixture(scope="module")
def stats() -> Stats:
    return build_stats(QUESTIONS_, ANNOTATIONS_)


def mean(stats: Stats, measure: str, definition: str) -> tuple[Any, ...]:
    rows = stats.overall_means.filter(measure=measure, definition=definition)
    return rows.select("sum", "n", "mean", "mean_of_locale_means").row(0)


@pytest.mark.slow
def test_counts_per_locale_in_registry_order(stats):
    counts = ("questions", "without_annotations", "scored_questions", "answer_groups", "answers", "en_answers")
    assert stats.counts.select("locale", *counts, "votes").rows() == [
        ("en-GB", 2, 1, 1, 2, 3, 3, 6),
        ("ko-KR", 2, 1, 1, 1, 2, 1, 3),
    ]


def test_a_reason_counts_on_its_own_among_the_largest_votes():
    reasons = [{"reason": "a", "count": 2}, {"reason": "b", "count": 3}]
    rows = annotations_of(annotation("q1", "en-GB", group(1, "tea"), idk=1, others=reasons))
    stats = build_stats(questions_of(("q1", "en-GB")), rows)
    assert mean(stats, "max_votes", "including_idks")[0] == 3
    assert mean(stats, "non_answers", "all_keys")[0] == 6
    assert mean(stats, "non_answers", "three_keys")[0] == 1


def test_agreement_knows_how_many_annotators_were_wanted():
    six = build_stats(QUESTIONS_, ANNOTATIONS_, options=SaqOptions(wanted=6))
    # 4/6 and 3/6; 3 is not more than half of 6.
    assert mean(six, "agreement", "annotators") == pytest.approx((7 / 6, 2, 7 / 12, 7 / 12))
    assert mean(six, "agreement", "majority")[0] == 1


def test_more_votes_than_wanted_annotators_are_full_agreement():
    # The published data has one such question: six votes for a group of a question for five.
    rows = annotations_of(annotation("q1", "en-GB", group(6, "1", "3"), group(1, "2")))
    stats = build_stats(questions_of(("q1", "en-GB")), rows)
    assert mean(stats, "agreement", "annotators") == (1, 1, 1, 1)


@pytest.mark.parametrize(
    ("idks", "scored"),
    [
        ({"idk": 4}, 1),
        ({"idk": 5}, 0),
        ({"no_answer": 2}, 1),
        ({"no_answer": 2, "not_applicable": 1}, 0),
        ({"not_applicable": 3}, 0),
        ({"others": [{"reason": "not sure", "count": 9}]}, 1),
    ],
)
def test_what_scoring_skips(idks, scored):
    # Free reasons never skip a question.
    rows = annotations_of(annotation("q1", "en-GB", group(1, "tea"), **idks))
    assert build_stats(questions_of(("q1", "en-GB")), rows).counts["scored_questions"].to_list() == [scored]


def test_no_data_at_all():
    stats = build_stats(questions_of(), annotations_of())
    assert {name: frame.height for name, frame in stats.frames().items() if len(frame)} == {
        "overall_means": len(MEASURES)
    }
    assert stats.overall_means["mean"].null_count() == stats.overall_means.height


def test_json_is_plain_and_counts_are_whole(stats):
    plain = stats.to_json()
    assert json.loads(json.dumps(plain)) == plain
    sums = {(row["measure"], row["definition"]): row["sum"] for row in plain["overall_means"]}
    assert sums["max_votes", "all"] == 7
    assert type(sums["max_votes", "all"]) is int
    assert plain["lemmatiser"].startswith("simplemma-2")
    assert set(plain["definitions"]) == set(MEASURES)


WORDS = st.sampled_from(["tea", "teas", "green tea", "Rice", "rice cake", "fried-rice", "07:30", ""])
GROUPS = st.lists(
    st.builds(lambda count, en: group(count, *en), st.integers(1, 6), st.lists(WORDS, max_size=3)), max_size=4
)
LOCALES = ["en-GB", "ko-KR", "ar-DZ"]


@st.composite
def datasets(draw: st.DrawFn) -> tuple[pl.DataFrame, pl.DataFrame]:
    keys = draw(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(LOCALES)), unique=True, min_size=1))
    annotated = draw(st.lists(st.sampled_from(keys), unique=True))
    small = st.integers(0, 6)
    rows = [
        annotation(t, tag, *draw(GROUPS), idk=draw(small), no_answer=draw(small), not_applicable=draw(small))
        for t, tag in annotated
    ]
    return questions_of(*keys), annotations_of(*rows)


@pytest.mark.nightly
@settings(max_examples=examples(50), deadline=None)
@given(datasets(), st.randoms())
def test_row_order_is_irrelevant(dataset, rng):
    questions, annotations = dataset
    shuffled = build_stats(
        questions[rng.sample(range(questions.height), questions.height)],
        annotations[rng.sample(range(annotations.height), annotations.height)],
    )
    for name, frame in build_stats(questions, annotations).frames().items():
        assert_frame_equal(getattr(shuffled, name), frame, check_exact=True)


@pytest.mark.slow
@settings(max_examples=examples(50), deadline=None)
@given(datasets())
def test_locales_add_up_to_the_whole(dataset):
    stats = build_stats(*dataset)
    by_locale = stats.locale_means.group_by("measure", "definition").agg(pl.col("sum", "n").sum())
    both = stats.overall_means.join(by_locale, on=["measure", "definition"], suffix="_of_locales")
    assert both.height == stats.overall_means.height
    assert (both["n"] == both["n_of_locales"]).all()
    pairs = zip(both["sum"], both["sum_of_locales"], strict=True)
    assert all(math.isclose(a, b, abs_tol=1e-9) for a, b in pairs)


# Figures of multiple-choice questions: how many, where the right option stands, what they tell apart.


def mcqs_of(*rows: tuple[str, str, str, int, str]) -> pl.DataFrame:
    """Rows of locale, topic, template, index of the right option, and region codes of the four options."""
    return pl.DataFrame(
        [
            {
                "mcq_id": f"{template}_{i}",
                "template_id": template,
                "locale": locale,
                "topic": topic,
                "answer": answer,
                "option_regions": regions.split(),
            }
            for i, (locale, topic, template, answer, regions) in enumerate(rows)
        ],
        schema=MCQ_ROWS,
    )


MCQS = mcqs_of(
    ("ko-KR", "Food", "q1", 0, "KR GB US DZ"),
    ("ko-KR", "Food", "q1", 3, "GB US CN KR"),
    ("ko-KR", "Sport", "q2", 0, "KR GB ID CN"),
    ("en-GB", "Food", "q1", 1, "KR GB US DZ"),
)


@pytest.fixture(scope="module")
def figures() -> Stats:
    return build_stats(QUESTIONS_, ANNOTATIONS_, mcqs=MCQS)


def test_counts_per_locale_and_topic(figures):
    assert figures.mcq_counts.rows() == [
        ("en-GB", "Food", 1, 1),
        ("ko-KR", "Food", 1, 2),
        ("ko-KR", "Sport", 1, 1),
    ]


def test_the_difference_that_tells_two_models_apart():
    rows = [("ko-KR", "Food", f"q{i}", 0, "KR GB US DZ") for i in range(100)]
    told_apart = power(mcqs_of(*rows, *rows[:50], *rows[:50]).lazy()).collect()
    # 50 templates with one question and 50 with three: a question's template has (50 + 50 * 9) / 200 = 2.5, so
    # that 1 + 1.5 * 0.65 = 1.975 questions say as much as one. 2.80159 * sqrt(0.35 * 1.975 / 200) = 0.16470;
    # for 0.05 it takes (0.16470 / 0.05) ** 2 = 10.851 times as many.
    assert told_apart.rows() == [("ko-KR", 100, 200, pytest.approx(0.16470, abs=1e-5), 1086)]
