"""The files around the code: they agree with each other, and name what is there."""

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from blend.version import __version__


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, Any]:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def read_yaml(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_the_citation_names_this_version_and_licence(root: Path, project: dict[str, Any]):
    citation = read_yaml(root / "CITATION.cff")
    assert (citation["version"], citation["license"]) == (__version__, project["license"])


def test_ci_runs_on_every_python_that_is_promised(root: Path, project: dict[str, Any]):
    promised = [name.rpartition(" ")[2] for name in project["classifiers"] if re.search(r":: 3\.\d+$", name)]
    (job,) = read_yaml(root / ".github" / "workflows" / "ci.yml")["jobs"].values()
    assert job["strategy"]["matrix"]["python"] == promised
    assert project["requires-python"] == f">={promised[0]}"
    assert ".ci/run" in [step.get("run") for step in job["steps"]]


def test_hooks_run_what_lint_runs(root: Path):
    (local,) = read_yaml(root / ".pre-commit-config.yaml")["repos"]
    commands = " ".join(hook["entry"] for hook in local["hooks"])
    lint = subprocess.run(["make", "-n", "lint"], cwd=root, capture_output=True, text=True, check=True).stdout
    for tool in ("ruff check", "ruff format"):
        assert tool in commands
        assert tool in lint
    assert "mypy" in lint
    assert "make lint" in commands


def test_make_help_names_every_target(root: Path):
    makefile = (root / "Makefile").read_text(encoding="utf-8")
    (phony,) = re.findall(r"^\.PHONY: (.+)$", makefile, flags=re.MULTILINE)
    # Below `make test`, make would also say which directory it enters.
    command = ["make", "--no-print-directory", "help"]
    printed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    assert {line.split()[0] for line in printed.splitlines()} == set(phony.split())


def test_the_readme_names_every_page_of_the_documentation(root: Path):
    readme = (root / "README.md").read_text(encoding="utf-8")
    pages = {path.name for path in (root / "docs").glob("*.md")} - {"index.md"}
    assert {page for page in pages if f"](docs/{page})" not in readme} == set()


def test_the_readme_names_every_extra(root: Path, project: dict[str, Any]):
    readme = (root / "README.md").read_text(encoding="utf-8")
    table = readme.partition("## Optional parts")[2].partition("\n## ")[0]
    first_cells = " ".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| "))
    assert {extra for extra in project["optional-dependencies"] if f"`{extra}`" not in first_cells} == set()


def test_every_page_stands_in_the_navigation_of_the_site(root: Path):
    # The hook adds the reference; what is written by hand is listed by hand.
    text = (root / "mkdocs.yml").read_text(encoding="utf-8")
    listed = set(re.findall(r"^      - ([\w-]+\.md)$", text, flags=re.MULTILINE))
    assert listed == {path.name for path in (root / "docs").glob("*.md")}


def test_the_top_level_holds_only_what_belongs_there(root: Path):
    listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout
    folders = {name.partition("/")[0] for name in listed.splitlines() if "/" in name}
    assert folders == {
        *(".ci", ".github", "benchmarks", "blend", "builders", "dataset_cards", "docs", "eval"),
        *("loaders", "schemas", "tests"),
    }
