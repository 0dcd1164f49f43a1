"""The source of the package, read once per process for the rules that hold in all of it."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeVar

T = TypeVar("T", bound=ast.AST)

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("schemas", "loaders", "builders", "eval", "blend")
MODULES = [path.relative_to(ROOT) for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
"""``blend`` has links to the other packages, which are not followed."""


@cache
def nodes(module: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse((ROOT / module).read_text(encoding="utf-8"))))


def found(kind: type[T]) -> Iterator[tuple[Path, T]]:
    """Nodes of a kind, with the modules that they stand in."""
    return ((module, node) for module in MODULES for node in nodes(module) if isinstance(node, kind))
