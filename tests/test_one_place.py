"""Rules that stand in one place: what was once written several times, with different results, stays single."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from blend.schemas.errors import DISTRIBUTION

ROOT = Path(__file__).parent.parent
PACKAGES = ("schemas", "loaders", "builders", "eval", "blend")
MODULES = [path.relative_to(ROOT) for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


@cache
def tree(module: Path) -> ast.Module:
    return ast.parse((ROOT / module).read_text(encoding="utf-8"))


@cache
def called(module: Path) -> frozenset[str]:
    """Names of the functions and methods that a module calls."""
    functions = [node.func for node in ast.walk(tree(module)) if isinstance(node, ast.Call)]
    return frozenset(
        function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        for function in functions
    )


def calls(name: str) -> list[str]:
    """Modules that call a function or method of that name."""
    return [module.as_posix() for module in MODULES if name in called(module)]


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
    assert calls(function) == [module]


@pytest.mark.slow
def test_a_text_that_is_not_toml_is_told_in_one_place():
    found = [
        module.as_posix()
        for module in MODULES
        if any(
            isinstance(node, ast.Attribute) and node.attr == "TOMLDecodeError"
            for node in ast.walk(tree(module))
        )
    ]
    assert found == ["schemas/models.py"]


def test_the_name_of_the_installed_package_stands_in_one_place():
    packages = [ROOT / package for package in (*PACKAGES, "dataset_cards")]
    written = [
        *MODULES,
        *(path.relative_to(ROOT) for home in packages for path in sorted(home.rglob("*.j2"))),
    ]
    found = [path.as_posix() for path in written if DISTRIBUTION in (ROOT / path).read_text(encoding="utf-8")]
    assert found == ["schemas/errors.py"]
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
    found = [
        f"{module}:{node.lineno}"
        for module in MODULES
        for node in ast.walk(tree(module))
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or)
        for last in node.values[1:]
        if isinstance(last, ast.Call) and ast.unparse(last.func) in ("registry", "release_locales")
    ]
    assert found == []


def imported(node: ast.AST) -> Iterator[str]:
    """Names under which a module imports others, anywhere in it."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Import):
            yield from (name.asname or name.name.partition(".")[0] for name in inner.names)


@pytest.mark.slow
def test_no_parameter_hides_a_module():
    found = []
    for module in MODULES:
        whole = tree(module)
        modules = set(imported(whole))
        for node in ast.walk(whole):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                found += [f"{module}:{node.lineno} {arg.arg}" for arg in given if arg.arg in modules]
    assert found == []
