"""docs/architecture.md: every package stands on it, and every place that it names is there."""

import re
from pathlib import Path

import pytest

FOLDERS = ("loaders", "builders", "eval", "blend")


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_every_room_has_its_place(page: str, root: Path):
    packages = {
        path.parent.relative_to(root).as_posix()
        for folder in FOLDERS
        for path in (root / folder).rglob("__init__.py")
        if path.parent != root / folder
    }
    assert len(packages) > 20
    assert {package for package in packages if f"`{package}/`" not in page} == set()


def test_every_file_that_is_named_is_there(page: str, root: Path):
    named = set(re.findall(r"`((?:\w+/)+\w+\.\w[\w.]*)`", page))
    assert "builders/mcq/offers.py" in named
    assert {name for name in named if not (root / name).is_file()} == set()
