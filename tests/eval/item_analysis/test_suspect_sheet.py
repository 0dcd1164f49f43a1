"""Suspects on their way: a sheet for people, verdicts, and a release without what they refused."""

from pathlib import Path

import polars as pl
import pytest

import blend
from blend.eval.evaluation import read_scored
from blend.eval.item_analysis.analysis import analyse_items
from blend.eval.item_analysis.suspect_sheet import suspect_sheet
from blend.exit_codes import UsageError
from blend.loaders.responses.option_sheets import read_option_sheet, read_suspects
from blend.schemas.errors import InputError
from blend.schemas.sheets.option_sheets import OPTION_SHEET
from helpers.in_process import run
from helpers.mini_release import mini_recipe
from helpers.simulated_models import simulated_runs


@pytest.fixture(scope="module")
def runs(mini_release: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    first = blend.read_config(mini_release, "multiple-choice-questions")["mcq_id"][0]
    return simulated_runs(mini_release, tmp_path_factory.mktemp("runs"), models=12, wrong_keys=[first])


@pytest.mark.slow
def test_a_refused_key_leaves_the_next_release(runs: list[Path], mini_release: Path, tmp_path: Path):
    sheet, verdicts = tmp_path / "suspects.csv", tmp_path / "verdicts.tsv"
    printed = run("items", *runs, "--sheet", sheet, "--release", mini_release)
    assert f"blend questions accept {sheet}" in printed
    questions = blend.read_config(mini_release, "multiple-choice-questions")
    wrong = questions.row(0, named=True)
    about = {"template_id": wrong["template_id"], "locale": wrong["locale"]}
    rows = pl.read_csv(sheet, infer_schema=False)
    assert rows.columns == list(OPTION_SHEET)
    assert rows["verdict"].null_count() == rows.height
    key = wrong["options"][wrong["answer"]]
    is_key = (pl.col("template_id") == about["template_id"]) & (pl.col("locale") == about["locale"])
    is_key &= (pl.col("option") == key) & (pl.col("role") == "key")
    assert rows.filter(is_key).height == 1
    rows.with_columns(verdict=pl.when(is_key).then(pl.lit("wrong"))).write_csv(sheet)
    run("questions", "accept", sheet, "--out", verdicts, "--reviewer", "r1", "--native")
    options = mini_recipe().mcq.model_copy(update={"exclusions": str(verdicts)})
    blend.build_release(mini_recipe(mcq=options), tmp_path / "next", base=tmp_path)
    again = blend.read_config(tmp_path / "next", "multiple-choice-questions").filter(**about)
    keys = [row["options"][row["answer"]] for row in again.iter_rows(named=True)]
    assert key not in keys


def test_the_sheet_has_the_key_first_and_every_option_once(runs: list[Path], mini_release: Path):
    scored = read_scored(runs)
    found = analyse_items(scored)
    sheet = suspect_sheet(found, scored, mini_release)
    for (_, _, _), rows in sheet.group_by("template_id", "locale", "question", maintain_order=True):
        roles = rows["role"].to_list()
        assert roles == sorted(roles, key=lambda role: role != "key")
        assert rows.select("option", "role").is_duplicated().sum() == 0
    first = found.suspects["template_id"][0], found.suspects["region"][0]
    assert sheet["template_id"][0] == first[0]


def test_its_questions_are_read_back(runs: list[Path], mini_release: Path, tmp_path: Path):
    sheet = tmp_path / "suspects.xlsx"
    run("items", *runs, "--sheet", sheet, "--release", mini_release)
    expected = suspect_sheet(analyse_items(read_scored(runs)), read_scored(runs), mini_release)
    assert read_suspects(sheet) == set(expected.select("template_id", "locale").iter_rows())
    with pytest.raises(InputError, match="no row has a verdict"):
        read_option_sheet(sheet)


def test_another_release_is_refused(runs: list[Path], mini_release: Path, sample_release: Path):
    scored = read_scored(runs)
    found = analyse_items(scored)
    held = set(blend.read_config(sample_release, "multiple-choice-questions")["mcq_id"])
    absent = sum(item not in held for item in found.suspects["item_id"])
    assert absent
    with pytest.raises(InputError) as error:
        suspect_sheet(found, scored, sample_release)
    n, asked = found.suspects.height, scored[0].run.description.release
    assert str(error.value) == (
        f"{sample_release}: {absent} of {n} suspects are not in this release; name the one that was asked, "
        f"{asked.name}@{asked.version}"
    )


def test_without_suspects_there_is_no_sheet(runs: list[Path], mini_release: Path):
    scored = read_scored(runs[:5])
    with pytest.raises(InputError) as error:
        suspect_sheet(analyse_items(scored), scored, mini_release)
    assert str(error.value) == (
        "nothing is a suspect, so leave `sheet` out: 5 models say how difficult items are, and no more: "
        "discrimination, abilities, suspects and a compact choice need answers of six models or more"
    )


def test_a_sheet_without_its_release(runs: list[Path], tmp_path: Path):
    with pytest.raises(UsageError) as error:
        run("items", *runs, "--sheet", tmp_path / "s.csv")
    assert str(error.value) == "--sheet takes the texts of options from --release; give both, or neither"
