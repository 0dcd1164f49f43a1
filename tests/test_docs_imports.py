"""Imports in README and docs: every name that a page takes from the package is there."""

import importlib
import re
from pathlib import Path

import pytest

_IMPORT = re.compile(r"^(?:>>> )?from (blend[\w.]*) import (\w+(?:, \w+)*)$", re.MULTILINE)
ROOT = Path(__file__).resolve().parents[1]
PAGES = [path.relative_to(ROOT) for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))]


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_what_a_page_imports_is_there(page: Path):
    # The walks of docs/architecture.md import what they have just added.
    added = ("topic_guessing",) if page.name == "architecture.md" else ()
    missing = [
        f"{module}.{name}"
        for module, names in _IMPORT.findall((ROOT / page).read_text(encoding="utf-8"))
        if not module.endswith(added or ("\0",))
        for name in names.split(", ")
        if not hasattr(importlib.import_module(module), name)
    ]
    assert missing == []
