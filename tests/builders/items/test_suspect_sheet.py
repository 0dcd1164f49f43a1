"""Suspects on their way: listed, read by people, and a release without what these refused."""

from pathlib import Path

import polars as pl
import pytest

import blend
from blend.builders.release.reviewing import options_to_review
from blend.loaders.responses.returned_sheets import read_suspects
from helpers.in_process import run
from helpers.mini_release import mini_recipe
from helpers.simulated_models import analysed, simulated_runs


@pytest.fixture(scope="module")
def runs(mini_release: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    first = blend.read_config(mini_release, "multiple-choice-questions")["mcq_id"][0]
    return simulated_runs(mini_release, tmp_path_factory.mktemp("runs"), models=12, wrong_keys=[first])


@pytest.mark.nightly
@pytest.mark.slow
def test_a_refused_key_leaves_the_next_release(runs: list[Path], mini_release: Path, tmp_path: Path):
    listed, verdicts = tmp_path / "suspects.csv", tmp_path / "verdicts.tsv"
    printed = run("items", *runs, "--suspects", listed)
    assert f"blend questions options recipe.toml --suspects {listed}" in printed
    wrong = blend.read_config(mini_release, "multiple-choice-questions").row(0, named=True)
    about = {"template_id": wrong["template_id"], "locale": wrong["locale"]}
    assert tuple(about.values()) in read_suspects(listed)
    rows = options_to_review(mini_recipe(), base=tmp_path, only=read_suspects(listed)).sheet
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


@pytest.mark.landing
@pytest.mark.slow
def test_the_list_says_what_speaks_for_each(runs: list[Path], tmp_path: Path):
    found = analysed(runs)
    run("items", *runs, "--suspects", tmp_path / "suspects.xlsx")
    assert read_suspects(tmp_path / "suspects.xlsx") == set(
        found.suspects.select("template_id", "locale").iter_rows()
    )
    listed = found.suspect_sheet()
    assert listed["evidence"].is_sorted(descending=True)
    assert listed.columns[:3] == ["template_id", "locale", "item_id"]
