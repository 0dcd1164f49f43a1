"""docs/mcq.md: the table of rules names functions that are there, and every module of the package."""

import re
from functools import reduce
from importlib import import_module
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def named(root: Path) -> list[list[str]]:
    page = (root / "docs" / "mcq.md").read_text(encoding="utf-8")
    table = page.split("## Where the rules are")[1]
    return [name.split(".") for name in re.findall(r"`(\w+\.[\w.]+)`", table)]


def test_every_rule_has_its_function(named: list[list[str]]):
    assert len(named) > 20
    for module, *names in named:
        assert callable(reduce(getattr, names, import_module(f"blend.builders.mcq.{module}"))), names


def test_every_module_has_a_rule(named: list[list[str]], root: Path):
    modules = {path.stem for path in (root / "builders" / "mcq").glob("*.py")}
    assert modules - {module for module, *_ in named} == {"__init__", "result"}
