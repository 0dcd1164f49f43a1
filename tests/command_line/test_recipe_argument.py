"""Commands about a recipe: the one that is named, the one in the folder, or the sample, and that it is said."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from blend.builders.mcq.result import verdict_notes
from blend.cli import app
from blend.cli.recipe_argument import used_recipe
from blend.loaders.recipes.ready import sample_recipe
from blend.loaders.releases import read_manifest
from blend.schemas.errors import BlendError

RECIPE = """\
name = "mine"
version = "0.1.0"
license = "cc-by-4.0"
[[sources]]
kind = "responses"
location = "collected"
"""
HERE = "No recipe is named: this is about recipe.toml in this folder.\n"
SAMPLE = "No recipe is named, and there is no recipe.toml here: this is about the sample in the package.\n"


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    valid = Path(__file__).parents[1] / "loaders" / "valid" / "responses"
    (tmp_path / "collected" / "responses").mkdir(parents=True)
    for name in ("templates.csv", "questions.csv", "responses/am-ET.jsonl", "responses/ko-KR.csv"):
        (tmp_path / "collected" / name).write_bytes((valid / name).read_bytes())
    responses = tmp_path / "collected" / "responses" / "ko-KR.csv"
    responses.write_text(responses.read_text(encoding="utf-8").replace("열다섯", ""), encoding="utf-8")
    (tmp_path / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", [("status",), ("reviews", "propose")], ids=" ".join)
def test_the_recipe_in_the_folder_is_used_and_said(mine: Path, command: tuple[str, ...]):
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert result.stderr == HERE
    assert {"status": "am-ET", "propose": "sheet.csv: 8 answers to 4 questions"}[command[-1]] in result.output


def test_the_sample_only_where_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    assert used_recipe(None) == (sample_recipe(), None)
    assert capsys.readouterr().err == SAMPLE
    with pytest.raises(BlendError):
        used_recipe(Path("other.toml"))
    assert capsys.readouterr().err == ""


def test_advice_names_the_recipe(mini_release: Path):
    manifest = read_manifest(mini_release)
    assert any("`blend questions options --unread`" in remedy for _, remedy in verdict_notes(manifest))
    named = [remedy for _, remedy in verdict_notes(manifest, "mine/recipe.toml")]
    assert any("`blend questions options mine/recipe.toml --unread`" in remedy for remedy in named)
    assert not any("options --unread" in remedy or "{" in remedy for remedy in named)


@pytest.mark.slow
def test_a_build_without_a_name_builds_the_folders_own(mine: Path):
    result = CliRunner().invoke(app, ["build", "--out", "release"])
    assert result.exit_code == 0, result.output
    assert result.stderr.startswith(HERE)
    assert read_manifest(mine / "release").name == "mine"
    assert "`blend reviews propose recipe.toml` makes a sheet" in " ".join(result.stdout.split())
