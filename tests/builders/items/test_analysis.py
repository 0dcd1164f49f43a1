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
from blend.builders.items import (
    Responses,
    analyse_responses,
    item_statistics,
    wrong_key_evidence,
)
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
        "5 models say how difficult items are, and no more: discrimination, abilities and suspects need "
        "answers of six models or more"
    )
    assert found.items["difficulty"].null_count() == 0
    for name in ("discrimination", "low", "high", "slope", "slope_error", "intercept", "evidence"):
        assert found.items[name].null_count() == found.items.height
    assert found.suspects.is_empty()
    assert found.abilities["ability"].null_count() == found.abilities.height
    assert f"Note: {found.untold}." in " ".join(run("items", *runs[3:]).split())
