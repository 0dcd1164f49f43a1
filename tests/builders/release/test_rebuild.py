"""A release builds again from its own folder and the sources that it points to, byte for byte."""

import subprocess
import sys
from pathlib import Path

import pytest

from blend.builders.release import build_release
from blend.loaders.recipes import read_recipe
from blend.loaders.releases import read_manifest
from blend.loaders.starter import write_starter

VERDICTS = (
    '{"template_id": "food-01", "option": "a made-up meal", "verdict": "proposed", "with": "KR", '
    '"reader": "mina"}\n'
)
REVIEW = '{"template_id": "food-01", "reviewer": "r1", "groups": []}\n'
DATASHEET = '[motivation]\npurpose = "To be built again."\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A recipe that names a file of every kind, each by a name of its own."""
    folder = tmp_path / "project"
    write_starter(folder)
    (folder / "judged").mkdir()
    (folder / "judged" / "more.jsonl").write_text(VERDICTS, encoding="utf-8")
    (folder / "collected" / "reviews").mkdir()
    (folder / "collected" / "reviews" / "en-GB.jsonl").write_text(REVIEW, encoding="utf-8")
    (folder / "about.toml").write_text(DATASHEET, encoding="utf-8")
    recipe = (folder / "recipe.toml").read_text(encoding="utf-8")
    recipe = 'datasheet = "about.toml"\n' + recipe
    recipe += '\n[mcq]\nverdicts = "judged/more.jsonl"\n'
    (folder / "recipe.toml").write_text(recipe, encoding="utf-8")
    return folder


def blend(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "blend", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


@pytest.mark.slow
def test_what_is_carried_is_as_it_was_and_named_by_the_recipe(project: Path, tmp_path: Path):
    release = tmp_path / "release"
    manifest = build_release(read_recipe(project / "recipe.toml"), release, base=project)
    [verdicts] = manifest.sources[1:]
    assert (verdicts.kind, verdicts.location, verdicts.files[0].path) == ("verdicts", *["verdicts.jsonl"] * 2)
    assert (release / "verdicts.jsonl").read_bytes() == (project / "judged" / "more.jsonl").read_bytes()
    recipe = read_recipe(release / "recipe.toml")
    assert recipe.mcq.verdicts == "verdicts.jsonl"
    assert recipe == manifest.recipe
    listed = {file.path for file in read_manifest(release).files}
    assert "verdicts.jsonl" in listed
