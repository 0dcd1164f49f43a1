"""``blend contribute``: a broken folder for people, as JSON and as annotations, and the way to a sound one."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from blend.cli.application import REFUSED
from helpers.in_process import run

HERE = Path(__file__).parent
VALID = HERE.parent / "loaders" / "valid" / "contributions"
STARTER = HERE.parents[1] / "loaders" / "starter" / "locales.toml"
TEN_WAYS = HERE.parent / "loaders" / "broken" / "contributions" / "broken_in_ten_ways" / "mina-ko"


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with three contributors, one of them broken in ten ways; the working directory."""
    folder = tmp_path / "contributions"
    shutil.copytree(VALID, folder)
    shutil.rmtree(folder / "mina-ko")
    shutil.copytree(TEN_WAYS, folder / "mina-ko")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("form", "name"), [("text", "ten_ways.txt"), ("github", "ten_ways_annotations.txt")])
def test_ten_ways(work: Path, form: str, name: str):
    expected = (HERE / "contribute" / name).read_text(encoding="utf-8")
    assert run("contribute", "check", "--format", form, code=REFUSED) == expected


def test_ten_ways_as_json(work: Path):
    check = json.loads(run("contribute", "check", work / "contributions", "--format", "json", code=REFUSED))
    assert check["contributors"] == ["abel-am", "jun-ko", "mina-ko"]
    assert len(check["problems"]) == 11
    assert [problem["file"] for problem in check["problems"]].count("jun-ko/questions.csv") == 1
    assert check["problems"][1] == {
        "level": "error",
        "contributor": "mina-ko",
        "file": "mina-ko/annotators.csv",
        "row": 3,
        "where": "annotators.csv:3, column consent",
        "what": "'' is not 'yes'",
        "fix": "take the row out, unless the annotator has agreed; then write yes",
    }


def test_annotations_name_files_from_the_working_directory(work: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(work / "contributions" / "mina-ko")
    first = run("contribute", "check", ".", "--format", "github", code=REFUSED).splitlines()[0]
    assert first.startswith("::error file=annotators.csv,line=3::mina-ko, annotators.csv:3, column consent: ")


def test_what_a_file_holds_ends_no_annotation(work: Path):
    hostile = work / "contributions" / "jun-ko" / "100%,a::b.csv"
    hostile.write_text("a\n")
    printed = run("contribute", "check", "contributions/jun-ko", "--format", "github", code=REFUSED)
    file = "file=contributions/jun-ko/100%25%2Ca%3A%3Ab.csv"
    assert f"::error {file}::jun-ko, 100%25,a::b.csv: nothing of" in printed


@pytest.mark.slow
def test_from_nothing_to_a_checked_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert run("contribute", "init", "everyday").splitlines() == [
        "everyday/.gitattributes",
        "everyday/.github/workflows/contributions.yml",
        "everyday/contributions/CONSENT.md",
        "everyday/contributions/templates.csv",
        "everyday/recipe.toml",
        "Edit CONSENT.md and templates.csv; then, for everybody who contributes:",
        "  blend contribute init everyday --contributor NAME --locale TAG",
    ]
    printed = run("contribute", "init", "everyday", "--contributor", "kim-uk", "--locale", "en-GB")
    assert printed.splitlines()[-2:] == [
        "Fill them in with a spreadsheet and a text editor; then:",
        "  blend contribute check everyday/contributions/kim-uk",
    ]
    assert "kim-uk: 1 error" in run("contribute", "check", "everyday", code=REFUSED)
    file = tmp_path / "everyday" / "contributions" / "kim-uk" / "contributor.toml"
    file.write_text(file.read_text().replace('agreed = ""', 'agreed = "2026-11-20"'))
    said = "kim-uk: nothing is wrong\n1 contributor: nothing is wrong\n"
    assert run("contribute", "check", "everyday") == said


@pytest.mark.slow
def test_the_recipe_beside_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    run("contribute", "init", ".")
    recipe = Path("recipe.toml")
    recipe.write_text('locale_file = "locales.toml"\n' + recipe.read_text(encoding="utf-8"), encoding="utf-8")
    shutil.copy(STARTER, "locales.toml")
    run("contribute", "init", "contributions", "--contributor", "ana-nz", "--locale", "en-NZ")
    file = Path("contributions/ana-nz/contributor.toml")
    filled = file.read_text(encoding="utf-8").replace('agreed = ""', 'agreed = "2026-11-20"')
    file.write_text(filled.replace("cc-by-4.0", "cc-by-nc-4.0"), encoding="utf-8")
    printed = run("contribute", "check", "contributions/ana-nz", code=REFUSED)
    assert (
        "contributor.toml, key license: 'cc-by-nc-4.0' does not allow a dataset under 'cc-by-4.0'; change the "
        "one or the other; docs/contributing-data.md says which licences go together"
    ) in printed
    assert "unknown locale" not in printed
    monkeypatch.chdir("contributions/ana-nz")
    assert run("contribute", "check", code=REFUSED) == printed


@pytest.mark.nightly
@pytest.mark.integration  # the step of the workflow runs in a shell, as on a forge
def test_the_step_of_the_workflow(tmp_path: Path):
    run("contribute", "init", tmp_path / "everyday")
    run("contribute", "init", tmp_path / "everyday", "--contributor", "mina-ko", "--locale", "ko-KR")
    workflow = (tmp_path / "everyday" / ".github" / "workflows" / "contributions.yml").read_text()
    steps = re.findall(r"- run: (.*)", workflow)
    without = {name: value for name, value in os.environ.items() if name != "BLEND"}
    install = subprocess.run(["bash", "-c", steps[0]], env=without, capture_output=True, text=True)
    assert "set the variable BLEND in the settings of the repository" in install.stderr
    check = subprocess.run(
        ["bash", "-c", steps[1].replace("blend", f"{sys.executable} -m blend", 1)],
        cwd=tmp_path / "everyday",
        capture_output=True,
        text=True,
    )
    assert check.returncode == REFUSED
    assert check.stdout.startswith("::error file=contributions/mina-ko/contributor.toml::mina-ko, ")
