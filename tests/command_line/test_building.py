"""``blend init`` and ``blend build``: which recipe is built, what is said of it, and nothing is replaced."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from blend.builders.mcq.result import verdict_notes
from blend.builders.validate import CHECKS, validate_release
from blend.loaders.recipes import write_starter
from blend.loaders.releases import read_manifest
from blend.schemas.errors import BlendError
from helpers.in_process import run
from helpers.messages import wrong
from helpers.semeval_files import write_semeval

pytestmark = pytest.mark.slow

VALID = Path(__file__).parents[1] / "loaders" / "valid" / "responses"
QUICK = {name: check for name, check in CHECKS.items() if name != "loading"}
RECIPE = 'name = "mine"\nversion = "0.1.0"\nlicense = "cc-by-4.0"\n[[sources]]\nkind = "responses"\n'
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


def test_what_init_writes_builds_and_is_valid(tmp_path: Path):
    mine, out = tmp_path / "mine", tmp_path / "mine" / "release"
    assert run("init", mine).splitlines() == [
        *(str(mine / path) for path in FILES),
        "Replace the example rows by your own. As they are, they build:",
        f"  blend build {mine / 'recipe.toml'} --out {out}",
    ]
    assert "There are 2." in run("build", mine / "recipe.toml", "--out", out)
    assert [table.split for table in read_manifest(out).tables] == ["GB", "NZ"] * 3
    report = validate_release(out, checks=QUICK)
    assert [str(one) for check in report.checks for one in check.examples if one.level != "info"] == []


def test_a_clone_of_it_on_windows_has_the_same_bytes(tmp_path: Path):
    mine, clone = tmp_path / "mine", tmp_path / "clone"
    write_starter(mine)
    # As a spreadsheet saves it.
    (mine / "collected" / "templates.csv").write_bytes(b"\xef\xbb\xbftemplate_id,template\r\n")
    git = ["git", "-c", "user.name=me", "-c", "user.email=me@example.org", "-c", "core.autocrlf=true"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "begin"]):
        subprocess.run([*git, *command], cwd=mine, check=True)
    subprocess.run([*git, "clone", "-q", str(mine), str(clone)], check=True)
    assert [path for path in FILES if (clone / path).read_bytes() != (mine / path).read_bytes()] == []


def test_init_replaces_nothing(tmp_path: Path):
    (tmp_path / ".gitattributes").write_text("* -text\n", encoding="utf-8")  # hidden, and one's own
    assert write_starter(tmp_path) == FILES[1:]
    assert (tmp_path / ".gitattributes").read_text(encoding="utf-8") == "* -text\n"
    with pytest.raises(BlendError, match=r"holds 'collected', 'locales.toml', 'recipe.toml' and is not empty"):
        write_starter(tmp_path)


def test_without_a_recipe_it_is_the_sample_and_what_it_replaces_is_said(sample_release: Path, tmp_path: Path):
    out = tmp_path / "r[/bold]x"
    shown, _, to_copy = run("build", "--out", out).partition(
        f"\nBuilt blend-sample 0.1.0 in {out}. Look at it:"
    )
    assert "287 of 287 multiple-choice questions show options that nobody has read" in shown
    assert "reports/details.md says what each kind means" in " ".join(shown.split())
    assert max(map(len, shown.splitlines())) <= 80
    assert f"  blend show {out}\n" in to_copy
    assert "Since" not in to_copy
    manifest = read_manifest(out)
    assert manifest == read_manifest(sample_release)
    assert {table.config for table in manifest.tables} == {
        "annotations",
        "short-answer-questions",
        "short-answer-prompts",
        "multiple-choice-questions",
    }
    # From its own recipe it is built again, byte for byte; with --json the manifest is all that is printed.
    again = tmp_path / "again"
    printed = run("build", sample_release / "recipe.toml", "--out", again, "--json")
    assert printed == (again / "release.json").read_text(encoding="utf-8")
    for name in ("release.json", "README.md", "recipe.toml"):
        assert (again / name).read_bytes() == (sample_release / name).read_bytes()
    assert f"in {again}, in place of blend-sample 0.1.0. Look at it:" in run("build", "--out", again)


HERE = "No recipe is named: this is about recipe.toml in this folder.\n"
SAMPLE = "No recipe is named, and there is no recipe.toml here: this is about the sample in the package.\n"


@pytest.mark.parametrize(
    ("words", "made"),
    [("status", ""), ("reviews propose", "sheet.csv"), ("build --out release", "release")],
)
def test_the_recipe_in_the_folder_is_used_and_that_is_said(ended: Callable, words: str, made: str):
    if words == "status":
        assert ended("status") == (0, SAMPLE)
    shutil.copytree(VALID, "collected")
    shutil.rmtree(Path("collected", "reviews"))
    responses = Path("collected", "responses", "ko-KR.csv")
    responses.write_text(responses.read_text(encoding="utf-8").replace("열다섯", ""), encoding="utf-8")
    Path("recipe.toml").write_text(f'{RECIPE}location = "collected"\n', encoding="utf-8")
    code, told = ended(*words.split())
    assert (code, told.startswith(HERE)) == (0, True)
    assert Path(made).exists()
    if made == "release":
        assert read_manifest("release").name == "mine"


def test_advice_names_the_recipe(mini_release: Path):
    manifest = read_manifest(mini_release)
    for recipe, typed in (("", ""), ("mine/recipe.toml", " mine/recipe.toml")):
        remedies = [remedy for _, remedy in verdict_notes(manifest, recipe)]
        assert any(f"`blend questions options{typed} --unread`" in remedy for remedy in remedies)
        assert not any("{" in remedy for remedy in remedies)


def test_a_folder_of_semevals_files_is_built_and_built_again(tmp_path: Path):
    files = write_semeval(tmp_path / "files")
    assert "semeval-split-row 1" in run("build", "--semeval", files, "--out", tmp_path / "release")
    manifest = read_manifest(tmp_path / "release")
    assert manifest.name == "semeval-2026-7"
    again = ["--source-path", f"files={files}", "--out", tmp_path / "again"]
    run("build", tmp_path / "release" / "recipe.toml", *again)
    assert read_manifest(tmp_path / "again").tables == manifest.tables
    # Options without votes are none to be read.
    with pytest.raises(BlendError, match=r"^nothing to read: no question has options enough$"):
        recipe = (tmp_path / "release" / "recipe.toml").read_text(encoding="utf-8")
        (tmp_path / "recipe.toml").write_text(recipe, encoding="utf-8")
        run("questions", "options", tmp_path / "recipe.toml", "--out", tmp_path / "options.tsv")


@pytest.mark.nightly
def test_a_snapshot_is_about_what_its_account_says(food_snapshot: Path, tmp_path: Path):
    run("wikidata", "snapshot", "--dump", food_snapshot, "--out", tmp_path / "s.nt.gz", "--language", "ko")
    account = json.loads((tmp_path / "snapshot.json").read_text(encoding="utf-8"))
    account["domain"]["name"] = "clothing"
    (tmp_path / "snapshot.json").write_text(json.dumps(account), encoding="utf-8")
    assert wrong(lambda: run("build", "--food", tmp_path / "s.nt.gz", "--out", tmp_path / "release")) == (
        f"{tmp_path}/s.nt.gz: is about clothing, a domain of your own; write a recipe with its domain and "
        "domain_file in [food] (docs/wikidata.md)"
    )


def test_the_home_folder_by_its_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert str(tmp_path / "release") in wrong(lambda: run("validate", "~/release"))
    run("build", "--out=~/release")
    assert (tmp_path / "release" / "README.md").is_file()
