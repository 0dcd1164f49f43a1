"""``blend init``: what it writes builds and is valid as it is, and nothing is ever replaced."""

from pathlib import Path

import pytest

from blend.builders.validate import CHECKS, validate_release
from blend.loaders.releases import read_manifest
from blend.loaders.starter import write_starter
from blend.schemas.errors import BlendError
from helpers.in_process import run

FILES = [
    "collected/prompts.csv",
    "collected/questions.csv",
    "collected/responses/en-GB.csv",
    "collected/responses/en-NZ.csv",
    "collected/templates.csv",
    "locales.toml",
    "recipe.toml",
]


@pytest.mark.slow
def test_what_it_writes_builds_and_is_valid(tmp_path: Path):
    mine, out = tmp_path / "mine", tmp_path / "mine" / "release"
    printed = run("init", mine)
    assert printed.splitlines() == [
        *(str(mine / path) for path in FILES),
        "Replace the example rows by your own. As they are, they build:",
        f"  blend build {mine / 'recipe.toml'} --out {out}",
    ]
    assert "There are 2." in run("build", mine / "recipe.toml", "--out", out)
    assert [table.split for table in read_manifest(out).tables] == ["GB", "NZ"] * 3
    report = validate_release(out, checks={name: run for name, run in CHECKS.items() if name != "loading"})
    found = [str(problem) for check in report.checks for problem in check.examples if problem.level != "info"]
    assert [problem.partition(":")[0] for problem in found] == ["multiple-choice-questions"], found


def test_nothing_is_replaced(tmp_path: Path):
    (tmp_path / "recipe.toml").write_text("mine", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("mine too", encoding="utf-8")
    with pytest.raises(BlendError) as caught:
        write_starter(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: holds 'notes.txt', 'recipe.toml' and is not empty, so nothing is written there; choose "
        "another `folder` or empty it yourself"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes.txt", "recipe.toml"]


def test_a_file_is_not_a_folder(tmp_path: Path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(BlendError) as caught:
        write_starter(tmp_path / "file")
    assert str(caught.value) == f"{tmp_path / 'file'}: is not a folder; choose another `folder`"
    with pytest.raises(BlendError) as caught:
        write_starter(tmp_path / "file" / "below")
    assert str(caught.value) == (
        f"{tmp_path / 'file' / 'below'}: cannot write here (Not a directory); choose another `folder`"
    )
