"""A release without multiple-choice questions says why, on the terminal and in its validation."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from blend.builders.mcq.result import why_none_made
from blend.cli import app
from blend.loaders.releases import read_manifest

pytestmark = pytest.mark.slow  # for what its tests share

RECIPE = """
name = "three"
version = "1.0.0"
license = "cc-by-4.0"
locales = ["ko-KR", "ja-JP", "zh-CN"]
[[sources]]
kind = "sample"
"""
WHY = (
    "No multiple-choice question was made of {n} questions ({causes}). Each shows an answer of one region "
    "beside 3 answers of other regions, so at least 4 regions must be asked the same question: ask BLEnD's "
    'own, by its template ids, with its published answers as a further source (`kind = "blend"`), ask more '
    "regions, or propose options (docs/mcq.md). There are 3."
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("three")
    (folder / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    out = folder / "release"
    result = CliRunner().invoke(app, ["build", str(folder / "recipe.toml"), "--out", str(out)])
    assert result.exit_code == 0, result.output
    return out, result.stdout


def test_three_regions_give_none_and_it_is_said(built: tuple[Path, str]):
    out, printed = built
    manifest = read_manifest(out)
    findings = next(stage.findings for stage in manifest.report if stage.stage.startswith("make multiple"))
    causes = ", ".join(f"{kind} {count}" for kind, count in findings.items())
    why = why_none_made(manifest)
    asked = sum(table.rows for table in manifest.tables if table.config == "short-answer-questions")
    assert why == WHY.format(n=asked, causes=causes)
    assert why in " ".join(printed.split())


def test_four_regions_without_a_review_lack_english(built: tuple[Path, str]):
    manifest = read_manifest(built[0])
    (config,) = {table.config for table in manifest.tables if table.config == "short-answer-questions"}
    tables = [table for table in manifest.tables if table.config == config]
    report = [
        stage.model_copy(update={"findings": {**stage.findings, "no-translation": 7}})
        if stage.stage == "aggregate responses"
        else stage
        for stage in manifest.report
    ]
    four = manifest.model_copy(update={"tables": (*tables, tables[0]), "report": tuple(report)})
    asked = sum(table.rows for table in four.tables)
    told = why_none_made(four, "mine/recipe.toml")
    assert told is not None
    assert told.partition("). ")[2] == (
        f"Options are answers in English: 7 of {asked} questions have some without; `blend reviews propose "
        "mine/recipe.toml` makes a sheet to write it."
    )
    assert "at least 4 regions" not in told


def test_a_key_that_leaves_blends_regions_out_is_named(built: tuple[Path, str], mini_release: Path):
    manifest = read_manifest(built[0])
    blend = manifest.sources[0].model_copy(update={"kind": "blend"})
    beside = manifest.model_copy(update={"sources": (*manifest.sources, blend)})
    told = why_none_made(beside)
    assert told is not None
    assert told.partition("). ")[2] == (
        "Each shows an answer of one region beside 3 answers of other regions, and the recipe's key `locales` "
        "leaves out the regions of its source of kind 'blend' that would give them: leave `locales` out. "
        "There are 3."
    )
    everything = beside.model_copy(update={"recipe": beside.recipe.model_copy(update={"locales": None})})
    assert "leave `locales` out" not in str(why_none_made(everything))
    assert why_none_made(read_manifest(mini_release)) is None
