"""Imports: cheap, one copy of every class, dependencies that point one way."""

import ast
import inspect
import re
import subprocess
import sys
import typing
from collections.abc import Callable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import datasets
import polars
import pytest
from pydantic import BaseModel

from helpers.source import MODULES, found, nodes

PACKAGES = ("schemas", "loaders", "builders", "eval", "dataset_cards", "decisions")

MAY_IMPORT = {
    # package               what it may import, besides schemas, the version and how a process stops
    "schemas": "",
    "loaders": "loaders/releases",
    "loaders/files": "",
    "loaders/hub": "",
    "loaders/servers": "loaders/files",
    "loaders/responses": "loaders/files",
    "loaders/contributions": "loaders/files loaders/responses",
    "loaders/label_studio": "loaders/files loaders/responses loaders/servers",
    "loaders/wikidata": "loaders/files loaders/servers",
    "loaders/surveys": "loaders/files",
    "loaders/topics": "loaders/files",
    "loaders/upstream": "loaders/files",
    "loaders/upstream/blend": "loaders/files loaders/upstream",
    "loaders/upstream/semeval": "loaders/files loaders/upstream",
    "loaders/upstream/fmlama": "loaders/files loaders/wikidata",
    "loaders/releases": "loaders/files loaders/hub",
    "loaders/recipes": "loaders/contributions loaders/files loaders/hub loaders/releases loaders/responses "
    "loaders/topics loaders/upstream/blend loaders/upstream/semeval loaders/wikidata",
    "builders": "",
    "builders/templates": "loaders/files loaders/recipes",
    "builders/cultural_prompts": "loaders/topics builders",
    "builders/annotation": "loaders/files loaders/label_studio loaders/recipes loaders/releases "
    "loaders/responses loaders/servers builders builders/mcq builders/release builders/saq",
    "builders/saq": "",
    "builders/export": "loaders/files",
    "builders/items": "",
    "builders/judges": "loaders/responses loaders/servers",
    "builders/audit": "loaders/files loaders/releases loaders/responses builders/judges builders/mcq",
    "builders/mcq": "loaders/responses builders builders/judges builders/templates",
    "builders/triples": "loaders/wikidata builders",
    "builders/stats": "loaders/files loaders/releases loaders/upstream/blend builders/triples",
    "builders/cards": "builders/stats",
    "builders/diff": "loaders/files loaders/releases builders/cards",
    "builders/validate": "loaders/files loaders/releases loaders/responses builders "
    "builders/cards builders/mcq builders/templates",
    "builders/release": "loaders/contributions loaders/files loaders/recipes loaders/releases "
    "loaders/responses loaders/topics builders builders/audit builders/cards builders/cultural_prompts "
    "builders/diff builders/judges builders/mcq builders/saq builders/stats builders/templates "
    "builders/triples",
    "builders/publish": "loaders/files loaders/hub loaders/releases builders/cards builders/diff "
    "builders/validate",
    "eval": "loaders",
    "dataset_cards": "",
    "decisions": "",
}
"""Package to the packages that it may import; ``loaders`` stands for all that is in it."""

SLOW = {
    *("datasets", "huggingface_hub", "jinja2", "openai", "pandas", "polars", "pyarrow", "simplemma", "torch"),
    "transformers",
}


def modules_after(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_blend_loads_nothing_slow():
    loaded = modules_after("import blend; blend.__version__")
    assert not loaded & SLOW


@pytest.mark.slow
def test_help_loads_nothing_slow():
    loaded = modules_after(
        "import contextlib, io\nfrom blend.cli import app\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n    app(['--help'])"
    )
    assert "blend.cli" in loaded
    assert not loaded & SLOW


@pytest.mark.slow
@pytest.mark.parametrize("command", ["build", "validate", "publish", "pull"])
def test_a_single_command_loads_no_group_of_commands(command: str):
    loaded = modules_after(
        f"import contextlib, io\nsys.argv = ['blend', {command!r}, '--help']\nfrom blend.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n    main()"
    )
    assert f"blend.cli.{'build' if command == 'build' else 'publish'}" in loaded
    assert not {name for name in loaded if name.startswith(("blend.eval", "blend.cli.eval"))}


def test_every_public_name_is_there():
    import blend

    ours = {
        name
        for name in dir(blend)
        if not name.startswith("_") and getattr(getattr(blend, name), "__module__", "").startswith("blend.")
    }
    assert ours == set(blend.__all__) - {"__version__"}
    with pytest.raises(AttributeError, match="No blend attribute nothing"):
        _ = blend.nothing


def ours_in(annotation: object) -> Iterator[type]:
    """The classes of the package that an annotation names, however deep."""
    if isinstance(annotation, type) and annotation.__module__.startswith("blend."):
        yield annotation
    for part in typing.get_args(annotation):
        yield from ours_in(part)


def named_by(function: Callable[..., Any]) -> Iterator[str]:
    """What a function takes, returns and raises, by name; of a model that it takes, the tables as well."""
    hints = typing.get_type_hints(function, localns=vars(datasets) | {"pl": polars})
    waiting = [kind for hint in hints.values() for kind in ours_in(hint)]
    returned = set(ours_in(hints.get("return")))
    for kind in waiting:
        yield kind.__name__
        if issubclass(kind, BaseModel) and kind not in returned:
            fields = (field.annotation for field in kind.model_fields.values())
            waiting += [inner for field in fields for inner in ours_in(field) if inner not in waiting]
    yield from re.findall(r"\b[A-Z]\w*Errors?\b", (function.__doc__ or "").partition("Raises:")[2])


def test_what_a_public_function_takes_returns_or_raises_is_public():
    import blend

    functions = [value for name in blend.__all__ if inspect.isfunction(value := getattr(blend, name))]
    hidden = {
        (function.__name__, name)
        for function in functions
        for name in named_by(function)
        if name not in blend.__all__
    }
    assert len(functions) > 20
    assert not hidden


@pytest.mark.nightly
def test_no_module_is_loaded_under_a_bare_name(root: Path):
    # From the root of the checkout both names would work, and the second copy of a class is another class.
    script = (
        "import importlib, pkgutil, sys\n"
        f"for package in {PACKAGES}:\n"
        "    home = importlib.import_module('blend.' + package)\n"
        "    for module in pkgutil.walk_packages(home.__path__, home.__name__ + '.'):\n"
        "        if module.name != 'blend.eval.inspect_tasks':\n"  # only Inspect loads it
        "            importlib.import_module(module.name)\n"
        "import blend.cli\n"
        "print('\\n'.join(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=root)
    loaded = set(run.stdout.split())
    assert "blend.builders.release" in loaded
    assert not {name for name in loaded if name.split(".")[0] in PACKAGES}


def package_of(module: str) -> str:
    """The package of a module: ``blend.builders.mcq.options`` stands in ``builders/mcq``."""
    parts = module.split(".")[1:]
    while "/".join(parts) not in MAY_IMPORT and len(parts) > 1:
        parts = parts[:-1]
    return "/".join(parts)


def imported_by(path: Path) -> Iterator[str]:
    """The modules of the package that a file imports, wherever in it; names of types apart."""
    of_types = {
        inner
        for node in nodes(path)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in node.body
    }
    for node in nodes(path):
        if node in of_types:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("blend."):
            yield node.module or ""
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("blend."))


@pytest.mark.slow
def test_every_package_imports_what_the_table_says(root: Path):
    strange = set()
    paths = [path.relative_to(root) for package in PACKAGES for path in sorted((root / package).rglob("*.py"))]
    for path in paths:
        own = package_of(".".join(["blend", *path.with_suffix("").parts]))
        assert own in MAY_IMPORT, f"{path}: say in the table what its package may import"
        allowed = {own, "schemas", "version", "stopping", *MAY_IMPORT[own].split()}
        for module in imported_by(path):
            target = package_of(module)
            if not (target in allowed or ("loaders" in allowed and target.startswith("loaders/"))):
                strange.add(f"{path} imports {module}")
    assert not strange


@pytest.mark.slow
def test_tasks_are_named_by_their_own_packages_and_the_command_line_alone():
    from blend.eval.tasks import TASKS

    named = [
        f"{module}:{node.lineno}: {node.value}"
        for module, node in found(ast.Constant)
        if module.is_relative_to("eval") and not module.is_relative_to("eval/tasks") and node.value in TASKS
    ]
    assert not named


@pytest.mark.slow
def test_no_modules_import_each_other_in_a_circle():
    # Names of types count as well: who reads one module of a circle has to read all of them.
    modules = [module for module in MODULES if module.parts[0] != "blend"]
    names = {
        path: ".".join(["blend", *path.with_suffix("").parts]).removesuffix(".__init__") for path in modules
    }
    imports: dict[str, set[str]] = {name: set() for name in names.values()}
    for path, node in found(ast.ImportFrom):
        if path in names:
            named = {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
            imports[names[path]] |= named & imports.keys() - {names[path]}
    assert {*TopologicalSorter(imports).static_order()} == {*imports}


def test_benchmarks_and_tools_import_what_helpers_have(root: Path):
    tools = [*(root / "benchmarks").glob("*.py"), *(root / ".ci").glob("*.py")]
    asked = [
        f"from {node.module} import {alias.name}"
        for tool in tools
        for node in ast.walk(ast.parse(tool.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("helpers.")
        for alias in node.names
    ]
    assert len(asked) > 10
    modules_after(f"sys.path.insert(0, {str(root / 'tests')!r})\n" + "\n".join(asked))
