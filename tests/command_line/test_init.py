"""``blend init``: what it writes builds and is valid as it is, and nothing is ever replaced."""

import subprocess
from pathlib import Path

import pytest

from blend.builders.validate import CHECKS, validate_release
from blend.loaders.releases import read_manifest
from blend.loaders.starter import write_starter
from blend.schemas.errors import BlendError
from helpers.in_process import run

FILES = [
    ".gitattributes",
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
    assert [str(one) for check in report.checks for one in check.examples if one.level != "info"] == []


def test_a_clone_on_windows_has_the_same_bytes(tmp_path: Path):
    mine, clone = tmp_path / "mine", tmp_path / "clone"
    write_starter(mine)
    # As a spreadsheet saves it.
    (mine / "collected" / "templates.csv").write_bytes(b"\xef\xbb\xbftemplate_id,template\r\n")
    git = ["git", "-c", "user.name=me", "-c", "user.email=me@example.org", "-c", "core.autocrlf=true"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "begin"]):
        subprocess.run([*git, *command], cwd=mine, check=True)
    subprocess.run([*git, "clone", "-q", str(mine), str(clone)], check=True)
    assert {path: (clone / path).read_bytes() for path in FILES} == {
        path: (mine / path).read_bytes() for path in FILES
    }


def test_a_hidden_file_of_ones_own_is_not_replaced(tmp_path: Path):
    (tmp_path / ".gitattributes").write_text("* -text\n", encoding="utf-8")
    assert write_starter(tmp_path) == FILES[1:]
    assert (tmp_path / ".gitattributes").read_text(encoding="utf-8") == "* -text\n"


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
