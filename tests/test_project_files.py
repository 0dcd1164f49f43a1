"""The files around the code: they agree with each other, and name what is there."""

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from blend import __version__


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, Any]:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def read_yaml(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_the_citation_names_this_version_and_licence(root: Path, project: dict[str, Any]):
    citation = read_yaml(root / "CITATION.cff")
    # Whoever cites the software cites its code; data in it have licences of their own.
    code = project["license"].partition(" AND ")[0]
    assert (citation["version"], citation["license"]) == (__version__, code)


def test_the_notice_names_every_folder_with_a_licence_of_its_own(root: Path, project: dict[str, Any]):
    notice = (root / "NOTICE").read_text(encoding="utf-8")
    readme = (root / "README.md").read_text(encoding="utf-8")
    licensed = {path.parent.relative_to(root).as_posix() for path in root.glob("[!.]*/*/LICENSE")}
    assert {"decisions/blend", "loaders/sample"} <= licensed
    for folder in licensed:
        assert f"\n{folder}/ " in notice
        assert f"]({folder}/LICENSE)" in readme
        assert f"{folder}/LICENSE" in project["license-files"]
    for licence in project["license"].split(" AND ")[1:]:
        assert f"({licence})" in notice


def test_ci_runs_on_every_python_that_is_promised(root: Path, project: dict[str, Any]):
    promised = [name.rpartition(" ")[2] for name in project["classifiers"] if re.search(r":: 3\.\d+$", name)]
    (job,) = read_yaml(root / ".github" / "workflows" / "ci.yml")["jobs"].values()
    assert job["strategy"]["matrix"]["python"] == promised
    assert project["requires-python"] == f">={promised[0]}"
    assert ".ci/run" in [step.get("run") for step in job["steps"]]


def test_a_clone_has_the_same_bytes_on_every_system(root: Path):
    names = ["README.md", "loaders/starter/recipe.toml", "loaders/starter/collected/templates.csv"]
    command = ["git", "check-attr", "text", "eol", "--", *names]
    printed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    found = [tuple(line.split(": ")) for line in printed.splitlines()]
    assert [value for _, name, value in found if name == "text"] == ["auto", "auto", "unset"]
    assert [value for _, name, value in found if name == "eol"] == ["lf"] * 3


def test_pytorch_without_cuda_is_one_line_of_the_readme_and_make_names_no_index(root: Path):
    line = "export PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu\n"
    assert line in (root / "README.md").read_text(encoding="utf-8")
    assert not re.search(r"index.url|https?://", (root / "Makefile").read_text(encoding="utf-8"), re.IGNORECASE)


def test_whoever_made_the_demo_is_told_how_the_command_is_reached(root: Path):
    readme = (root / "README.md").read_text(encoding="utf-8")
    assert readme.partition("## Install\n")[2].partition("pip install")[0].count(". .venv/bin/activate") == 2
    demo = (root / "Makefile").read_text(encoding="utf-8").partition("\ndemo:")[2].partition("\n\n")[0]
    assert "$(BIN)/activate" in demo


def test_no_page_needs_gnu_s_sed(root: Path):
    # That of other systems edits a file in place only where it may keep the old one beside it.
    pages = [root / "README.md", root / "CONTRIBUTING.md", *(root / "docs").rglob("*.md")]
    texts = {page.name: page.read_text(encoding="utf-8") for page in pages}
    assert [name for name, text in texts.items() if re.search(r"\bsed -i(?!\.\w)", text)] == []


def test_the_readme_leads_to_every_page(root: Path):
    readme = (root / "README.md").read_text(encoding="utf-8")
    found = (path for path in (root / "docs").rglob("*") if path.suffix in (".md", ".ipynb"))
    assert [path for path in found if f"]({path.relative_to(root).as_posix()})" not in readme] == []


def test_the_readme_names_every_extra(root: Path, project: dict[str, Any]):
    readme = (root / "README.md").read_text(encoding="utf-8")
    table = readme.partition("## Optional parts")[2].partition("\n## ")[0]
    first_cells = " ".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| "))
    assert {extra for extra in project["optional-dependencies"] if f"`{extra}`" not in first_cells} == set()


def test_every_page_stands_in_the_navigation_of_the_site(root: Path):
    # The hook adds the reference; what is written by hand is listed by hand.
    text = (root / "mkdocs.yml").read_text(encoding="utf-8")
    listed = set(re.findall(r"^      - ([\w-]+\.md)$", text, flags=re.MULTILINE))  # the home has a comment
    assert listed == {path.name for path in (root / "docs").glob("*.md")}


def test_the_top_level_holds_only_what_belongs_there(root: Path):
    listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout
    names = [name for name in listed.splitlines() if (root / name).exists() or (root / name).is_symlink()]
    assert {name.partition("/")[0] for name in names if "/" in name} == {
        *(".ci", ".github", ".vscode", "benchmarks", "blend", "builders", "dataset_cards", "decisions", "docs"),
        *("eval", "loaders", "schemas", "tests"),
    }
    assert {name for name in names if "/" not in name} == {
        *(".editorconfig", ".gitattributes", ".gitignore", ".pre-commit-config.yaml", "CHANGELOG.md"),
        *("CITATION.cff", "CONTRIBUTING.md", "LICENSE", "Makefile", "NOTICE", "README.md", "SECURITY.md"),
        *("constraints.txt", "mkdocs.yml", "pyproject.toml"),
    }
