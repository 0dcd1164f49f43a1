"""A compact choice: what it keeps, how it becomes a configuration, and how that is scored."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import blend
from blend.builders.items.analysis import Responses, choose_compact
from blend.builders.items.two_parameter import fit_items
from blend.loaders.responses.compact import read_compact
from blend.schemas.errors import InputError, RowErrors
from helpers.examples import examples
from helpers.in_process import run
from helpers.mini_release import mini_recipe
from helpers.simulated_models import simulated_runs


def simulated(n_models: int, n_items: int, seed: int) -> Responses:
    rng = np.random.default_rng(seed)
    difficulty, ability = rng.normal(0, 1.5, n_items), np.linspace(-1.5, 1.5, n_models)
    chances = 1 / (1 + np.exp(difficulty - ability[:, np.newaxis]))
    names = [f"q{number:05}" for number in range(n_items)]
    regions, topics = (rng.choice(list(of), n_items) for of in ("ABC", "xy"))
    items = pl.DataFrame({"item_id": names, "template_id": names, "region": regions, "topic": topics})
    correct = (rng.random(chances.shape) < chances).astype(float)
    return Responses(tuple(map(str, range(n_models))), items, correct, wrong=1 - correct[np.newaxis])


@pytest.mark.slow
@settings(max_examples=examples(15))
@given(st.integers(30, 300), st.floats(0.02, 0.9), st.integers(0, 99))
def test_weights_stand_for_all_items_of_each_region(n_items: int, size: float, seed: int):
    found = simulated(6, n_items, seed)
    weights = choose_compact(found, fit_items(found.correct), size=size)
    assert weights[weights > 0].mean() == pytest.approx(1)
    regions = (
        found.items.with_columns(weight=pl.Series(weights))
        .group_by("region")
        .agg(pl.len(), pl.col("weight").sum())
    )
    assert (regions["weight"] / weights.sum()).to_list() == pytest.approx((regions["len"] / n_items).to_list())


@pytest.fixture(scope="module")
def runs(mini_release: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return simulated_runs(mini_release, tmp_path_factory.mktemp("runs"), models=7)


def release_of(chosen: Path, out: Path) -> Path:
    mcq = mini_recipe().mcq.model_copy(update={"compact": str(chosen)})
    blend.build_release(mini_recipe(mcq=mcq), out)
    return out


@pytest.mark.nightly
@pytest.mark.slow
def test_a_recipe_makes_it_a_configuration_that_is_scored_by_weight(runs: list[Path], tmp_path: Path):
    chosen = tmp_path / "compact.csv"
    assert "compact.csv: " in run("items", *runs, "--size", "0.2", "--compact", chosen)
    release = release_of(chosen, tmp_path / "release")
    rows, file = blend.read_config(release, "compact"), pl.read_csv(chosen)
    assert dict(rows.select("mcq_id", "weight").iter_rows()) == pytest.approx(dict(file.iter_rows()))
    assert (release / "compact.csv").is_file()
    assert "valid: 0 errors" in run("validate", release)
    answers = tmp_path / "answers.csv"
    rows.select(item_id="mcq_id", response=pl.Series(["A"] * rows.height)).write_csv(answers)
    recorded = blend.Recorded(path=answers, name="a")
    asked = blend.run_task(release, "multiple-choice", recorded, tmp_path / "run", config="compact")
    scored = blend.score_run(asked)
    is_a, weight = (rows["answer"] == 0).to_numpy(), rows["weight"].to_numpy()
    assert scored.overall("accuracy").value == pytest.approx(100 * (is_a * weight).sum() / weight.sum())
    assert scored.overall("accuracy-by-pair") is None
    assert "config:compact" in scored.signature
    by_region = scored.task.compared(scored).group_by("region").agg(pl.col("value").mean())
    shares = {region: score.value for region, score in scored.of("accuracy", "region").items()}
    assert {region: 100 * value for region, value in by_region.iter_rows()} == pytest.approx(shares)
    with pytest.raises(InputError) as error:
        run("items", asked.directory, "--compact", tmp_path / "none.csv")
    assert str(error.value) == "compact is a choice of multiple-choice-questions, and these runs are of compact"


@pytest.mark.landing
@pytest.mark.slow
def test_a_question_that_is_gone_is_a_finding(mini_release: Path, tmp_path: Path):
    names = blend.read_config(mini_release, "multiple-choice-questions")["mcq_id"].to_list()
    chosen = tmp_path / "compact.csv"
    chosen.write_text(f"MCQID,weight\n{names[0]},0.5\ngone_KR_1,1.5\n", encoding="utf-8")
    release = release_of(chosen, tmp_path / "release")
    assert blend.read_config(release, "compact")["mcq_id"].to_list() == [names[0]]
    lines = (release / "reports" / "findings.jsonl").read_text(encoding="utf-8").splitlines()
    (found,) = [one for one in map(json.loads, lines) if one["kind"] == "compact-absent"]
    assert found["detail"] == "gone_KR_1, weight 1.5"


def test_a_file_that_cannot_be_read(tmp_path: Path):
    path = tmp_path / "compact.csv"
    with pytest.raises(InputError) as error:
        read_compact(path)
    assert str(error.value) == f"{path}: no such file of questions; correct its name (mcq.compact in a recipe)"
    path.write_text("MCQID,weight\na,1\na,2\n,1\nb,none\nc,-1\nd,inf\n", encoding="utf-8")
    with pytest.raises(RowErrors) as errors:
        read_compact(path)
    told = str(errors.value)
    for line in (
        "compact.csv:3, column MCQID: 'a' is there twice; delete the row",
        "compact.csv:4, column MCQID: a question without an id; delete the row",
        "compact.csv:5, column weight: unknown weight 'none'; write a number above 0, such as 1.25",
        "compact.csv:6, column weight: unknown weight '-1'; write a number above 0, such as 1.25",
        "compact.csv:7, column weight: unknown weight 'inf'; write a number above 0, such as 1.25",
    ):
        assert line in told
