"""Rules that stand in one place: what was once written several times, with different results, stays single."""

import ast
import re
import tomllib

import pytest

from blend.schemas.errors import DISTRIBUTION
from helpers.source import MODULES, PACKAGES, ROOT, found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "module"),
    [
        ("errors", "schemas/models.py"),
        ("file_digest", "loaders/files/content.py"),
        ("get_close_matches", "schemas/errors.py"),
    ],
)
def test_a_rule_has_one_place(function: str, module: str):
    calls = {
        module.as_posix()
        for module, node in found(ast.Call)
        if function in (getattr(node.func, "attr", ""), getattr(node.func, "id", ""))
    }
    assert calls == {module}


@pytest.mark.slow
def test_a_text_that_is_not_toml_is_told_in_one_place():
    told = {module.as_posix() for module, node in found(ast.Attribute) if node.attr == "TOMLDecodeError"}
    assert told == {"schemas/models.py"}


def test_the_name_of_the_installed_package_stands_in_one_place():
    templates = [path for package in (*PACKAGES, "dataset_cards") for path in (ROOT / package).rglob("*.j2")]
    written = [*(ROOT / module for module in MODULES), *templates]
    named = [path for path in written if DISTRIBUTION in path.read_text(encoding="utf-8")]
    assert named == [ROOT / "schemas" / "errors.py"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == DISTRIBUTION


def test_nothing_is_installed_from_an_index_that_does_not_have_it():
    pages = [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("dataset_cards/*.j2")]
    lines = [line for page in pages for line in page.read_text(encoding="utf-8").splitlines()]
    installs = [line for line in lines if "pip install" in line]
    assert installs
    assert [line for line in installs if re.search(rf"pip install [^`]*{DISTRIBUTION}", line)] == []
