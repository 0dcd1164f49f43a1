"""A release builds again from its own folder and the sources that it points to, byte for byte."""

import subprocess
import sys
from pathlib import Path

import pytest

from blend.builders.release import build_release
from blend.loaders.recipes import read_recipe
from blend.loaders.releases import read_manifest
from blend.loaders.starter import write_starter

DECISIONS = "answer_a\tanswer_b\tverdict\twho\twhen\twhy\nstand up\tpray\tsame\tmina\t2026-11-01\ttest\n"
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
    (folder / "judged" / "who said so.tsv").write_bytes(b"\xef\xbb\xbf" + DECISIONS.encode())
    (folder / "judged" / "more.jsonl").write_text(VERDICTS, encoding="utf-8")
    (folder / "collected" / "reviews").mkdir()
    (folder / "collected" / "reviews" / "en-GB.jsonl").write_text(REVIEW, encoding="utf-8")
    (folder / "about.toml").write_text(DATASHEET, encoding="utf-8")
    recipe = (folder / "recipe.toml").read_text(encoding="utf-8")
    recipe = 'datasheet = "about.toml"\n' + recipe
    recipe += '\n[mcq]\nverdicts = "judged/more.jsonl"\n[mcq.judge]\ndecisions = "judged/who said so.tsv"\n'
    (folder / "recipe.toml").write_text(recipe, encoding="utf-8")
    return folder


def blend(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "blend", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


@pytest.mark.slow
def test_what_is_carried_is_as_it_was_and_named_by_the_recipe(project: Path, tmp_path: Path):
    release = tmp_path / "release"
    manifest = build_release(read_recipe(project / "recipe.toml"), release, base=project)
    decisions, verdicts = manifest.sources[1:]
    assert (decisions.kind, decisions.location, decisions.files[0].path) == (
        "decisions",
        *["decisions.tsv"] * 2,
    )
    assert (verdicts.kind, verdicts.location, verdicts.files[0].path) == ("verdicts", *["verdicts.jsonl"] * 2)
    assert (release / "decisions.tsv").read_bytes() == (project / "judged" / "who said so.tsv").read_bytes()
    assert (release / "verdicts.jsonl").read_bytes() == (project / "judged" / "more.jsonl").read_bytes()
    recipe = read_recipe(release / "recipe.toml")
    assert (recipe.mcq.judge.decisions, recipe.mcq.verdicts) == ("decisions.tsv", "verdicts.jsonl")
    assert recipe == manifest.recipe
    listed = {file.path for file in read_manifest(release).files}
    assert {"decisions.tsv", "verdicts.jsonl"} <= listed


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("place", "code", "message"),
    [
        ("collected", 2, "--source-path collected: expected LOCATION=PATH"),
        (
            "elsewhere=.",
            1,
            "--source-path elsewhere=.: the recipe names nothing at 'elsewhere'; there are: collected",
        ),
        ("collected=nowhere", 1, "--source-path collected=nowhere: nothing lies at nowhere; correct the path"),
    ],
)
@pytest.mark.integration
def test_a_place_that_means_nothing(project: Path, tmp_path: Path, place: str, code: int, message: str):
    done = blend("build", project / "recipe.toml", "--source-path", place, "--out", tmp_path / "again")
    assert (done.returncode, done.stderr) == (code, f"error: {message}\n")
