"""The walks of docs/architecture.md, followed word by word in a copy of the checkout: few files that work."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from helpers.published import shared_folder

pytestmark = pytest.mark.integration

MOST_FILES = {
    "A release check": 3,
    "An evaluation task": 3,
}
"""Walk to how many files it may touch; tables that `make docs` writes come on top."""

HELD = ("tests/test_imports.py", "tests/test_docs.py")
"""Tests of the whole project that new things must pass too."""

BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


class Followed(NamedTuple):
    """A checkout in which all walks were followed."""

    checkout: Path
    touched: Mapping[str, list[str]]
    """The files that each walk creates or changes."""


@pytest.fixture(scope="module")
def walks(root: Path) -> Mapping[str, str]:
    """Heading of each walk to its text."""
    page = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    return {text.partition("\n")[0]: text for text in page.partition("\n## Extending\n")[2].split("\n### ")[1:]}


@pytest.fixture(scope="module")
def followed(root: Path, walks: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> Followed:
    """A copy of the checkout, links included, with everything that the page adds."""
    checkout = tmp_path_factory.mktemp("extending") / "checkout"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / name, checkout / name, follow_symlinks=False)
    (checkout.parent / "shared").symlink_to(shared_folder())  # what the tests of the walks read
    touched = {name: list(follow(checkout, walk)) for name, walk in walks.items()}
    run(checkout, ".ci/doc_tables.py")
    return Followed(checkout, touched)


def follow(checkout: Path, walk: str) -> list[str]:
    """Create and change files as a walk says; which ones."""
    touched = []
    for kind, name, text in BLOCK.findall(walk):
        if name:
            path = checkout / name
            assert path.exists() == (kind == "diff"), name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(changed(path.read_text("utf-8"), text) if kind == "diff" else text, "utf-8")
            touched.append(name)
    return touched


def changed(before: str, hunks: str) -> str:
    """A text after a change that stands on the page: of every hunk, the old lines are there once."""
    for hunk in hunks.split("@@\n"):
        lines = [line if line.strip() else " \n" for line in hunk.splitlines(keepends=True)]
        assert {line[0] for line in lines} <= {" ", "+", "-"}
        old = "".join(line[1:] for line in lines if line[0] != "+")
        assert before.count(old) == 1, f"stands {before.count(old)} times:\n{old}"
        before = before.replace(old, "".join(line[1:] for line in lines if line[0] != "-"))
    return before


def run(checkout: Path, *arguments: str) -> str:
    """What a command of Python says, with the package of the copy."""
    environment = {**os.environ, "PYTHONPATH": str(checkout), "COLUMNS": "120", "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(
        [sys.executable, *arguments], cwd=checkout, env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, f"{arguments}\n{ran.stdout}\n{ran.stderr}"
    return ran.stdout


def test_each_walk_touches_as_few_files_as_it_says(walks: Mapping[str, str], followed: Followed):
    assert walks.keys() == MOST_FILES.keys()
    numbers = ("No", "One", "Two", "Three", "Four", "Five")
    for name, walk in walks.items():
        (told,) = re.findall(r"^\*(\w+) files\.\*", walk, re.MULTILINE)
        n_files = len(set(followed.touched[name]))
        assert n_files == numbers.index(told) <= MOST_FILES[name]


@pytest.mark.nightly
@pytest.mark.parametrize("name", MOST_FILES)
def test_what_a_walk_adds_works(walks: Mapping[str, str], followed: Followed, name: str):
    blocks = BLOCK.findall(walks[name])
    commands = [line for kind, _, text in blocks if kind == "bash" for line in text.splitlines()]
    shown = [line for kind, _, text in blocks if kind == "text" for line in text.splitlines()]
    assert commands
    said = ""
    for command in commands:
        tool, *arguments = command.split()
        said += run(followed.checkout, "-m", tool, *arguments)
    assert [line for line in shown if squeezed(line) not in squeezed(said)] == []


def squeezed(text: str) -> str:
    """A text whose columns may be as wide as they like."""
    return re.sub(r"[ \t]+", " ", text)


@pytest.mark.nightly
def test_what_walks_add_is_as_the_project_wants_it(followed: Followed):
    python = [file for files in followed.touched.values() for file in files if file.endswith(".py")]
    run(followed.checkout, "-m", "ruff", "check", "--quiet", *python)
    run(followed.checkout, "-m", "ruff", "format", "--check", "--quiet", *python)
    run(followed.checkout, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", *HELD)
