"""Figures of multiple-choice questions: how many, where the right option stands, what they tell apart."""

from functools import partial

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blend.builders.stats.mcq import CORRELATION, DISAGREEMENT, McqStats, mcq_stats
from blend.schemas.frames import MCQ_ROWS
from helpers.examples import examples


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
def figures() -> McqStats:
    return mcq_stats(MCQS)


def test_counts_per_locale_and_topic(figures):
    assert figures.counts.rows() == [
        ("en-GB", "Food", 1, 1),
        ("ko-KR", "Food", 1, 2),
        ("ko-KR", "Sport", 1, 1),
    ]


def test_positions_of_the_right_option(figures):
    assert figures.positions.rows() == [
        ("en-GB", "A", 0, 0.0),
        ("en-GB", "B", 1, 1.0),
        ("en-GB", "C", 0, 0.0),
        ("en-GB", "D", 0, 0.0),
        ("ko-KR", "A", 2, pytest.approx(2 / 3)),
        ("ko-KR", "B", 0, 0.0),
        ("ko-KR", "C", 0, 0.0),
        ("ko-KR", "D", 1, pytest.approx(1 / 3)),
    ]


def test_the_difference_that_tells_two_models_apart():
    rows = [("ko-KR", "Food", f"q{i}", 0, "KR GB US DZ") for i in range(100)]
    figures = mcq_stats(mcqs_of(*rows, *rows[:50], *rows[:50]))
    # 50 templates with one question and 50 with three: a question's template has (50 + 50 * 9) / 200 = 2.5, so
    # that 1 + 1.5 * 0.65 = 1.975 questions say as much as one. 2.80159 * sqrt(0.35 * 1.975 / 200) = 0.16470;
    # for 0.05 it takes (0.16470 / 0.05) ** 2 = 10.851 times as many.
    assert figures.power.rows() == [("ko-KR", 100, 200, pytest.approx(0.16470, abs=1e-5), 1086)]


def test_the_difference_is_found_in_four_of_five_comparisons():
    # Two models on 120 templates with three questions each; of a template, part of the models' difference
    # is common to its questions, so that these correlate by 0.65.
    rows = [("ko-KR", "Food", f"q{i}", 0, "KR GB US DZ") for i in range(120) for _ in range(3)]
    (difference,) = mcq_stats(mcqs_of(*rows)).power["difference"]
    shares = [(DISAGREEMENT - difference) / 2, 1 - DISAGREEMENT, (DISAGREEMENT + difference) / 2]
    rng = np.random.default_rng(1)
    draw = partial(rng.choice, [-1, 0, 1], p=shares)
    # A question takes its template's value with probability sqrt(0.65), else one of its own.
    common = rng.random((1000, 120, 3)) < CORRELATION**0.5
    means = np.where(common, draw(size=(1000, 120, 1)), draw(size=(1000, 120, 3))).mean(axis=2)
    found = np.abs(means.mean(axis=1)) > 1.96 * means.std(axis=1, ddof=1) / 120**0.5
    assert found.mean() == pytest.approx(0.8, abs=0.04)


REGIONS = {"ko-KR": "KR", "en-GB": "GB", "ar-DZ": "DZ"}


@st.composite
def questions(draw: st.DrawFn) -> tuple[str, str, str, int, str]:
    locale = draw(st.sampled_from(list(REGIONS)))
    others = st.sampled_from(sorted({"KR", "GB", "DZ", "US", "CN", "ID"} - {REGIONS[locale]}))
    options = draw(st.lists(others, min_size=3, max_size=3, unique=True))
    answer = draw(st.integers(0, 3))
    options.insert(answer, REGIONS[locale])
    topic, template = draw(st.sampled_from(["Food", "Sport"])), draw(st.sampled_from("ab"))
    return locale, topic, template, answer, " ".join(options)


@pytest.mark.slow
@settings(max_examples=examples(50), deadline=None)
@given(st.lists(questions(), min_size=1))
def test_everything_adds_up(rows):
    figures = mcq_stats(mcqs_of(*rows))
    assert figures.counts["mcqs"].sum() == figures.positions["mcqs"].sum() == len(rows)
    shares = figures.positions.group_by("locale").agg(pl.col("share").sum())["share"]
    assert shares.to_list() == pytest.approx([1.0] * len(shares))
