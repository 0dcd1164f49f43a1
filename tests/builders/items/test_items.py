"""Items: what an analysis finds in simulated runs and does not tell, suspects on their way, and the model."""

import json
from collections.abc import Collection
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import blend
from blend.builders.items import (
    ItemAnalysis,
    Responses,
    _analyse_responses,
    _fit_items,
    _item_statistics,
    _wrong_key_evidence,
    analyse_items,
)
from blend.builders.release.reviewing import options_to_review
from blend.eval.evaluation import item_answers, read_scored
from blend.loaders.responses.returned_sheets import read_suspects
from helpers.examples import examples
from helpers.in_process import run
from helpers.mini_release import mini_recipe
from helpers.simulated_models import simulated_runs


def responses_of(correct: np.ndarray) -> Responses:
    n_models, n_items = correct.shape
    names = [f"q{number:04}" for number in range(n_items)]
    items = pl.DataFrame({"item_id": names, "template_id": names, "region": ["KR"] * n_items, "topic": "Food"})
    models = tuple(f"m{number}" for number in range(n_models))
    return Responses(models, items, correct.astype(float), wrong=1 - correct[np.newaxis])


def analysed(directories: Collection[Path]) -> ItemAnalysis:
    """The analysis of the items of some runs, as the command makes it."""
    runs = read_scored([*directories])
    return analyse_items(item_answers(runs), chance=runs[0].task.chance)


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
    found = _item_statistics(correct)
    assert found.difficulty.tolist() == pytest.approx([0.4, 0.4, 0.6, 0.8])
    rest = correct[:, 1:].mean(axis=1)
    expected = np.corrcoef(correct[:, 0], rest)[0, 1]
    assert found.discrimination[0] == pytest.approx(expected)


def test_evidence_of_a_wrong_key():
    # Two of three good models and a weak one choose the second wrong option of the last item.
    correct = np.ones((4, 20))
    correct[[0, 1, 3], 19] = correct[3, :10] = 0
    wrong = np.stack([np.zeros_like(correct), 1 - correct, np.zeros_like(correct)])
    evidence = _wrong_key_evidence(responses_of(correct)._replace(wrong=wrong))
    # Of the 19 others good models have all and the weak one has 9 right; one good vote is for the key.
    good, weak = (np.log(3 * p / (1 - p)) for p in (19.5 / 20, 9.5 / 20))
    assert evidence[19] == pytest.approx(2 * good + weak - good)
    assert (evidence[10:19] < 0).all()


@pytest.mark.slow
@settings(max_examples=examples(25))
@given(answers())
@example(np.repeat(np.eye(6, 1), 4, axis=1))  # one model knows all, and the others nothing
def test_figures_are_finite_or_null_and_within_bounds(correct: np.ndarray):
    found = _analyse_responses(responses_of(correct))
    for name in ("slope", "intercept", "evidence", "difficulty"):
        assert found.items[name].is_finite().all()
    assert found.items["discrimination"].drop_nulls().is_between(-1, 1).all()
    assert found.items["difficulty"].is_between(0, 1).all()
    assert (found.suspects["evidence"] > 0).all()
    assert found.suspects["evidence"].is_sorted(descending=True)
    json.dumps(found.to_json(), allow_nan=False)


@pytest.fixture(scope="module")
def runs(mini_release: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    keys = planted(mini_release)
    return simulated_runs(mini_release, tmp_path_factory.mktemp("runs"), models=12, wrong_keys=keys)


def planted(release: Path) -> list[str]:
    return blend.read_config(release, "multiple-choice-questions")["mcq_id"].to_list()[::20]


@pytest.mark.landing
def test_wrong_keys_are_among_the_suspects(runs: list[Path], mini_release: Path):
    found = analysed(runs)
    keys = planted(mini_release)
    assert len(set(keys) & set(found.suspects["item_id"])) >= 0.8 * len(keys)


@pytest.mark.landing
def test_fewer_than_six_models_say_only_how_difficult_items_are(runs: list[Path]):
    found = analysed(runs[7:])
    assert found.untold == (
        "5 models say how difficult items are, and no more: discrimination, abilities and suspects need "
        "answers of six models or more"
    )
    assert found.items["difficulty"].null_count() == 0
    for name in ("discrimination", "slope", "slope_error", "intercept", "evidence"):
        assert found.items[name].null_count() == found.items.height
    assert found.suspects.is_empty()
    assert found.abilities["ability"].null_count() == found.abilities.height
    assert f"Note: {found.untold}." in " ".join(run("items", *runs[7:]).split())


@pytest.mark.nightly
def test_a_refused_key_leaves_the_next_release(runs: list[Path], mini_release: Path, tmp_path: Path):
    listed, verdicts = tmp_path / "suspects.csv", tmp_path / "verdicts.tsv"
    printed = run("items", *runs, "--suspects", listed)
    assert f"blend questions options recipe.toml --suspects {listed}" in printed
    wrong = blend.read_config(mini_release, "multiple-choice-questions").row(0, named=True)
    about = {"template_id": wrong["template_id"], "locale": wrong["locale"]}
    assert tuple(about.values()) in read_suspects(listed)
    rows, _ = options_to_review(mini_recipe(), base=tmp_path, only=read_suspects(listed))
    assert set(rows.select("template_id", "locale").iter_rows()) == read_suspects(listed)
    key = wrong["options"][wrong["answer"]]
    is_key = (pl.col("option") == key) & (pl.col("role") == "key")
    is_key &= pl.all_horizontal(pl.col(name) == value for name, value in about.items())
    assert rows.filter(is_key).height == 1
    sheet = tmp_path / "sheet.csv"
    rows.with_columns(verdict=pl.when(is_key).then(pl.lit("wrong"))).write_csv(sheet)
    run("questions", "accept", sheet, "--out", verdicts, "--reviewer", "r1", "--native")
    options = mini_recipe().mcq.model_copy(update={"verdicts": str(verdicts)})
    blend.build_release(mini_recipe(mcq=options), tmp_path / "next", base=tmp_path)
    again = blend.read_config(tmp_path / "next", "multiple-choice-questions").filter(**about)
    keys = [row["options"][row["answer"]] for row in again.iter_rows(named=True)]
    assert key not in keys


# The two-parameter model agrees with a published package, and finds what was simulated.

# Section 6 of the Law School Admission Test, 1,000 people and five items (Bock and Lieberman 1970, Fitting a
# response model for n dichotomously scored items, Psychometrika 35): answers, and how many people gave them.
LSAT6 = {
    "00000": 3, "00001": 6, "00010": 2, "00011": 11, "00100": 1, "00101": 1, "00110": 3, "00111": 4,
    "01000": 1, "01001": 8, "01011": 16, "01101": 3, "01110": 2, "01111": 15, "10000": 10, "10001": 29,
    "10010": 14, "10011": 81, "10100": 3, "10101": 28, "10110": 15, "10111": 80, "11000": 16, "11001": 56,
    "11010": 21, "11011": 173, "11100": 11, "11101": 61, "11110": 28, "11111": 298,
}  # fmt: skip


@pytest.mark.slow
def test_the_estimates_of_a_published_package():
    correct = np.array([[*map(float, pattern)] for pattern, n in LSAT6.items() for _ in range(n)])
    # R's ltm, ltm(LSAT ~ z1): difficulties and discriminations with four digits, log-likelihood -2466.653.
    found = _fit_items(correct, priors=False, tolerance=1e-6)
    assert found.converged
    assert found.log_likelihood == pytest.approx(-2466.653, abs=2e-3)
    assert found.slope == pytest.approx([0.8254, 0.7229, 0.8905, 0.6886, 0.6575], abs=1e-3)
    difficulty = -found.intercept / found.slope
    assert difficulty == pytest.approx([-3.3597, -1.3696, -0.2799, -1.8659, -3.1236], abs=3e-3)
