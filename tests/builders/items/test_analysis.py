"""An item analysis: what it finds in simulated runs, what it does not tell, and what leaves it as it is."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import blend
from blend.builders.items.analysis import (
    Responses,
    analyse_responses,
    item_statistics,
    select_compact,
    wrong_key_evidence,
)
from blend.builders.items.two_parameter import abilities_by, fit_items
from blend.eval.asked_runs import read_run
from blend.eval.evaluation import read_scored
from blend.eval.item_answers import item_answers
from helpers.examples import examples
from helpers.in_process import run
from helpers.simulated_models import analysed, simulated_runs


def responses_of(correct: np.ndarray, regions: Sequence[str] | None = None) -> Responses:
    n_models, n_items = correct.shape
    names = [f"q{number:04}" for number in range(n_items)]
    items = pl.DataFrame(
        {"item_id": names, "template_id": names, "region": regions or ["KR"] * n_items, "topic": "Food"}
    )
    models = tuple(f"m{number}" for number in range(n_models))
    return Responses(models, items, correct.astype(float), wrong=1 - correct[np.newaxis])


@st.composite
def answers(draw: st.DrawFn) -> np.ndarray:
    n_models, n_items = draw(st.integers(6, 9)), draw(st.integers(2, 12))
    cells = st.sampled_from([0.0, 1.0, 1.0, np.nan])
    correct = np.array(
        draw(
            st.lists(st.lists(cells, min_size=n_items, max_size=n_items), min_size=n_models, max_size=n_models)
        )
    )
    # An item or a model without any answer is not in any run.
    correct[:, 0], correct[0] = draw(st.sampled_from([0.0, 1.0])), 1.0
    return correct


def test_discrimination_is_the_correlation_with_the_rest():
    correct = np.array([[1, 1, 1, 0], [1, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]], dtype=float)
    found = item_statistics(correct)
    assert found.difficulty.tolist() == pytest.approx([0.4, 0.4, 0.6, 0.8])
    rest = correct[:, 1:].mean(axis=1)
    expected = np.corrcoef(correct[:, 0], rest)[0, 1]
    assert found.discrimination[0] == pytest.approx(expected)
    # Fisher: tanh(atanh(r) - 1.96 / sqrt(5 - 3)).
    assert found.low[0] == pytest.approx(np.tanh(np.arctanh(expected) - 1.959964 / np.sqrt(2)))


def test_evidence_of_a_wrong_key():
    # Two of three good models and a weak one choose the second wrong option of the last item.
    correct = np.ones((4, 20))
    correct[[0, 1, 3], 19] = correct[3, :10] = 0
    wrong = np.stack([np.zeros_like(correct), 1 - correct, np.zeros_like(correct)])
    evidence = wrong_key_evidence(responses_of(correct)._replace(wrong=wrong))
    # Of the 19 others good models have all and the weak one has 9 right; one good vote is for the key.
    good, weak = (np.log(3 * p / (1 - p)) for p in (19.5 / 20, 9.5 / 20))
    assert evidence[19] == pytest.approx(2 * good + weak - good)
    assert (evidence[10:19] < 0).all()


def test_wrong_answers_that_agree_are_evidence_and_others_are_less():
    correct = np.ones((6, 20))
    correct[:, 0] = correct[:, 1] = 0
    agree, differ = np.zeros((3, 6, 20)), np.zeros((3, 6, 20))
    agree[0, :, 0] = 1
    differ[np.arange(6) % 3, np.arange(6), 1] = 1
    evidence = wrong_key_evidence(responses_of(correct)._replace(wrong=agree + differ))
    assert evidence[0] == pytest.approx(3 * evidence[1])
    assert evidence[1] > 0 > evidence[2]


@pytest.mark.slow
@settings(max_examples=examples(25))
@given(answers())
def test_figures_are_finite_or_null_and_within_bounds(correct: np.ndarray):
    found = analyse_responses(responses_of(correct))
    for name in ("slope", "intercept", "evidence", "difficulty"):
        assert found.items[name].is_finite().all()
    known = found.items.drop_nulls("discrimination")
    assert known.filter(
        (pl.col("low") > pl.col("discrimination")) | (pl.col("discrimination") > pl.col("high"))
    ).is_empty()
    assert found.items["difficulty"].is_between(0, 1).all()
    assert (found.suspects["evidence"] > 0).all()
    assert found.suspects["evidence"].is_sorted(descending=True)
    json.dumps(found.to_json(), allow_nan=False)


@pytest.fixture(scope="module")
def runs(mini_release: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return simulated_runs(
        mini_release, tmp_path_factory.mktemp("runs"), models=8, wrong_keys=planted(mini_release)
    )


def planted(release: Path) -> list[str]:
    return blend.read_config(release, "multiple-choice-questions")["mcq_id"].to_list()[::20]


@pytest.mark.landing
@pytest.mark.slow
def test_wrong_keys_are_among_the_suspects(runs: list[Path], mini_release: Path):
    found = analysed(runs)
    keys = planted(mini_release)
    assert len(set(keys) & set(found.suspects["item_id"])) >= 0.8 * len(keys)


@pytest.mark.landing
@pytest.mark.slow
def test_fewer_than_six_models_say_only_how_difficult_items_are(runs: list[Path]):
    found = analysed(runs[3:])
    assert found.untold == (
        "5 models say how difficult items are, and no more: discrimination, abilities, suspects and a compact "
        "choice need answers of six models or more"
    )
    assert found.items["difficulty"].null_count() == 0
    for name in ("discrimination", "low", "high", "slope", "slope_error", "intercept", "evidence"):
        assert found.items[name].null_count() == found.items.height
    assert found.suspects.is_empty()
    assert found.abilities["ability"].null_count() == found.abilities.height
    assert f"Note: {found.untold}." in " ".join(run("items", *runs[3:]).split())


@pytest.mark.nightly
def test_models_that_guess_are_named(mini_release: Path, tmp_path: Path):
    # The weakest of them know less than guessing gives.
    runs = simulated_runs(mini_release, tmp_path / "runs", models=8)[2:]
    gold = read_run(runs[0]).gold("item_id")["item_id"]
    answers = tmp_path / "guesser.csv"
    gold.to_frame().with_columns(response=pl.lit("A")).write_csv(answers)
    recorded = blend.Recorded(path=answers)
    blend.score_run(blend.run_task(mini_release, "multiple-choice", recorded, tmp_path / "guesser"))
    told = "1 model is no better than guessing (guesser.csv) and tells nothing of items"
    assert analysed([*runs, tmp_path / "guesser"]).untold == told
    assert analysed(runs).guessers == ()
    heard: list[str] = []
    answers = item_answers(read_scored([*runs, tmp_path / "guesser"]))
    select_compact(answers, size=0.5, chance=25, on_warning=heard.append)
    assert heard == [told]


# The two-parameter model agrees with a published package, and finds what was simulated.


# Section 6 of the Law School Admission Test, 1,000 people and five items (Bock and Lieberman 1970, Fitting a
# response model for n dichotomously scored items, Psychometrika 35): answers, and how many people gave them.
LSAT6 = {
    "00000": 3, "00001": 6, "00010": 2, "00011": 11, "00100": 1, "00101": 1, "00110": 3, "00111": 4,
    "01000": 1, "01001": 8, "01011": 16, "01101": 3, "01110": 2, "01111": 15, "10000": 10, "10001": 29,
    "10010": 14, "10011": 81, "10100": 3, "10101": 28, "10110": 15, "10111": 80, "11000": 16, "11001": 56,
    "11010": 21, "11011": 173, "11100": 11, "11101": 61, "11110": 28, "11111": 298,
}  # fmt: skip


@pytest.fixture(scope="module")
def lsat6() -> np.ndarray:
    answers = [list(map(float, pattern)) for pattern, n in LSAT6.items() for _ in range(n)]
    return np.array(answers)


@pytest.mark.slow
def test_the_estimates_of_a_published_package(lsat6: np.ndarray):
    # R's ltm, ltm(LSAT ~ z1): difficulties and discriminations with four digits, log-likelihood -2466.653.
    found = fit_items(lsat6, priors=False, tolerance=1e-6)
    assert found.converged
    assert found.log_likelihood == pytest.approx(-2466.653, abs=2e-3)
    assert found.slope == pytest.approx([0.8254, 0.7229, 0.8905, 0.6886, 0.6575], abs=1e-3)
    difficulty = -found.intercept / found.slope
    assert difficulty == pytest.approx([-3.3597, -1.3696, -0.2799, -1.8659, -3.1236], abs=3e-3)


def simulated(n_models: int, n_items: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    ability, slope = rng.normal(size=n_models), np.exp(rng.normal(0, 0.5, n_items))
    intercept = -slope * rng.normal(0, 1.5, n_items)
    chances = 1 / (1 + np.exp(-(np.outer(ability, slope) + intercept)))
    return (rng.random(chances.shape) < chances).astype(float), ability, slope, intercept


@pytest.mark.nightly
def test_what_was_simulated_is_found():
    correct, ability, slope, intercept = simulated(300, 300)
    found = fit_items(correct)
    for truth, estimate, least in (
        (ability, found.abilities.mean, 0.99),
        (intercept, found.intercept, 0.97),
        (slope, found.slope, 0.85),
    ):
        assert np.corrcoef(truth, estimate)[0, 1] > least


@pytest.mark.slow
def test_abilities_by_some_items_are_on_the_same_scale():
    correct, *_ = simulated(30, 800)
    found = fit_items(correct)
    half = np.arange(800) % 2 == 0
    part = abilities_by(found, correct, half)
    assert np.abs(part.mean - found.abilities.mean).max() < 5 * part.error.max()
    assert (part.error > found.abilities.error).all()
    assert abilities_by(found, correct, ~half | half).mean == pytest.approx(found.abilities.mean, abs=1e-2)


@pytest.mark.slow
def test_a_wrong_key_has_a_slope_below_the_others():
    correct, *_ = simulated(40, 300)
    correct[:, 0] = correct.mean(axis=1) < np.median(correct.mean(axis=1))
    assert fit_items(correct).slope[0] < 0
