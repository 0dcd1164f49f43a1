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


def test_every_rule_has_its_function(named: list[list[str]], root: Path):
    assert len(named) > 20
    for names in named:
        module = module_of(names, root)
        within = names[len(module) :]
        assert callable(reduce(getattr, within, import_module(".".join(("blend.builders.mcq", *module))))), (
            names
        )


def test_every_module_has_a_rule(named: list[list[str]], root: Path):
    folder = root / "builders" / "mcq"
    modules = {path.relative_to(folder).with_suffix("").parts for path in folder.rglob("*.py")}
    without = modules - {module_of(names, root) for names in named}
    assert {module for module in without if module[-1] != "__init__"} == {("result",)}


def module_of(names: list[str], root: Path) -> tuple[str, ...]:
    """The module that a name begins with, in a package or not."""
    is_package = (root / "builders" / "mcq" / names[0]).is_dir()
    return tuple(names[: 1 + is_package])
