"""SemEval-2026 Task 7 on the command line: a release of a folder, and what does not go together."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from blend.cli import app
from blend.exit_codes import UsageError
from blend.loaders.releases import read_manifest
from blend.schemas.errors import InputError
from helpers.semeval_files import write_semeval


def build(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, ["build", *map(str, arguments)])
    if result.exception is not None:
        raise result.exception
    return result.stdout


@pytest.mark.slow
def test_a_folder_of_the_tasks_files_is_built_and_rebalanced(tmp_path: Path):
    files = write_semeval(tmp_path / "files")
    printed = build("--semeval", files, "--rebalance", "--out", tmp_path / "release")
    assert "semeval-split-row 1" in printed
    manifest = read_manifest(tmp_path / "release")
    assert (manifest.name, manifest.recipe.mcq.rebalance) == ("semeval-2026-7", True)
    # The release's own recipe builds it again.
    again = ["--source-path", f"files={files}", "--out", tmp_path / "again"]
    build(tmp_path / "release" / "recipe.toml", *again)
    assert read_manifest(tmp_path / "again").tables == manifest.tables


def test_an_archive_is_to_be_unpacked(tmp_path: Path):
    path = tmp_path / "task.zip"
    path.write_bytes(b"")
    with pytest.raises(InputError) as caught:
        build("--semeval", path, "--out", tmp_path / "release")
    assert str(caught.value).endswith(
        f"no such directory: {path}; that is a file; unpack it and name the folder"
    )


@pytest.mark.parametrize("other", [["recipe.toml"], ["--blend", "x"], ["--food", "x"]])
def test_the_folder_goes_alone(other: list[str]):
    with pytest.raises(UsageError) as caught:
        build(*other, "--semeval", "files")
    assert str(caught.value) == (
        "--semeval builds from the task's files alone; to join them with other sources, write all into a recipe"
    )


@pytest.mark.slow
def test_options_without_votes_are_no_options(tmp_path: Path):
    write_semeval(tmp_path / "files")
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        'name = "x"\nversion = "1.0.0"\nlicense = "other"\n[[sources]]\nkind = "semeval"\nlocation = "files"\n',
        encoding="utf-8",
    )
    command = ["questions", "options", str(recipe), "--out", str(tmp_path / "options.tsv")]
    result = CliRunner().invoke(app, command)
    assert isinstance(result.exception, InputError)
    assert str(result.exception) == "nothing to read: no question has options enough"
