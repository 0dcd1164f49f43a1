"""Rules that stand in one place: what was once written several times, with different results, stays single."""

import ast
import re
import tomllib
from collections import defaultdict

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


@pytest.mark.slow
def test_no_registry_is_taken_for_absent_because_it_is_empty():
    # `locales or registry()` turns a registry without locales into the packaged one.
    taken = [
        f"{module}:{node.lineno}"
        for module, node in found(ast.BoolOp)
        if isinstance(node.op, ast.Or)
        for last in node.values[1:]
        if isinstance(last, ast.Call) and ast.unparse(last.func) in ("registry", "release_locales")
    ]
    assert taken == []


@pytest.mark.slow
def test_no_parameter_hides_a_module():
    modules = defaultdict(set)
    for module, node in found(ast.Import):
        modules[module].update(name.asname or name.name.partition(".")[0] for name in node.names)
    hidden = [
        f"{module}:{one.lineno} {one.arg}"
        for module, node in found(ast.arguments)
        for one in (*node.posonlyargs, *node.args, *node.kwonlyargs)
        if one.arg in modules[module]
    ]
    assert hidden == []
