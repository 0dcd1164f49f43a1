"""Nets know no module of the package, so that all of them can be replaced under the nets."""

import ast
from pathlib import Path


def test_nets_import_public_names_alone():
    for file in Path(__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            inner = [name for name in names if name.startswith("blend.")]
            assert not inner, f"{file.name}:{node.lineno} imports {inner[0]}; nets know `import blend` alone"
